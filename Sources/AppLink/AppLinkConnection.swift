public import BelfryWire
import Glibc
import Synchronization

/// An app's connection to the agent: asks with numbered answers, events from a thread of its own,
/// and, when the agent was restarted, the connection and the app's present state once more.
///
/// Every method may be called from any thread. Completions and the handler run on the connection's
/// thread, in the order of what happened; they must not wait for the connection.
public final class AppLinkConnection: Sendable {
  /// What happens on a connection besides answers.
  public enum Event: Sendable {
    /// The agent knows the app; also after each reconnect.
    case connected(AppWelcome)
    /// The agent is gone or cannot be reached yet; told once until the next `connected`.
    case disconnected(AppLinkFailure)
    /// The agent refused the app or the protocol; nothing more will happen.
    case refused(AppLinkFailure)
    /// An event; a question comes with what answers it.
    case event(AppEvent, AppLinkQuestion?)
  }

  private struct State: ~Copyable {
    var answers = PendingAnswers()
    /// Frames of this connection, in order.
    var outbox: [UInt8] = []
    /// Asks that wait until the agent has answered the greeting.
    var held: [(number: Int64, frame: AppFrame)] = []
    var heldBytes = 0
    /// Counts connections, so that a reply never reaches another one than its question's.
    var connectionNumber = 0
    var isReady = false
    var isClosed = false
    /// Why it ended by itself.
    var end: AppLinkFailure?
    var thread: pthread_t?
  }

  private let socketPath: String
  private let reconnects: Bool
  private let hello: @Sendable () -> AppHello
  private let handler: @Sendable (Event) -> Void
  private let wakeup: WakeupPipe?
  private let state = Mutex(State())

  /// Prepares a connection; nothing happens before `start`.
  ///
  /// - Parameters:
  ///   - socketPath: where the agent listens (`AgentSocket.path`).
  ///   - reconnects: whether a lost connection is made again; if not, it ends with the first loss.
  ///   - hello: asked before each greeting for what the app is at that moment.
  ///   - handler: told what happens.
  public init(
    socketPath: String, reconnects: Bool = true, hello: @escaping @Sendable () -> AppHello,
    handler: @escaping @Sendable (Event) -> Void
  ) {
    self.socketPath = socketPath
    self.reconnects = reconnects
    self.hello = hello
    self.handler = handler
    wakeup = WakeupPipe()
  }

