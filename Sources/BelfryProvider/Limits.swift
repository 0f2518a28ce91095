/// The limits of this module, each with its unit and its reason.
enum Limits {
  /// The maximum number of concurrent requests on a connection.
  ///
  /// Apple's service has allowed 500, 1,000, and 1,500 (apns-protocol 1.13), and no sender benefits from a higher
  /// number.
  static let concurrentRequestsMax = 1_000
  /// The maximum number of a client's connections.
  ///
  /// Each connection can have a thousand unanswered requests, and services limit the number of connections per sender.
  static let connectionsMax = 32
  /// The default maximum number of unanswered pushes per connection for a sequence of pushes: the number that the
  /// service allows, plus the same number of waiting pushes.
  static let windowPerConnection = 2_000
  /// The maximum number of a client's requests without an outcome.
  ///
  /// A sender that reaches this number must wait.
  static let waitingRequestsMax = 100_000
  /// The time, in seconds, after which a provider token is renewed: APNs allows 20 to 60 minutes (apns-protocol 2.1),
  /// measured when it receives the token.
  static let providerTokenSeconds: Int64 = 50 * 60
  /// The maximum time, in seconds, by which a token's time can be ahead of the clock.
  ///
  /// A larger difference means that the clock was set back.
  static let clockDifferenceSecondsMax: Int64 = 60
  /// The first pause, in nanoseconds, after a failed connection.
  ///
  /// To reduce the load on the service, the pause doubles with each failure.
  static let reconnectPauseNanoseconds: Int64 = 100_000_000
  /// The maximum pause, in nanoseconds, between connections, so that a recovered service is detected within half a
  /// minute.
  static let reconnectPauseNanosecondsMax: Int64 = 30_000_000_000
  /// The number of consecutive failed connections after which the waiting requests fail.
  ///
  /// Their senders then receive an error instead of waiting.
  static let connectFailuresMax = 3
  /// The maximum time, in nanoseconds, for name lookup, TCP, and TLS together.
  ///
  /// The same limit applies separately to the wait for the service's first SETTINGS. The limit allows for many round
  /// trips.
  static let connectNanoseconds: Int64 = 10_000_000_000
  /// The duration of silence, in nanoseconds, after which the client sends PING on a connection with unanswered
  /// requests.
  ///
  /// A response usually takes milliseconds.
  static let silenceNanoseconds: Int64 = 10_000_000_000
  /// The time, in nanoseconds, for which the client waits for the acknowledgment of PING before it treats the
  /// connection as lost: enough for several round trips over the slowest path.
  static let pingNanoseconds: Int64 = 5_000_000_000
  /// The first pause, in nanoseconds, before a refused request is sent again; the pause doubles each time.
  static let retryPauseNanoseconds: Int64 = 1_000_000_000
  /// The maximum time, in nanoseconds, for reading a feedback service: enough for a million tuples over a slow path.
  static let feedbackNanoseconds: Int64 = 120_000_000_000
  /// The maximum number of tuples in a single read: 40 MB.
  ///
  /// The service keeps the rest for the next read.
  static let feedbackTuplesMax = 1_000_000
  /// The maximum size, in bytes, of a list of channels: an app has up to 10,000 channels (apns-protocol 5.3), with
  /// about 30 bytes each.
  static let channelListBytesMax = 1_048_576
  /// The maximum length, in bytes, of a channel's identifier; APNs identifiers are 24 bytes long.
  static let channelIDBytesMax = 128
  /// The maximum number of bytes of a response's body that the client retains.
  ///
  /// The longest body from APNs is shorter than 100 bytes.
  static let answerBytesMax = 4_096
  /// The maximum size, in bytes, of a key, an authority's certificates, or a `gateway.json`; chains of a few
  /// certificates are smaller than 20,000 bytes.
  static let credentialFileBytes = 262_144
  /// The maximum number of bytes in the URL of a Web Push endpoint; the longest known URLs have about 1,000 bytes.
  static let endpointBytesMax = 2_048
  /// The maximum number of characters in the secret of a Web Push subscription: 16 bytes in padded base64.
  static let webPushAuthCharactersMax = 24
  /// The maximum number of Web Push services to which a client keeps connections.
  ///
  /// Most browsers use one of five services, but each app of UnifiedPush can use another gateway.
  static let webPushServicesMax = 64
  /// The time, in seconds, from the signing of a Web Push sender's token to its expiration: half of the time that
  /// RFC 8292 section 2 allows, so that the clocks of the sender and the service can differ.
  static let vapidTokenSeconds: Int64 = 43_200
  /// The age, in seconds, at which a Web Push sender's token is replaced: long before it expires, and no more often
  /// than the one hour for which Apple's service requires a token to be used.
  static let vapidRenewalSeconds: Int64 = 21_600
  /// The maximum number of bytes of a refusal's plain text that are kept as its description.
  static let refusalTextBytesMax = 200
}
