import Gateway
import Storage
import System

/// The clocks of a machine: the wall clock differs from that of the world by a constant.
final class NodeClock: LoopClock, @unchecked Sendable {
  // The class is used only on the simulation's own thread, which makes the unchecked conformance safe.
  private let time: VirtualTime
  private let differenceMilliseconds: Int64
  private let bootMilliseconds: Int64

  init(_ time: VirtualTime, differenceMilliseconds: Int64, bootMilliseconds: Int64) {
    self.time = time
    self.differenceMilliseconds = differenceMilliseconds
    self.bootMilliseconds = bootMilliseconds
  }

  var monotonicNanoseconds: Int64 { time.now }
  var unixMilliseconds: Int64 { time.unixMilliseconds + differenceMilliseconds }
  /// The time since the machine started, in milliseconds, which is unrelated to the clocks of other machines.
  var elapsedMilliseconds: Int64 { time.now / 1_000_000 + bootMilliseconds }
}

/// A machine of a simulated cluster, whose gateway process restarts under the same name.
final class SimulatedNode {
  let name: String
  let index: Int
  let clock: NodeClock
  unowned let cluster: SimulatedCluster
  /// The database connections of the current process; nil if no process runs.
  private(set) var session: SimulatedSession?

  init(index: Int, clock: NodeClock, in cluster: SimulatedCluster) {
    name = "n\(index + 1)"
    self.index = index
    self.clock = clock
    self.cluster = cluster
  }

  var database: SimulatedDatabase { cluster.database }
  var process: SimulatedGatewayProcess { cluster.world.gateways[index] }

  /// Connects a new process to the database; later commits of the previous process fail.
  func connect() throws(StorageFailure) -> SimulatedSession {
    let session = try SimulatedSession(of: self)
    self.session = session
    return session
  }

  /// Returns the dependencies of a process with this session.
  func resources(_ session: SimulatedSession) -> ClusterResources {
    let bus = cluster.bus
    let clock = clock
    let cluster = cluster
    var resources = ClusterResources(
      membership: session.membership, claims: session.claims,
      connect: { number, onEvent in bus.connect(number, onEvent) },
      leaseMilliseconds: cluster.profile.leaseMilliseconds)
    resources.elapsedMilliseconds = { clock.elapsedMilliseconds }
    resources.sleepMilliseconds = { cluster.pass(milliseconds: $0) }
    return resources
  }

  /// Handles the exit of the process: transactions that were sent can still arrive.
  func processEnded() {
    guard let session else { return }
    session.end()
    cluster.bus.disconnect(session.number)
    self.session = nil
  }
}
