/// Every bound of this module, with its unit and its reason.
enum Limits {
  /// Concurrent requests of one connection: Apple's service has allowed 500, 1,000 and 1,500
  /// (apns-protocol 1.13), and more help no sender.
  static let concurrentRequestsMax = 1_000
  /// Connections of one client: each is worth a thousand unanswered requests, and services count a sender's.
  static let connectionsMax = 32
  /// Unanswered pushes of a stream for each connection, unless the sender says otherwise: what the service allows,
  /// and as many that wait for their turn.
  static let windowPerConnection = 2_000
  /// Requests of one client without an outcome; a sender that is further ahead has to wait.
  static let waitingRequestsMax = 100_000
  /// Seconds after which a provider token is renewed: APNs allows 20 to 60 minutes (apns-protocol 2.1)
  /// and measures at receipt.
  static let providerTokenSeconds: Int64 = 50 * 60
  /// Seconds that a token may be ahead of the clock; more means that the clock was set back.
  static let clockDifferenceSecondsMax: Int64 = 60
  /// Nanoseconds of the first pause after a failed connection; it doubles with each failure, to spare the service.
  static let reconnectPauseNanoseconds: Int64 = 100_000_000
  /// Nanoseconds of the longest pause between connections: a service that is back is found within half a minute.
  static let reconnectPauseNanosecondsMax: Int64 = 30_000_000_000
  /// Consecutive failed connections after which the waiting requests fail, so that their senders learn of it.
  static let connectFailuresMax = 3
  /// Nanoseconds for name look-up, TCP and TLS together, and again for the service's first SETTINGS: many round
  /// trips.
  static let connectNanoseconds: Int64 = 10_000_000_000
  /// Nanoseconds of silence with unanswered requests after which the client sends PING: a durable
  /// answer takes milliseconds.
  static let silenceNanoseconds: Int64 = 10_000_000_000
  /// Nanoseconds without an acknowledgement of PING after which the connection counts as lost: several round trips
  /// over the slowest path.
  static let pingNanoseconds: Int64 = 5_000_000_000
  /// Nanoseconds of the first pause before a refused request is sent again; it doubles.
  static let retryPauseNanoseconds: Int64 = 1_000_000_000
  /// Nanoseconds for reading a feedback service: a million tuples over a slow path.
  static let feedbackNanoseconds: Int64 = 120_000_000_000
  /// Tuples of one reading: 40 MB; the service has the rest for the next one.
  static let feedbackTuplesMax = 1_000_000
  /// Bytes of a list of channels: an app has up to 10,000 (apns-protocol 5.3), of some 30 bytes each.
  static let channelListBytesMax = 1_048_576
  /// Bytes of a channel's identifier: APNs' have 24.
  static let channelIDBytesMax = 128
  /// Bytes retained of a response's body; APNs' longest has under 100.
  static let answerBytesMax = 4_096
  /// Bytes of a key, an authority's certificates or a `gateway.json`: chains of a few certificates have under 20,000.
  static let credentialFileBytes = 262_144
}
