public import System

/// The answer to one request to a `ControlWriter`.
public struct ControlReply: Sendable {
  /// The number that the request was given.
  public let ticket: UInt64
  /// Why nothing of it is on disk; nil: all of it is.
  public let failure: StorageFailure?
}

/// Makes enrolments and registrations durable off the loops, many in one commit: a storm of
/// new devices costs one disk sync a batch.
public final class ControlWriter: Sendable {
  private struct Request: Sendable {
    let changes: [ControlChange]
    let ticket: UInt64
    let reply: Mailbox<ControlReply>
  }

  private enum Message: Sendable {
    case commit(Request)
    case perform(@Sendable (any ControlStore) -> Void)
  }

  private let inbox: any BatchInbox<Message>
  private let count = RequestCount()

  /// Starts the work on `runner`; `metrics` gets `belfry_store_…`.
  public init(
    store: any ControlStore, metrics: MetricRegistry,
    on runner: any BatchRunner = ThreadBatchRunner()
  ) throws(SystemFailure) {
    let metrics = CommitMetrics(metrics, store: "control")
    let count = count
    inbox = try runner.start(name: "control") { (messages: [Message]) in
      assert(!messages.isEmpty, "a batch of nothing")
      var requests: [Request] = []
      for case .commit(let request) in messages { requests.append(request) }
      defer { for case .perform(let work) in messages { work(store) } }
      guard !requests.isEmpty else { return false }
      let failure = Self.commit(requests, to: store, metrics)
      for request in requests {
        // One bad request fails the whole transaction, so after a failure each is committed alone.
        let own =
          failure == nil || requests.count == 1
          ? failure : Self.commit([request], to: store, metrics)
        count.answer()
        request.reply.post(ControlReply(ticket: request.ticket, failure: own))
      }
      return false
    }
  }

  private static func commit(
    _ requests: [Request], to store: any ControlStore, _ metrics: CommitMetrics
  ) -> StorageFailure? {
    let start = SystemClock.monotonicNanoseconds
    let changes = requests.flatMap(\.changes)
    do throws(StorageFailure) {
      try store.apply(changes)
      metrics.committed(operations: changes.count, since: start)
      return nil
    } catch {
      metrics.failed(since: start)
      return error
    }
  }

  /// Makes `changes` durable, all or none, in order of submission, and answers to `reply`.
  public func submit(changes: [ControlChange], ticket: UInt64, reply: Mailbox<ControlReply>) {
    assert(!changes.isEmpty, "nothing is to be made durable")
    let request = Request(changes: changes, ticket: ticket, reply: reply)
    count.accept()
    guard inbox.post(.commit(request)) else {
      count.withdraw()
      return reply.post(ControlReply(ticket: ticket, failure: .closed))
    }
  }

  /// Calls `work` on the writer's thread, after what was submitted before: for long readings, which no loop
  /// should wait for; false after ``close()``.
  @discardableResult
  public func perform(_ work: @escaping @Sendable (any ControlStore) -> Void) -> Bool {
    inbox.post(.perform(work))
  }

  /// Finishes and answers everything that was submitted; the store stays open.
  public func close() {
    inbox.close()
    assert(count.isSettled, "a request was left without an answer")
  }

  /// Traps in debug builds when the writer's state contradicts itself; any thread.
  package func checkInvariants() {
    count.checkInvariants()
    inbox.checkInvariants()
  }
}
