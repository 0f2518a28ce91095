import Storage

/// A simulated PostgreSQL database that the nodes of a cluster share, with the semantics of the tables and functions in
/// `PostgresCluster` and `PostgresNode`.
///
/// Each transaction takes effect at one moment. The database keeps the truth in the stores of the simulation of a single
/// gateway, so that both simulations check the same promises.
final class SimulatedDatabase {
  /// A row of the table `node`.
  struct NodeRow {
    let number: NodeNumber
    let name: String
    var epoch: Int64
    var beat: Int64 = 0
    var applied: Int64 = 0
    var devices: Int64 = 0
    var version = ""
    var isEnded = false
  }

  /// A row of the table `claim`.
  struct Claim {
    var node: NodeNumber = 0
    var number: Int64 = 0
    /// The node to which the device last connected; 0 for none.
    var link: NodeNumber = 0
    var former: NodeNumber = 0
  }

  unowned let cluster: SimulatedCluster
  let notifications: SimulatedNotificationStore
  let control: SimulatedControlStore
  private(set) var nodes: [NodeRow] = []
  var claims: [UInt64: Claim] = [:]
  private(set) var changes: [ClusterChange] = []
  private(set) var lastChange: Int64 = 0
  /// The changes that added apps, by bundle identifier.
  var appChanges: [String: Int64] = [:]  // text: our own names
  /// The number of the last change that each node had applied, with the times in virtual nanoseconds.
  private var progress: [NodeNumber: [(since: Int64, applied: Int64)]] = [:]
  /// The node that has written for each device, by the number of the claim.
  private var writers: [UInt64: (claim: Int64, node: NodeNumber)] = [:]
  /// The state of data before its latest change, for a reader that reads too early.
  var earlier = SimulatedSnapshots()

  /// The sessions of all processes, because an administrator's command can outlive its process.
  var sessions: [SimulatedSession] = []
  /// The devices with a change whose result the node did not learn.
  ///
  /// The node's memory can then differ from the database until the device is claimed again.
  var uncertainDevices: Set<UInt64> = []
  /// The numbers of the pushes that have been stored, even if their nodes have not learned of it.
  var storedPushes: Set<UInt64> = []

  // The faults.
  private var absentUntil: [Int: Int64] = [:]
  private(set) var isIsolated = false
  private var undecided: [() throws(StorageFailure) -> Void] = []
  /// The number of a change whose transaction is still open, if a fault is planted.
  private var openChange: (number: Int64, until: Int64)?

  init(
    in cluster: SimulatedCluster, firstChanges: [ControlChange]
  ) throws {
    self.cluster = cluster
    notifications = SimulatedNotificationStore(in: cluster.world)
    control = try SimulatedControlStore(in: cluster.world)
    try control.apply(firstChanges)
    appChanges = control.appNumbers.mapValues { _ in 0 }
  }

  private var world: GatewaySimulation { cluster.world }

  // MARK: Nodes

  func node(_ number: NodeNumber) -> NodeRow? { nodes.first { $0.number == number } }

  /// Begins a new epoch of the node with this name.
  func start(_ name: String) -> (NodeNumber, Int64) {
    if let index = nodes.firstIndex(where: { $0.name == name }) {  // text: our own names
      nodes[index].epoch += 1
      nodes[index].isEnded = false
      return (nodes[index].number, nodes[index].epoch)
    }
    let number = NodeNumber(nodes.count + 1)
    assert(node(number) == nil, "a new node has a new number")
    nodes.append(NodeRow(number: number, name: name, epoch: 1))
    return (number, 1)
  }

  /// Changes a node's row.
  func update(_ number: NodeNumber, _ body: (inout NodeRow) -> Void) {
    guard let index = nodes.firstIndex(where: { $0.number == number }) else { return }
    body(&nodes[index])
    let applied = nodes[index].applied
    if progress[number]?.last?.applied != applied {
      progress[number, default: []].append((world.time.now, applied))
    }
  }

