/// The limits of this module, each with its unit and its reason.
enum Limits {
  /// The maximum number of servers in an address; a cluster has three or five.
  static let servers = 16
  /// The maximum size, in bytes, of a credential, certificate or key file.
  static let fileBytes = 1 << 20
  /// The maximum length, in bytes, of a subject; Belfry's subjects have fewer than 100.
  static let subjectBytes = 255
  /// The maximum number of subscriptions of one bus; the library starts a thread for each.
  static let subscriptions = 64

  /// The maximum number of messages that wait to be sent; one burst of a busy node.
  static let outboxMessages = 65_536
  /// The maximum number of payload and subject bytes that wait to be sent.
  static let outboxBytes = 16 << 20
  /// The maximum number of received messages that wait for the handler, for each subscription.
  static let pendingMessages: Int32 = 65_536
  /// The maximum number of received bytes that wait for the handler, for each subscription.
  static let pendingBytes: Int32 = 64 << 20

  /// The time, in milliseconds, within which a server must accept a connection and answer the greeting.
  static let connectMilliseconds: Int64 = 2_000
  /// The time, in milliseconds, within which a server must confirm the subscriptions.
  static let confirmMilliseconds: Int64 = 2_000
  /// The time, in milliseconds, after which a blocked write ends the connection.
  static let writeMilliseconds: Int64 = 2_000
  /// The time, in milliseconds, for the last messages to reach the server before the connection is closed.
  static let farewellMilliseconds: Int64 = 500
  /// The interval, in milliseconds, between two pings.
  static let pingMilliseconds: Int64 = 1_000
  /// The number of unanswered pings after which a server counts as frozen: 2 to 3 seconds after it freezes.
  static let unansweredPings: Int32 = 2

  /// The pause, in nanoseconds, before all servers of the address are tried again.
  static let reconnectNanoseconds: Int64 = 250_000_000
  /// The maximum random addition, in nanoseconds, to that pause, so that nodes do not reconnect at the same moment.
  static let reconnectJitterNanoseconds: Int64 = 100_000_000
  /// The minimum interval, in nanoseconds, between two reports of lost messages: each report causes reads of the store.
  static let lossNanoseconds: Int64 = 100_000_000
  /// The maximum time, in nanoseconds, that closing waits for the thread, which might be connecting to a server.
  static let closeNanoseconds = 3_000_000_000
}
