import BelfryWire
import Gateway
import Storage
import System
import Transport

/// The machine on which the gateway runs: the real ``GatewayServer`` and its loops, on a simulated network, simulated
/// threads, and a simulated disk.
///
/// The process is killed, shut down, and restarted. The disk survives.
///
/// A process can be a node of a simulated cluster. All nodes then share the contents of the stores, and each node uses
/// them through its own connections to the simulated database.
final class SimulatedGatewayProcess {
  unowned let world: GatewaySimulation
  let notificationStore: SimulatedNotificationStore
  let controlStore: SimulatedControlStore
  /// The machine's part of a cluster; nil for a single gateway.
  let node: SimulatedNode?
  private let disk: SimulatedDisk
  private let loops: SimulatedLoops
  private(set) var server: GatewayServer?
  /// The simulated loop that runs the server.
  private var main: SimulatedLoops.Loop?
  /// The gateway's loops, each with the simulated loop that runs it.
  private(set) var parts: [(part: GatewayLoop, loop: SimulatedLoops.Loop)] = []
  /// The generator of the random order in which loops run their turns.
  ///
  /// The generator is separate, so that the number of turns does not affect other random events.
  private var order: SeededGenerator
  /// The number of the current start, so that events scheduled for one start do not affect the next.
  private(set) var life = 0
  private(set) var isReady = false
  private var isDraining = false
  /// The number of single-loop turns after which the process is killed, possibly in the middle of an event.
  private var turnsToCrash: Int?
  private var backAfter: Int64 = 0
  private var checks = 0
  private var secondsBeforeStep: (until: Int64, seconds: Int64) = (0, 0)
  /// The values of both clocks when the process started.
  private var clocksAtStart: (nanoseconds: Int64, unixMilliseconds: Int64) = (0, 0)

  init(in world: GatewaySimulation, firstChanges: [ControlChange]) throws {
    self.world = world
    notificationStore = SimulatedNotificationStore(in: world)
    controlStore = try SimulatedControlStore(in: world)
    node = nil
    disk = SimulatedDisk(in: world)
    loops = SimulatedLoops(world.time)
    order = SeededGenerator(seed: world.random.next())
    try controlStore.apply(firstChanges)
  }

  /// Creates a node of a cluster.
  init(_ node: SimulatedNode, in world: GatewaySimulation) {
    self.world = world
    self.node = node
    notificationStore = node.database.notifications
    controlStore = node.database.control
    disk = SimulatedDisk(in: world)
    loops = SimulatedLoops(world.time, clock: node.clock)
    order = SeededGenerator(seed: world.random.next())
  }

  /// The name of the process in the journal.
  var title: String { node.map { "node \($0.name)" } ?? "the gateway" }

  /// The wall clock of the process's machine, in milliseconds since 1970.
  var unixMilliseconds: Int64 { node?.clock.unixMilliseconds ?? world.time.unixMilliseconds }

  var isUp: Bool { server != nil }

  // MARK: Start and exit

  func start() {
    assert(server == nil, "no gateway is running yet")
    life += 1
    clocksAtStart = (world.time.now, unixMilliseconds)
    do {
      let main = try loops.add("main")
      self.main = main
      let server = try GatewayServer(
        configuration: configuration, resources: try resources(), loop: main.loop,
        metrics: MetricRegistry(), log: world.log(of: self))
      self.server = server
      server.onDrainRequested = { [unowned self] in
        drain(backAfter: world.random(10_000_000...8_000_000_000))
      }
      let current = life
      try server.start(
        onReady: { [unowned self] _ in becameReady() },
        onFailed: { [unowned self] why in
          world.note("\(title) fails: \(why)")
          turnsToCrash = 0
        },
        onStopped: { [unowned self] in if life == current { stopped() } })
    } catch {
      world.note("\(title) cannot start: \(error)")
      world.expect(world.isTroubled, "\(title) cannot start: \(error)")
      crash(backAfter: 1_000_000_000)
    }
  }

  private var configuration: GatewayConfiguration {
    var configuration = GatewayConfiguration(folder: "/nonexistent/simulation")
    configuration.loops = world.profile.loops
    configuration.ports = world.ports
    return configuration
  }

