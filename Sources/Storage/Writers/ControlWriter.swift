public import System

/// The answer to one request to a `ControlWriter`.
public struct ControlReply: Sendable {
  /// The number that was assigned to the request.
  public let ticket: UInt64
  /// The reason that no part of the request is on disk; nil if the entire request is on disk.
  public let failure: StorageFailure?
}

/// A writer that makes enrollments and registrations durable without blocking the event loops.
///
/// A commit contains many requests, so that a burst of new devices costs one disk sync per batch.
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

  /// Starts the writer on `runner`, and registers the writer's metrics in `metrics`.
  public init(
    store: any ControlStore, metrics: MetricRegistry,
    on runner: any BatchRunner = ThreadBatchRunner()
  ) throws(SystemFailure) {
    let metrics = CommitMetrics(metrics, store: "control")
    let count = count
    inbox = try runner.start(name: "control") { (messages: [Message]) in
      assert(!messages.isEmpty, "a batch is not empty")
      var requests: [Request] = []
      for case .commit(let request) in messages { requests.append(request) }
      defer { for case .perform(let work) in messages { work(store) } }
      guard !requests.isEmpty else { return false }
      let failure = Self.commit(requests, to: store, metrics)
      for request in requests {
        // If the commit failed, commit each request separately, because one invalid request fails the whole
        // transaction.
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

  /// Commits `changes`, either all or none, and replies to `reply`.
  ///
  /// Requests are committed in order of submission.
  public func submit(changes: [ControlChange], ticket: UInt64, reply: Mailbox<ControlReply>) {
    assert(!changes.isEmpty, "there is at least one change to store")
    let request = Request(changes: changes, ticket: ticket, reply: reply)
    count.accept()
    guard inbox.post(.commit(request)) else {
      count.withdraw()
      return reply.post(ControlReply(ticket: ticket, failure: .closed))
    }
  }

  /// Calls `work` on the writer's thread, after all previously submitted requests.
  ///
  /// Use this method for long reads, which must not block a loop. Returns false after ``close()``.
  @discardableResult
  public func perform(_ work: @escaping @Sendable (any ControlStore) -> Void) -> Bool {
    inbox.post(.perform(work))
  }

  /// Finishes and answers all submitted requests; the store stays open.
  public func close() {
    inbox.close()
    assert(count.isSettled, "every request was answered")
  }

  /// Traps in debug builds if the writer's state is inconsistent.
  ///
  /// This method can be called from any thread.
  package func checkInvariants() {
    count.checkInvariants()
    inbox.checkInvariants()
  }
}
