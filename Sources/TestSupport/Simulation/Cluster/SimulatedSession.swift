import Storage

/// The connections of one process of a node to the simulated database.
final class SimulatedSession: @unchecked Sendable {
  // The class is used only on the simulation's own thread, which makes the unchecked conformance safe.
  let number: NodeNumber
  let name: String
  let epoch: Int64
  unowned let database: SimulatedDatabase
  /// False after the process has ended.
  private(set) var isOpen = true
  private(set) lazy var claims = SimulatedClaims(in: self)
  private(set) lazy var membership = SimulatedMembership(in: self)
  private(set) lazy var control = SimulatedNodeControlStore(in: self)
  private(set) lazy var notifications = SimulatedNodeNotificationStore(in: self)
  /// The time at which the process started, in virtual nanoseconds.
  let startNanoseconds: Int64
  /// True while the process has not opened its listeners.
  var isStarting: Bool { !database.cluster.world.gateways[index].isReady }
  let index: Int

  /// Begins a new epoch, as the function `belfry_start_node` does.
  init(of node: SimulatedNode) throws(StorageFailure) {
    let database = node.database
    (number, epoch) = try SimulatedServer.connect(node.index, database) {
      database.start(node.name)
    }
    assert(number > 0 && epoch > 0, "the first number and the first epoch are 1")
    name = node.name
    index = node.index
    self.database = database
    startNanoseconds = database.cluster.world.time.now
    database.sessions.append(self)
  }

  func end() { isOpen = false }

  /// The first statement of every transaction, which fails if the epoch has ended.
  func fence() throws(StorageFailure) {
    guard database.node(number)?.epoch == epoch else { throw .takenOver(server: "simulation") }
  }
}
