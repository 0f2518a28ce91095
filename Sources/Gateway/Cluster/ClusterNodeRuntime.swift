package import Storage
import Synchronization
import System
import Transport

/// The thread of a cluster's node that renews its lease, follows the changes of other nodes, and reads the bus.
///
/// The calls to the store block, so they run on a thread of their own. ``ClusterWatch`` makes the decisions.
final class ClusterNodeRuntime: Sendable {
  private enum Event: Sendable {
    case tick
    /// The database contains a change with this number.
    case changed(Int64)
    /// Messages of the bus may have been lost.
    case catchUp
    /// The loops have applied the changes up to this number, or could not read them.
    case applied(upTo: Int64, succeeded: Bool)
    case removeLinks([ClaimElsewhere])
    /// Check that this node still owns these connected devices.
    case verify([UInt64])
  }

  private struct Question: Sendable {
    let question: ClusterQuestion
    let number: UInt64
    let sender: NodeNumber
  }

  /// The receivers of messages, which are known once the loops run.
  private struct Receivers: Sendable {
    var peers: LoopPeers = []
    var controlPlane: Mailbox<ControlPlaneMessage>?
    var log: DeliveryLogReader?
  }

  let number: NodeNumber
  let name: String
  let lease: ClusterLease
  private let membership: any ClusterMembership
  private let claims: any DeviceClaims
  let elapsedMilliseconds: @Sendable () -> Int64
  private let sleepMilliseconds: @Sendable (Int64) -> Void
  let log: Log
  private let homes: HomeMap
  private let watch: Mutex<ClusterWatch>
  private let receivers = Mutex(Receivers())
  private let bus = Mutex<(any ClusterBus)?>(nil)
  private let inbox = Mutex<(any BatchInbox<Event>)?>(nil)
  private let questions = Mutex<(any BatchInbox<Question>)?>(nil)
  let answers = ClusterAnswers()
  /// True while the store fails, which is reported once.
  private let isReporting = Atomic<Bool>(false)
  /// True once another process has taken over this node, which is reported once.
  private let wasTakenOver = Atomic<Bool>(false)
  /// The nodes as they were last read from the store.
  private let latestNodes = Mutex<[ClusterNode]>([])
  private let deviceCount = Atomic<Int64>(0)
  private let version: String
  /// A function that is called, on any thread, if another process has taken over this node.
  private let onTakenOver: @Sendable () -> Void

  /// Renews the lease for the first time, and connects to the bus.
  ///
  /// The number of the last change is read here, before the caller reads what the changes are about.
  init(
    _ resources: ClusterResources, loops: Int, on runner: any BatchRunner, log: Log,
    onTakenOver: @escaping @Sendable () -> Void
  ) throws {
    membership = resources.membership
    claims = resources.claims
    elapsedMilliseconds = resources.elapsedMilliseconds
    sleepMilliseconds = resources.sleepMilliseconds
    number = resources.membership.number
    precondition(number > 0, "node numbers start at 1")
    precondition(loops <= Limits.clusterLoopsMax, "each loop has its own sequence numbers")
    name = resources.membership.name
    version = resources.version
    self.log = log
    self.onTakenOver = onTakenOver
    homes = HomeMap(count: loops)
    lease = ClusterLease(milliseconds: resources.leaseMilliseconds)
    let applied = try membership.lastChange()
    watch = Mutex(ClusterWatch(applied: applied, leaseMilliseconds: resources.leaseMilliseconds))
    _ = try renew()
    let started = try runner.start(name: "cluster") { [weak self] (events: [Event]) in
      self?.handle(events)
      return false
    }
    inbox.withLock { $0 = started }
    // The answers wait for the loops, which must not delay the lease.
    let answering = try runner.start(name: "questions") { [weak self] (questions: [Question]) in
      for asked in questions {
        self?.answer(asked.question, number: asked.number, from: asked.sender)
      }
      return false
    }
    questions.withLock { $0 = answering }
    let connected = try resources.connect(number) { [weak self] in self?.handle($0) }
    bus.withLock { $0 = connected }
  }

  /// Sets the receivers of the messages.
  func use(
    _ peers: LoopPeers, _ controlPlane: Mailbox<ControlPlaneMessage>, _ log: DeliveryLogReader
  ) {
    assert(peers.count == homes.count, "every loop has a mailbox")
    receivers.withLock { $0 = Receivers(peers: peers, controlPlane: controlPlane, log: log) }
  }

