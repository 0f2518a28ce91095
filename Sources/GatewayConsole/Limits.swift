/// The limits of the gateway's console, each with its unit and its reason.
enum Limits {
  /// The time, in nanoseconds, within which the gateway must answer a test push.
  static let pushNanoseconds: Int64 = 15_000_000_000
  /// The maximum length of a test push's token, in characters.
  ///
  /// So far, Apple's tokens have 64 characters, but they might become longer.
  static let tokenCharacters = 512
  /// The maximum number of test pushes that can wait for an answer at the same time; each occupies one of four threads.
  static let pushesAtATime = 2
  /// The maximum number of provider keys for which a connection for test pushes is kept open.
  static let senders = 8
  /// The maximum number of existing delivery log lines that a page receives before the new lines: more than the page
  /// shows.
  static let logLines = 500
  /// The maximum number of virtual phones per gateway: enough for a family.
  ///
  /// Each phone uses an agent's thread and memory while it is on.
  static let phones = 4
  /// The maximum number of apps on a virtual phone; each app has a thread and a connection.
  static let appsOfPhone = 8
  /// The maximum number of earlier events of a virtual phone that are sent to a newly opened page.
  static let phoneEvents = 50
  /// The time, in milliseconds, within which a phone's agent must answer; the agent runs in the same process.
  static let phoneAnswerMilliseconds: Int64 = 5_000
  /// The number of consecutive failed refreshes after which a virtual phone waits for the next change.
  static let phoneRefreshFailuresMax = 5
  /// The time, in nanoseconds, between metric samples; each sample is one point on a plot.
  static let sampleNanoseconds: Int64 = 10_000_000_000
  /// The number of metric samples that are retained: one hour of samples.
  static let samples = 360
  /// The time, in minutes, for which archived metrics are retained: seven days.
  static let historyMinutes: Int64 = 10_080
  /// The maximum size, in bytes, of a key or certificate file that the console reads from the gateway's folder.
  static let fileBytes = 262_144
}