  /// Returns the number of the last change that a node had recorded as applied at a time.
  func applied(by number: NodeNumber, at nanoseconds: Int64) -> Int64 {
    progress[number]?.last { $0.since <= nanoseconds }?.applied ?? 0
  }

  /// Returns true if a node with this number has ended.
  func isEnded(_ number: NodeNumber) -> Bool { node(number)?.isEnded == true }

  // MARK: Writes

  /// Locks claims until the end of the transaction, as the function `belfry_check_claims` does.
  func check(_ held: [UInt64: Int64], of node: NodeNumber) throws(StorageFailure) {
    let lost = held.filter { device, number in
      claims[device].map { $0.node != node || $0.number != number } ?? true
    }
    guard lost.isEmpty else { throw .claimLost(devices: lost.keys.sorted()) }
    for (device, number) in held {
      if let writer = writers[device], writer.claim == number {
        world.expect(
          writer.node == node,
          "nodes \(writer.node) and \(node) wrote for device number \(device) with one claim")
      }
      writers[device] = (number, node)
    }
  }

  /// Records changes that other nodes must learn of; the numbers are in the order of the commits.
  func record(_ subjects: [ClusterChange.Subject]) {
    guard !subjects.isEmpty else { return }
    if world.planted == .numbersBeforeCommit {
      if let open = openChange, subjects.count == 1 {
        openChange = nil
        if world.time.now < open.until {
          insert(ClusterChange(number: open.number, subject: subjects[0]))
          return
        }
      } else if openChange == nil, world.chance(0.3) {
        // Another transaction has got this number, and commits later.
        lastChange += 1
        openChange = (lastChange, world.time.now + 5_000_000_000)
      }
    }
    for subject in subjects {
      lastChange += 1
      insert(ClusterChange(number: lastChange, subject: subject))
    }
  }

  private func insert(_ change: ClusterChange) {
    for name in control.appNumbers.keys where appChanges[name] == nil {
      appChanges[name] = change.number
    }
    assert(
      !changes.contains { $0.number == change.number }, "each change has its own number")
    world.note("change \(change.number) is on disk: \(change.subject)")
    changes.append(change)
    changes.sort { $0.number < $1.number }
  }

  // MARK: Faults

  /// The error of a client that cannot reach the database, or does not know the result of a commit.
  var absence: StorageFailure { .unreachable(server: "simulation", why: "a simulated fault") }

  func isAbsent(for index: Int) -> Bool { world.time.now < absentUntil[index, default: .min] }

  /// Makes the database unreachable for a node for a while.
  func disconnect(_ index: Int, nanoseconds: Int64) {
    absentUntil[index] = max(
      absentUntil[index, default: .min], world.time.now + nanoseconds)
  }

  /// Cuts the primary server off from its standby server.
  func isolate() {
    world.note("the primary database server is cut off from its standby server")
    assert(undecided.isEmpty, "no transaction is undecided while the standby server is present")
    isIsolated = true
  }

  /// Keeps a transaction that only the old primary server has.
  func keepUndecided(_ transaction: @escaping () throws(StorageFailure) -> Void) {
    assert(isIsolated, "a transaction is undecided only while the standby server is absent")
    undecided.append(transaction)
  }

  /// Ends the isolation: the transactions are committed, or a failover removes them.
  func endIsolation(failsOver: Bool) {
    guard isIsolated else { return }
    world.note(
      failsOver
        ? "the standby database server takes over, without \(undecided.count) transactions"
        : "the standby database server is back, and \(undecided.count) transactions are committed")
    isIsolated = false
    let transactions = undecided
    undecided = []
    if !failsOver { for transaction in transactions { try? transaction() } }
  }

  /// Performs a transaction whose client does not wait for its result.
  func performLate(
    afterNanoseconds delay: Int64, _ transaction: @escaping () throws(StorageFailure) -> Void
  ) {
    guard delay > 0 else {
      try? transaction()
      return
    }
    world.time.after(delay) { [self] in
      if isIsolated { keepUndecided(transaction) } else { try? transaction() }
    }
  }

  /// Ends all faults.
  func heal() {
    absentUntil = [:]
    endIsolation(failsOver: false)
  }
}
