internal import BelfryWire

/// Date components that a time must match; the names are those of `DateComponents`.
///
/// An absent component that is coarser than the finest specified component matches any value. An absent component that
/// is finer matches only its lowest value.
public struct MatchingComponents: Sendable, Hashable {
  /// The supported components; the names are those of `DateComponents`.
  public enum Unit: String, Sendable, Hashable, CaseIterable {
    case era, year, quarter, month, day, hour, minute, second, nanosecond
    case weekday, weekdayOrdinal, weekOfMonth, weekOfYear, yearForWeekOfYear
  }

  /// The specified components and their values.
  public var values: [Unit: Int64]
  /// The leap-month flag, for calendars with leap months.
  public var isLeapMonth: Bool?
  /// A time zone in the time-zone database; nil selects the device's time zone.
  public var zone: String?
  /// A calendar identifier (`gregorian`, `hebrew`, …); nil selects the device's calendar.
  public var calendar: String?
  /// The first weekday of a week: 1 is Sunday; nil means 1.
  public var firstWeekday: Int64?
  /// The minimum number of days in the first week of a year; nil means 1.
  public var minimumDays: Int64?

  /// Creates components, by default in the device's calendar and time zone.
  public init(
    _ values: [Unit: Int64], isLeapMonth: Bool? = nil, zone: String? = nil, calendar: String? = nil
  ) {
    self.values = values
    self.isLeapMonth = isLeapMonth
    self.zone = zone
    self.calendar = calendar
  }

  init(_ fields: AppLinkFields) throws(AppLinkDecodingFailure) {
    values = [:]
    for unit in Unit.allCases {
      if let value = try fields.optionalInteger(unit.rawValue) { values[unit] = value }
    }
    isLeapMonth = fields["leapMonth"]?.boolValue
    zone = try fields.optionalName("zone")
    calendar = try fields.optionalName("calendar")
    firstWeekday = try fields.optionalInteger("firstWeekday")
    minimumDays = try fields.optionalInteger("minimumDays")
  }

  func write(_ builder: inout AppLinkBuilder) {
    for unit in Unit.allCases { builder.set(unit.rawValue, values[unit]) }
    builder.object["leapMonth"] = isLeapMonth.map(JSONValue.bool)
    builder.set("zone", zone)
    builder.set("calendar", calendar)
    builder.set("firstWeekday", firstWeekday)
    builder.set("minimumDays", minimumDays)
  }
}

/// The event that causes a notification to be delivered.
public enum NotificationTrigger: Sendable, Hashable {
  /// The rule by which a notification with a date repeats.
  public enum Recurrence: Sendable, Hashable {
    /// The raw value of an `NSCalendar.Unit`; 0 means no repetition.
    case unit(UInt64)
    /// The components to add for each repetition.
    case components(MatchingComponents)
  }

  /// A push; only the agent creates this trigger.
  case push
  /// A number of seconds after the request was added, once or repeatedly.
  case interval(seconds: Double, repeats: Bool)
  /// The next matching time, or every matching time.
  case calendar(MatchingComponents, repeats: Bool)
  /// A time in milliseconds since 1970.
  ///
  /// With a time zone, the trigger fires at the wall-clock time of this instant in that time zone, regardless of the
  /// device's location. Without a time zone, it fires at the instant itself.
  case date(
    unixMilliseconds: Int64, zone: String?, recurrence: Recurrence?, recurrenceCalendar: String?)
  /// The crossing of a region's boundary, once or each time.
  case region(NotificationRegion, repeats: Bool)

  /// True if the trigger can fire more than once.
  public var repeats: Bool {
    switch self {
    case .push: false
    case .interval(_, let repeats), .calendar(_, let repeats), .region(_, let repeats): repeats
    case .date(_, _, let recurrence, _): recurrence != nil && recurrence != .unit(0)
    }
  }

  init(_ fields: AppLinkFields) throws(AppLinkDecodingFailure) {
    let repeats = try fields.bool("repeats")
    if try fields.bool("push") {
      self = .push
    } else if let seconds = try fields.optionalDouble("interval") {
      self = .interval(seconds: seconds, repeats: repeats)
    } else if let matching = try fields.optionalFields("matching") {
      self = .calendar(try MatchingComponents(matching), repeats: repeats)
    } else if let region = try fields.optionalFields("region") {
      self = .region(try NotificationRegion(region), repeats: repeats)
    } else {
      self = .date(
        unixMilliseconds: try fields.integer("date"), zone: try fields.optionalName("zone"),
        recurrence: try Self.recurrence(fields),
        recurrenceCalendar: try fields.optionalName("calendar"))
    }
  }

  private static func recurrence(_ fields: AppLinkFields) throws(AppLinkDecodingFailure)
    -> Recurrence?
  {
    switch fields["every"] {
    case nil: nil
    case .object(let object): .components(try MatchingComponents(AppLinkFields(object, [])))
    default: .unit(UInt64(bitPattern: try fields.integer("every")))
    }
  }

  func write(_ builder: inout AppLinkBuilder) {
    switch self {
    case .push: builder.set("push", true)
    case .interval(let seconds, _): builder.set("interval", seconds)
    case .calendar(let matching, _): builder.set("matching", matching) { $0.write(&$1) }
    case .region(let region, _): builder.set("region", region) { $0.write(&$1) }
    case .date(let date, let zone, let recurrence, let calendar):
      builder.set("date", date)
      builder.set("zone", zone)
      switch recurrence {
      case nil: break
      case .unit(let unit): builder.set("every", Int64(bitPattern: unit))
      case .components(let components): builder.set("every", components) { $0.write(&$1) }
      }
      builder.set("calendar", calendar)
      return
    }
    builder.set("repeats", repeats)
  }
}
