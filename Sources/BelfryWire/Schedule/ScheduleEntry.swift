/// The key of a scheduled notification; identifiers belong to an app, and compare by their bytes.
public struct ScheduleKey: Hashable, Sendable {
  /// The app's id, for example `org.example.burger`.
  public let app: String
  /// The request's identifier.
  public let id: String

  /// Makes a key.
  public init(app: String, id: String) {
    self.app = app
    self.id = id
  }

  /// Whether both have the same bytes.
  public static func == (one: ScheduleKey, other: ScheduleKey) -> Bool {
    one.app.hasSameBytes(as: other.app) && one.id.hasSameBytes(as: other.id)
  }

  /// Feeds the bytes of both.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(UTF8Text(app))
    hasher.combine(UTF8Text(id))
  }
}

/// A moment on the two clocks of the schedule.
public struct ScheduleMoment: Hashable, Sendable {
  /// Milliseconds since 1970, as the device's clock says.
  public var wall: Int64
  /// Milliseconds of elapsed time, asleep or awake, from an arbitrary start that is persisted.
  public var elapsed: Int64

  /// Makes a moment.
  public init(wall: Int64, elapsed: Int64) {
    self.wall = wall
    self.elapsed = elapsed
  }
}

/// A scheduled notification as it is persisted.
///
/// Its next date is always computed and not part of it.
public struct ScheduleEntry: Hashable, Sendable {
  /// The key.
  public let key: ScheduleKey
  /// The trigger.
  public let trigger: Trigger
  /// When it was added: elapsed milliseconds for an interval, what the wall clock of its zone
  /// showed for a match that comes once, else milliseconds since 1970.
  public let since: Int64
  /// The end of the time whose moments have been handled: elapsed milliseconds for an interval, else
  /// milliseconds since 1970.
  public var handled: Int64
  /// Its place in the order of adding: what fires at the same moment fires in this order.
  public let order: UInt64

  /// Makes an entry from persisted values.
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
  /// The key.
  public let key: ScheduleKey
  /// The trigger.
  public let trigger: Trigger
  /// When it was due, in milliseconds since 1970.
  public let due: Int64
  /// Whether it fires late, since the device was off, asleep, or its clock was set ahead.
  public let missed: Bool
  /// The remaining entry, to be persisted before the notification is shown; nil after the last firing.
  public let remaining: ScheduleEntry?
}
