/// Every bound of this module, with its unit and its reason.
enum Limits {
  /// Milliseconds that a request waits for its answer unless the caller says otherwise.
  ///
  /// The agent answers at once but for authorisation, which waits for a person.
  static let requestMilliseconds: Int64 = 10_000
  /// Nanoseconds before the first attempt to reach the agent again; doubled up to the limit below.
  static let firstRetryNanoseconds: Int64 = 50_000_000
  /// Nanoseconds between attempts at most: an agent that was restarted is met again soon.
  static let lastRetryNanoseconds: Int64 = 5_000_000_000
  /// Milliseconds between attempts when somebody waits for one.
  static let awaitedRetryMilliseconds: Int64 = 100
  /// Bytes that wait to be sent: some tens of thousands of requests offered at once.
  static let outboxBytes = 64 << 20
  /// Bytes taken from the socket at a time.
  static let readBytes = 64 << 10
}
