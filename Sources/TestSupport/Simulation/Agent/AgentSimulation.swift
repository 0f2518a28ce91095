import Agent
import BelfryWire

/// A simulation of an agent with its apps, a user, a gateway, and a disk, on one thread, with one seed and a virtual
/// clock.
///
/// The real ``AgentModel`` makes the decisions, and a shell around it carries out the effects as the daemon does. For a
/// while, everything that can fail does: the agent and its apps crash; the disk fails or is slow; apps answer late,
/// incorrectly, or never; clocks and time zones change; and the user does anything at any time. Then a period without
/// faults follows, in which the agent must keep every promise. The same seed always produces the same run.
public final class AgentSimulation: SimulatedWorld {
  /// The result of a run.
  public struct Outcome: Sendable {
    /// The seed of the run.
    public let seed: UInt64
    /// The length of the period with faults.
    public let length: SimulationLength
    /// The first violation; `nil` if no promise was violated.
    public let violation: String?
    /// The last events that are relevant to the violation.
    public let trace: [String]
    /// The number of pushes that the gateway sent.
    public let pushes: Int
    /// The number of notifications that were displayed.
    public let shown: Int
    /// The number of scheduled notifications that fired.
    public let fired: Int
    /// The number of requests from apps and commands.
    public let asks: Int
    /// The number of restarts of the agent.
    public let restarts: Int
    /// The number of events on the virtual clock.
    public let events: Int

    /// The report for developers, with the command that replays the run.
    public var report: String {
      guard let violation else {
        return "seed \(seed): \(pushes) pushes, \(shown) shown, \(fired) fired, \(asks) asks, "
          + "\(restarts) restarts, \(events) events"
      }
      let lines = trace.map { "  " + $0 }.joined(separator: "\n")
      return
        "seed \(seed): \(violation)\n\(lines)\nreplay it with: make simulate MODEL=agent SEED=\(seed)"
        + length.replayOption
    }
  }

  /// Runs the world generated from `seed` to its end or to the first violation.
  public static func run(seed: UInt64, length: SimulationLength = .full) -> Outcome {
    let outcome = AgentSimulation(seed: seed, length: length, isTracing: false).play()
    guard let violation = outcome.violation else { return outcome }
    let traced = AgentSimulation(seed: seed, length: length, isTracing: true).play()
    guard traced.violation != violation else { return traced }
    return Outcome(
      seed: seed, length: length,
      violation: "the traced run diverged from the first run: \(violation)",
      trace: traced.trace, pushes: traced.pushes, shown: traced.shown, fired: traced.fired,
      asks: traced.asks, restarts: traced.restarts, events: traced.events)
  }

  /// Returns the trace of the world generated from `seed`, one event per line.
  ///
  /// The same seed always yields the same trace.
  public static func trace(seed: UInt64) -> [String] {
    let world = AgentSimulation(seed: seed, length: .full, isTracing: true)
    _ = world.play()
    return world.journal.lines
  }

  let time: VirtualTime
  let profile: AgentSimulationProfile
  var random: SeededGenerator
  private(set) lazy var machine = SimulatedMachine(in: self)
  private(set) lazy var records = SimulatedRecords(in: self)
  private(set) lazy var ledger = AgentLedger(in: self)
  private(set) lazy var agent = SimulatedAgent(in: self)
  private lazy var imitatedPushService = SimulatedPushService(in: self)
  var pushService: any SimulatedPushLink { device ?? imitatedPushService }
  /// The device on which the agent runs in the world of a simulated gateway; nil if the gateway is only imitated.
  private unowned let device: AgentDevice?
  private(set) lazy var person = SimulatedPerson(in: self)
  private(set) var apps: [SimulatedApp] = []
  /// The commands with open connections.
  var commands: [SimulatedCommand] = []
  private(set) var isTroubled = true
  private let seed: UInt64
  private let length: SimulationLength
  private var ownJournal: SimulationJournal
  private var nextProcess: Int32 = 100
  private var nextSerial = 1

