internal import Synchronization
public import System

/// The answer to one request to a `GroupCommitWriter`.
public struct StoreReply: Sendable {
  /// What became of the request.
  public enum Outcome: Sendable {
    /// The batch is on disk; what it dropped, `operation` counting within the batch.
    case committed([DroppedNotification])
    /// The device's notifications, by sequence; `through` is the last sequence that was read, where the limit ended
    /// the load.
    case loaded([StoredNotification], through: UInt64?)
    /// Nothing of the batch is on disk, or nothing could be read.
    case failed(StorageFailure)
  }

  /// The number that the request was given.
  public let ticket: UInt64
  /// What became of it.
  public let outcome: Outcome
}

/// Makes batches of operations durable off the loops, many in one commit.
///
/// What arrived while a commit ran shares the next one, so that the disk's own sync time sets the
/// pace and not the number of batches ("`200` means durable" in `docs/architecture.md`).
public final class GroupCommitWriter: Sendable {
  struct Request: Sendable {
    enum Task: Sendable {
      case commit([StoreOperation])
      case load(device: UInt64, after: UInt64, limit: Int, besides: [UInt64])
      case probe
    }

    let task: Task
    let ticket: UInt64
    let reply: Mailbox<StoreReply>?

    func answer(_ outcome: StoreReply.Outcome) {
      reply?.post(StoreReply(ticket: ticket, outcome: outcome))
    }
  }

  private let inbox: any BatchInbox<Request>
  private let store: any NotificationStore
  private let work: StoreWork
  private let requests = RequestCount()

  /// Starts the work on `runner`; `metrics` gets `belfry_store_…`.
  public init(
    store: any NotificationStore, metrics: MetricRegistry,
    on runner: any BatchRunner = ThreadBatchRunner()
  ) throws(SystemFailure) {
    self.store = store
    let work = StoreWork(
      store: store, metrics: CommitMetrics(metrics, store: "notifications"), requests: requests)
    self.work = work
    inbox = try runner.start(name: "store") { work.perform($0) }
  }

  /// Commits `batch`, all of it or nothing, and answers to `reply`.
  ///
  /// Batches are committed in order of submission.
  public func submit(batch: [StoreOperation], ticket: UInt64, reply: Mailbox<StoreReply>) {
    post(Request(task: .commit(batch), ticket: ticket, reply: reply))
  }

  /// Reads at most `limit` of a device's notifications with a sequence over `after`, and those `besides`.
  ///
  /// It sees every batch that was submitted before, and may see later ones. It reads some at a time, with
  /// commits in between; what these take out is not among what is loaded.
  public func load(
    device: UInt64, after: UInt64 = 0, limit: Int = .max, besides: [UInt64] = [], ticket: UInt64,
    reply: Mailbox<StoreReply>
  ) {
    post(
      Request(
        task: .load(device: device, after: after, limit: limit, besides: besides), ticket: ticket,
        reply: reply))
  }

  /// Writes something, to see whether a disk that failed takes it again.
  public func probe() { post(Request(task: .probe, ticket: 0, reply: nil)) }

  /// Commits and answers everything that was submitted, then closes the store.
  ///
  /// Later requests are answered with `.closed`.
  public func close() {
    inbox.close()
    assert(requests.isSettled, "a request was left without an answer")
    store.close()
  }

  private func post(_ request: Request) {
    requests.accept()
    guard inbox.post(request) else {
      requests.withdraw()
      return request.answer(.failed(.closed))
    }
  }

  /// Traps in debug builds when the writer's state contradicts itself; any thread, while no batch is worked
  /// on or between two of them.
  package func checkInvariants() {
    requests.checkInvariants()
    work.checkInvariants()
    inbox.checkInvariants()
  }
}
