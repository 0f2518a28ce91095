public import BelfryWire

/// A connection of a device, numbered on its home loop; never used again.
public struct SessionID: Hashable, Sendable {
  /// The number.
  public let number: UInt64

  /// A session's number.
  public init(_ number: UInt64) { self.number = number }
}

/// What the delivery core wants done; the shell does it in this order.
public enum DeliveryEffect {
  /// Write the notification to the device's link.
  case send(SessionID, DeliveryEntry)
  /// Answer the provider: accepted.
  case answer(DeliveryEntry)
  /// Answer the provider: the store failed, so nothing is promised.
  case fail(DeliveryEntry)
  /// Read what is stored for the device; the answer is ``DeliveryCore/loaded(_:session:rows:now:)``.
  case load(device: UInt64, SessionID)
  /// End the session: another one took its place, or the store cannot be read.
  case close(SessionID, SessionEnd)
  /// Note, when it is convenient, that the device has this message of the channel.
  case mark(device: UInt64, ChannelID, received: NotificationID)
  /// Put a line into the delivery log.
  case record(DeliveryState, DeliveryEntry)
}

/// Why the core ends a device's session.
public enum SessionEnd: Equatable, Sendable {
  /// The device connected again.
  case replaced
  /// The device's certificate was revoked.
  case revoked
  /// The store failed; the device should come back later.
  case storeFailed
}

/// What a device said about its power (design: "The store keeps what is undelivered").
public struct DevicePower: Equatable, Sendable {
  /// Only priority 10 goes out, and what waits goes with it.
  public var isAsleep: Bool
  /// Priorities 5 and 1 are kept until this is lifted.
  public var isRestricted: Bool

  /// A state; a device that has said nothing is awake and unrestricted.
  public init(isAsleep: Bool = false, isRestricted: Bool = false) {
    self.isAsleep = isAsleep
    self.isRestricted = isRestricted
  }
}