  private init(seed: UInt64, length: SimulationLength, isTracing: Bool) {
    self.seed = seed
    self.length = length
    device = nil
    time = VirtualTime()
    ownJournal = SimulationJournal(isTracing: isTracing)
    random = SeededGenerator(seed: seed)
    profile = AgentSimulationProfile(&random, length: length)
  }

  /// Creates the simulation of a device's agent in a gateway's world, using the clock and the journal of that world.
  init(of device: AgentDevice, in world: GatewaySimulation) {
    seed = world.random.next()
    length = world.length
    self.device = device
    time = world.time
    ownJournal = SimulationJournal(isTracing: false)
    random = SeededGenerator(seed: seed)
    profile = AgentSimulationProfile(&random, length: length, apps: world.profile.apps)
  }

  var journal: SimulationJournal {
    _read {
      if let device { yield device.world.journal } else { yield ownJournal }
    }
    _modify {
      if let device { yield &device.world.journal } else { yield &ownJournal }
    }
  }

  var label: String { device.map { "agent \($0.index): " } ?? "" }

  /// Returns the ID of the app with the given number, which is also its topic at the gateway.
  func appID(_ number: Int) -> AppID? {
    AppID(device == nil ? "org.example.app\(number)" : "com.example.app\(number)")
  }

  /// Returns the ID of a new process.
  func takeProcessID() -> Int32 {
    defer { nextProcess += 1 }
    return nextProcess
  }

  /// Returns a new serial number.
  ///
  /// A notification's text contains its serial number, by which every part of the simulation recognizes the
  /// notification.
  func takeSerial() -> Int {
    defer { nextSerial += 1 }
    return nextSerial
  }

  // MARK: The run

  private func play() -> Outcome {
    begin()
    let end = time.now + profile.troubled
    step(until: end)
    calmDown()
    step(until: end + AgentSimulationProfile.calm)
    if violation == nil { ledger.checkEnd() }
    agent.release()
    // Break a retain cycle: the remaining events retain the agent, whose loop retains the clock.
    time.cancelAll()
    return Outcome(
      seed: seed, length: length, violation: violation,
      trace: Array(journal.lines.suffix(SimulationTrace.isWhole ? .max : 160)),
      pushes: pushService.count, shown: ledger.shownCount, fired: ledger.schedule.firedCount,
      asks: ledger.conversations.askCount, restarts: agent.restartCount,
      events: time.eventsHandled)
  }

  /// Starts the agent, its apps, and its user.
  func begin() {
    apps = (1...profile.apps).map { SimulatedApp(number: $0, in: self) }
    agent.start()
    for app in apps where app.isInstalled {
      SimulatedCommand.run([.install(path: app.path)], in: self)
    }
    for app in apps {
      time.after(milliseconds(2_000)) { app.start(launch: nil, isForeground: true) }
      app.plan()
    }
    pushService.plan()
    person.plan()
    machine.plan()
    agent.plan()
  }

  /// Stops all faults, so that all parts of the world respond and all pending work can finish.
  func calmDown() {
    isTroubled = false
    note("all faults stop")
    records.isHealthy = true
    time.after(30_000_000_000) { [self] in
      machine.calmDown()
      pushService.calmDown()
      person.calmDown()
      for app in apps { app.calmDown() }
    }
    time.after(1_200_000_000_000) { [self] in
      ledger.schedule.checkEnd()
      SimulatedCommand.run([.cancel(app: nil, id: nil)], in: self)
    }
    // Allow enough time to deliver the notifications that the user has just allowed, and to wake an app whose wake-ups
    // are not useful.
    for hours in 1...Int64(3) {
      time.after(hours * 3_600_000_000_000) { [self] in
        person.calmDown()
        machine.passTime()
      }
    }
  }

  private func step(until end: Int64) {
    while time.nextEvent <= end, violation == nil { time.handleNext() }
    time.advance(to: end)
  }

  /// Repeats `body` during the period with faults, at intervals of `nanoseconds` on average.
  func plan(every nanoseconds: Int64, _ body: @escaping () -> Void) {
    guard nanoseconds < Int64.max / 8 else { return }
    time.after(random(nanoseconds / 10...nanoseconds * 2)) { [self] in
      guard isTroubled else { return }
      body()
      plan(every: nanoseconds, body)
    }
  }
}
