import BelfryWire
import Storage
import Synchronization

/// The connections to an upstream, which the apps with the same credentials share.
final class UpstreamLink: Sendable {
  let carrier: any UpstreamCarrier
  /// The end of the pause after the upstream refused the credentials, in monotonic nanoseconds; 0 for no pause.
  private let pausedUntil = Atomic<Int64>(0)

  init(_ carrier: any UpstreamCarrier) { self.carrier = carrier }

  /// Returns true while no push is sent, because the upstream has refused the credentials.
  ///
  /// Apple's service blocks senders that repeat such requests too often.
  func isPaused(at now: Int64) -> Bool { now < pausedUntil.load(ordering: .relaxed) }

  /// Pauses after a refusal of the credentials.
  func pause(at now: Int64) {
    assert(now >= 0, "the monotonic clock is not negative")
    pausedUntil.store(now + Limits.relayPauseNanoseconds, ordering: .relaxed)
  }
}

/// The relay of one app's pushes, which all loops share.
///
/// At most ``Limits/relayUnansweredMax`` pushes of the app can be unanswered, so an upstream that hangs uses a bounded
/// amount of memory, and delays only its own pushes.
final class AppRelay: Sendable {
  /// The link to the upstream, or the reason that the upstream cannot be used.
  enum Access: Sendable {
    case link(UpstreamLink)
    case unusable(reason: String)
  }

  /// The app's bundle identifier, for the operator's log.
  let topic: String
  let access: Access
  private let now: @Sendable () -> Int64
  private let unanswered = Atomic<Int>(0)
  private let isRemoved = Atomic(false)
  private let alarm = Mutex(RelayAlarm())

  init(topic: String, access: Access, now: @escaping @Sendable () -> Int64) {
    self.topic = topic
    self.access = access
    self.now = now
  }

  /// The number of pushes that wait for the upstream's answer.
  var unansweredCount: Int { unanswered.load(ordering: .relaxed) }

  /// Sends a push, and returns nil; `completion` is called once, on any thread.
  ///
  /// If the push cannot be sent, returns the outcome instead, and never calls `completion`.
  func send(
    _ push: UpstreamPush, completion: @escaping @Sendable (RelayOutcome) -> Void
  ) -> RelayOutcome? {
    let link: UpstreamLink
    switch path() {
    case .success(let open): link = open
    case .failure(let obstacle): return obstacle.outcome
    }
    guard begin() else { return .busy }
    assert(!push.token.isEmpty, "a relayed push has a device token")
    assert(!push.topic.isEmpty, "a relayed push has a topic")
    link.carrier.send(push) { [self] result in
      let outcome = RelayOutcome(result)
      if case .withheld = outcome { link.pause(at: now()) }
      let left = unanswered.subtract(1, ordering: .relaxed).newValue
      assert(left >= 0, "each push gets only one result")
      completion(outcome)
    }
    return nil
  }

  /// Sends a push like ``send(_:completion:)``, after the sender's budget has counted it.
  ///
  /// A push that certainly cannot be sent is not counted. `milliseconds` is the time since 1970.
  func send(
    _ push: UpstreamPush, within budget: SenderBudget?, atUnixMilliseconds milliseconds: Int64,
    completion: @escaping @Sendable (RelayOutcome) -> Void
  ) -> RelayOutcome? {
    guard let budget else { return send(push, completion: completion) }
    if case .failure(let obstacle) = path() { return obstacle.outcome }
    guard unansweredCount < Limits.relayUnansweredMax else { return .busy }
    let verdict = budget.take(atUnixMilliseconds: milliseconds, now: now()) { [self] verdict in
      if let outcome = finish(verdict, push, completion) { completion(outcome) }
    }
    return verdict.flatMap { finish($0, push, completion) }
  }

  private func finish(
    _ verdict: SenderBudget.Verdict, _ push: UpstreamPush,
    _ completion: @escaping @Sendable (RelayOutcome) -> Void
  ) -> RelayOutcome? {
    switch verdict {
    case .granted: send(push, completion: completion)
    case .exhausted(let seconds): .overBudget(retryAfterSeconds: seconds)
    case .busy: .busy
    case .failed: .uncounted
    }
  }

  /// The reason that pushes cannot be sent now.
  private struct Obstacle: Error {
    let outcome: RelayOutcome

    init(_ reason: String) { outcome = .unreachable(reason: reason) }
  }

  /// Returns the link to the upstream, if pushes can be sent.
  private func path() -> Result<UpstreamLink, Obstacle> {
    guard !isRemoved.load(ordering: .acquiring) else {
      return .failure(Obstacle("the upstream was removed"))
    }
    let link: UpstreamLink
    switch access {
    case .link(let found): link = found
    case .unusable(let reason): return .failure(Obstacle(reason))
    }
    guard !link.isPaused(at: now()) else {
      return .failure(Obstacle("the upstream has refused the publisher's credentials"))
    }
    if case .failed(let reason) = link.carrier.state {
      // Waiting for a connection would delay the answer to the sender. The connection is for later pushes.
      link.carrier.connect()
      return .failure(Obstacle(reason))
    }
    return .success(link)
  }

  /// Counts a push; returns false if the maximum number is reached.
  private func begin() -> Bool {
    let count = unanswered.add(1, ordering: .relaxed).newValue
    guard count > Limits.relayUnansweredMax else { return true }
    let rest = unanswered.subtract(1, ordering: .relaxed).newValue
    assert(rest >= 0, "the number of unanswered pushes is not negative")
    return false
  }

  /// Makes all later pushes fail, because the upstream was removed.
  func withdraw() { isRemoved.store(true, ordering: .releasing) }

  /// Returns the problem to log, if the outcome has one that is due to be logged.
  func problemToLog(_ outcome: RelayOutcome) -> RelayProblem? {
    guard let problem = outcome.problem else { return nil }
    let now = now()
    return alarm.withLock { $0.isDue(problem.kind, at: now) } ? problem : nil
  }

  /// The state of the upstream, as `belfry upstream list` shows it.
  var state: String {
    switch access {
    case .unusable(let reason): "unusable: \(reason)"
    case .link(let link):
      if link.isPaused(at: now()) {
        "credentials refused"
      } else {
        switch link.carrier.state {
        case .idle: "idle"
        case .connecting: "connecting"
        case .connected: "connected"
        case .failed(let reason): "failed: \(reason)"
        }
      }
    }
  }
}
