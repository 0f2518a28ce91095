@testable import Agent
import BelfryWire

/// An agent with its apps, a person, a gateway and a disk, in one thread, under one seed and a virtual
/// clock.
///
/// What decides is the real ``AgentModel``; the shell around it carries effects out as the daemon does.
/// For a while everything fails that can: the agent and its apps crash, the disk refuses or is slow, apps
/// answer late, wrongly or never, clocks and zones are changed, a person does anything at any time; then
/// all is well for a while, and every promise has to have been kept. The same seed gives the same run.
public final class AgentSimulation: SimulatedWorld {
  /// What a run showed.
  public struct Outcome: Sendable {
    /// The seed.
    public let seed: UInt64
    /// How long its trouble lasted.
    public let length: SimulationLength
    /// What was broken, the first of it; `nil` where nothing was.
    public let violation: String?
    /// The last events that have to do with the violation.
    public let trace: [String]
    /// Pushes that the gateway sent.
    public let pushes: Int
    /// Notifications that were put on a screen.
    public let shown: Int
    /// Scheduled notifications that fired.
    public let fired: Int
    /// Requests of apps and commands.
    public let asks: Int
    /// Restarts of the agent.
    public let restarts: Int
    /// Events on the virtual clock.
    public let events: Int

    /// What to tell a person, with the command that replays the run.
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

  /// Plays the world of `seed` to its end, or to the first broken promise.
  public static func run(seed: UInt64, length: SimulationLength = .full) -> Outcome {
    let outcome = AgentSimulation(seed: seed, length: length, isTracing: false).play()
    guard let violation = outcome.violation else { return outcome }
    let traced = AgentSimulation(seed: seed, length: length, isTracing: true).play()
    guard traced.violation != violation else { return traced }
    return Outcome(
      seed: seed, length: length, violation: "the same seed gives another run; first: \(violation)",
      trace: traced.trace, pushes: traced.pushes, shown: traced.shown, fired: traced.fired,
      asks: traced.asks, restarts: traced.restarts, events: traced.events)
  }

  /// What happens in the world of `seed`, line by line: the same each time.
  public static func trace(seed: UInt64) -> [String] {
    let world = AgentSimulation(seed: seed, length: .full, isTracing: true)
    _ = world.play()
    return world.journal.lines
  }

  let time = VirtualTime()
  let profile: AgentSimulationProfile
  var random: SeededGenerator
  private(set) lazy var machine = SimulatedMachine(in: self)
  private(set) lazy var records = SimulatedRecords(in: self)
  private(set) lazy var ledger = AgentLedger(in: self)
  private(set) lazy var agent = SimulatedAgent(in: self)
  private(set) lazy var pushService = SimulatedPushService(in: self)
  private(set) lazy var person = SimulatedPerson(in: self)
  private(set) var apps: [SimulatedApp] = []
  /// Commands whose connections are open.
  var commands: [ConnectionID: SimulatedCommand] = [:]
  private(set) var isTroubled = true
  private let seed: UInt64
  private let length: SimulationLength
  var journal: SimulationJournal
  private var nextConnection: UInt64 = 1
  private var nextSerial = 1

  private init(seed: UInt64, length: SimulationLength, isTracing: Bool) {
    self.seed = seed
    self.length = length
    journal = SimulationJournal(isTracing: isTracing)
    random = SeededGenerator(seed: seed)
    profile = AgentSimulationProfile(&random, length: length)
  }

  /// A connection that was not there before.
  func openConnection() -> ConnectionID {
    defer { nextConnection += 1 }
    return ConnectionID(number: nextConnection)
  }

  /// The number that a notification carries in its texts, so that it is known wherever it comes up.
  func takeSerial() -> Int {
    defer { nextSerial += 1 }
    return nextSerial
  }

  // MARK: The play

  private func play() -> Outcome {
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
    let end = time.now + profile.troubled
    step(until: end)
    calmDown()
    step(until: end + profile.calm)
    if violation == nil { ledger.checkEnd() }
    return Outcome(
      seed: seed, length: length, violation: violation, trace: Array(journal.lines.suffix(160)),
      pushes: pushService.count, shown: ledger.shownCount, fired: ledger.schedule.firedCount,
      asks: ledger.conversations.askCount, restarts: agent.restartCount,
      events: time.eventsHandled)
  }

  /// Nothing fails any more, everybody answers, and what waits is let go.
  private func calmDown() {
    isTroubled = false
    note("all is well from now on")
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
    // Enough for what a person has just allowed to come, and for a wake of a useless app.
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

  /// Does `body` again and again while things go wrong, `nanoseconds` apart on average.
  func plan(every nanoseconds: Int64, _ body: @escaping () -> Void) {
    guard nanoseconds < Int64.max / 8 else { return }
    time.after(random(nanoseconds / 10...nanoseconds * 2)) { [self] in
      guard isTroubled else { return }
      body()
      plan(every: nanoseconds, body)
    }
  }
}
