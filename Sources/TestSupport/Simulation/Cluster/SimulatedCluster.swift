import Gateway
import PushWire
import Storage

/// The parts of a simulated cluster that all nodes share, and the faults that only a cluster has.
final class SimulatedCluster: @unchecked Sendable {
  // The class is used only on the simulation's own thread, which makes the unchecked conformance safe.
  unowned let world: GatewaySimulation
  let profile: ClusterSimulationProfile
  private(set) var nodes: [SimulatedNode] = []
  private var madeDatabase: SimulatedDatabase?
  private(set) lazy var bus = SimulatedBus(in: self)
  /// The providers whose keys are revoked at some time.
  private(set) var keyHolders: [SimulatedProvider] = []
  /// True while an administrator waits for a command; a second command would wait for the first one.
  private(set) var isAdministering = false
  /// False if the command in progress did not wait for all nodes.
  private var isConfirmed = true
  /// The processes that had lost their lease when a device was revoked, by node and life.
  private var unaware: Set<[Int]> = []

  init(
    in world: GatewaySimulation, _ profile: ClusterSimulationProfile,
    firstChanges: [ControlChange]
  ) throws {
    self.world = world
    self.profile = profile
    madeDatabase = try SimulatedDatabase(in: self, firstChanges: firstChanges)
    let most = profile.clockDifferenceMilliseconds
    for index in 0..<profile.nodes {
      let clock = NodeClock(
        world.time, differenceMilliseconds: world.random(-most...most),
        bootMilliseconds: world.random(0...100_000_000_000))
      nodes.append(SimulatedNode(index: index, clock: clock, in: self))
    }
    for number in SimulatedIdentities.revocableKeyIDs.indices {
      // A provider whose number is a multiple of 3 authenticates with tokens, which are valid for all topics.
      keyHolders.append(
        SimulatedProvider(
          300 + 3 * number, in: world, keyID: SimulatedIdentities.revocableKeyIDs[number]))
    }
  }

  var database: SimulatedDatabase {
    guard let madeDatabase else { preconditionFailure("the cluster is not set up yet") }
    return madeDatabase
  }

  /// Returns the process of the node with this number; nil if no process runs.
  func process(_ number: NodeNumber) -> SimulatedGatewayProcess? {
    world.gateways.first { $0.node?.session?.number == number }
  }

  /// Lets time pass while an administrator's command waits.
  func pass(milliseconds: Int64) {
    assert(isAdministering, "only an administrator's command waits")
    world.step(until: world.time.now + milliseconds * 1_000_000)
  }

  /// Handles a line of a node's log.
  func logged(_ text: String) {
    if text.contains("nodes have not confirmed a change") { isConfirmed = false }
  }

  // MARK: Faults

  func planTrouble() {
    let second: Int64 = 1_000_000_000
    world.plan(every: profile.absenceEvery) { [self] in
      let nanoseconds = world.random(100_000_000...15 * second)
      if world.chance(0.3) {
        world.note("the database is absent for \(nanoseconds / 1_000_000) ms")
        for node in nodes { database.disconnect(node.index, nanoseconds: nanoseconds) }
      } else {
        let node = world.pick(nodes)
        world.note("the database is absent for \(node.name) for \(nanoseconds / 1_000_000) ms")
        database.disconnect(node.index, nanoseconds: nanoseconds)
      }
    }
    world.plan(every: profile.isolationEvery) { [self] in
      guard !database.isIsolated else { return }
      database.isolate()
      let failsOver = world.chance(0.5)
      world.time.after(world.random(100_000_000...10 * second)) { [self] in
        database.endIsolation(failsOver: failsOver)
      }
    }
    world.plan(every: profile.freezeEvery) { [self] in
      let lease = profile.leaseMilliseconds * 1_000_000
      let nanoseconds =
        world.chance(0.5)
        ? world.random(1_000_000...2 * second) : world.random(lease / 2...3 * lease)
      world.pick(world.gateways).freeze(nanoseconds)
    }
    world.plan(every: profile.busAbsenceEvery) { [self] in
      let number = NodeNumber(world.random(1...Int64(nodes.count)))
      switch world.random(0...2) {
      case 0: bus.beAbsent(nanoseconds: world.random(100_000_000...15 * second))
      case 1: bus.drop(number)
      default: bus.loseMessages(of: number)
      }
    }
    world.plan(every: profile.partitionEvery) { [self] in
      let first = world.random(1...Int64(nodes.count))
      let second = first % Int64(nodes.count) + 1
      bus.separate(
        NodeNumber(first), NodeNumber(second),
        nanoseconds: world.random(100_000_000...20_000_000_000))
    }
    world.plan(every: profile.keyRevocationEvery) { [self] in revokeKey() }
    if profile.keyRevocationEvery < .max / 8 {
      world.plan(every: world.profile.pushEvery * 3) { [self] in world.push(by: keyHolders) }
    }
  }

