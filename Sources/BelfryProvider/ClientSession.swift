import BelfryWire

/// The state machine of a client, which receives requests, events, and the current time, and returns steps.
///
/// After each event, the owner calls ``next(now:)`` and carries out the returned step, until the step is
/// ``Step/wait(until:)``.
struct ClientSession: ~Copyable {
  /// A step for the owner to carry out.
  enum Step: Equatable {
    /// Open this connection.
    case connect(ConnectionNumber)
    /// Write this request to this connection.
    case send(RequestNumber, on: ConnectionNumber)
    /// Report this failure to the sender of the request.
    case fail(RequestNumber, ProviderFailure)
    /// Close this connection, which is dead or drained.
    case close(ConnectionNumber)
    /// Do nothing until an event occurs, or until this time.
    case wait(until: Int64?)
  }

  private var pool: ConnectionPool
  private var requests = RequestTable()
  private var steps = Queue<Step>()
  /// The connections that do not accept further requests but still have unanswered requests.
  private var draining: Set<ConnectionNumber> = []
  /// The reason that no usable connection exists; `nil` if one exists.
  private var connectionFailure: String?
  private let policy: RetryPolicy
  private let endpoint: String
  private var random: any RandomNumberGenerator

  /// Creates a session that uses up to `connections` simultaneous connections.
  init(
    policy: RetryPolicy, endpoint: String, connections: Int = 1, random: any RandomNumberGenerator
  ) {
    pool = ConnectionPool(size: connections, failuresMax: policy.connectionAttemptsMax)
    self.policy = policy
    self.endpoint = endpoint
    self.random = random
  }

  /// Accepts a request from its sender.
  mutating func submit(_ number: RequestNumber, now: Int64) {
    guard requests.count < Limits.waitingRequestsMax else {
      steps.append(.fail(number, .tooManyWaiting))
      return
    }
    let (deadline, overflow) = now.addingReportingOverflow(policy.timeoutNanoseconds)
    requests.add(number, deadline: overflow ? .max : deadline)
  }

  /// True if at least one connection accepts requests.
  var hasOpenConnection: Bool { pool.hasOpen }

  /// True if a connection is being opened.
  var isConnecting: Bool { pool.isConnecting }

  /// Opens all connections before the first request, unless the connections are open or a pause after a failure has not
  /// ended.
  mutating func connect(now: Int64) {
    while let number = pool.connect(now: now) { steps.append(.connect(number)) }
  }

  /// Returns the next step.
  mutating func next(now: Int64) -> Step {
    if let step = steps.popFirst() { return step }
    while let overdue = requests.popOverdue(now: now) { failOverdue(overdue, now: now) }
    if let step = steps.popFirst() { return step }
    requests.wake(now: now)
    var due = requests.nextDue()
    if requests.hasWaiting() {
      switch pool.requestWaits(requests.waitingCount, now: now) {
      case .connect(let connection): return .connect(connection)
      case .send(let connection):
        guard let number = requests.send(on: connection) else {
          preconditionFailure("the pool assigned a connection without a waiting request")
        }
        return .send(number, on: connection)
      case .waitUntil(let moment): due = min(due ?? moment, moment)
      case .wait: break
      }
    }
    return .wait(until: due)
  }

  /// Handles the service's first SETTINGS on a connection, which allow `limit` concurrent requests.
  mutating func opened(_ connection: ConnectionNumber, limit: Int) {
    connectionFailure = nil
    if !pool.opened(connection, limit: limit) { steps.append(.close(connection)) }
  }

  /// Handles a new limit on concurrent requests for a connection.
  mutating func limited(_ connection: ConnectionNumber, to limit: Int) {
    pool.limited(connection, to: limit)
  }

  /// The action for the owner to perform after a response.
  enum AnswerAction: Equatable {
    /// Deliver the outcome to the sender.
    case deliver
    /// Deliver the outcome to the sender, and generate another provider token for later requests.
    case deliverAndRenewToken
    /// Keep the request, which the session sends again.
    case retry
    /// Keep the request, which the session sends again, and generate another provider token for it.
    case retryWithNewToken
    /// Ignore the response, because the request's sender no longer waits.
    case ignore
  }

