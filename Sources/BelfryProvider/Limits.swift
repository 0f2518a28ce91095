/// The limits of this module, each with its unit and its reason.
enum Limits {
  /// Concurrent requests on one connection: Apple's service has allowed 500, 1,000 and 1,500 (apns-protocol 1.13), and
  /// more do not help any sender.
  static let concurrentRequestsMax = 1_000
  /// Connections of one client.
  ///
  /// Each carries a thousand unanswered requests, and services count a sender's connections.
  static let connectionsMax = 32
  /// Unanswered pushes of a stream per connection, unless the sender specifies another number: as many as the service
  /// allows, and the same number waiting.
  static let windowPerConnection = 2_000
  /// Requests of one client without an outcome; a sender that exceeds this has to wait.
  static let waitingRequestsMax = 100_000
  /// Seconds after which a provider token is renewed: APNs allows 20 to 60 minutes (apns-protocol 2.1)
  /// and measures at receipt.
  static let providerTokenSeconds: Int64 = 50 * 60
  /// Seconds that a token may be ahead of the clock; more means that the clock was set back.
  static let clockDifferenceSecondsMax: Int64 = 60
  /// Nanoseconds of the first pause after a failed connection.
  ///
  /// It doubles with each failure to reduce the load on the service.
  static let reconnectPauseNanoseconds: Int64 = 100_000_000
  /// The longest pause in nanoseconds between connections: a recovered service is found within half a minute.
  static let reconnectPauseNanosecondsMax: Int64 = 30_000_000_000
  /// Consecutive failed connections after which the waiting requests fail, so that their senders are notified.
  static let connectFailuresMax = 3
  /// Nanoseconds for name lookup, TCP and TLS together, and again for the service's first SETTINGS: many round trips.
  static let connectNanoseconds: Int64 = 10_000_000_000
  /// Nanoseconds of silence with unanswered requests after which the client sends PING; a response usually takes
  /// milliseconds.
  static let silenceNanoseconds: Int64 = 10_000_000_000
  /// Nanoseconds without an acknowledgment of PING after which the connection counts as lost: several round trips over
  /// the slowest path.
  static let pingNanoseconds: Int64 = 5_000_000_000
  /// Nanoseconds of the first pause before a refused request is sent again; it doubles each time.
  static let retryPauseNanoseconds: Int64 = 1_000_000_000
  /// Nanoseconds for reading a feedback service: a million tuples over a slow path.
  static let feedbackNanoseconds: Int64 = 120_000_000_000
  /// Tuples per read: 40 MB.
  ///
  /// The service keeps the rest for the next read.
  static let feedbackTuplesMax = 1_000_000
  /// Bytes of a list of channels: an app has up to 10,000 (apns-protocol 5.3), each of about 30 bytes.
  static let channelListBytesMax = 1_048_576
  /// Bytes of a channel's identifier; those of APNs have 24.
  static let channelIDBytesMax = 128
  /// Bytes retained of a response's body; the longest of APNs has fewer than 100.
  static let answerBytesMax = 4_096
  /// Bytes of a key, an authority's certificates or a `gateway.json`; chains of a few certificates have fewer than
  /// 20,000.
  static let credentialFileBytes = 262_144
}
