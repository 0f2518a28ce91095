/// The limits of the schedule, one for every quantity that a request, a file or a search can increase.
public enum ScheduleLimits {
  /// The supported astronomical years of the proleptic Gregorian calendar (0 is 1 BC).
  ///
  /// The range is far wider than any reminder requires, and narrow enough that no sum of seconds can overflow.
  public static let years = -9_999...9_999

  /// Milliseconds for which the last match of a calendar trigger counts as passed instead of impossible: one century.
  static let passedMatchMilliseconds: Int64 = 3_155_760_000_000

  /// Years that a search looks ahead: the Gregorian calendar, including weekdays, repeats after 400 years.
  static let searchYears = 400

  /// Bytes of a time-zone file.
  ///
  /// The largest file in tzdata 2025b has 3,664 bytes.
  public static let zoneFileBytes = 65_536

  /// Transitions in a time-zone file.
  ///
  /// The largest number in tzdata 2025b is 243.
  static let zoneTransitions = 8_192

  /// Bytes of the POSIX rule at the end of a time-zone file.
  static let zoneRuleBytes = 256

  /// The last year for which a zone's rule is expanded into its table; later years are computed.
  static let zoneTableYear = 2_100

  /// The range of a zone's offset from UTC in seconds, as RFC 9636 section 3.2 advises.
  static let zoneOffsetSeconds = -89_999...93_599

  /// The minimum interval of a repeating trigger, in seconds (client-api 3.2).
  public static let shortestRepeatSeconds = 60

  /// The maximum interval in milliseconds, about 3,170 years, so that sums cannot overflow.
  public static let longestIntervalMilliseconds: Int64 = 100_000_000_000_000

  /// Repetitions that a search can skip, either because the day does not exist in the month or because the period
  /// combines months and days.
  static let periodSteps = 10_000

  /// Repetitions that a search near its target can skip in a calendar other than the Gregorian calendar: most years do
  /// not have the 30th of a leap month.
  static let calendarSteps = 64

  /// Steps to find the nearest repetition in a calendar other than the Gregorian calendar; two are sufficient for
  /// months of any length.
  static let calendarGuesses = 8

  /// Lookups in calendars other than the Gregorian calendar per turn of the agent's loop; each takes up to 0.7 ms.
  public static let calendarLookUpsPerTurn = 128

  /// Bytes of the text of `--matching`.
  public static let matchingTextBytes = 1_024
}

extension ScheduleLimits {
  /// Pending local notifications per app (client-api 3.1).
  public static let pendingPerApp = 64

  /// The maximum delay, in milliseconds, with which a missed notification is still displayed: one day.
  ///
  /// iOS wakes the device for a notification. A laptop cannot be woken. A notification that was due during the night is
  /// still of interest to the user in the morning.
  public static let missedWindowMilliseconds: Int64 = 86_400_000

  /// Milliseconds of the window within which all due entries share one wake-up: users do not notice a delay of one
  /// twentieth of a second.
  public static let wakeWindowMilliseconds: Int64 = 50

  /// Milliseconds after which a notification counts as missed, longer than any delay on a busy machine.
  static let lateMilliseconds: Int64 = 60_000
}