  private func resources() throws -> GatewayResources {
    let open = ListenerSecurity(
      provider: .identified(.init()), legacy: .identified(.init()), device: .identified(.init()),
      webPush: .identified(.init()))
    let session = try node?.connect()
    var resources = GatewayResources(
      controlStore: session?.control ?? controlStore,
      notificationStore: session?.notifications ?? notificationStore,
      authority: world.identities.issuer,
      identity: FirstIdentity(
        teamID: SimulatedIdentities.team, keyID: SimulatedIdentities.keyID,
        enrollmentCode: SimulatedIdentities.enrollmentCode),
      epoch: UInt32(truncatingIfNeeded: world.random.next() >> 33) | 1,
      tokenKeys: [SimulatedIdentities.tokenKey], security: open
    ) { _ throws(SystemFailure) in try DeliveryLog(capacity: 256) }
    resources.cluster = session.map { node?.resources($0) } ?? nil
    resources.listeners = SimulatedListeners(of: self, on: world.network)
    resources.loops = loops
    resources.batches = disk
    resources.randomSeed = world.random.next()
    let world = world
    let callbacks = Callbacks(process: self)
    resources.unixMilliseconds = { callbacks.process.unixMilliseconds }
    resources.waitForChange = { barrier, count in
      callbacks.process.settle(mayCrash: false, ignoringPauses: true)
      world.expect(
        barrier.hasPassed(count), "an administrative change did not reach every loop")
    }
    resources.didStartLoop = { callbacks.process.started($0) }
    return resources
  }

  /// A reference to the process for closures that could run on any thread, but run on the simulation's own.
  private struct Callbacks: @unchecked Sendable {
    unowned let process: SimulatedGatewayProcess
  }

  private func started(_ part: GatewayLoop) {
    guard let loop = loops.all.last else {
      preconditionFailure("a gateway loop started without an event loop")
    }
    parts.append((part, loop))
  }

  private func becameReady() {
    world.note("\(title) is ready")
    isReady = true
    let world = world
    let callbacks = Callbacks(process: self)
    server?.followDeliveryLog { lines in
      for line in lines { world.ledger.recorded(line, by: callbacks.process) }
      return true
    }
  }

  /// Kills the process after this number of single-loop turns.
  ///
  /// The process loses its memory. Each running batch is either completely on disk or not at all.
  func crash(afterTurns turns: Int, backAfter pause: Int64) {
    guard isUp, turnsToCrash == nil else { return }
    turnsToCrash = turns
    backAfter = pause
  }

  private func crash(backAfter pause: Int64) {
    world.note("\(title) crashes")
    disk.crash()
    end()
    world.gatewayCrashed()
    comeBack(after: pause)
  }

  private func end() {
    life += 1
    isReady = false
    isDraining = false
    turnsToCrash = nil
    server = nil
    main = nil
    loops.releaseAll()
    assert(parts.count <= world.profile.loops, "no loops of an earlier run remain")
    for (part, _) in parts { part.releaseConnections() }
    parts = []
    disk.frozenUntil = min(disk.frozenUntil, world.time.now)
    node?.processEnded()
    world.network.gatewayCrashed(self)
  }

  /// Releases everything at the end of the world, without a restart.
  func release() {
    guard isUp else { return }
    disk.crash()
    end()
  }

  private func comeBack(after pause: Int64) {
    let current = life
    guard pause < .max / 8 else { return }
    world.time.after(pause) { [self] in
      guard life == current, !isUp, world.isRunning else { return }
      world.restoreCopyNowAndThen()
      start()
    }
  }

  /// Shuts the process down gracefully.
  func drain(backAfter pause: Int64) {
    guard isReady, !isDraining, let server else { return }
    world.note("\(title) drains")
    isDraining = true
    isReady = false
    backAfter = pause
    let current = life
    // The server can set timers here, because this code runs outside the turns of its loop.
    main?.timersMayBeSet()
    expectStop(of: current, after: 4_500_000_000)
    server.drain()
  }

  /// Checks that the process exits in time.
  ///
  /// The process's main loop stops the other loops. If the main loop is paused, the process must exit as soon as the
  /// loop resumes.
  private func expectStop(of current: Int, after nanoseconds: Int64) {
    world.time.after(nanoseconds) { [self] in
      guard life == current else { return }
      let still = (main?.pausedUntil ?? 0) - world.time.now
      guard still < 0 else { return expectStop(of: current, after: still + 1_000_000) }
      world.fail("\(title) did not finish draining in time")
    }
  }

  private func stopped() {
    world.note("\(title) has stopped")
    world.expect(isDraining, "\(title) stopped, although it was not draining")
    isStopping = true
  }

  /// True if the process has stopped in the current event.
  ///
  /// The process's loops are released at the end of the event.
  private var isStopping = false

  /// The latest second since 1970 that counts as past for a commit that might still be in progress.
  ///
  /// For one minute after a clock step, the value before the step also counts, because a commit in progress might have
  /// been started before the step.
  var expirySeconds: Int64 {
    world.time.now < secondsBeforeStep.until
      ? max(presentExpirySeconds, secondsBeforeStep.seconds) : presentExpirySeconds
  }

  /// The latest second since 1970 that currently counts as past according to both clocks: the wall clock, and the
  /// monotonic clock extrapolated from the start of the process.
  var presentExpirySeconds: Int64 {
    let carried =
      clocksAtStart.unixMilliseconds + (world.time.now - clocksAtStart.nanoseconds) / 1_000_000
    return min(unixMilliseconds, carried) / 1_000
  }

