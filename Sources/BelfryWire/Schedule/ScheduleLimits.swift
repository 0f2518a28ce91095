/// Bounds of the schedule: everything that a request, a file or a search may ask for.
public enum ScheduleLimits {
  /// Years of the proleptic Gregorian calendar that dates may lie in, astronomical (0 is 1 BC).
  ///
  /// Far wider than any reminder; narrow enough that no sum of seconds can overflow.
  public static let years = -9_999...9_999

  /// Milliseconds for which a calendar trigger's last match counts as passed and not as impossible: a century.
  static let passedMatchMilliseconds: Int64 = 3_155_760_000_000

  /// Years a search looks ahead: the Gregorian calendar, weekdays included, repeats after 400.
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

  /// The last year for which a zone's rule is unrolled into its table; later ones are computed.
  static let zoneTableYear = 2_100

  /// Seconds that a zone may be away from UTC, as RFC 9636 section 3.2 advises.
  static let zoneOffsetSeconds = -89_999...93_599

  /// Seconds of the shortest interval that may repeat (client-api 3.2).
  public static let shortestRepeatSeconds = 60

  /// Milliseconds of the longest interval, about 3,170 years: sums stay far from overflow.
  public static let longestIntervalMilliseconds: Int64 = 100_000_000_000_000

  /// Repeats that a search may step over: those of days that their months do not have, and of periods that mix months
  /// with days.
  static let periodSteps = 10_000

  /// Repeats in a calendar other than the Gregorian that a search may step over, once it is near: the 30th of a leap
  /// month is missing in most years.
  static let calendarSteps = 64

  /// Steps of the search for the repeat that is near, in such a calendar: two are enough for months of any length.
  static let calendarGuesses = 8

  /// Look-ups in such calendars in one turn of the agent's loop: up to 0.7 ms each.
  public static let calendarLookUpsPerTurn = 128

  /// Bytes of the text of `--matching`.
  public static let matchingTextBytes = 1_024
}

extension ScheduleLimits {
  /// Pending local notifications kept for each app (client-api 3.1).
  public static let pendingPerApp = 64

  /// Milliseconds by which a missed notification may be late and still be shown: a day.
  ///
  /// iOS wakes the device for a notification; a laptop cannot be woken, and what came due in the
  /// night is still wanted in the morning.
  public static let missedWindowMilliseconds: Int64 = 86_400_000

  /// Milliseconds of the window in which what is due is one wake-up: a person does not notice a twentieth of a
  /// second.
  public static let wakeWindowMilliseconds: Int64 = 50

  /// Milliseconds after which a notification counts as missed: more than a busy machine's delay.
  static let lateMilliseconds: Int64 = 60_000
}
