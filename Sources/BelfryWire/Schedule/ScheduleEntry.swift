/// What names a scheduled notification: ids are per app.
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
}

/// Now, on the two clocks that the schedule lives by.
public struct ScheduleMoment: Hashable, Sendable {
  /// Milliseconds since 1970, as the device's clock says.
  public var wall: Int64
  /// Milliseconds of elapsed time, asleep or awake, from an arbitrary start that is kept on disk.
  public var elapsed: Int64

  /// Makes a moment.
  public init(wall: Int64, elapsed: Int64) {
    self.wall = wall
    self.elapsed = elapsed
  }
}

/// One scheduled notification as it is kept on disk.
///
/// Its next date is not part of it: that is always computed from here.
public struct ScheduleEntry: Hashable, Sendable {
  /// What names it.
  public let key: ScheduleKey
  /// What makes it fire.
  public let trigger: Trigger
  /// When it was added: elapsed milliseconds for an interval, what the wall clock of its zone
  /// showed for a match that comes once, else milliseconds since 1970.
  public let since: Int64
  /// Up to when its moments have been dealt with: elapsed milliseconds for an interval, else
  /// milliseconds since 1970.
  public var handled: Int64
  /// Its place in the order of adding: what fires at the same moment fires in this order.
  public let order: UInt64

  /// Makes an entry from what was kept.
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
  /// What names it.
  public let key: ScheduleKey
  /// What made it fire.
  public let trigger: Trigger
  /// When it was due, in milliseconds since 1970.
  public let due: Int64
  /// Whether it comes late: the device was off, asleep, or its clock was set ahead.
  public let missed: Bool
  /// What is left of it, to be kept on disk before it is shown; nil when it was its last time.
  public let remaining: ScheduleEntry?
}
