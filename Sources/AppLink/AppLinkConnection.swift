internal import BelfryWire
public import AppWire
import Glibc
import Synchronization

/// An app's connection to the agent, which sends requests and delivers events.
///
/// If the agent restarts, the connection reconnects and sends the app's current state. Every method can be called from
/// any thread. Completion handlers and the event handler run on the connection's own thread, in the order of events;
/// they must not wait for the connection.
public final class AppLinkConnection: Sendable {
  /// An event that the connection delivers; answers to requests are not events.
  public enum Event: Sendable {
    /// The agent has welcomed the app.
    ///
    /// This event is also sent after each reconnect.
    case connected(AppWelcome)
    /// The agent disconnected or cannot be reached yet.
    ///
    /// This event is not sent again until after the next `connected`.
    case disconnected(AppLinkFailure)
    /// The agent rejected the app or the protocol.
    ///
    /// No further events follow.
    case refused(AppLinkFailure)
    /// An event from the agent.
    ///
    /// If the event is a question, an object for replying to it is included.
    case event(AppEvent, AppLinkQuestion?)
  }

  private struct State: ~Copyable {
    var requests = PendingRequests()
    /// The outgoing frames of this connection, in order.
    var outbox: [UInt8] = []
    /// The requests to send when the agent has answered the greeting.
    var queued: [(number: Int64, bytes: [UInt8])] = []
    var queuedBytes = 0
    /// The number of the current connection.
    ///
    /// A reply is sent only on the connection on which its question arrived.
    var connectionNumber = 0
    var isReady = false
    var isClosed = false
    /// The reason that the connection was closed without a call to `close`.
    var end: AppLinkFailure?
    /// The reason that the latest attempt to connect failed; nil if the attempt succeeded.
    var unreachable: AppLinkFailure?
    var thread: pthread_t?
  }

  private let socketPath: String
  private let reconnects: Bool
  private let greetingMilliseconds: Int64
  private let hello: @Sendable () -> AppHello
  private let handler: @Sendable (Event) -> Void
  private let wakeup: WakeupPipe?
  private let state = Mutex(State())

  /// Creates a connection, which does nothing until `start` is called.
  ///
  /// - Parameters:
  ///   - socketPath: The path of the agent's socket (`AgentSocket.path`).
  ///   - reconnects: True to reconnect after a loss; false to stop after the first loss.
  ///   - greetingMilliseconds: The time within which the agent must answer the greeting. If the agent does not answer
  ///     by then, the connection counts as lost. Pass nil for the default.
  ///   - hello: A function that returns the app's current state; it is called before each greeting.
  ///   - handler: The handler for events.
  public init(
    socketPath: String, reconnects: Bool = true, greetingMilliseconds: Int64? = nil,
    hello: @escaping @Sendable () -> AppHello,
    handler: @escaping @Sendable (Event) -> Void
  ) {
    assert(greetingMilliseconds ?? 1 > 0, "the greeting timeout is positive")
    self.socketPath = socketPath
    self.reconnects = reconnects
    self.greetingMilliseconds = greetingMilliseconds ?? Limits.requestMilliseconds
    self.hello = hello
    self.handler = handler
    wakeup = WakeupPipe()
  }

