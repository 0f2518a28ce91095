/// Every bound of this module, with its unit and its reason.
enum Limits {
  /// Requests on one connection at a time; Apple has announced 500, 1,000 and 1,500 (apns-protocol
  /// 1.13), and more than this helps no sender.
  static let concurrentRequestsMax = 1_000
  /// Requests that wait in one client; a sender that is further ahead than this should wait itself.
  static let waitingRequestsMax = 100_000
  /// Seconds after which a provider token is made anew: at most once in 20 minutes, at least once in
  /// 60 (apns-protocol 2.1), and the service measures at receipt.
  static let providerTokenSeconds: Int64 = 50 * 60
  /// Seconds that a token may seem to come from the future: the clock was set back, not read again.
  static let clockDifferenceSecondsMax: Int64 = 60
  /// Nanoseconds of the first pause after a failed connection; it doubles with each failure.
  static let reconnectPauseNanoseconds: Int64 = 100_000_000
  /// Nanoseconds of the longest pause between connections.
  static let reconnectPauseNanosecondsMax: Int64 = 30_000_000_000
  /// Failed connections in a row after which what waits is told so.
  static let connectFailuresMax = 3
  /// Nanoseconds for name look-up, TCP and TLS, and again for the service's first SETTINGS.
  static let connectNanoseconds: Int64 = 10_000_000_000
  /// Nanoseconds of silence, while answers are owed, after which the service is asked for a sign of
  /// life: a durable answer takes milliseconds.
  static let silenceNanoseconds: Int64 = 10_000_000_000
  /// Nanoseconds that the sign of life may take before the connection is taken for dead.
  static let pingNanoseconds: Int64 = 5_000_000_000
  /// Nanoseconds of the first pause before a refused request is sent again; it doubles.
  static let retryPauseNanoseconds: Int64 = 1_000_000_000
  /// Bytes of an answer's body; APNs' longest has under 100.
  static let answerBytesMax = 4_096
}
