import BelfryWire
import Synchronization
import System
import Transport

/// A command that a caller of the client sends to the client's loop.
enum ProviderCommand: Sendable {
  case submit(RequestNumber, ServiceRequest, Cancellation, RequestCompletion)
  case cancel(RequestNumber)
  case connect
  case close
}

/// A flag that is set when the task that waits for a push is cancelled.
final class Cancellation: Sendable {
  private let flag = Atomic(false)

  var isCancelled: Bool { flag.load(ordering: .acquiring) }
  func cancel() { flag.store(true, ordering: .releasing) }
}

/// The configuration of a client's loop.
struct ProviderLoopSetup: Sendable {
  let endpoint: ProviderEndpoint
  let tls: TLSClientContext
  let key: ProviderKey?
  let policy: RetryPolicy
  let connections: Int
  let report: ConnectionReport
  /// True if the client must not connect to an address that is not public.
  var isPublicOnly = false
}

/// The part of a client that runs on the event loop and carries out the steps of ``ClientSession``.
final class ProviderLoop: PushServiceConnectionOwner, TimerTarget {
  private struct Pending {
    let request: ServiceRequest
    let completion: RequestCompletion
    /// The time at which the provider token in the request was issued, in seconds since 1970.
    var tokenIssuedAt: Int64?
    /// The connection and stream on which the request was sent.
    var place: (connection: ConnectionNumber, streamID: Int32)?
    /// The service's latest refusal; nil unless the request is waiting to be sent again.
    var refusal: ServiceAnswer?
  }

  private let loop: EventLoop
  private let endpoint: ProviderEndpoint
  private let tls: TLSClientContext
  private let isPublicOnly: Bool
  private let key: ProviderKey?
  private var session: ClientSession
  private var pending: [RequestNumber: Pending] = [:]
  private var connections: [ConnectionNumber: PushServiceConnection] = [:]
  private var renewal = TokenRenewal()
  private var authorization: String?
  private var wakeUp: (timer: TimerID, due: Int64)?
  private let report: ConnectionReport

  /// A function that is called once the client and its last connection are closed.
  private let onEnd: () -> Void
  private var isClosed = false

  init(loop: EventLoop, _ setup: ProviderLoopSetup, onEnd: @escaping () -> Void) {
    self.loop = loop
    self.onEnd = onEnd
    report = setup.report
    endpoint = setup.endpoint
    tls = setup.tls
    isPublicOnly = setup.isPublicOnly
    key = setup.key
    session = ClientSession(
      policy: setup.policy, endpoint: setup.endpoint.description, connections: setup.connections,
      random: SystemRandom.Generator())
  }

  /// Handles a command.
  ///
  /// The caller must call ``advance()`` after the last command of a turn.
  func receive(_ command: ProviderCommand) {
    switch command {
    case .submit(let number, let request, let cancellation, let completion):
      assert(pending[number] == nil, "request numbers are unique")
      pending[number] = Pending(request: request, completion: completion)
      session.submit(number, now: loop.nowNanoseconds)
      // The request might have been cancelled before it arrived here. In that case, no cancel command follows.
      if cancellation.isCancelled { session.cancel(number) }
    case .cancel(let number): session.cancel(number)
    case .connect: session.connect(now: loop.nowNanoseconds)
    case .close:
      assert(!isClosed, "a client is closed only once")
      isClosed = true
      session.close()
      advance()
      for connection in connections.values { connection.close() }
      endIfDone()
    }
  }

  /// Releases the resources of a closed client.
  private func endIfDone() {
    guard isClosed, connections.isEmpty else { return }
    assert(pending.isEmpty, "every request has its outcome")
    if let wakeUp { loop.cancel(wakeUp.timer) }
    wakeUp = nil
    onEnd()
  }

  // MARK: The session's steps

  /// Carries out the session's steps.
  func advance() {
    while true {
      switch session.next(now: loop.nowNanoseconds) {
      case .connect(let number):
        if !session.hasOpenConnection { report.connecting() }
        connections[number] = PushServiceConnection(
          number, loop: loop, endpoint: endpoint, tls: tls, isPublicOnly: isPublicOnly, owner: self)
      case .send(let number, let connection): send(number, on: connection)
      case .fail(let number, let failure): finish(number, .failure(failure))
      case .close(let number): connections[number]?.close()
      case .wait(let due): return wake(at: due)
      }
    }
  }

