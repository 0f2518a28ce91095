/// What a client does next, decided apart from doing: requests in, steps out, time passed in.
///
/// Events change the session; ``next(now:)`` is then asked until it rests.
struct ClientSession: ~Copyable {
  /// One thing to do.
  enum Step: Equatable {
    /// Open this connection.
    case connect(ConnectionNumber)
    /// Write this request on this connection.
    case send(RequestNumber, on: ConnectionNumber)
    /// Tell the sender that this request failed.
    case fail(RequestNumber, ProviderFailure)
    /// Close this connection: it is dead, or drained.
    case close(ConnectionNumber)
    /// Nothing until an event, or until this moment.
    case rest(until: Int64?)
  }

  private var lifecycle = ConnectionLifecycle()
  private var ledger = RequestLedger()
  private var steps = Queue<Step>()
  /// Connections that take no more requests and still owe answers.
  private var draining: Set<ConnectionNumber> = []
  /// Why there is no connection that takes requests; `nil` while there is one.
  private var trouble: String?
  private let policy: RetryPolicy
  private let endpoint: String
  private var random: any RandomNumberGenerator

  init(policy: RetryPolicy, endpoint: String, random: any RandomNumberGenerator) {
    self.policy = policy
    self.endpoint = endpoint
    self.random = random
  }

  /// A request is handed over.
  mutating func submit(_ number: RequestNumber, now: Int64) {
    guard ledger.count < Limits.waitingRequestsMax else {
      steps.append(.fail(number, .tooManyWaiting))
      return
    }
    let (deadline, overflow) = now.addingReportingOverflow(policy.timeoutNanoseconds)
    ledger.add(number, deadline: overflow ? .max : deadline)
  }

  /// What to do now.
  mutating func next(now: Int64) -> Step {
    if let step = steps.popFirst() { return step }
    while let overdue = ledger.popOverdue(now: now) { giveUp(overdue, now: now) }
    if let step = steps.popFirst() { return step }
    ledger.wake(now: now)
    var due = ledger.nextDue()
    if ledger.hasWaiting() {
      switch lifecycle.requestWaits(now: now) {
      case .connect(let connection): return .connect(connection)
      case .send(let connection):
        if let number = ledger.send(on: connection) { return .send(number, on: connection) }
        lifecycle.finished(on: connection, answered: false)
      case .restUntil(let moment): due = min(due ?? moment, moment)
      case .rest: break
      }
    }
    return .rest(until: due)
  }

  /// The service greeted on a connection; it takes `limit` requests at a time.
  mutating func opened(_ connection: ConnectionNumber, limit: Int) {
    trouble = nil
    if !lifecycle.opened(connection, limit: limit) { steps.append(.close(connection)) }
  }

  /// The service takes `limit` requests at a time on a connection.
  mutating func limited(_ connection: ConnectionNumber, to limit: Int) {
    lifecycle.limited(connection, to: limit)
  }

  /// What follows an answer.
  enum OnAnswer: Equatable {
    /// The outcome is the sender's.
    case deliver
    /// The request will be sent again.
    case sendAgain
    /// It will be sent again, and wants a provider token that is not the one it had.
    case sendAgainWithNewToken
    /// Nobody waits for this answer any more.
    case ignore
  }

  /// A request was answered; `renewsTokens` where the credentials can make another provider token.
  mutating func answered(
    _ number: RequestNumber, _ outcome: PushOutcome, renewsTokens: Bool, now: Int64
  ) -> OnAnswer {
    guard let sent = ledger.sent(number), let connection = sent.connection else { return .ignore }
    let verdict = Verdict(
      outcome, attempts: sent.attempts, policy: policy, jitter: random.next(),
      renewsTokens: renewsTokens)
    lifecycle.finished(on: connection, answered: true)
    switch verdict {
    case .final: ledger.remove(number)
    case .again(let pause):
      let (due, overflow) = now.addingReportingOverflow(pause)
      ledger.sendAgain(number, from: overflow ? .max : due)
    case .againWithNewToken, .againOnNewConnection:
      ledger.sendAgain(number, counts: true)
      leave(connection, now: now, reason: "the service asked for another connection")
    }
    closeIfDrained(connection)
    switch verdict {
    case .final: return .deliver
    case .againWithNewToken: return .sendAgainWithNewToken
    case .again, .againOnNewConnection: return .sendAgain
    }
  }

