/// The limits of the schedule, one for every quantity that a request, a file or a search can increase.
public enum ScheduleLimits {
  /// The supported astronomical years of the proleptic Gregorian calendar (0 is 1 BC).
  ///
  /// The range is far wider than any reminder requires, and narrow enough that no sum of seconds can overflow.
  public static let years = -9_999...9_999

  /// The period, in milliseconds, that is searched for past matches of a calendar trigger: one century.
  ///
  /// A trigger with a match in this period counts as passed instead of impossible.
  static let passedMatchMilliseconds: Int64 = 3_155_760_000_000

  /// The number of years that a search looks ahead: 400, after which the Gregorian calendar repeats, including its
  /// weekdays.
  static let searchYears = 400

  /// The maximum size of a time-zone file, in bytes.
  ///
  /// The largest file in tzdata 2025b is 3,664 bytes long.
  public static let zoneFileBytes = 65_536

  /// The maximum number of transitions in a time-zone file.
  ///
  /// In tzdata 2025b, a file has at most 243 transitions.
  static let zoneTransitions = 8_192

  /// The maximum number of bytes in the POSIX rule at the end of a time-zone file.
  static let zoneRuleBytes = 256

  /// The last year for which a zone's rule is expanded into its table; later years are computed.
  static let zoneTableYear = 2_100

  /// The range of a zone's offset from UTC in seconds, as RFC 9636 section 3.2 advises.
  static let zoneOffsetSeconds = -89_999...93_599

  /// The minimum interval of a repeating trigger, in seconds (client-api 3.2).
  public static let shortestRepeatSeconds = 60

  /// The maximum interval in milliseconds, about 3,170 years, so that sums cannot overflow.
  public static let longestIntervalMilliseconds: Int64 = 100_000_000_000_000

  /// The maximum number of repetitions that a search can skip.
  ///
  /// Repetitions are skipped if the day does not exist in the month, or if the period combines months and days.
  static let periodSteps = 10_000

  /// The maximum number of repetitions that a search near its target can skip in a calendar other than the Gregorian
  /// calendar.
  ///
  /// Several can be missing in a row: most years, for example, do not have the 30th of a leap month.
  static let calendarSteps = 64

  /// The maximum number of predictions that a search makes to find the nearest repetition in a calendar other than the
  /// Gregorian calendar.
  ///
  /// Two are sufficient for months of any length.
  static let calendarGuesses = 8

  /// The maximum number of lookups in calendars other than the Gregorian calendar per turn of the agent's loop; each
  /// lookup takes up to 0.7 ms.
  public static let calendarLookUpsPerTurn = 128

  /// The maximum number of bytes in the text of `--matching`.
  public static let matchingTextBytes = 1_024
}

extension ScheduleLimits {
  /// The maximum number of pending local notifications per app (client-api 3.1).
  public static let pendingPerApp = 64

  /// The maximum delay, in milliseconds, with which a missed notification is still displayed: one day.
  ///
  /// iOS wakes the device for a notification, but a laptop cannot be woken. A notification that was due during the
  /// night is still of interest to the user in the morning.
  public static let missedWindowMilliseconds: Int64 = 86_400_000

  /// The length, in milliseconds, of the window in which all due entries share one wake-up.
  ///
  /// Users do not notice a delay of one twentieth of a second.
  public static let wakeWindowMilliseconds: Int64 = 50

  /// The delay, in milliseconds, from which a notification counts as missed.
  ///
  /// This delay is longer than any delay on a busy machine.
  static let lateMilliseconds: Int64 = 60_000
}
