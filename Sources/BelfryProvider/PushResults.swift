import Synchronization

/// A push and its outcome, or the reason that the push has no outcome.
public struct PushResult: Sendable {
  /// The push, including the `apns-id` with which it was sent.
  public let push: Push
  /// The service's response, or the reason for its absence.
  public let result: Result<PushOutcome, ProviderFailure>
}

/// The results of many pushes, in the order in which the responses are received.
///
/// The source is asked for the next push only when the window of unanswered pushes has space, so a million pushes use
/// only the memory of a single window. Only one task at a time can iterate.
public struct PushResults<Pushes: AsyncSequence>: AsyncSequence
where Pushes.Element == Push {
  /// The element type of the sequence.
  public typealias Element = PushResult

  private let client: ProviderClient
  private let pushes: Pushes
  private let window: Int

  init(client: ProviderClient, pushes: Pushes, window: Int) {
    self.client = client
    self.pushes = pushes
    self.window = Swift.max(1, window)
  }

  /// Returns an iterator over the results.
  public func makeAsyncIterator() -> Iterator {
    Iterator(client: client, pushes: pushes.makeAsyncIterator(), window: window)
  }

  /// An iterator that sends pushes as their results are requested.
  public struct Iterator: AsyncIteratorProtocol {
    private let client: ProviderClient
    private var pushes: Pushes.AsyncIterator
    private let window: Int
    private let answers = AnswerQueue<PushResult>()
    private var unanswered = 0
    private var isExhausted = false

    init(client: ProviderClient, pushes: Pushes.AsyncIterator, window: Int) {
      self.client = client
      self.pushes = pushes
      self.window = window
    }

    /// Returns the next result, or nil after the last.
    ///
    /// Rethrows errors thrown by the source.
    public mutating func next() async throws -> PushResult? { try await next(isolation: nil) }

    /// Returns the next result.
    ///
    /// Pushes are requested from the source on the caller's actor, so the source can be isolated to this actor.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws -> PushResult? {
      while !isExhausted, unanswered < window {
        // Return the responses that have already been received before sending more pushes.
        if let answer = answers.first() {
          unanswered -= 1
          return answer
        }
        guard var push = try await pushes.next(isolation: actor) else {
          isExhausted = true
          break
        }
        if push.id == nil { push.id = ProviderClient.newID() }
        unanswered += 1
        let sent = push
        client.submit(sent) { [answers] in answers.add(PushResult(push: sent, result: $0)) }
      }
      assert(unanswered <= window, "the number of unanswered pushes is within the window")
      guard unanswered > 0 else { return nil }
      let answer = await answers.next()
      unanswered -= 1
      assert(unanswered >= 0, "each push is answered only once")
      return answer
    }
  }
}

extension ProviderClient {
  /// Sends every push in a sequence, with up to `window` unanswered pushes on all connections together.
  ///
  /// The default is 2,000 for each connection.
  ///
  /// ```swift
  /// for try await one in client.send(pushes) {
  ///   if case .success(.rejected(let refusal)) = one.result { print(one.push.deviceToken, refusal.reason) }
  /// }
  /// ```
  public func send<Pushes: AsyncSequence>(
    _ pushes: Pushes, window: Int? = nil
  ) -> PushResults<Pushes> where Pushes.Element == Push {
    PushResults(client: self, pushes: pushes, window: window ?? defaultWindow)
  }

  /// Sends every push in a sequence, which can be an array or create its pushes on demand.
  public func send<Pushes: Sequence>(
    _ pushes: Pushes, window: Int? = nil
  ) -> PushResults<PushSource<Pushes>> where Pushes.Element == Push {
    send(PushSource(pushes: pushes), window: window)
  }
}

/// An asynchronous sequence that wraps a synchronous one.
public struct PushSource<Pushes: Sequence>: AsyncSequence where Pushes.Element == Push {
  let pushes: Pushes

  /// Returns an iterator over the pushes.
  public func makeAsyncIterator() -> Iterator { Iterator(pushes: pushes.makeIterator()) }

  /// An iterator over the pushes, in order.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var pushes: Pushes.Iterator

    init(pushes: Pushes.Iterator) { self.pushes = pushes }

    /// Returns the next push.
    public mutating func next() async -> Push? { pushes.next() }

    /// Returns the next push, created on the caller's actor.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Push? {
      pushes.next()
    }
  }
}

/// A queue of responses, which are received on the client's thread and awaited by a single task.
private final class AnswerQueue<Answer: Sendable>: Sendable {
  private struct State {
    var ready = Queue<Answer>()
    var waiter: CheckedContinuation<Answer, Never>?
  }

  private let state = Mutex(State())

  func add(_ answer: Answer) {
    let waiter = state.withLock { state in
      guard let waiter = state.waiter else {
        state.ready.append(answer)
        return nil as CheckedContinuation<Answer, Never>?
      }
      assert(state.ready.first == nil, "no answers are ready while a task waits for one")
      state.waiter = nil
      return waiter
    }
    waiter?.resume(returning: answer)
  }

  func first() -> Answer? { state.withLock { $0.ready.popFirst() } }

  func next() async -> Answer {
    await withCheckedContinuation { continuation in
      let answer = state.withLock { state in
        let answer = state.ready.popFirst()
        if answer == nil {
          assert(state.waiter == nil, "only one task waits for answers")
          state.waiter = continuation
        }
        return answer
      }
      if let answer { continuation.resume(returning: answer) }
    }
  }
}
