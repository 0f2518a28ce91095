/// The console's limits, each with its unit and its reason.
enum Limits {
  /// The maximum number of simultaneous sessions: the browsers of a few administrators.
  ///
  /// A new session replaces the oldest.
  static let sessions = 64
  /// The duration of a session, in nanoseconds: a working day, so that the token is requested only once per day.
  static let sessionNanoseconds: Int64 = 12 * 3_600_000_000_000
  /// The time, in nanoseconds, within which a link from `belfry console` must be opened.
  static let linkNanoseconds: Int64 = 60_000_000_000
  /// The maximum number of simultaneous unused links; a new link replaces the oldest.
  static let links = 16
  /// The time, in nanoseconds, within which the gateway must answer a test push.
  static let pushNanoseconds: Int64 = 15_000_000_000
  /// The maximum length of a test push's token, in characters: Apple's tokens have had 64 characters, and might become
  /// longer.
  static let tokenCharacters = 512
  /// The maximum number of test pushes that wait for their answer simultaneously; each occupies one of four threads.
  static let pushesAtATime = 2
  /// The maximum number of keys whose connections for test pushes remain open.
  static let senders = 8
  /// The maximum number of existing delivery log lines that a page receives before the new lines: more than the page
  /// shows.
  static let logLines = 500
  /// The maximum number of virtual phones of a gateway: enough for a family.
  ///
  /// Each phone uses an agent's thread and memory while it is on.
  static let phones = 4
  /// The maximum number of apps of a virtual phone; each has a thread and a connection.
  static let appsOfPhone = 8
  /// The maximum number of earlier events of a virtual phone that are sent to a newly opened page.
  static let phoneEvents = 50
  /// The time, in milliseconds, within which a phone's agent must answer; the agent runs in the same process.
  static let phoneAnswerMilliseconds: Int64 = 5_000
  /// The number of consecutive failed queries after which a virtual phone waits for the next change.
  static let phoneRefreshFailuresMax = 5
  /// The time, in nanoseconds, between samples of the metrics; each sample is one point of a plot.
  static let sampleNanoseconds: Int64 = 10_000_000_000
  /// The number of samples of the metrics that are retained: one hour of samples.
  static let samples = 360
  /// The time, in minutes, for which archived metrics are retained: seven days.
  static let historyMinutes: Int64 = 10_080
  /// The maximum size, in bytes, of a file in the gateway's folder.
  static let fileBytes = 262_144
}
