import BelfryWire
import Storage
import System
import Transport

/// The state of a loop that changes when an administrator rotates keys.
struct LoopRotation {
  /// A change that a rotation makes.
  enum Change: Sendable {
    /// Devices must trust other authorities: notify the connected ones.
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
  /// The mark of the trusted authorities, which TRUST sends to devices.
  var trustMark: [UInt8]

  init(
    tokenKeys: [[UInt8]], trustMark: [UInt8], environment: BelfryWire.Environment
  ) throws(CryptoFailure) {
    assert(
      trustMark.count == LinkLimits.trustMarkBytes,
      "the trust mark has the required size, not \(trustMark.count) bytes")
    assert(!tokenKeys.isEmpty, "there is at least one token key")
    tokens = try DeviceTokenCodec(keys: tokenKeys, environment: environment)
    tokenKey = tokenKeys.first.map(TokenKeys.name(of:)) ?? ""
    self.trustMark = trustMark
  }
}

extension GatewayLoop {
  var tokens: DeviceTokenCodec { rotation.tokens }

  func handle(_ change: LoopRotation.Change) {
    switch change {
    case .trust(let mark):
      guard mark != rotation.trustMark else { return }
      rotation.trustMark = mark
      announceTrust(to: connections.allDevices.map(\.session)[...])
    case .continueTrust(let sessions):
      announceTrust(to: sessions)
    case .tokenKeys(let keys):
      do throws(CryptoFailure) {
        rotation = try LoopRotation(
          tokenKeys: keys, trustMark: rotation.trustMark, environment: environment)
      } catch {
        log.error("cannot read the token keys: keeping the previous ones", ["why": "\(error)"])
      }
    }
  }

  /// Notifies some devices, then reschedules itself so that other work can run.
  private func announceTrust(to sessions: ArraySlice<SessionID>) {
    for session in sessions.prefix(Limits.fanOutDevices) {
      connections.device(session)?.announceTrust()
    }
    let rest = sessions.dropFirst(Limits.fanOutDevices)
    guard !rest.isEmpty else { return }
    outbox.peers[index].post(.rotation(.continueTrust(sessions: rest)))
  }
}