  /// Starts the connection's thread.
  ///
  /// Requests can be submitted immediately: they are sent when the agent has answered the greeting, or fail at their
  /// deadlines.
  public func start() {
    let context = unsafe Unmanaged.passRetained(self).toOpaque()
    var thread = pthread_t()
    let result = unsafe pthread_create(
      &thread, nil,
      { context in
        guard let context = unsafe context else { return nil }
        unsafe Unmanaged<AppLinkConnection>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, context)
    guard result == 0 else {
      unsafe Unmanaged<AppLinkConnection>.fromOpaque(context).release()
      finish(AppLinkFailure(.agentUnavailable, "cannot create a thread: free some memory"))
      return
    }
    _ = pthread_detach(thread)
  }

  /// Closes the connection after the queued frames have been sent, and fails the pending requests.
  public func close() {
    state.withLock { $0.isClosed = true }
    wakeup?.signal()
  }

  /// Sends a request.
  ///
  /// The completion handler is called exactly once, after `timeoutMilliseconds` at the latest; nil means the default
  /// timeout.
  public func send(
    _ request: AppRequest, timeoutMilliseconds: Int64? = nil,
    completion: @escaping @Sendable (Result<AppAnswer, AppLinkFailure>) -> Void
  ) {
    let deadline = monotonicMilliseconds() + (timeoutMilliseconds ?? Limits.requestMilliseconds)
    let frame = request.frame
    let refusal: AppLinkFailure? = state.withLock { state in
      guard !state.isClosed, wakeup != nil else {
        return state.end
          ?? AppLinkFailure(.agentUnavailable, "the connection to the agent is closed")
      }
      guard state.outbox.count + state.queuedBytes < Limits.outboxBytes else {
        return AppLinkFailure(
          .agentUnavailable, "too many requests to the agent: wait for its responses")
      }
      let number = state.requests.add(deadlineMilliseconds: deadline, completion: completion)
      let bytes = frame.numbered(number).encoded
      if state.isReady {
        _ = state.requests.sent(number)
        state.outbox += bytes
      } else {
        state.queued.append((number, bytes))
        state.queuedBytes += bytes.count
      }
      return nil
    }
    if let refusal { return completion(.failure(refusal)) }
    wakeup?.signal()
  }

  /// Sends a request and waits for the answer.
  ///
  /// Do not call this method on the connection's own thread.
  public func call(_ request: AppRequest, timeoutMilliseconds: Int64? = nil)
    throws(AppLinkFailure) -> AppAnswer
  {
    let isOwnThread = state.withLock { state in
      state.thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false
    }
    guard !isOwnThread else {
      throw AppLinkFailure(.wouldDeadlock, "a completion handler must not wait for the connection")
    }
    let future = BlockingFuture()
    send(request, timeoutMilliseconds: timeoutMilliseconds) { future.fulfill($0) }
    return try future.wait().get()
  }

  /// Fails the requests that are waiting for a connection, because their deadlines can be far in the future.
  ///
  /// Does nothing while the agent is connected.
  public func failUnsentRequests(_ failure: AppLinkFailure) {
    let abandoned = state.withLock { state in
      guard !state.isReady else { return [] as [PendingRequests.Completion] }
      return state.requests.abandoned()
    }
    for completion in abandoned { completion(.failure(failure)) }
  }

  /// Sends the reply to a question that arrived on the connection with the given number.
  ///
  /// Drops the reply if that connection is closed.
  func reply(_ reply: AppReply, to number: Int64, connection: Int) {
    state.withLock { state in
      guard state.isReady, state.connectionNumber == connection else { return }
      state.outbox += reply.frame.answering(number).encoded
    }
    wakeup?.signal()
  }

  // MARK: - The connection's thread

  private func run() {
    state.withLock { state in
      precondition(state.thread == nil, "a connection is started only once")
      state.thread = pthread_self()
    }
    guard let wakeup else {
      return finish(AppLinkFailure(.agentUnavailable, "no file descriptors left: close some"))
    }
    let backoff = Backoff(
      firstNanoseconds: Limits.firstRetryNanoseconds,
      longestNanoseconds: Limits.lastRetryNanoseconds)
    var failures = 0
    var hasReportedLoss = false
    while !state.withLock({ $0.isClosed }) {
      let failure: AppLinkFailure
      do {
        let socket = try LocalSocket.connect(to: socketPath)
        let end = exchangeFrames(socket, wakeup)
        if end.wasReady {
          failures = 0
          hasReportedLoss = false
        }
        if end.isFinal { return finish(end.failure) }
        failure = end.failure
      } catch {
        failure = AppLinkFailure(
          .agentUnavailable,
          "no agent at \(socketPath): start it with 'belfry agent'")
      }
      state.withLock { $0.unreachable = failure }
      guard reconnects else { return finish(failure) }
      if !hasReportedLoss {
        hasReportedLoss = true
        handler(.disconnected(failure))
      }
      failures += 1
      let delay = backoff.nanoseconds(afterFailures: failures, random: .random(in: 0 ... .max))
      pause(wakeup, milliseconds: max(1, delay / 1_000_000))
    }
    finish(AppLinkFailure(.agentUnavailable, "the connection to the agent is closed"))
  }

  /// Waits between two attempts to connect; the wait is shorter while a request waits for a connection.
  ///
  /// During the wait, requests fail when their deadlines pass.
  private func pause(_ wakeup: WakeupPipe, milliseconds: Int64) {
    let begin = monotonicMilliseconds()
    while true {
      expire()
      let now = monotonicMilliseconds()
      let (end, next) = state.withLock { state -> (Int64, Int64?) in
        let wait = state.requests.isAgentAwaited ? Limits.awaitedRetryMilliseconds : milliseconds
        let end = begin + min(milliseconds, wait)
        return (
          end, state.isClosed ? nil : min(end, state.requests.nextDeadlineMilliseconds ?? end)
        )
      }
      guard let next, now < end else { return }
      wakeup.wait(milliseconds: next - now)
    }
  }

  private struct ConnectionEnd {
    var failure: AppLinkFailure
    var wasReady: Bool
    var isFinal = false
  }

  /// Sends the greeting, then transfers frames in both directions until the connection is closed.
  private func exchangeFrames(_ socket: borrowing LocalSocket, _ wakeup: WakeupPipe)
    -> ConnectionEnd
  {
    var decoder = AppFrameDecoder(limit: WireLimits.appFrameBytesMaxFromAgent)
    let greetingDeadline = monotonicMilliseconds() + greetingMilliseconds
    let greeting = state.withLock { state -> Int64 in
      state.connectionNumber += 1
      state.isReady = false
      let number = state.requests.add(deadlineMilliseconds: greetingDeadline) { _ in }
      _ = state.requests.sent(number)
      state.outbox = AppRequest.hello(hello()).frame.numbered(number).encoded
      return number
    }
    var end = ConnectionEnd(
      failure: AppLinkFailure(.connectionLost, "the agent closed the connection"), wasReady: false)
    exchange: while true {
      guard flush(socket) else { break }
      if !end.wasReady, monotonicMilliseconds() >= greetingDeadline {
        end.failure = AppLinkFailure(
          .agentUnavailable,
          "the agent at \(socketPath) does not respond: it is stopped or overloaded; find its process "
            + "with 'pgrep -af \"belfry agent\"', resume it with 'kill -CONT PID', or end it and restart "
            + "'belfry agent'")
        break
      }
      expire()
      let (isClosed, wantsToWrite, deadline) = state.withLock { state in
        (state.isClosed, !state.outbox.isEmpty, state.requests.nextDeadlineMilliseconds)
      }
      if isClosed { break }
      socket.wait(
        orFor: wakeup, wantsToWrite: wantsToWrite,
        milliseconds: deadline.map { $0 - monotonicMilliseconds() })
      switch socket.read() {
      case .nothingYet: continue
      case .ended: break exchange
      case .bytes(let bytes): decoder.append(bytes)
      }
      do {
        while let frame = try decoder.next() {
          guard try handle(frame, greeting: greeting, &end) else { break exchange }
        }
      } catch {
        end.failure = AppLinkFailure(.malformedMessage, "the agent sent an invalid \(error)")
        break
      }
    }
    let lost = state.withLock { state in
      state.isReady = false
      state.outbox = []
      return state.requests.connectionLost()
    }
    for completion in lost { completion(.failure(end.failure)) }
    return end
  }

  /// Writes the outbox; returns false if the connection is closed.
  private func flush(_ socket: borrowing LocalSocket) -> Bool {
    while true {
      let chunk = state.withLock { state in state.outbox.prefix(Limits.readBytes) }
      guard !chunk.isEmpty else { return true }
      guard let count = socket.write(chunk) else { return false }
      guard count > 0 else { return true }
      state.withLock { state in
        assert(count <= state.outbox.count, "only this thread removes bytes from the outbox")
        state.outbox.removeFirst(count)
      }
    }
  }

  /// Handles a frame; returns false if the connection should be closed.
  private func handle(_ frame: AppFrame, greeting: Int64, _ end: inout ConnectionEnd)
    throws(AppLinkDecodingFailure) -> Bool
  {
    switch try AppMessage(frame) {
    case .answer(greeting, let frame):
      let welcome = try AppAnswer(frame).welcome()
      end.wasReady = true
      // Requests that the handler sends are added to the queue, which is sent next.
      handler(.connected(welcome))
      becomeReady(greeting)
    case .refusal(greeting, let failure):
      end.failure = failure
      end.isFinal = true
      return false
    case .answer(let number, let frame):
      state.withLock { $0.requests.answered(number) }?(.success(AppAnswer(frame)))
    case .refusal(let number, let failure):
      state.withLock { $0.requests.answered(number) }?(.failure(failure))
    case .request(let type, let number, let frame):
      deliver(type: type, number: number, frame)
    }
    return true
  }

  /// Marks the connection as ready and sends the queued requests.
  private func becomeReady(_ greeting: Int64) {
    state.withLock { state in
      assert(!state.isReady, "a connection becomes ready only once")
      _ = state.requests.answered(greeting)
      state.isReady = true
      state.unreachable = nil
      for (number, bytes) in state.queued where state.requests.sent(number) {
        state.outbox += bytes
      }
      state.queued = []
      state.queuedBytes = 0
    }
  }

  /// Delivers an event.
  ///
  /// If a newer agent sends an event that this version does not know, the method refuses the event if it is a question,
  /// and ignores it otherwise.
  private func deliver(type: String, number: Int64?, _ frame: AppFrame) {
    let connection = state.withLock { $0.connectionNumber }
    do {
      let event = try AppEvent(type: type, frame)
      let question = number.map {
        AppLinkQuestion(connection: self, number: $0, connectionNumber: connection)
      }
      handler(.event(event, question))
    } catch {
      guard let number else { return }
      let failure = AppLinkFailure(.unsupportedMessage, "\(error)")
      state.withLock { $0.outbox += AppMessage.refusing(number, failure).encoded }
    }
  }

  private func expire() {
    let now = monotonicMilliseconds()
    let (unanswered, unsent, unreachable) = state.withLock { state in
      (
        state.requests.expired(atMilliseconds: now, areSent: true),
        state.requests.expired(atMilliseconds: now, areSent: false), state.unreachable
      )
    }
    let late = AppLinkFailure(.timedOut, "the agent did not answer in time")
    for completion in unanswered { completion(.failure(late)) }
    for completion in unsent { completion(.failure(unreachable ?? late)) }
  }

  private func finish(_ failure: AppLinkFailure) {
    let wasClosed = state.withLock { state in
      defer { state.isClosed = true }
      if !state.isClosed { state.end = failure }
      return state.isClosed
    }
    if !wasClosed { handler(.refused(failure)) }
    for completion in state.withLock({ $0.requests.closed() }) { completion(.failure(failure)) }
  }
}

/// A question from the agent; only the first reply is sent.
public struct AppLinkQuestion: Sendable {
  let connection: AppLinkConnection
  /// The question's number, which is unique within a connection.
  public let number: Int64
  let connectionNumber: Int

  /// Sends the reply, or drops it if the connection on which the question arrived is closed.
  public func reply(_ reply: AppReply) {
    connection.reply(reply, to: number, connection: connectionNumber)
  }
}
