/// The limits of this module, each with its unit and its reason.
enum Limits {
  /// The number of 8-byte words in a generator's pool; a getrandom call for 4,096 bytes costs about as much as a call
  /// for 16 bytes.
  static let randomPoolWords = 512
  /// The maximum number of events per epoll_wait call, so that a turn is short enough for timers to be on time.
  static let eventsPerTurn = 256
  /// The maximum number of rounds of end-of-turn calls in one turn before the loop polls its descriptors again.
  static let turnEndRounds = 32
  /// The maximum length of a sleep, in milliseconds: one hour, which limits the cost of a lost wake-up.
  ///
  /// One wake-up per hour is negligible on an idle laptop.
  static let longestSleepMilliseconds: Int64 = 3_600_000
  /// The maximum number of timers for which the loop searches for the earliest timer, so that it wakes only once for
  /// that timer.
  static let timersLookedAt = 64
  /// The maximum number of expired timers that are handled per turn, so that a burst of timers cannot starve the
  /// descriptors.
  static let timersPerTurn = 4_096
  /// The maximum number of concurrent hostname lookups; each occupies a thread until the resolver answers.
  static let resolutionsAtOnce = 64
  /// The maximum number of bytes in a log line; longer lines are truncated, so that a single field cannot fill the log.
  static let logLineBytes = 8_192
  /// The maximum number of distinct log lines whose repetitions are counted: more than a program under attack writes
  /// per second.
  ///
  /// The lines take up at most about 2 MB of memory.
  static let logLinesRemembered = 256
  /// The maximum number of bytes in a log file; together with the previous file, the log takes up at most twice this
  /// size.
  static let logFileBytes = 1_000_000
  /// The number of nanoseconds for which repetitions of a log line are counted before the first count is written.
  static let logRepeatNanosecondsMin: Int64 = 1_000_000_000
  /// The maximum number of nanoseconds for which repetitions are counted while a line keeps repeating: this results in
  /// at most 1,440 lines per day.
  static let logRepeatNanosecondsMax: Int64 = 60_000_000_000
  /// The maximum number of milliseconds by which the wall clock can deviate from the monotonic clock between two
  /// comparisons and still be trusted: more than network time corrections cause, and less than is relevant for
  /// expiration.
  static let clockStepMillisecondsMax: Int64 = 60_000
  /// The duration, in nanoseconds, for which a changed wall clock is not trusted: one day, so that an administrator has
  /// time to notice.
  static let clockDoubtNanoseconds: Int64 = 86_400_000_000_000
  /// The maximum number of folders that are watched in one tree: Debian's time-zone database has 43 folders.
  static let foldersWatched = 256
  /// The maximum number of steps up and down a path to find a folder to watch: more than any real path requires.
  static let pathSteps = 64
  /// The maximum number of characters in a UNIX socket's path: sun_path has 108 bytes with its terminator.
  static let unixPathBytes = 107
  /// The latest time of an alarm, in milliseconds since 1970 (in the year 2200): the kernel does not accept later
  /// times.
  static let farAheadMilliseconds = 7_258_118_400_000
}
