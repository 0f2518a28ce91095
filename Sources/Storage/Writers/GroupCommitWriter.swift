public import PushWire
internal import Synchronization
public import System

/// The answer to one request to a `GroupCommitWriter`.
public struct StoreReply: Sendable {
  /// The outcome of a request.
  public enum Outcome: Sendable {
    /// The batch is on disk, and these notifications were dropped; `operation` is an index within the batch.
    case committed([DroppedNotification])
    /// The load has finished; these are the device's notifications, sorted by sequence number.
    ///
    /// If the limit stopped the load, `through` is the last sequence number that was read.
    case loaded([StoredNotification], through: UInt64?)
    /// The times of the notification; nil if it is not stored.
    case found(StoredTimes?)
    /// No part of the batch is on disk, or no notifications could be read.
    case failed(StorageFailure)
  }

  /// The number that was assigned to the request.
  public let ticket: UInt64
  /// The outcome of the request.
  public let outcome: Outcome
}

/// A writer that makes batches of operations durable without blocking the event loops.
///
/// Batches that arrive during a commit share the next commit. The throughput therefore depends on the disk's sync time,
/// not on the number of batches ("`200` means durable" in `docs/architecture.md`).
public final class GroupCommitWriter: Sendable {
  struct Request: Sendable {
    enum Task: Sendable {
      case commit([StoreOperation])
      case load(device: UInt64, after: UInt64, limit: Int, besides: [UInt64])
      case find(NotificationKey, uniqueID: NotificationID)
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

  /// The health of the store; nil for a store without a disk.
  public var health: StoreHealth? { store.health }

  /// Starts the writer on `runner`, and registers the writer's metrics in `metrics`.
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

  /// Commits the operations in `batch`, either all or none, and replies to `reply`.
  ///
  /// Batches are committed in order of submission.
  public func submit(batch: [StoreOperation], ticket: UInt64, reply: Mailbox<StoreReply>) {
    post(Request(task: .commit(batch), ticket: ticket, reply: reply))
  }

  /// Reads at most `limit` of a device's notifications with a sequence number above `after`, and the notifications
  /// whose sequence numbers are in `besides`.
  ///
  /// The result reflects every batch that was submitted before this call, and possibly later batches. The load reads
  /// pages, and other commits can run between the pages. Notifications that these commits remove are not part of the
  /// result.
  public func load(
    device: UInt64, after: UInt64 = 0, limit: Int = .max, besides: [UInt64] = [], ticket: UInt64,
    reply: Mailbox<StoreReply>
  ) {
    post(
      Request(
        task: .load(device: device, after: after, limit: limit, besides: besides), ticket: ticket,
        reply: reply))
  }

  /// Finds the notification of a key that has this unique ID.
  ///
  /// The result reflects every batch that was submitted before this call, and possibly later batches.
  public func find(
    _ key: NotificationKey, uniqueID: NotificationID, ticket: UInt64, reply: Mailbox<StoreReply>
  ) {
    post(Request(task: .find(key, uniqueID: uniqueID), ticket: ticket, reply: reply))
  }

  /// Performs a write to test whether a failed disk accepts writes again.
  public func probe() { post(Request(task: .probe, ticket: 0, reply: nil)) }

  /// Commits and answers all submitted requests, then closes the store.
  ///
  /// Later requests receive the answer `.closed`.
  public func close() {
    work.stopSweeping()
    inbox.close()
    assert(requests.isSettled, "every request was answered")
    store.close()
  }

  private func post(_ request: Request) {
    requests.accept()
    guard inbox.post(request) else {
      requests.withdraw()
      return request.answer(.failed(.closed))
    }
  }

  /// Traps in debug builds if the writer's state is inconsistent.
  ///
  /// This method can be called from any thread while no batch is being processed.
  package func checkInvariants() {
    requests.checkInvariants()
    work.checkInvariants()
    inbox.checkInvariants()
  }
}
