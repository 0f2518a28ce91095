import Synchronization

/// A push with its outcome, or why it has none.
public struct PushResult: Sendable {
  /// The push, with the `apns-id` that it was sent with.
  public let push: Push
  /// The service's answer, or why there is none.
  public let result: Result<PushOutcome, ProviderFailure>
}

/// The results of many pushes, in the order of their answers, while at most a window of them is unanswered.
///
/// The source is asked for the next push only when there is room: a million pushes take the memory of one
/// window. One task at a time may iterate.
public struct PushResults<Pushes: AsyncSequence>: AsyncSequence
where Pushes.Element == Push {
  /// What is iterated.
  public typealias Element = PushResult

  private let client: ProviderClient
  private let pushes: Pushes
  private let window: Int

  init(client: ProviderClient, pushes: Pushes, window: Int) {
    self.client = client
    self.pushes = pushes
    self.window = Swift.max(1, window)
  }

  /// The results, from the first one.
  public func makeAsyncIterator() -> Iterator {
    Iterator(client: client, pushes: pushes.makeAsyncIterator(), window: window)
  }

  /// Sends as the results are asked for.
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

    /// The next result; nil after the last.
    ///
    /// Throws what the source throws.
    public mutating func next() async throws -> PushResult? { try await next(isolation: nil) }

    /// The next result, asked for by who iterates: the source is asked there too, since what makes its pushes may be
    /// confined to that actor.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws -> PushResult? {
      while !isExhausted, unanswered < window {
        // What has been answered goes out before more comes in.
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
      assert(unanswered <= window, "the window bounds what is unanswered")
      guard unanswered > 0 else { return nil }
      let answer = await answers.next()
      unanswered -= 1
      assert(unanswered >= 0, "each push is answered once")
      return answer
    }
  }
}

extension ProviderClient {
  /// Sends every push of a sequence, with up to `window` unanswered at a time, on all connections together: 2,000 for
  /// each connection unless it is given.
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

  /// Sends every push of a sequence that is there already, or that makes them one by one.
  public func send<Pushes: Sequence>(
    _ pushes: Pushes, window: Int? = nil
  ) -> PushResults<PushSource<Pushes>> where Pushes.Element == Push {
    send(PushSource(pushes: pushes), window: window)
  }
}

/// A sequence as an asynchronous one.
public struct PushSource<Pushes: Sequence>: AsyncSequence where Pushes.Element == Push {
  let pushes: Pushes

  /// The pushes, from the first one.
  public func makeAsyncIterator() -> Iterator { Iterator(pushes: pushes.makeIterator()) }

  /// One after the other.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var pushes: Pushes.Iterator

    init(pushes: Pushes.Iterator) { self.pushes = pushes }

    /// The next push.
    public mutating func next() async -> Push? { pushes.next() }

    /// The next push, made where it is asked for.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Push? {
      pushes.next()
    }
  }
}

/// Answers that come on the client's thread and are awaited by one task.
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
      assert(state.ready.first == nil, "who waits has taken every answer that was there")
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
          assert(state.waiter == nil, "one task iterates")
          state.waiter = continuation
        }
        return answer
      }
      if let answer { continuation.resume(returning: answer) }
    }
  }
}
