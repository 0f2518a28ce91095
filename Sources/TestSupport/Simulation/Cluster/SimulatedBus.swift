import Gateway

/// A simulated NATS server (or cluster of servers) that loses, doubles, delays and reorders messages, is absent for a
/// while, and sometimes does not carry messages between two nodes.
final class SimulatedBus: @unchecked Sendable {
  // The class is used only on the simulation's own thread, which makes the unchecked conformance safe.

  /// The connection of one process.
  private final class Endpoint: ClusterBus, @unchecked Sendable {
    let number: UInt16
    fileprivate let onEvent: @Sendable (ClusterBusEvent) -> Void
    private unowned let bus: SimulatedBus
    fileprivate(set) var isConnected = false
    fileprivate var isClosed = false

    init(
      _ number: UInt16, on bus: SimulatedBus,
      _ onEvent: @escaping @Sendable (ClusterBusEvent) -> Void
    ) {
      self.number = number
      self.bus = bus
      self.onEvent = onEvent
    }

    func send(_ message: [UInt8], to node: UInt16?) -> Bool {
      guard isConnected, !isClosed else { return false }
      bus.carry(message, from: number, to: node)
      return true
    }

    func close() {
      isConnected = false
      isClosed = true
    }
  }

  private unowned let cluster: SimulatedCluster
  private var endpoints: [UInt16: Endpoint] = [:]
  private var isAbsent = false
  /// The pairs of nodes that cannot reach each other, each with the lower number first.
  private var partitions: Set<[UInt16]> = []

  init(in cluster: SimulatedCluster) { self.cluster = cluster }

  private var world: GatewaySimulation { cluster.world }

  /// Creates the connection of a process, which is made later.
  func connect(
    _ number: UInt16, _ onEvent: @escaping @Sendable (ClusterBusEvent) -> Void
  ) -> any ClusterBus {
    assert(endpoints[number] == nil, "a node has one connection")
    let endpoint = Endpoint(number, on: self, onEvent)
    endpoints[number] = endpoint
    open(endpoint)
    return endpoint
  }

  /// Handles the exit of a node's process.
  func disconnect(_ number: UInt16) { endpoints.removeValue(forKey: number)?.close() }

  private func open(_ endpoint: Endpoint) {
    world.time.after(world.random(1_000_000...500_000_000)) { [self] in
      guard !endpoint.isClosed, !endpoint.isConnected else { return }
      guard !isAbsent else { return open(endpoint) }
      endpoint.isConnected = true
      tell(endpoint, .connected)
    }
  }

  /// Calls the endpoint's process; a frozen process is called when it continues.
  private func tell(_ endpoint: Endpoint, _ event: ClusterBusEvent) {
    guard !endpoint.isClosed, let process = cluster.process(endpoint.number) else { return }
    guard process.frozenUntil <= world.time.now else {
      return world.time.at(process.frozenUntil) { [self] in tell(endpoint, event) }
    }
    endpoint.onEvent(event)
  }

  // MARK: Messages

  /// The maximum time, in nanoseconds, that a message takes once the faults have ended.
  private static let calmDelayMost: Int64 = 30_000_000

  private func carry(_ message: [UInt8], from sender: UInt16, to node: UInt16?) {
    assert(!message.isEmpty, "a message has contents")
    let receivers = node.map { [$0] } ?? endpoints.keys.sorted()
    for receiver in receivers {
      let isCalm = !world.isTroubled
      guard isCalm || !world.chance(cluster.profile.loss) else { continue }
      let copies = !isCalm && world.chance(cluster.profile.doubling) ? 2 : 1
      for _ in 0..<copies {
        let isStale = !isCalm && world.chance(0.02)
        // A node waits for another one for a second, so a calm bus must be faster than that.
        let most =
          isCalm ? min(cluster.profile.delayMost, Self.calmDelayMost) : cluster.profile.delayMost
        let delay = world.random(50_000...(isStale ? 10_000_000_000 : most))
        world.time.after(delay) { [self] in deliver(message, from: sender, to: receiver) }
      }
    }
  }

  private func deliver(_ message: [UInt8], from sender: UInt16, to receiver: UInt16) {
    let pair = [min(sender, receiver), max(sender, receiver)]
    guard let endpoint = endpoints[receiver], endpoint.isConnected, !partitions.contains(pair)
    else { return }
    tell(endpoint, .message(message))
  }

  // MARK: Faults

  /// Makes the bus absent for all nodes for a while.
  func beAbsent(nanoseconds: Int64) {
    guard !isAbsent else { return }
    world.note("the bus is absent for \(nanoseconds / 1_000_000) ms")
    isAbsent = true
    for number in endpoints.keys.sorted() { drop(number) }
    world.time.after(nanoseconds) { [self] in isAbsent = false }
  }

  /// Breaks a node's connection, which is made again.
  func drop(_ number: UInt16) {
    guard let endpoint = endpoints[number], endpoint.isConnected else { return }
    world.note("node \(number) loses the bus")
    endpoint.isConnected = false
    tell(endpoint, .disconnected(why: "a simulated fault"))
    open(endpoint)
  }

  /// Reports that messages for a node were lost, because the node did not read them in time.
  func loseMessages(of number: UInt16) {
    guard let endpoint = endpoints[number], endpoint.isConnected else { return }
    tell(endpoint, .lost(why: "a simulated slow consumer"))
  }

  /// Stops carrying messages between two nodes for a while.
  func separate(_ one: UInt16, _ other: UInt16, nanoseconds: Int64) {
    assert(one != other, "a node reaches itself")
    let pair = [min(one, other), max(one, other)]
    guard partitions.insert(pair).inserted else { return }
    world.note("nodes \(one) and \(other) are separated for \(nanoseconds / 1_000_000) ms")
    world.time.after(nanoseconds) { [self] in partitions.remove(pair) }
  }

  /// Ends all faults.
  func heal() {
    isAbsent = false
    partitions = []
  }
}