  /// Returns the reader of this node's delivery log.
  func logReader() throws(AdministrationFailure) -> DeliveryLogReader {
    guard let log = receivers.withLock({ $0.log }) else {
      throw AdministrationFailure(.busy, "the node is starting", do: "try again")
    }
    return log
  }

  /// Performs the work that is due; the gateway calls this method about once per second,
  /// with the number of its connected devices.
  func tick(devices: Int64) {
    assert(devices >= 0, "the number of devices is not negative")
    deviceCount.store(devices, ordering: .relaxed)
    post(.tick)
  }

  /// True if messages can be sent to other nodes.
  var isConnected: Bool { bus.withLock { $0 }?.isConnected ?? false }

  /// Sends a message to a node, or to all nodes if `node` is nil; returns false if the bus is absent.
  func send(_ message: ClusterMessage, to node: NodeNumber?) -> Bool {
    send(ClusterBatch(message, from: number), to: node)
  }

  /// Sends a batch of messages; returns false if the bus is absent.
  func send(_ batch: ClusterBatch, to node: NodeNumber?) -> Bool {
    guard let bus = bus.withLock({ $0 }) else { return false }
    return bus.send(batch.bytes, to: node)
  }

  /// Tells the other nodes that this node has written a change.
  func announceChange() {
    do throws(StorageFailure) {
      _ = send(.changed(number: try membership.lastChange()), to: nil)
    } catch {
      log.storeFailure("cannot read the number of the last change", error)
    }
  }

  /// Returns the nodes that are running, or have been.
  func nodes() throws(StorageFailure) -> [ClusterNode] {
    let nodes = try membership.nodes().filter(\.hasRun)
    latestNodes.withLock { $0 = nodes }
    return nodes
  }

  /// Returns the nodes; while the store fails, as they were at the latest renewal of the lease.
  ///
  /// The nodes can be asked over the bus in the meantime.
  func knownNodes() throws(StorageFailure) -> [ClusterNode] {
    let known = latestNodes.withLock { $0 }
    assert(
      known.isEmpty || known.contains { $0.number == number }, "this node is one of the nodes")
    if isReporting.load(ordering: .relaxed), !known.isEmpty { return known }
    do throws(StorageFailure) {
      return try nodes()
    } catch {
      guard !known.isEmpty else { throw error }
      return known
    }
  }

  /// The names of the other nodes that stopped in the last days, as they were last read from the store.
  var stoppedNodes: [String] {
    ClusterNode.stopped(in: latestNodes.withLock { $0 }, askedBy: number)
  }

  /// Asks a node to stop; returns false if the node cannot be reached.
  func drain(_ node: NodeNumber) -> Bool {
    guard node == number else { return send(.drain, to: node) }
    receivers.withLock({ $0.controlPlane })?.post(.drainRequested)
    return true
  }

  /// Waits until a node has left the cluster; returns false if that takes too long.
  func waitUntilEnded(_ node: NodeNumber) throws(StorageFailure) -> Bool {
    let deadline = elapsedMilliseconds() + Limits.nodeStopMilliseconds
    while true {
      guard try membership.nodes().contains(where: { $0.number == node && !$0.isEnded }) else {
        return true
      }
      guard elapsedMilliseconds() < deadline else { return false }
      sleepMilliseconds(Limits.nodeWaitMillisecondsMax)
    }
  }

  /// Records that the loops have applied changes.
  func applied(upTo number: Int64, succeeded: Bool) {
    post(.applied(upTo: number, succeeded: succeeded))
  }

  /// Waits until every other node has applied all changes or has lost its lease, for at most `milliseconds`.
  ///
  /// Returns the names of the nodes that have done neither. Call this method on an administrator's thread.
  func waitForNodes(milliseconds: Int64) -> [String] {
    assert(milliseconds > 0, "the time limit is positive")
    let deadline = elapsedMilliseconds() + milliseconds
    var pause = Limits.nodeWaitMilliseconds
    do throws(StorageFailure) {
      let change = try membership.lastChange()
      _ = send(.changed(number: change), to: nil)
      while true {
        let late = try membership.nodes().filter {
          !$0.isEnded && $0.number != number && $0.appliedChange < change
        }
        guard !late.isEmpty, elapsedMilliseconds() < deadline else { return late.map(\.name) }
        sleepMilliseconds(pause)
        pause = min(pause * 2, Limits.nodeWaitMillisecondsMax)
      }
    } catch {
      return ["(\(error))"]
    }
  }

