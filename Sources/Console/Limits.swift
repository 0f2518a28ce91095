/// The console's bounds, each with its unit and its reason.
enum Limits {
  /// Sessions at a time: the browsers of a few administrators; the oldest makes room.
  static let sessions = 64
  /// Nanoseconds of a session: a working day, so that the token is asked for once in it.
  static let sessionNanoseconds: Int64 = 12 * 3_600_000_000_000
  /// Nanoseconds until a test push has its answer.
  static let pushNanoseconds: Int64 = 15_000_000_000
  /// Characters of a test push's token: Apple's had 64, and may grow.
  static let tokenCharacters = 512
  /// Test pushes that wait for their answer at a time; each holds one of four threads.
  static let pushesAtATime = 2
  /// Keys whose connections for test pushes stay open.
  static let senders = 8
  /// Lines of the delivery log that a page gets before the new ones: more than it shows.
  static let logLines = 500
  /// Virtual phones of a gateway: a family's; each has an agent's thread and memory while it is on.
  static let phones = 4
  /// Apps of a virtual phone; each has a thread and a connection.
  static let appsOfPhone = 8
  /// Events of a virtual phone that a page gets which is opened later.
  static let phoneEvents = 50
  /// Milliseconds until a phone's agent, in the same process, has answered.
  static let phoneAnswerMilliseconds: Int64 = 5_000
  /// Nanoseconds between samples of the metrics: a point of a plot.
  static let sampleNanoseconds: Int64 = 10_000_000_000
  /// Samples of the metrics that are kept: an hour.
  static let samples = 360
  /// Bytes of a file of the folder.
  static let fileBytes = 262_144
}
