/// The limits of this module, each with its unit and its reason.
enum Limits {
  /// The time, in milliseconds, after which a request without an answer fails, unless the caller specifies another
  /// time.
  ///
  /// The agent answers immediately, except for authorization requests, which wait for the user.
  static let requestMilliseconds: Int64 = 10_000
  /// The time, in nanoseconds, before the first attempt to reconnect to the agent.
  ///
  /// The time doubles after each attempt, up to ``lastRetryNanoseconds``.
  static let firstRetryNanoseconds: Int64 = 50_000_000
  /// The maximum time between attempts, in nanoseconds, so that a restarted agent is found quickly.
  static let lastRetryNanoseconds: Int64 = 5_000_000_000
  /// The time, in milliseconds, between attempts while a request waits for a connection.
  static let awaitedRetryMilliseconds: Int64 = 100
  /// The maximum total size, in bytes, of unsent requests: enough for a burst of tens of thousands of requests.
  static let outboxBytes = 64 << 20
  /// The maximum number of bytes in one read or write: the size of a socket buffer.
  static let readBytes = 64 << 10
}