  /// Ends all faults.
  func heal() {
    database.heal()
    bus.heal()
  }

  /// Disconnects the providers whose keys are revoked at some time.
  func goOffline() { for provider in keyHolders { provider.goOffline() } }

  /// Releases everything at the end of the world.
  func end() {
    for provider in keyHolders { provider.crash() }
    for node in nodes { node.processEnded() }
  }

  // MARK: Administration

  /// The result of an administrator's command.
  enum Outcome {
    /// The command has returned: every node has applied the change, or has lost its lease.
    case confirmed
    /// The command has returned, but has named a node that has not applied the change.
    case unconfirmed
    case failed
  }

  /// Performs a command on a node, which takes time.
  func administer(_ request: AdministrationRequest) -> Outcome {
    let ready = world.gateways.filter { $0.isReady && $0.frozenUntil <= world.time.now }
    guard !isAdministering, !ready.isEmpty else { return .failed }
    let process = world.pick(ready)
    assert(process.isUp, "a process that is ready runs")
    let life = process.life
    isAdministering = true
    isConfirmed = true
    defer { isAdministering = false }
    do {
      _ = try process.administer(request)
    } catch {
      world.note("\(process.title) answers an administrator with an error: \(error)")
      return .failed
    }
    guard process.life == life else { return .failed }
    return isConfirmed ? .confirmed : .unconfirmed
  }

  /// Revokes a device as an administrator does, who repeats the command until it succeeds.
  func revoke(_ device: SimulatedDevice) {
    device.beginRevocation()
    world.note("an administrator revokes device \(device.index)")
    switch administer(.revokeDevice(number: device.number)) {
    case .confirmed:
      world.note("device \(device.index) is revoked")
      for gateway in world.gateways {
        let isEnded = gateway.node?.session.map { database.isEnded($0.number) } ?? true
        if isEnded { unaware.insert([gateway.node?.index ?? 0, gateway.life]) }
      }
      device.revoke()
    case .unconfirmed: world.note("device \(device.index) is revoked, but not on all nodes")
    case .failed:
      world.time.after(world.random(500_000_000...3_000_000_000)) { [self] in
        if world.isRunning { revoke(device) }
      }
    }
  }

  /// Returns true if a process can serve a device that was revoked before the process lost its lease.
  ///
  /// docs/cluster.md, "Pauses": a paused node "can still hold links and send to devices".
  func mayServeRevoked(_ process: SimulatedGatewayProcess) -> Bool {
    unaware.contains([process.node?.index ?? 0, process.life])
  }

  /// Returns true if a process might not have known an app at a time.
  ///
  /// docs/cluster.md, "Revocation": "Commands that only add something wait for at most two seconds." An app that a device
  /// adds is not waited for at all.
  func mayLack(_ topic: LinkTopic, _ process: SimulatedGatewayProcess, at time: Int64) -> Bool {
    guard let change = database.appChanges[topic.bundleID],
      let number = process.node?.session?.number
    else { return true }
    return database.applied(by: number, at: time) < change
  }

  private func revokeKey() {
    guard !isAdministering,
      let provider = keyHolders.first(where: { !$0.isKeyBeingRevoked })
    else { return }
    provider.beginKeyRevocation()
    revokeKey(of: provider)
  }

  private func revokeKey(of provider: SimulatedProvider) {
    world.note("an administrator revokes the key \(provider.keyID)")
    switch administer(.revokeKey(id: provider.keyID)) {
    case .confirmed:
      world.note("the key \(provider.keyID) is revoked")
      provider.keyWasRevoked()
    case .unconfirmed: world.note("the key \(provider.keyID) is revoked, but not on all nodes")
    case .failed:
      world.time.after(world.random(500_000_000...3_000_000_000)) { [self] in
        if world.isRunning { revokeKey(of: provider) }
      }
    }
  }
}
