public import BelfryProvider
internal import BelfryWire
internal import Synchronization
internal import System

/// A sender of campaigns to Web Push subscriptions, which holds back messages to services that do not respond.
public final class WebPushSender: Sendable {
  /// A function that sends a message and calls the completion handler once, as `WebPushClient` does.
  typealias Submit =
    @Sendable (
      WebPushNotification, WebPushSubscription,
      @escaping @Sendable (Result<WebPushOutcome, WebPushFailure>) -> Void
    ) -> Void

  private let submitMessage: Submit
  private let now: @Sendable () -> Int64
  private let hosts = Mutex(WebPushHosts())

  /// Creates a sender with a monotonic clock in nanoseconds.
  init(
    submit: @escaping Submit,
    now: @escaping @Sendable () -> Int64 = { SystemClock.monotonicNanoseconds }
  ) {
    submitMessage = submit
    self.now = now
  }

  /// Creates a sender that uses a client, which must not send to private addresses that browsers choose.
  public convenience init(client: WebPushClient) {
    self.init { client.submit($0, to: $1, completion: $2) }
  }

  /// The limits on a client's attempts: a service that does not respond within this time is held back.
  public static let policy = RetryPolicy(
    attemptsMax: 3, longestPauseNanoseconds: 5_000_000_000, timeoutNanoseconds: 15_000_000_000)

  /// Sends a message, and calls `completion` once.
  ///
  /// If the message is held back, `completion` is called during this call with `.tooManyWaiting`.
  func submit(
    _ notification: WebPushNotification, to subscription: WebPushSubscription,
    completion: @escaping @Sendable (Result<WebPushOutcome, WebPushFailure>) -> Void
  ) {
    let host = UTF8Text(subscription.service.description)
    let endpoint = UTF8Text(subscription.endpoint)
    guard hosts.withLock({ $0.begin(host, endpoint: endpoint, at: now()) }) else {
      return completion(.failure(.failed(.tooManyWaiting)))
    }
    submitMessage(notification, subscription) { [self] result in
      let random = SystemRandom.Generator.nextValue
      hosts.withLock {
        $0.end(host, endpoint: endpoint, .init(result), at: now(), random: random)
      }
      completion(result)
    }
  }
}

extension SystemRandom.Generator {
  /// A random number.
  fileprivate static var nextValue: UInt64 {
    var generator = Self()
    return generator.next()
  }
}

extension WebPushHosts.Ending {
  /// Interprets a result of ``WebPushClient``.
  init(_ result: Result<WebPushOutcome, WebPushFailure>) {
    switch result {
    case .success(.accepted): self = .answered(overloadedSeconds: nil)
    case .success(.rejected(let refusal)):
      // Services limit the messages for a subscription with 429 (RFC 8030 section 8.4).
      self =
        refusal.status == 429
        ? .limited(seconds: refusal.retryAfterSeconds)
        : .answered(
          overloadedSeconds: refusal.status == 503 ? refusal.retryAfterSeconds : nil)
    case .failure(.failed(.unreachable)), .failure(.failed(.timedOut)): self = .silent
    case .failure: self = .other
    }
  }
}