  /// A stream ended without an answer; `unprocessed` where the service says that it did nothing with it.
  mutating func streamFailed(_ number: RequestNumber, unprocessed: Bool, reason: String) {
    guard let sent = ledger.sent(number), let connection = sent.connection else { return }
    resend(number, attempts: sent.attempts, unprocessed: unprocessed, reason: reason)
    release(connection)
  }

  /// The service will take no more requests on a connection and has done nothing with `unprocessed`.
  mutating func wentAway(
    _ connection: ConnectionNumber, unprocessed: [RequestNumber], reason: String, now: Int64
  ) {
    for number in unprocessed.reversed() where ledger.sent(number)?.connection == connection {
      ledger.sendAgain(number, counts: false)
    }
    // GOAWAY may come before the answers to what the service has taken.
    if !ledger.unanswered(on: connection).isEmpty { lifecycle.served(on: connection) }
    leave(connection, now: now, reason: reason)
    closeIfDrained(connection)
  }

  /// A connection ended, or never came about.
  mutating func ended(_ connection: ConnectionNumber, reason: String, now: Int64) {
    if draining.remove(connection) == nil { trouble = reason }
    for number in ledger.unanswered(on: connection).reversed() {
      let attempts = ledger.sent(number)?.attempts ?? 0
      resend(number, attempts: attempts, unprocessed: false, reason: reason)
    }
    guard lifecycle.ended(connection, now: now, jitter: random.next()) == .giveUp else { return }
    tellWaiting(reason)
  }

  /// The sender wants no answer any more.
  mutating func cancel(_ number: RequestNumber) {
    guard let sent = ledger.sent(number) else { return }
    ledger.remove(number)
    steps.append(.fail(number, .cancelled))
    if let connection = sent.connection { release(connection) }
  }

  /// Ends everything: whoever waits is told.
  mutating func close() {
    lifecycle.close()
    while let overdue = ledger.popOverdue(now: .max) {
      steps.append(.fail(overdue.number, .closed))
    }
  }

  private mutating func giveUp(
    _ overdue: (number: RequestNumber, connection: ConnectionNumber?), now: Int64
  ) {
    if overdue.connection == nil, let trouble {
      steps.append(.fail(overdue.number, .unreachable(endpoint: endpoint, reason: trouble)))
      return
    }
    let seconds = Int(policy.timeoutNanoseconds / 1_000_000_000)
    steps.append(.fail(overdue.number, .timedOut(seconds: seconds)))
    // A connection that owes an answer for so long is taken for dead: half-open links look like this.
    guard let connection = overdue.connection else { return }
    leave(connection, now: now, reason: "no answer came")
    draining.remove(connection)
    steps.append(.close(connection))
  }

  private mutating func leave(_ connection: ConnectionNumber, now: Int64, reason: String) {
    draining.insert(connection)
    trouble = reason
    guard lifecycle.left(connection, now: now, jitter: random.next()) == .giveUp else { return }
    tellWaiting(reason)
  }

  private mutating func tellWaiting(_ reason: String) {
    for number in ledger.unsent() {
      ledger.remove(number)
      steps.append(.fail(number, .unreachable(endpoint: endpoint, reason: reason)))
    }
  }

  private mutating func resend(
    _ number: RequestNumber, attempts: Int, unprocessed: Bool, reason: String
  ) {
    if unprocessed || attempts < policy.attemptsMax {
      ledger.sendAgain(number, counts: !unprocessed)
    } else {
      ledger.remove(number)
      steps.append(.fail(number, .unanswered(reason: reason)))
    }
  }

  private mutating func release(_ connection: ConnectionNumber) {
    lifecycle.finished(on: connection, answered: false)
    closeIfDrained(connection)
  }

  /// Closes a connection that was left once it owes nothing.
  private mutating func closeIfDrained(_ connection: ConnectionNumber) {
    guard draining.contains(connection), ledger.unanswered(on: connection).isEmpty else { return }
    draining.remove(connection)
    steps.append(.close(connection))
  }
}
