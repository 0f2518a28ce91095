import BelfryWire

/// What a client does with an answer, by the rejection table's advice (apns-protocol 1.11).
enum Verdict: Equatable {
  /// The sender gets it.
  case final
  /// The request is sent again after this pause.
  case again(afterNanoseconds: Int64)
  /// A new provider token is made, and the request sent again on another connection: the old one stays
  /// refused (apns-protocol 1.10, ExpiredProviderToken).
  case againWithNewToken
  /// The request is sent again on another connection.
  case againOnNewConnection

  /// The verdict on `outcome` of a request that has been sent `attempts` times.
  init(
    _ outcome: PushOutcome, attempts: Int, policy: RetryPolicy, jitter: UInt64,
    renewsTokens: Bool
  ) {
    guard case .rejected(let refusal) = outcome, attempts < policy.attemptsMax else {
      self = .final
      return
    }
    switch refusal.rejection {
    // Another token of the same key cures only age.
    case .expiredProviderToken: self = renewsTokens ? .againWithNewToken : .final
    // The count is the connection's (apns-protocol 2.1), and so is the going down.
    case .tooManyProviderTokenUpdates, .shutdown: self = .againOnNewConnection
    default:
      guard refusal.advice == .retryLater else {
        // A quarter of an hour is the sender's to wait, not one call's.
        self = .final
        return
      }
      let backoff = Backoff(
        firstNanoseconds: Limits.retryPauseNanoseconds,
        longestNanoseconds: policy.longestPauseNanoseconds)
      self = .again(
        afterNanoseconds: backoff.nanoseconds(afterFailures: attempts, random: jitter))
    }
  }
}

/// How hard a client tries before the sender is told.
public struct RetryPolicy: Sendable, Equatable {
  /// How often one push is sent at the most.
  public var attemptsMax: Int
  /// The longest pause before a refused push is sent again, in nanoseconds.
  public var longestPauseNanoseconds: Int64
  /// How long a push may take in all, waiting included, in nanoseconds.
  public var timeoutNanoseconds: Int64

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