  /// Leaves the cluster, so that other nodes can claim this node's devices immediately.
  func close() {
    let bus = bus.withLock { bus in
      let current = bus
      bus = nil
      return current
    }
    bus?.close()
    inbox.withLock { $0 }?.close()
    questions.withLock { $0 }?.close()
    leave()
  }

  /// Ends the node's lease and its membership of the cluster.
  func leave() {
    lease.lose()
    do throws(StorageFailure) {
      try membership.leave()
    } catch {
      log.storeFailure("cannot leave the cluster: the lease ends later", error)
    }
  }

  // MARK: The bus

  private func handle(_ event: ClusterBusEvent) {
    switch event {
    case .message(let bytes):
      guard let batch = ClusterBatch.decode(bytes) else {
        return log.warning("ignored messages of another version, or without a sender")
      }
      if batch.malformed > 0 { log.warning("ignored a malformed message from another node") }
      if batch.sender != number { handle(batch.messages, from: batch.sender) }
    case .connected:
      log.info("connected to the bus")
      post(.catchUp)
    case .disconnected(let why):
      log.warning(
        "the bus is absent: devices that are connected to other nodes get their notifications later",
        ["why": why])
      post(.catchUp)
    case .lost(let why):
      log.warning("messages of other nodes were lost: reading the database", ["why": why])
      post(.catchUp)
    }
  }

  private func handle(_ messages: [ClusterMessage], from sender: NodeNumber) {
    var waiting: [Int: [LoopMessage]] = [:]
    func add(_ message: RoutedMessage, to loop: Int) {
      waiting[loop, default: []].append(.routed(message))
    }
    for message in messages {
      switch message {
      case .push(let submission):
        add(.submission(submission), to: homes.home(of: submission.key.device).loop)
      case .outcome(let address, let outcome):
        add(.forwardedOutcome(number: address.connection, outcome), to: address.front.loop)
      case .claimed(let device):
        add(.claimLost(device), to: homes.home(of: device).loop)
      case .changed(let number): post(.changed(number))
      case .broadcast(let broadcast):
        for loop in 0..<homes.count { add(.channels(.broadcast(broadcast)), to: loop) }
      case .drain: receivers.withLock({ $0.controlPlane })?.post(.drainRequested)
      case .question(let number, let question):
        let asked = Question(question: question, number: number, sender: sender)
        _ = questions.withLock { $0 }?.post(asked)
      case .answer(let part): answers.add(part, from: sender)
      }
    }
    for (loop, messages) in waiting { post(messages, to: loop) }
  }

  private func post(_ messages: [LoopMessage], to loop: Int) {
    let peers = receivers.withLock { $0.peers }
    // The number is from another node, whose loops can be more.
    if peers.indices.contains(loop) { peers[loop].post(contentsOf: messages) }
  }

  private func post(_ event: Event) { _ = inbox.withLock { $0 }?.post(event) }

  // MARK: The store

  private func handle(_ events: [Event]) {
    var newest: Int64 = 0
    var links: [ClaimElsewhere] = []
    var connected: [UInt64] = []
    for event in events {
      switch event {
      case .tick:
        for loop in 0..<homes.count { post([.routed(.verifyLinks)], to: loop) }
      case .changed(let number): newest = max(newest, number)
      case .catchUp:
        watch.withLock {
          $0.makePollDue()
          $0.makeRenewalDue()
        }
      case .applied(let number, let succeeded):
        watch.withLock { if $0.finish(upTo: number, succeeded: succeeded) { $0.makeRenewalDue() } }
      case .removeLinks(let claims): links += claims
      case .verify(let devices): connected += devices
      }
    }
    do throws(StorageFailure) {
      try followChanges(upTo: newest)
      if !links.isEmpty { try claims.removeLinks(links) }
      try checkClaims()
      try verify(connected)
      isReporting.store(false, ordering: .relaxed)
    } catch {
      if case .takenOver = error {
        lease.lose()
        // The work that is already waiting fails in the same way.
        guard !wasTakenOver.exchange(true, ordering: .relaxed) else { return }
        log.error(
          "stopping: another gateway was started with this --node, or another node declared this node dead",
          ["node": name])
        onTakenOver()
      } else if !isReporting.exchange(true, ordering: .relaxed) {
        log.warning("cannot renew the lease", ["why": "\(error)"])
      }
    }
  }