  private func send(_ number: RequestNumber, on connectionNumber: ConnectionNumber) {
    guard let request = pending[number]?.request else {
      preconditionFailure("a request that already had an outcome was sent")
    }
    do {
      try renewToken()
    } catch {
      session.cancel(number)
      return finish(number, .failure(error))
    }
    let fields = request.fields(authority: endpoint.authority, authorization: authorization)
    guard
      let streamID = connections[connectionNumber]?.send(
        number, fields: fields, body: request.body, answerBytesMax: request.answerBytesMax)
    else {
      // The connection and the session disagree on the number of open requests, so send nothing until the next
      // response.
      session.limited(connectionNumber, to: 0)
      let reason = "the connection accepts no more requests"
      return session.notWritten(number, reason: reason)
    }
    pending[number]?.tokenIssuedAt = renewal.issuedAt
    pending[number]?.place = (connectionNumber, streamID)
    // The request has been sent again, so its earlier refusal no longer determines the outcome.
    pending[number]?.refusal = nil
  }

  private func renewToken() throws(ProviderFailure) {
    let now = loop.unixMilliseconds / 1_000
    guard let key, renewal.isDue(unixSeconds: now) else { return }
    authorization = "bearer " + (try key.token(issuedAt: now))
    renewal.made(unixSeconds: now)
  }

  private func finish(_ number: RequestNumber, _ result: Result<ServiceAnswer, ProviderFailure>) {
    guard let request = pending.removeValue(forKey: number) else { return }
    if let place = request.place { connections[place.connection]?.cancel(place.streamID) }
    if case .failure(.timedOut) = result, let refusal = request.refusal {
      return request.completion(.success(refusal))
    }
    request.completion(result)
  }

  private func wake(at due: Int64?) {
    guard let due else { return }
    if let wakeUp {
      guard due < wakeUp.due else { return }
      loop.cancel(wakeUp.timer)
    }
    let timer = loop.schedule(afterNanoseconds: due - loop.nowNanoseconds, self)
    wakeUp = (timer, due)
  }

  func timerFired(tag: UInt64) {
    wakeUp = nil
    advance()
  }

  // MARK: The connections' events

  func connectionOpened(_ connection: PushServiceConnection, limit: Int) {
    report.opened(atMilliseconds: loop.unixMilliseconds)
    session.opened(connection.number, limit: limit)
  }

  func connection(_ connection: PushServiceConnection, limitedTo limit: Int) {
    session.limited(connection.number, to: limit)
  }

  func connection(
    _ connection: PushServiceConnection, answered number: RequestNumber, _ answer: ServiceAnswer
  ) {
    pending[number]?.place = nil
    pending[number]?.refusal = answer
    switch session.answered(
      number, answer.outcome, renewsTokens: key != nil, now: loop.nowNanoseconds)
    {
    case .deliver: finish(number, .success(answer))
    case .deliverAndRenewToken:
      if let issuedAt = pending[number]?.tokenIssuedAt { renewal.refused(issuedAt: issuedAt) }
      finish(number, .success(answer))
    case .retryWithNewToken:
      if let issuedAt = pending[number]?.tokenIssuedAt { renewal.refused(issuedAt: issuedAt) }
    case .retry, .ignore: return
    }
  }

  func connection(
    _ connection: PushServiceConnection, failed number: RequestNumber, unprocessed: Bool,
    reason: String
  ) {
    pending[number]?.place = nil
    session.streamFailed(
      number, unprocessed: unprocessed, reason: reason, now: loop.nowNanoseconds)
  }

  func connectionWentAway(
    _ connection: PushServiceConnection, unprocessed: [RequestNumber], reason: String
  ) {
    for number in unprocessed { pending[number]?.place = nil }
    session.wentAway(
      connection.number, unprocessed: unprocessed, reason: reason, now: loop.nowNanoseconds)
  }

  func connectionEnded(_ connection: PushServiceConnection, reason: String) {
    assert(connections[connection.number] === connection, "a connection ends only once")
    connections[connection.number] = nil
    for (number, request) in pending where request.place?.connection == connection.number {
      pending[number]?.place = nil
    }
    session.ended(connection.number, reason: reason, now: loop.nowNanoseconds)
    if connections.isEmpty {
      report.ended(reason, atMilliseconds: loop.unixMilliseconds)
    } else if !session.hasOpenConnection, session.isConnecting {
      report.connecting()
    }
    advance()
    endIfDone()
  }

  func connectionSettled(_ connection: PushServiceConnection) { advance() }
}
