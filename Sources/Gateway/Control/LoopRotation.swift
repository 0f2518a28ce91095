import BelfryWire
import PushWire
import Storage
import System
import Transport

/// The part of a loop's state that changes when an administrator rotates keys.
struct LoopRotation {
  /// A change that a rotation makes.
  enum Change: Sendable {
    /// Devices must trust a different set of authorities; notify the connected devices.
    case trust(mark: [UInt8])
    /// Notify the next devices in the list.
    case continueTrust(sessions: ArraySlice<SessionID>)
    /// Seal tokens with the first key, and open them with any of the keys.
    case tokenKeys([[UInt8]])
  }

  /// The codec that opens and seals device tokens.
  let tokens: DeviceTokenCodec
  /// The name of the key that seals device tokens.
  let tokenKey: String
  /// The hash that identifies the trusted authorities; devices receive it in the TRUST frame.
  var trustMark: [UInt8]

  init(
    tokenKeys: [[UInt8]], trustMark: [UInt8], environment: BelfryWire.Environment,
    cell: UInt16
  ) throws(CryptoFailure) {
    assert(
      trustMark.count == LinkLimits.trustMarkBytes,
      "the trust mark has the required size, not \(trustMark.count) bytes")
    assert(!tokenKeys.isEmpty, "there is at least one token key")
    tokens = try DeviceTokenCodec(keys: tokenKeys, environment: environment, cell: cell)
    tokenKey = tokenKeys.first.map(TokenKeys.name(of:)) ?? ""
    self.trustMark = trustMark
  }
}
