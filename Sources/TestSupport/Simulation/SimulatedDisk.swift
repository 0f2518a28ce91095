import Storage
import System

/// A replacement for the writers' threads, in which a batch takes time on the virtual clock.
///
/// If the process is killed during a batch, either the whole batch or nothing is on disk.
final class SimulatedDisk: BatchRunner, @unchecked Sendable {
  // The class is used only on the simulation's own thread, which makes the unchecked conformance safe.
  fileprivate unowned let world: GatewaySimulation
  private var inboxes: [any SimulatedInbox] = []
  /// The time until which the process is frozen, with the batches in progress.
  var frozenUntil: Int64 = 0

  init(in world: GatewaySimulation) { self.world = world }

  func start<Request: Sendable>(
    name: String, _ work: @escaping @Sendable ([Request]) -> Bool
  ) throws(SystemFailure) -> any BatchInbox<Request> {
    let inbox = Inbox(name: name, of: self, work)
    inboxes.append(inbox)
    return inbox
  }

  /// Handles the termination of the process, which loses all batches that are not on disk.
  func crash() {
    for inbox in inboxes { inbox.crash() }
    inboxes = []
  }

  private final class Inbox<Request: Sendable>: BatchInbox, SimulatedInbox, @unchecked Sendable {
    private let name: String
    private unowned let disk: SimulatedDisk
    private let work: @Sendable ([Request]) -> Bool
    private var waiting: [Request] = []
    private var running: [Request] = []
    private var isRunning = false
    /// True if the last batch left more work to do.
    private var hasMore = false
    private var isClosed = false

    init(
      name: String, of disk: SimulatedDisk, _ work: @escaping @Sendable ([Request]) -> Bool
    ) {
      self.name = name
      self.disk = disk
      self.work = work
    }

    private var world: GatewaySimulation { disk.world }

    func post(_ request: Request) -> Bool {
      guard !isClosed else { return false }
      waiting.append(request)
      if !isRunning { begin() }
      checkInvariants()
      return true
    }

    private func begin() {
      assert(!isRunning && running.isEmpty, "no batch is running yet")
      isRunning = true
      swap(&running, &waiting)
      world.time.after(world.batchNanoseconds) { [self] in finish() }
    }

    private func finish() {
      guard !isClosed else { return }
      guard disk.frozenUntil <= world.time.now else {
        return world.time.at(disk.frozenUntil) { [self] in finish() }
      }
      let batch = running
      running = []
      hasMore = work(batch)
      isRunning = false
      if hasMore || !waiting.isEmpty { begin() }
      checkInvariants()
    }

    func close() {
      guard !isClosed else { return }
      isClosed = true
      for batch in [running, waiting] where !batch.isEmpty { hasMore = work(batch) }
      while hasMore { hasMore = work([]) }
      running = []
      waiting = []
    }

    func checkInvariants() {
      assert(isRunning || waiting.isEmpty || isClosed, "a batch is running while requests wait")
      assert(isRunning || running.isEmpty, "only a running batch has requests")
      assert(!isClosed || running.isEmpty && waiting.isEmpty, "a closed writer has no work")
    }

    func crash() {
      guard !isClosed else { return }
      isClosed = true
      if !running.isEmpty, world.chance(0.5) {
        world.note("the running batch of \(name) is durable")
        _ = work(running)
      }
      running = []
      waiting = []
    }
  }
}

private protocol SimulatedInbox: AnyObject {
  func crash()
}
