import PushWire
import Storage
import System

/// The forwarding of device connections' events to the delivery core.
extension DeviceHome {
  func connect(
    _ device: UInt64, _ session: SessionID, topics: Set<NotificationKey>, window: Int,
    power: DevicePower
  ) {
    core.connect(
      device, session: session, topics: topics, window: window, power: power, now: now)
    performEffects()
  }

  func addTopic(_ key: NotificationKey, _ session: SessionID) {
    core.addTopic(key, session: session, now: now)
    performEffects()
  }

  func acknowledge(_ device: UInt64, _ session: SessionID, sequence: UInt64) {
    core.acknowledge(device, session: session, sequence: sequence, now: now)
    performEffects()
  }

  func discard(
    _ device: UInt64, _ session: SessionID, sequence: UInt64, _ reason: LinkDiscardReason
  ) {
    core.discarded(device, session: session, sequence: sequence, reason, now: now)
    performEffects()
  }

  func setPower(_ device: UInt64, _ session: SessionID, _ power: DevicePower) {
    core.setPower(power, of: device, session: session, now: now)
    performEffects()
  }

  func onDeviceActivity(_ device: UInt64, _ session: SessionID) {
    core.onDeviceActivity(device, session: session, now: now)
    performEffects()
  }
}

extension SessionEnd {
  /// The close reason sent to the device.
  var linkReason: LinkCloseReason {
    switch self {
    case .replaced: .replaced
    case .revoked: .revoked
    case .storeFailed: .internalFailure
    }
  }
}