  /// Starts the connection's thread.
  ///
  /// Requests may be made at once: they go out when the agent has answered the greeting, or fail
  /// when their time is over.
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
      finish(AppLinkFailure(.agentUnavailable, "no thread can be made: free some memory"))
      return
    }
    _ = pthread_detach(thread)
  }

  /// Sends what is already queued, ends the connection and fails what still waits.
  public func close() {
    state.withLock { $0.isClosed = true }
    wakeup?.ring()
  }

  /// Asks the agent; the completion runs exactly once, by `timeoutMilliseconds` at the latest
  /// (nil is the usual time).
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
      guard state.outbox.count + state.heldBytes < Limits.outboxBytes else {
        return AppLinkFailure(.agentUnavailable, "the agent takes no more: wait for its answers")
      }
      let number = state.answers.add(deadlineMilliseconds: deadline, completion: completion)
      if state.isReady {
        _ = state.answers.sent(number)
        state.outbox += frame.numbered(number).encoded
      } else {
        state.held.append((number, frame))
        state.heldBytes += frame.attached.count + 256
      }
      return nil
    }
    if let refusal { return completion(.failure(refusal)) }
    wakeup?.ring()
  }

  /// Asks the agent and waits for the answer; never from the connection's own thread.
  public func call(_ request: AppRequest, timeoutMilliseconds: Int64? = nil)
    throws(AppLinkFailure) -> AppAnswer
  {
    let isOwnThread = state.withLock { state in
      state.thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false
    }
    guard !isOwnThread else {
      throw AppLinkFailure(.wouldDeadlock, "a completion must not wait for the connection")
    }
    let box = BlockingFuture()
    send(request, timeoutMilliseconds: timeoutMilliseconds) { box.fill($0) }
    return try box.wait().get()
  }

  /// Fails what waits for an agent to be there, for which its own time may be long.
  ///
  /// Nothing happens while the agent is there.
  public func abandonHeld(_ failure: AppLinkFailure) {
    let abandoned = state.withLock { state in
      guard !state.isReady else { return [] as [PendingAnswers.Completion] }
      return state.answers.abandoned()
    }
    for completion in abandoned { completion(.failure(failure)) }
  }

  /// Answers a question of the connection with that number, unless it is gone.
  func reply(_ reply: AppReply, to number: Int64, connection: Int) {
    state.withLock { state in
      guard state.isReady, state.connectionNumber == connection else { return }
      state.outbox += reply.frame.answering(number).encoded
    }
    wakeup?.ring()
  }

  // MARK: - The connection's thread

  private func run() {
    state.withLock { $0.thread = pthread_self() }
    guard let wakeup else {
      return finish(AppLinkFailure(.agentUnavailable, "no file descriptors left: close some"))
    }
    let backoff = Backoff(
      firstNanoseconds: Limits.firstRetryNanoseconds,
      longestNanoseconds: Limits.lastRetryNanoseconds)
    var failures = 0
    var toldDisconnected = false
    while !state.withLock({ $0.isClosed }) {
      let failure: AppLinkFailure
      do {
        let socket = try LocalSocket.connect(to: socketPath)
        let end = converse(socket, wakeup)
        if end.wasReady {
          failures = 0
          toldDisconnected = false
        }
        if end.isFinal { return finish(end.failure) }
        failure = end.failure
      } catch {
        failure = AppLinkFailure(
          .agentUnavailable,
          "no agent answers at \(socketPath): start it with 'belfry agent'")
      }
      guard reconnects else { return finish(failure) }
      if !toldDisconnected {
        toldDisconnected = true
        handler(.disconnected(failure))
      }
      failures += 1
      let delay = backoff.nanoseconds(afterFailures: failures, random: .random(in: 0 ... .max))
      pause(wakeup, milliseconds: max(1, delay / 1_000_000))
    }
    finish(AppLinkFailure(.agentUnavailable, "the connection to the agent is closed"))
  }

  /// Waits between two attempts, less while somebody waits for the agent; requests may run out of
  /// time meanwhile.
  private func pause(_ wakeup: WakeupPipe, milliseconds: Int64) {
    let begin = monotonicMilliseconds()
    while true {
      expire()
      let now = monotonicMilliseconds()
      let (end, next) = state.withLock { state -> (Int64, Int64?) in
        let wait = state.answers.isAgentAwaited ? Limits.awaitedRetryMilliseconds : milliseconds
        let end = begin + min(milliseconds, wait)
        return (
          end, state.isClosed ? nil : min(end, state.answers.nextDeadlineMilliseconds ?? end)
        )
      }
      guard let next, now < end else { return }
      wakeup.wait(milliseconds: next - now)
    }
  }

  private struct End {
    var failure: AppLinkFailure
    var wasReady: Bool
    var isFinal = false
  }

  /// Greets, then carries frames both ways until the connection ends.
  private func converse(_ socket: borrowing LocalSocket, _ wakeup: WakeupPipe) -> End {
    var decoder = AppFrameDecoder(limit: WireLimits.appFrameBytesMaxFromAgent)
    let greeting = state.withLock { state -> Int64 in
      state.connectionNumber += 1
      state.isReady = false
      let deadline = monotonicMilliseconds() + Limits.requestMilliseconds
      let number = state.answers.add(deadlineMilliseconds: deadline) { _ in }
      _ = state.answers.sent(number)
      state.outbox = AppRequest.hello(hello()).frame.numbered(number).encoded
      return number
    }
    var end = End(
      failure: AppLinkFailure(.connectionLost, "the agent closed the connection"), wasReady: false)
    conversation: while true {
      guard flush(socket) else { break }
      expire()
      let (isClosed, wantsToWrite, deadline) = state.withLock { state in
        (state.isClosed, !state.outbox.isEmpty, state.answers.nextDeadlineMilliseconds)
      }
      if isClosed { break }
      socket.wait(
        orFor: wakeup, wantsToWrite: wantsToWrite,
        milliseconds: deadline.map { $0 - monotonicMilliseconds() })
      switch socket.read() {
      case .nothingYet: continue
      case .ended: break conversation
      case .bytes(let bytes): decoder.append(bytes)
      }
      do {
        while let frame = try decoder.next() {
          guard try take(frame, greeting: greeting, &end) else { break conversation }
        }
      } catch {
        end.failure = AppLinkFailure(.malformedMessage, "the agent sent a \(error)")
        break
      }
    }
    let lost = state.withLock { state in
      state.isReady = false
      state.outbox = []
      return state.answers.connectionLost()
    }
    for completion in lost { completion(.failure(end.failure)) }
    return end
  }

  /// Sends what waits; false when the connection is gone.
  private func flush(_ socket: borrowing LocalSocket) -> Bool {
    while true {
      let chunk = state.withLock { state in state.outbox.prefix(Limits.readBytes) }
      guard !chunk.isEmpty else { return true }
      guard let count = socket.write(chunk) else { return false }
      guard count > 0 else { return true }
      state.withLock { state in state.outbox.removeFirst(min(count, state.outbox.count)) }
    }
  }

  /// Handles one frame; false ends the conversation.
  private func take(_ frame: AppFrame, greeting: Int64, _ end: inout End)
    throws(AppLinkDecodingFailure) -> Bool
  {
    switch try AppMessage(frame) {
    case .answer(greeting, let frame):
      let welcome = try AppAnswer(frame).welcome()
      end.wasReady = true
      // The handler may want to ask before what was held goes out.
      handler(.connected(welcome))
      becomeReady(greeting)
    case .refusal(greeting, let failure):
      end.failure = failure
      end.isFinal = true
      return false
    case .answer(let number, let frame):
      state.withLock { $0.answers.answered(number) }?(.success(AppAnswer(frame)))
    case .refusal(let number, let failure):
      state.withLock { $0.answers.answered(number) }?(.failure(failure))
    case .telling(let type, let number, let frame):
      tell(type: type, number: number, frame)
    }
    return true
  }

  /// Lets held requests out.
  private func becomeReady(_ greeting: Int64) {
    state.withLock { state in
      _ = state.answers.answered(greeting)
      state.isReady = true
      for (number, frame) in state.held where state.answers.sent(number) {
        state.outbox += frame.numbered(number).encoded
      }
      state.held = []
      state.heldBytes = 0
    }
  }

  /// An event that a newer agent knows and this code does not is answered so, or passed over.
  private func tell(type: String, number: Int64?, _ frame: AppFrame) {
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
    let expired = state.withLock { $0.answers.expired(atMilliseconds: monotonicMilliseconds()) }
    for completion in expired {
      completion(.failure(AppLinkFailure(.timedOut, "the agent did not answer in time")))
    }
  }

  private func finish(_ failure: AppLinkFailure) {
    let wasClosed = state.withLock { state in
      defer { state.isClosed = true }
      if !state.isClosed { state.end = failure }
      return state.isClosed
    }
    if !wasClosed { handler(.refused(failure)) }
    for completion in state.withLock({ $0.answers.closed() }) { completion(.failure(failure)) }
  }
}

/// Answers one question of the agent; the first answer counts.
public struct AppLinkQuestion: Sendable {
  let connection: AppLinkConnection
  /// The question's number, distinct within a connection.
  public let number: Int64
  let connectionNumber: Int

  /// Gives the answer.
  ///
  /// It is dropped when the connection that asked is gone.
  public func reply(_ reply: AppReply) {
    connection.reply(reply, to: number, connection: connectionNumber)
  }
}
