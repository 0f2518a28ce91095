/// The limits of the schedule, for everything that a request, a file or a search can demand.
public enum ScheduleLimits {
  /// The supported astronomical years of the proleptic Gregorian calendar (0 is 1 BC).
  ///
  /// The range is far wider than any reminder requires, and narrow enough that no sum of seconds can overflow.
  public static let years = -9_999...9_999

  /// Milliseconds for which a calendar trigger's last match counts as passed and not as impossible: one century.
  static let passedMatchMilliseconds: Int64 = 3_155_760_000_000

  /// Years that a search looks ahead: the Gregorian calendar, weekdays included, repeats after 400.
  static let searchYears = 400

  /// Bytes of a time-zone file.
  ///
  /// The largest of tzdata 2025b has 3,664.
  public static let zoneFileBytes = 65_536

  /// Transitions of a time-zone file.
  ///
  /// The largest of tzdata 2025b has 243.
  static let zoneTransitions = 8_192

  /// Bytes of a POSIX rule at the end of a time-zone file.
  static let zoneRuleBytes = 256

  /// The last year for which a zone's rule is expanded into its table; later years are computed.
  static let zoneTableYear = 2_100

  /// The range of a zone's offset from UTC in seconds, as RFC 9636 section 3.2 advises.
  static let zoneOffsetSeconds = -89_999...93_599

  /// Seconds of the shortest repeating interval (client-api 3.2).
  public static let shortestRepeatSeconds = 60

  /// Milliseconds of the longest interval, about 3,170 years: sums stay far from overflow.
  public static let longestIntervalMilliseconds: Int64 = 100_000_000_000_000

  /// Repetitions that a search may step over: those on days that do not exist in their month, and those of periods that
  /// mix months with days.
  static let periodSteps = 10_000

  /// Repetitions in a calendar other than the Gregorian that a search may step over once it is near its target: the
  /// 30th of a leap month is missing in most years.
  static let calendarSteps = 64

  /// Steps to find the nearest repetition in a calendar other than the Gregorian; two suffice for months of any length.
  static let calendarGuesses = 8

  /// Lookups in calendars other than the Gregorian in one turn of the agent's loop; each takes up to 0.7 ms.
  public static let calendarLookUpsPerTurn = 128

  /// Bytes of the text of `--matching`.
  public static let matchingTextBytes = 1_024
}

extension ScheduleLimits {
  /// Pending local notifications per app (client-api 3.1).
  public static let pendingPerApp = 64

  /// Milliseconds by which a missed notification may be late and still be displayed: one day.
  ///
  /// iOS wakes the device for a notification. A laptop cannot be woken, and a notification that was due in the night is
  /// still wanted in the morning.
  public static let missedWindowMilliseconds: Int64 = 86_400_000

  /// Milliseconds of the window within which all due entries share one wake-up: users do not notice a twentieth of a
  /// second.
  public static let wakeWindowMilliseconds: Int64 = 50

  /// Milliseconds after which a notification counts as missed: more than the delay on a busy machine.
  static let lateMilliseconds: Int64 = 60_000
}