  /// Handles a response.
  ///
  /// `renewsTokens` is true if the credentials can generate another provider token.
  mutating func answered(
    _ number: RequestNumber, _ outcome: PushOutcome, renewsTokens: Bool, now: Int64
  ) -> AnswerAction {
    guard let sent = requests.sent(number), let connection = sent.connection else { return .ignore }
    let decision = RetryDecision(
      outcome, attempts: sent.attempts, policy: policy, jitter: random.next(),
      renewsTokens: renewsTokens)
    pool.finished(on: connection, answered: true)
    switch decision {
    case .final:
      requests.remove(number)
      guard !policy.resendsRefused else { break }
      switch ConnectionDecision(outcome, renewsTokens: renewsTokens) {
      case .keep: break
      case .replace: leave(connection, withOthers: false, now: now)
      case .renewToken:
        leave(connection, withOthers: true, now: now)
        closeIfDrained(connection)
        return .deliverAndRenewToken
      }
    case .retry(let pause):
      let (due, overflow) = now.addingReportingOverflow(pause)
      requests.requeue(number, from: overflow ? .max : due)
    case .retryWithNewToken, .retryOnNewConnection:
      requests.requeue(number, counts: true)
      leave(connection, withOthers: decision == .retryWithNewToken, now: now)
    }
    closeIfDrained(connection)
    switch decision {
    case .final: return .deliver
    case .retryWithNewToken: return .retryWithNewToken
    case .retry, .retryOnNewConnection: return .retry
    }
  }

  /// Drains a connection, because the service does not accept further requests on it; with `withOthers`, also drains the
  /// other connections, which sent the same token.
  private mutating func leave(_ connection: ConnectionNumber, withOthers: Bool, now: Int64) {
    // If this connection is already draining, another connection reported the token earlier.
    let isFirst = pool.openConnections.contains { $0.number == connection }
    let left = withOthers && isFirst ? pool.openConnections.map(\.number) : [connection]
    for number in left where number != connection {
      draining.insert(number)
      pool.leave(number)
      closeIfDrained(number)
    }
    drain(connection, now: now, reason: "the service asked for another connection")
  }

  /// Handles a request that could not be written to its connection, which does not count as an attempt.
  mutating func notWritten(_ number: RequestNumber, reason: String) {
    guard let sent = requests.sent(number), let connection = sent.connection else { return }
    resend(number, attempts: sent.attempts, unprocessed: true, reason: reason)
    release(connection)
  }

  /// Handles a stream that ended without a response.
  ///
  /// `unprocessed` is true if the service refused the stream, so that the request was not processed (RFC 9113 section
  /// 8.7). An overloaded service refuses streams, so such a request is sent again only after a pause, and each attempt
  /// counts.
  mutating func streamFailed(
    _ number: RequestNumber, unprocessed: Bool, reason: String, now: Int64
  ) {
    guard let sent = requests.sent(number), let connection = sent.connection else { return }
    if unprocessed {
      resendRefused(number, attempts: sent.attempts, now: now)
    } else {
      resend(number, attempts: sent.attempts, unprocessed: false, reason: reason)
    }
    release(connection)
  }

  /// Handles GOAWAY: the connection accepts no further requests, and the requests in `unprocessed` were not processed.
  mutating func wentAway(
    _ connection: ConnectionNumber, unprocessed: [RequestNumber], reason: String, now: Int64
  ) {
    for number in unprocessed.reversed() where requests.sent(number)?.connection == connection {
      requests.requeue(number, counts: false)
    }
    // GOAWAY can arrive before the responses to requests that the service accepted.
    if !requests.unanswered(on: connection).isEmpty { pool.served(on: connection) }
    drain(connection, now: now, reason: reason)
    closeIfDrained(connection)
  }

  /// Handles a closed connection, including one that was never established.
  mutating func ended(_ connection: ConnectionNumber, reason: String, now: Int64) {
    let wasDraining = draining.remove(connection) != nil
    for number in requests.unanswered(on: connection).reversed() {
      let attempts = requests.sent(number)?.attempts ?? 0
      resend(number, attempts: attempts, unprocessed: false, reason: reason)
    }
    let action = pool.ended(connection, now: now, jitter: random.next())
    if !wasDraining, !pool.hasOpen { connectionFailure = reason }
    if action == .failWaiting { failWaiting(reason) }
  }

