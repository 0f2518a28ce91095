/// Every bound of this module, with its unit and its reason.
enum Limits {
  /// Words of 8 bytes: one getrandom of 4,096 bytes costs about what one of 16 does.
  static let randomPoolWords = 512
  /// Events taken by one epoll_wait: a turn stays short enough for timers to be on time.
  static let eventsPerTurn = 256
  /// Rounds of turn-end targets within one turn before the loop looks at its descriptors again.
  static let turnEndRounds = 32
  /// Milliseconds that the loop sleeps at most, an hour: a bound on what a lost wake-up could cost,
  /// and seldom enough that an idle laptop does not notice.
  static let longestSleepMilliseconds: Int64 = 3_600_000
  /// Timers among which the loop looks for the very next one, so as to wake but once for it.
  static let timersLookedAt = 64
  /// Expired timers per turn, so that a burst of them cannot starve the descriptors.
  static let timersPerTurn = 4_096
  /// Host names being resolved at once: each holds a thread until the resolver answers.
  static let resolutionsAtOnce = 64
  /// Bytes of a log line; the rest is cut, so that one field cannot fill the log.
  static let logLineBytes = 8_192
  /// Folders watched in one tree: Debian's time-zone database has 43.
  static let foldersWatched = 256
  /// Looks for a folder to watch, up and down a path: more than folders of any path in use.
  static let pathSteps = 64
  /// Characters of a UNIX socket's path: sun_path has 108 bytes with its terminator.
  static let unixPathBytes = 107
  /// Milliseconds since 1970 of the furthest alarm, the year 2200: the kernel takes no later one.
  static let farAheadMilliseconds = 7_258_118_400_000
}
