import BelfryWire
import Storage
import System
import Transport

/// What of a loop changes when an administrator rotates keys.
struct LoopRotation {
  /// A change of it.
  enum Change: Sendable {
    /// Devices shall trust other authorities: tell those that are connected.
    case trust(mark: [UInt8])
    /// Tell the next ones of those devices.
    case continueTrust(sessions: ArraySlice<SessionID>)
    /// Tokens are sealed with the first key, and opened with each.
    case tokenKeys([[UInt8]])
  }

  /// Opens and seals device tokens.
  let tokens: DeviceTokenCodec
  /// The name of the key that seals them.
  let tokenKey: String
  /// What TRUST tells devices.
  var trustMark: [UInt8]

  init(
    tokenKeys: [[UInt8]], trustMark: [UInt8], environment: BelfryWire.Environment
  ) throws(CryptoFailure) {
    assert(trustMark.count == LinkLimits.trustMarkBytes, "a mark of \(trustMark.count) bytes")
    assert(!tokenKeys.isEmpty, "tokens that no key seals")
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
        log.error("cannot use the token keys: goes on with the former ones", ["why": "\(error)"])
      }
    }
  }

  /// Tells some devices, then lets others have their turn.
  private func announceTrust(to sessions: ArraySlice<SessionID>) {
    for session in sessions.prefix(Limits.fanOutDevices) {
      connections.device(session)?.announceTrust()
    }
    let rest = sessions.dropFirst(Limits.fanOutDevices)
    guard !rest.isEmpty else { return }
    outbox.peers[index].post(.rotation(.continueTrust(sessions: rest)))
  }
}