  /// Cancels a request whose sender no longer waits.
  mutating func cancel(_ number: RequestNumber) {
    guard let sent = requests.sent(number) else { return }
    requests.remove(number)
    steps.append(.fail(number, .cancelled))
    if let connection = sent.connection { release(connection) }
  }

  /// Fails all requests, and prevents further connections.
  mutating func close() {
    pool.close()
    draining = []
    while let overdue = requests.popOverdue(now: .max) {
      steps.append(.fail(overdue.number, .closed))
    }
    assert(requests.count == 0, "every request has its outcome")
  }

  /// Asserts the invariants that hold between events.
  ///
  /// Tests call this method after each event.
  func checkInvariants() {
    requests.checkInvariants()
    pool.checkInvariants()
    for open in pool.openConnections {
      precondition(!draining.contains(open.number), "the open connection is not draining")
      precondition(
        open.unanswered == requests.unanswered(on: open.number).count,
        "the open connection counts its unanswered requests")
    }
    for connection in draining {
      precondition(
        !requests.unanswered(on: connection).isEmpty,
        "a draining connection has unanswered requests")
    }
  }

  private mutating func failOverdue(
    _ overdue: (number: RequestNumber, connection: ConnectionNumber?), now: Int64
  ) {
    let failure = pool.allowsNoRequests ? ProviderFailure.noStreamsReason : connectionFailure
    if overdue.connection == nil, let failure {
      steps.append(.fail(overdue.number, .unreachable(endpoint: endpoint, reason: failure)))
      return
    }
    let seconds = Int(policy.timeoutNanoseconds / 1_000_000_000)
    steps.append(.fail(overdue.number, .timedOut(seconds: seconds)))
    // Treat a connection that has not answered a request for this long as dead, because it cannot be distinguished from
    // a half-open connection.
    guard let connection = overdue.connection else { return }
    drain(connection, now: now, reason: "no response")
    draining.remove(connection)
    steps.append(.close(connection))
  }

  private mutating func drain(_ connection: ConnectionNumber, now: Int64, reason: String) {
    draining.insert(connection)
    let action = pool.left(connection, now: now, jitter: random.next())
    if !pool.hasOpen { connectionFailure = reason }
    if action == .failWaiting { failWaiting(reason) }
  }

  private mutating func failWaiting(_ reason: String) {
    for number in requests.unsent() {
      requests.remove(number)
      steps.append(.fail(number, .unreachable(endpoint: endpoint, reason: reason)))
    }
  }

  private mutating func resend(
    _ number: RequestNumber, attempts: Int, unprocessed: Bool, reason: String
  ) {
    let mayRepeat = policy.resendsUnanswered && number.isRepeatable
    if unprocessed || mayRepeat && attempts < policy.attemptsMax {
      requests.requeue(number, counts: !unprocessed)
    } else {
      requests.remove(number)
      steps.append(.fail(number, .unanswered(reason: reason)))
    }
  }

  private mutating func resendRefused(_ number: RequestNumber, attempts: Int, now: Int64) {
    guard attempts < policy.attemptsMax else {
      requests.remove(number)
      let reason = ProviderFailure.streamRefusedReason
      steps.append(.fail(number, .unreachable(endpoint: endpoint, reason: reason)))
      return
    }
    let backoff = Backoff(
      firstNanoseconds: Limits.retryPauseNanoseconds,
      longestNanoseconds: policy.longestPauseNanoseconds)
    let pause = backoff.nanoseconds(afterFailures: attempts, random: random.next())
    let (due, overflow) = now.addingReportingOverflow(pause)
    requests.requeue(number, from: overflow ? .max : due)
  }

  private mutating func release(_ connection: ConnectionNumber) {
    pool.finished(on: connection, answered: false)
    closeIfDrained(connection)
  }

  /// Closes a draining connection when all of its requests have been answered.
  private mutating func closeIfDrained(_ connection: ConnectionNumber) {
    guard draining.contains(connection), requests.unanswered(on: connection).isEmpty else { return }
    draining.remove(connection)
    steps.append(.close(connection))
  }
}