  private func renew() throws(StorageFailure) -> Int64 {
    let (applied, sent) = (watch.withLock { $0.applied }, elapsedMilliseconds())
    let last = try membership.renew(
      applied: applied, devices: deviceCount.load(ordering: .relaxed), version: version)
    lease.renewed(sentAt: sent)
    watch.withLock { $0.renewed(sentAt: sent) }
    return last
  }

  private func followChanges(upTo hint: Int64) throws(StorageFailure) {
    var last = hint
    if watch.withLock({ $0.isRenewalDue(at: elapsedMilliseconds()) }) {
      last = max(last, try renew())
      try endSilentNodes()
    } else if hint == 0 {
      last = try membership.lastChange()
    }
    // One batch at a time: if it cannot be applied, the same changes are read again.
    let (passed, isIdle) = watch.withLock { ($0.passed, $0.passed == $0.applied) }
    guard last > passed, isIdle, let controlPlane = receivers.withLock({ $0.controlPlane }) else {
      return
    }
    let changes = try membership.changes(after: passed, limit: Limits.changesMax)
    assert(
      changes.allSatisfy { $0.number > passed }, "the changes follow those that were passed on")
    // If older changes were deleted in the meantime, everything may have changed.
    let isComplete = changes.first?.number == passed + 1
    guard let through = changes.last?.number else { return }
    watch.withLock { $0.pass(upTo: through) }
    controlPlane.post(
      .clusterChanges(isComplete ? changes.map(\.subject) : nil, upTo: through))
  }

  private func endSilentNodes() throws(StorageFailure) {
    let nodes = try membership.nodes()
    latestNodes.withLock { $0 = nodes.filter(\.hasRun) }
    let silent = watch.withLock {
      $0.silentNodes(in: nodes, except: number, at: elapsedMilliseconds())
    }
    for node in silent where try membership.end(node) {
      log.warning("a node is silent: its devices can connect to other nodes", ["node": node.name])
    }
  }

  /// Finds the connected devices that other nodes have claimed.
  private func checkClaims() throws(StorageFailure) {
    guard watch.withLock({ $0.isPollDue(at: elapsedMilliseconds()) }) else { return }
    let lost = try claims.devicesClaimedElsewhere()
    let byLoop = Dictionary(grouping: lost) { homes.home(of: $0.device).loop }
    for (loop, claims) in byLoop { post([.routed(.claimedElsewhere(claims))], to: loop) }
  }

  /// Finds the connected devices whose claim this node has lost to a node that took over the link, too.
  ///
  /// This happens if a node was frozen while the device connected elsewhere, and its message about the claim was lost.
  private func verify(_ devices: [UInt64]) throws(StorageFailure) {
    guard !devices.isEmpty else { return }
    let lost = try claims.lostLinks(among: devices)
    let byLoop = Dictionary(grouping: lost) { homes.home(of: $0).loop }
    for (loop, devices) in byLoop { post(devices.map { .routed(.claimLost($0)) }, to: loop) }
  }

  /// Checks that this node still owns these connected devices.
  func verifyLinks(of devices: [UInt64]) { post(.verify(devices)) }

  /// Records that devices are no longer connected to this node.
  func removeLinks(_ claims: [ClaimElsewhere]) { post(.removeLinks(claims)) }
}

/// The external dependencies of a cluster's node.
package struct ClusterResources: Sendable {
  package var membership: any ClusterMembership
  package var claims: any DeviceClaims
  package var connect: ClusterBusConnector
  /// The duration of the lease, in milliseconds.
  package var leaseMilliseconds: Int64
  /// The version of Belfry, for `belfry node list`.
  package var version = ""
  /// The time since the machine started, in milliseconds, including suspend.
  package var elapsedMilliseconds: @Sendable () -> Int64 = { SystemClock.elapsedMilliseconds }
  /// A function that blocks an administrator's thread for a number of milliseconds.
  package var sleepMilliseconds: @Sendable (Int64) -> Void = { SystemClock.sleep(milliseconds: $0) }

  /// Creates resources from the values that have no default.
  package init(
    membership: any ClusterMembership, claims: any DeviceClaims,
    connect: @escaping ClusterBusConnector, leaseMilliseconds: Int64
  ) {
    self.membership = membership
    self.claims = claims
    self.connect = connect
    self.leaseMilliseconds = leaseMilliseconds
  }
}
