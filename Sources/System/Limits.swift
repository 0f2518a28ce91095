/// Every bound of this module, with its unit and its reason.
enum Limits {
  /// Words of 8 bytes: one getrandom of 4,096 bytes costs about what one of 16 does.
  static let randomPoolWords = 512
  /// Events per epoll_wait: a turn stays short enough for timers to be on time.
  static let eventsPerTurn = 256
  /// Rounds of end-of-turn calls within one turn before the loop polls its descriptors again.
  static let turnEndRounds = 32
  /// Milliseconds of the longest sleep, an hour: it bounds the cost of a lost wake-up, and is rare enough not to
  /// matter on an idle laptop.
  static let longestSleepMilliseconds: Int64 = 3_600_000
  /// Timers that the loop searches for the earliest one, in order to wake only once for it.
  static let timersLookedAt = 64
  /// Expired timers per turn, so that a burst of them cannot starve the descriptors.
  static let timersPerTurn = 4_096
  /// Concurrent host name look-ups: each occupies a thread until the resolver answers.
  static let resolutionsAtOnce = 64
  /// Bytes of a log line; longer ones are truncated, so that one field cannot fill the log.
  static let logLineBytes = 8_192
  /// Different log lines whose repetitions are counted: more than a program under attack writes in a second, and some
  /// 2 MB at the most.
  static let logLinesRemembered = 256
  /// Nanoseconds for which repetitions of a log line are counted before the first count is written.
  static let logRepeatNanosecondsMin: Int64 = 1_000_000_000
  /// The same for a line that keeps repeating: 1,440 lines a day at most.
  static let logRepeatNanosecondsMax: Int64 = 60_000_000_000
  /// Milliseconds by which the wall clock may leave the monotonic one between two comparisons and still be believed:
  /// more than corrections by the network take, less than matters to what expires.
  static let clockStepMillisecondsMax: Int64 = 60_000
  /// Nanoseconds for which a wall clock that was set is not believed: a day, for an administrator to read of it.
  static let clockDoubtNanoseconds: Int64 = 86_400_000_000_000
  /// Folders watched in one tree: Debian's time-zone database has 43.
  static let foldersWatched = 256
  /// Steps up and down a path to find a folder to watch: more than any path in use has.
  static let pathSteps = 64
  /// Characters of a UNIX socket's path: sun_path has 108 bytes with its terminator.
  static let unixPathBytes = 107
  /// Milliseconds since 1970 of the latest alarm, in the year 2200: the kernel accepts no later one.
  static let farAheadMilliseconds = 7_258_118_400_000
}
