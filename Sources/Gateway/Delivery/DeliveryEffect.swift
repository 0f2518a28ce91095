public import PushWire
public import Storage

/// The identity of a device's session; the device's home loop assigns the number and never reuses it.
public struct SessionID: Hashable, Sendable {
  /// The number of the session.
  public let number: UInt64

  /// Creates a session ID from its number.
  public init(_ number: UInt64) { self.number = number }
}

/// An action that the delivery core requests from its loop, which performs actions in order.
public enum DeliveryEffect {
  /// Write the notification to the device's link.
  case send(SessionID, DeliveryEntry)
  /// Inform the provider that the notification was accepted.
  case answer(DeliveryEntry)
  /// Inform the provider that the store failed and the notification was not accepted.
  case fail(DeliveryEntry)
  /// Submit the notification again, because another node has claimed the device, so the row was refused.
  case submitAgain(DeliveryEntry)
  /// Read the device's rows, then call `DeliveryCore.loaded(_:session:rows:now:)`.
  case load(device: UInt64, SessionID)
  /// End the session: another session replaced it, or the store can't be read.
  case close(SessionID, SessionEnd)
  /// Record that the device has received this message of the channel; the loop can delay this action.
  case mark(device: UInt64, ChannelID, received: NotificationID)
  /// Append a line to the delivery log.
  case record(DeliveryState, DeliveryEntry)
  /// Append a line for each of these notifications, which ended when the store dropped their rows.
  case recordDropped([DroppedNotification])
}

/// The reason that the core ends a device's session.
public enum SessionEnd: Equatable, Sendable {
  /// The device connected again.
  case replaced
  /// The device's certificate was revoked.
  case revoked
  /// The store failed; the device should reconnect later.
  case storeFailed
}

/// A device's power state, as the device reported it.
public struct DevicePower: Equatable, Sendable {
  /// True if only notifications of priority 10 are sent immediately; sending one also releases the held notifications.
  public var isAsleep: Bool
  /// True if notifications of priorities 5 and 1 are held until the restriction is lifted.
  public var isRestricted: Bool

  /// Creates a state; a device that hasn't reported anything is awake and unrestricted.
  public init(isAsleep: Bool = false, isRestricted: Bool = false) {
    self.isAsleep = isAsleep
    self.isRestricted = isRestricted
  }
}
