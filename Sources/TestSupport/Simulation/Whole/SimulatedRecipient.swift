import PushWire

/// A device of a simulated gateway, as the ledgers see it.
protocol SimulatedRecipient: AnyObject {
  /// The index of the device among the devices of its kind.
  var index: Int { get }
  /// The number that the gateway assigned to the device; 0 before the device has enrolled.
  var number: UInt64 { get }
  /// True if an administrator has revoked the device.
  var isRevoked: Bool { get }
  /// True if the device can find that it is revoked.
  var mayBeRevoked: Bool { get }
  /// True if a restored control store does not contain the revocation of the device.
  var isRevocationForgotten: Bool { get }
  /// True if the gateway knows that the device accepts only urgent notifications.
  func isKnownAsRestricted(by process: SimulatedGatewayProcess) -> Bool
  /// True if the device has ever lacked storage space.
  var hasLackedRoom: Bool { get }

  /// Returns true if the app with this topic is registered.
  func wants(_ topic: LinkTopic) -> Bool
  /// Returns true if the user has turned off the notifications of the topic.
  func isDisabled(_ topic: LinkTopic) -> Bool
  /// Returns true if the device must recognize that it has already stored this notification.
  func remembers(_ id: NotificationID) -> Bool
}
