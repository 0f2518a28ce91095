import PushWire
import BelfryWire

/// The decision to deliver a response or to send the request again, which follows the advice of ``Rejection``
/// (apns-protocol 1.11).
enum RetryDecision: Equatable {
  /// Deliver the response to the sender.
  case final
  /// Send the request again after this pause.
  case retry(afterNanoseconds: Int64)
  /// Send the request again with a new provider token on another connection, because the old connection continues to
  /// refuse requests (apns-protocol 1.10, ExpiredProviderToken).
  case retryWithNewToken
  /// Send the request again on another connection.
  case retryOnNewConnection

  /// Makes the decision for a request that has been sent `attempts` times.
  init(
    _ outcome: PushOutcome, attempts: Int, policy: RetryPolicy, jitter: UInt64,
    renewsTokens: Bool
  ) {
    guard policy.resendsRefused, case .rejected(let refusal) = outcome,
      attempts < policy.attemptsMax
    else {
      self = .final
      return
    }
    switch refusal.rejection {
    // A new token from the same key helps only if the old token has expired.
    case .expiredProviderToken: self = renewsTokens ? .retryWithNewToken : .final
    // The service counts updates separately for each connection (apns-protocol 2.1), and shuts down each connection
    // separately.
    case .tooManyProviderTokenUpdates, .shutdown: self = .retryOnNewConnection
    default:
      let asked = refusal.retryAfterSeconds.map { seconds in
        seconds.multipliedReportingOverflow(by: 1_000_000_000)
      }.map { $0.overflow ? .max : $0.partialValue }
      // The sender must handle a wait that exceeds the policy, or a refusal that requires a wait of a quarter of an
      // hour.
      let isSoon = asked.map { $0 <= policy.longestPauseNanoseconds }
      guard isSoon ?? (refusal.advice == .retryLater),
        refusal.advice == .retryLater || refusal.advice == .retryWithBackoff
      else {
        self = .final
        return
      }
      assert(asked ?? 0 >= 0, "the requested pause is not negative")
      assert(attempts > 0, "an answered request was sent at least once")
      let backoff = Backoff(
        firstNanoseconds: Limits.retryPauseNanoseconds,
        longestNanoseconds: policy.longestPauseNanoseconds)
      self = .retry(
        afterNanoseconds: max(
          asked ?? 0, backoff.nanoseconds(afterFailures: attempts, random: jitter)))
    }
  }
}

/// The consequence of a response for the connections of a client that does not send refused pushes again.
enum ConnectionDecision: Equatable {
  /// Keep the connection.
  case keep
  /// Send later requests on another connection.
  case replace
  /// Send later requests with a new provider token on other connections.
  case renewToken

  /// Makes the decision for a response.
  init(_ outcome: PushOutcome, renewsTokens: Bool) {
    guard case .rejected(let refusal) = outcome else {
      self = .keep
      return
    }
    switch refusal.rejection {
    case .expiredProviderToken: self = renewsTokens ? .renewToken : .keep
    case .tooManyProviderTokenUpdates, .shutdown: self = .replace
    default: self = .keep
    }
  }
}

/// The limits on a client's attempts to send a push.
public struct RetryPolicy: Sendable, Equatable {
  /// The maximum number of times that a push is sent.
  public var attemptsMax: Int
  /// The longest pause before a refused push is sent again, in nanoseconds.
  public var longestPauseNanoseconds: Int64
  /// The maximum total time for a push, including waiting, in nanoseconds.
  public var timeoutNanoseconds: Int64
  /// True if a push is sent again, with the same `apns-id`, after its connection was closed without a response.
  ///
  /// Otherwise, the push fails with ``ProviderFailure/unanswered(reason:)``, so that the sender can first check whether
  /// the service received the push.
  public var resendsUnanswered = true
  /// True if a refused push is sent again when the refusal recommends it.
  ///
  /// Otherwise, every response is the outcome of its push, for example, for a relay whose sender decides.
  public var resendsRefused = true
  /// The number of consecutive failed connections after which the waiting pushes fail.
  public var connectionAttemptsMax = Limits.connectFailuresMax

  /// Creates a policy.
  ///
  /// The defaults are 3 attempts, pauses of up to 10 s, and 30 s in total.
  public init(
    attemptsMax: Int = 3, longestPauseNanoseconds: Int64 = 10_000_000_000,
    timeoutNanoseconds: Int64 = 30_000_000_000
  ) {
    self.attemptsMax = max(1, attemptsMax)
    self.longestPauseNanoseconds = max(0, longestPauseNanoseconds)
    self.timeoutNanoseconds = max(1, timeoutNanoseconds)
  }
}
