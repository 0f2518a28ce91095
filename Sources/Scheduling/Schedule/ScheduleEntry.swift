internal import BelfryWire

/// The key of a scheduled notification.
///
/// Identifiers are unique within an app, and are compared by their bytes.
public struct ScheduleKey: Hashable, Sendable {
  /// The app's ID, for example `org.example.burger`.
  public let app: String
  /// The identifier of the request.
  public let id: String

  /// Creates a key from the app's ID and the request's identifier.
  public init(app: String, id: String) {
    self.app = app
    self.id = id
  }

  /// Returns true if both parts have the same bytes.
  public static func == (one: ScheduleKey, other: ScheduleKey) -> Bool {
    one.app.hasSameBytes(as: other.app) && one.id.hasSameBytes(as: other.id)
  }

  /// Hashes the bytes of both parts.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(UTF8Text(app))
    hasher.combine(UTF8Text(id))
  }
}

/// A moment on the two clocks of the schedule.
public struct ScheduleMoment: Hashable, Sendable {
  /// Milliseconds since 1970 on the device's clock.
  public var wall: Int64
  /// Milliseconds of elapsed time, including sleep, from an arbitrary start that is persisted.
  public var elapsed: Int64

  /// Creates a moment from both clocks.
  public init(wall: Int64, elapsed: Int64) {
    self.wall = wall
    self.elapsed = elapsed
  }
}

/// A scheduled notification in its persisted form.
///
/// The entry does not include its next date, which is always computed.
public struct ScheduleEntry: Hashable, Sendable {
  /// The key of the notification.
  public let key: ScheduleKey
  /// The trigger of the notification.
  public let trigger: Trigger
  /// The time at which the entry was added.
  ///
  /// An interval uses milliseconds on the elapsed-time clock, a match that occurs once uses the wall time in the
  /// trigger's zone, and all other triggers use milliseconds since 1970.
  public let since: Int64
  /// The time up to which moments have been handled, in milliseconds.
  ///
  /// An interval uses the elapsed-time clock, and all other triggers use milliseconds since 1970.
  public var handled: Int64
  /// The entry's position in the order of addition; entries that are due at the same moment fire in this order.
  public let order: UInt64

  /// Creates an entry from persisted values.
  public init(key: ScheduleKey, trigger: Trigger, since: Int64, handled: Int64, order: UInt64) {
    self.key = key
    self.trigger = trigger
    self.since = since
    self.handled = handled
    self.order = order
  }
}

/// A notification that fires now.
public struct Firing: Hashable, Sendable {
  /// The key of the notification.
  public let key: ScheduleKey
  /// The trigger of the notification.
  public let trigger: Trigger
  /// The time at which the notification was due, in milliseconds since 1970.
  public let due: Int64
  /// True if the notification fires late, because the device was off or asleep, or because its clock was set forward.
  public let missed: Bool
  /// The entry that remains after the firing, which must be persisted before the notification is displayed; nil after
  /// the last firing.
  public let remaining: ScheduleEntry?
}