  /// Records the current state before the wall clock is set.
  func wallClockSteps() {
    secondsBeforeStep = (world.time.now + 60_000_000_000, expirySeconds)
  }

  // MARK: Administration

  /// Performs an administrator's request.
  ///
  /// The changes are in effect when this method returns.
  func administer(_ request: AdministrationRequest) throws -> [JSONObject] {
    guard isReady, let server else { throw StorageFailure.closed }
    return try server.administration.perform(request)
  }

  // MARK: Freezing

  /// The time until which the process is frozen; a time in the past if it is not frozen.
  var frozenUntil: Int64 { disk.frozenUntil }

  /// The time at which the process was last frozen; nil if it never was.
  private(set) var lastFrozen: Int64?

  /// Returns true if the process was frozen at any time since this time.
  func wasFrozen(since time: Int64) -> Bool { lastFrozen != nil && frozenUntil >= time }

  /// Stops all threads of the process for a while, as a hypervisor or SIGSTOP does.
  ///
  /// The kernel still accepts connections and receives bytes.
  func freeze(_ nanoseconds: Int64) {
    assert(nanoseconds > 0, "a process is frozen for a while")
    guard isUp else { return }
    let end = world.time.now + nanoseconds
    world.note("\(title) is frozen for \(nanoseconds / 1_000_000) ms")
    lastFrozen = world.time.now
    pauseLoops(until: end)
    disk.frozenUntil = max(disk.frozenUntil, end)
  }

  // MARK: Turning

  /// The time at which the first loop is due.
  var nextWakeup: Int64 { loops.nextWakeup }

  /// Pauses one of the loops.
  func pauseLoop(_ nanoseconds: Int64) {
    guard !loops.all.isEmpty else { return }
    let loop = loops.all[world.random(0...loops.all.count - 1)]
    loop.pausedUntil = world.time.now + nanoseconds
    world.note(
      "\(node.map { $0.name + " " } ?? "")\(loop.name) is paused for \(nanoseconds / 1_000_000) ms")
  }

  /// Pauses all loops.
  func pauseLoops(until moment: Int64) {
    for loop in loops.all { loop.pausedUntil = max(loop.pausedUntil, moment) }
  }

  /// True if any loop is paused; a paused loop might have unread input.
  var hasPausedLoops: Bool { loops.all.contains { $0.pausedUntil > world.time.now } }

  /// Records that bytes were written to a far end or that a far end was closed, which can make near ends ready.
  func nearEndsMayBeReady() { loops.descriptorsMayBeReady() }

  /// Runs turns of every loop until no loop has anything left to do at the current time; returns true if any loop had
  /// something to do.
  @discardableResult
  func settle(mayCrash: Bool = true, ignoringPauses: Bool = false) -> Bool {
    var rounds = 0
    var hasWorked = true
    var hasEverWorked = false
    while hasWorked {
      hasWorked = false
      if !loops.all.isEmpty {
        let first = Int(order.next() % UInt64(loops.all.count))
        hasWorked = loops.turn(startingAt: first, ignoringPauses: ignoringPauses) {
          !(mayCrash && isTimeToCrash())
        }
        if hasWorked { world.network.farEndsMayBeReady() }
      }
      if world.network.turn() {
        hasWorked = true
        world.nearEndsMayBeReady()
      }
      if hasWorked { hasEverWorked = true }
      rounds += 1
      guard rounds < 10_000 else {
        world.fail("the loops still have work after 10,000 rounds")
        return true
      }
    }
    if isStopping {
      isStopping = false
      disk.crash()
      end()
      world.gatewayCrashed()
      comeBack(after: backAfter)
    }
    // Only a turn changes a loop's state.
    if main?.takeWorked() == true { server?.checkInvariants() }
    for (part, loop) in parts where loop.takeWorked() { check(part) }
    return hasEverWorked
  }

  /// Checks the invariants.
  ///
  /// Long lists are checked only occasionally, because the check costs more than the turns themselves.
  private func check(_ part: GatewayLoop) {
    checks += 1
    part.checkInvariants(entriesMax: checks % 32 == 0 ? .max : 24)
  }

  private func isTimeToCrash() -> Bool {
    guard let turns = turnsToCrash else { return false }
    turnsToCrash = turns - 1
    guard turns <= 0 else { return false }
    crash(backAfter: backAfter)
    return true
  }

  /// The connection counts of each loop, as text.
  var connectionCounts: String {
    parts.map { "\($0.part.connectionCounts)" }.joined(separator: ", ")
  }

  /// The total number of device connections.
  var deviceConnections: Int { parts.reduce(0) { $0 + $1.part.connectionCounts.devices } }

  var hasConnections: Bool {
    parts.contains { part, _ in
      let counts = part.connectionCounts
      return counts.providers + counts.devices + counts.feedbackClients > 0
    }
  }
}
