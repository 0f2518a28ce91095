import BelfryWire

/// Whether an answer is final or the request is sent again, by the advice of ``Rejection`` (apns-protocol
/// 1.11).
enum RetryDecision: Equatable {
  /// The answer goes to the sender.
  case final
  /// The request is sent again after this pause.
  case retry(afterNanoseconds: Int64)
  /// The request is sent again with a new provider token on another connection, since the old
  /// connection keeps refusing (apns-protocol 1.10, ExpiredProviderToken).
  case retryWithNewToken
  /// The request is sent again on another connection.
  case retryOnNewConnection

  /// The decision about the outcome of a request that has been sent `attempts` times.
  init(
    _ outcome: PushOutcome, attempts: Int, policy: RetryPolicy, jitter: UInt64,
    renewsTokens: Bool
  ) {
    guard case .rejected(let refusal) = outcome, attempts < policy.attemptsMax else {
      self = .final
      return
    }
    switch refusal.rejection {
    // A new token of the same key helps against age alone.
    case .expiredProviderToken: self = renewsTokens ? .retryWithNewToken : .final
    // The service counts updates by connection (apns-protocol 2.1) and shuts down by connection.
    case .tooManyProviderTokenUpdates, .shutdown: self = .retryOnNewConnection
    default:
      guard refusal.advice == .retryLater else {
        // A quarter of an hour is for the sender to wait, not for one call.
        self = .final
        return
      }
      let backoff = Backoff(
        firstNanoseconds: Limits.retryPauseNanoseconds,
        longestNanoseconds: policy.longestPauseNanoseconds)
      self = .retry(
        afterNanoseconds: backoff.nanoseconds(afterFailures: attempts, random: jitter))
    }
  }
}

/// The limits of a client's attempts to send a push.
public struct RetryPolicy: Sendable, Equatable {
  /// How often one push is sent at the most.
  public var attemptsMax: Int
  /// The longest pause before a refused push is sent again, in nanoseconds.
  public var longestPauseNanoseconds: Int64
  /// How long a push may take in all, waiting included, in nanoseconds.
  public var timeoutNanoseconds: Int64
  /// Whether a push is sent again, with the same `apns-id`, when its connection ended before the answer.
  ///
  /// Without, it fails with ``ProviderFailure/unanswered(reason:)``, for a sender that finds out first whether
  /// the service has it.
  public var resendsUnanswered = true

  /// A policy; the defaults are 3 attempts, pauses up to 10 s, 30 s in all.
  public init(
    attemptsMax: Int = 3, longestPauseNanoseconds: Int64 = 10_000_000_000,
    timeoutNanoseconds: Int64 = 30_000_000_000
  ) {
    self.attemptsMax = max(1, attemptsMax)
    self.longestPauseNanoseconds = max(0, longestPauseNanoseconds)
    self.timeoutNanoseconds = max(1, timeoutNanoseconds)
  }
}
