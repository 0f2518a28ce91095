/// Every bound of this module, with its unit and its reason.
enum Limits {
  /// Milliseconds until a request fails without an answer, unless the caller chooses another time.
  ///
  /// The agent answers at once, except for authorisation, which waits for a person.
  static let requestMilliseconds: Int64 = 10_000
  /// Nanoseconds before the first attempt to reach the agent again; doubled up to the bound below.
  static let firstRetryNanoseconds: Int64 = 50_000_000
  /// Nanoseconds between attempts at most: a restarted agent is found again soon.
  static let lastRetryNanoseconds: Int64 = 5_000_000_000
  /// Milliseconds between attempts while a request waits for a connection.
  static let awaitedRetryMilliseconds: Int64 = 100
  /// Bytes of unsent requests: some tens of thousands made at once.
  static let outboxBytes = 64 << 20
  /// Bytes of one read and one write: what a socket buffer holds.
  static let readBytes = 64 << 10
}
