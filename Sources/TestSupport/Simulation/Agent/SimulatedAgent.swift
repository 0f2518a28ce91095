@testable import Agent
import BelfryWire
import System

/// The agent's process: the real engine, with its model, journal and timers, and a shell that carries out its effects
/// in the simulated world.
final class SimulatedAgent {
  /// An input in the loop's mailbox, which needs no lock because the world has only one thread.
  private enum Report: @unchecked Sendable {
    case event(AgentEvent)
    /// An input of the link to the gateway.
    case link(() -> Void)
  }

  private unowned let world: AgentSimulation
  private var engine: AgentEngine?
  private var reports: Mailbox<Report>?
  private(set) var isUp = false
  /// The number of the current run.
  ///
  /// Events that were scheduled in an earlier run have no effect.
  private(set) var life = 0
  private var hasStarted = false
  /// The time of the next turn of the loop; `.max` if nothing is due.
  private var nextTurn = Int64.max
  /// The time until which the loop waits for the disk and does not handle events.
  private var busyUntil: Int64 = 0
  /// True if the disk has not yet accepted all changes that the agent has made.
  var hasUnpersisted: Bool { (engine?.unpersistedCount ?? 0) > 0 }
  private var regionAlarm = 0

  init(in world: AgentSimulation) { self.world = world }

  var restartCount: Int { max(0, life - 1) }

  private func makeEngine() -> AgentEngine {
    var configuration = AgentModel.Configuration(agentRun: "run\(life)", userID: 7)
    configuration.policy = world.profile.policy
    configuration.hasGateway = true
    configuration.hasManualClock = world.profile.hasManualClock
    configuration.pendingLimit = world.profile.pendingLimit
    configuration.agentExecutable = "/usr/bin/belfry"
    guard let loop = try? EventLoop(clock: world.time) else {
      preconditionFailure("the machine has no descriptors for a loop")
    }
    let journal = RecordJournal(world.records, log: .silent)
    let engine = AgentEngine(
      configuration, on: loop, clock: world.machine.clock, journal: journal,
      lookUps: AgentModel.LookUps(
        requestRecord: { journal.durableValue(.pending, key: $0.recordKey) }),
      makeCalendar: { _ in nil })
    engine.shell = self
    engine.observer = self
    return engine
  }

  // MARK: Start and exit

  func start() {
    life += 1
    isUp = true
    hasStarted = false
    nextTurn = .max
    busyUntil = 0
    world.note("the agent starts, run \(life)")
    world.machine.agentStarts()
    world.ledger.agentStarts()
    release()
    let engine = makeEngine()
    self.engine = engine
    reports = engine.loop.mailbox(of: Report.self) { [weak self, weak engine] reports in
      for report in reports {
        switch report {
        case .event(.appRequested(let requestID, let request)):
          engine?.request(requestID, request)
        case .event(let event): engine?.handle(event)
        case .link(let body): body()
        }
        guard self?.engine === engine else { return }
      }
    }
    guard let records = try? RestoredRecords(from: world.records) else {
      preconditionFailure("the simulated disk can be read")
    }
    engine.handle(.recordsRestored(records))
    world.pushService.agentStarts(engine)
    guard isUp else { return }
    // If a session bus already exists, the agent finds it at startup.
    if world.chance(0.3) { engine.handle(.presenterAppeared(.desktop, isNew: true)) }
    engine.handle(.started)
    turn()
    guard isUp else { return }
    world.pushService.agentStarted()
    for app in world.apps { app.agentStarted() }
  }

  /// Releases what the loop still holds, which would otherwise keep the loop and its descriptors.
  func release() { engine?.loop.releaseAll() }

  func plan() {
    world.plan(every: world.profile.agentCrashEvery) { [self] in crash() }
    world.plan(every: world.profile.diskStreakEvery) { [self] in world.records.breakDown() }
  }

  /// Kills the process: data that is not durable is lost, and all connections are closed.
  func crash() {
    guard isUp else { return }
    world.note("the agent is killed")
    isUp = false
    life += 1
    engine?.stop()
    reports = nil
    world.ledger.agentCrashed()
    world.pushService.agentCrashed()
    world.person.agentCrashed()
    world.commands = [:]
    for app in world.apps { app.agentCrashed() }
    world.time.after(world.milliseconds(world.isTroubled ? 5_000 : 10)) { [self] in start() }
  }

  /// Returns true if the process is killed at this moment.
  private func diesNow() -> Bool { world.isTroubled && world.chance(world.profile.crashAtCommit) }

  /// Kills the process at a moment at which a real process could be killed, in some worlds.
  func mightDie() { if isUp, diesNow() { crash() } }

  // MARK: Turns

  /// Reports an external event.
  ///
  /// The agent handles the event in the next turn of its loop, at once or a little later. Events are never reordered.
  func report(_ event: AgentEvent) { post(.event(event)) }

  /// Handles an input of the link to the gateway in a turn of the agent's loop, in order with the reported events.
  func inTurn(_ body: @escaping () -> Void) { post(.link(body)) }

  private func post(_ report: Report) {
    guard isUp else { return }
    reports?.post(report)
    scheduleTurn(at: world.time.now + (world.chance(0.7) ? 0 : world.milliseconds(2)))
  }

  /// Delays the next turn until the disk has answered.
  func waitForDisk(until moment: Int64) { busyUntil = max(busyUntil, moment) }

  private func scheduleTurn(at moment: Int64) {
    let moment = max(moment, busyUntil, world.time.now)
    guard moment < nextTurn else { return }
    nextTurn = moment
    let life = life
    world.time.at(moment) { [self] in
      guard life == self.life, nextTurn == moment else { return }
      guard world.time.now >= busyUntil else {
        nextTurn = .max
        return scheduleTurn(at: busyUntil)
      }
      turn()
    }
  }

  private func turn() {
    guard let engine, isUp else { return }
    nextTurn = .max
    engine.loop.turn(mayBlock: false, polls: false)
    if isUp {
      let next = engine.loop.nextWakeup
      if next < .max / 2 { scheduleTurn(at: next) }
    }
  }

  private func after(_ milliseconds: Int64, _ event: AgentEvent) {
    let life = self.life
    world.time.after(milliseconds * 1_000_000) { [self] in
      if life == self.life { report(event) }
    }
  }

  private func app(_ id: AppID) -> SimulatedApp? { world.apps.first { $0.id == id } }

  private func process(_ connection: ConnectionID) -> SimulatedProcess? {
    for app in world.apps {
      if let process = app.process(connection) { return process }
    }
    return nil
  }

  private func answered(_ ask: RequestID, _ result: Result<AppAnswer, AppLinkFailure>) {
    guard let number = ask.number else { return }
    process(ask.connection)?.isAnswered(number, result)
    world.commands[ask.connection]?.isAnswered(number)
  }

  private func close(_ connection: ConnectionID) {
    let life = self.life
    process(connection)?.isCut()
    world.time.after(world.milliseconds(3)) { [self] in
      guard life == self.life, world.ledger.conversations.isOpen(connection) else { return }
      report(.appDisconnected(connection))
    }
  }

  /// Simulates a presenter that shows the notification and reports this immediately, later, or never.
  private func show(_ presentation: Presentation) {
    let key = presentation.key
    world.person.sees(presentation)
    if world.profile.showsAtOnce {
      engine?.handle(.notificationShown(key))
      return
    }
    guard world.isTroubled ? world.chance(0.7) : true else { return }
    let life = self.life
    world.time.after(world.milliseconds(300)) { [self] in
      if life == self.life { report(.notificationShown(key)) }
    }
  }

  private func armRegions(_ moment: Int64?) {
    regionAlarm += 1
    let (alarm, life) = (regionAlarm, life)
    guard let moment else { return }
    world.time.at(moment * 1_000_000) { [self] in
      if life == self.life, alarm == regionAlarm { report(.regionsDue) }
    }
  }
}

// MARK: - Effects

extension SimulatedAgent: AgentShell {
  func carryOut(_ effect: AgentEffect) {
    guard isUp, let engine else { return }
    switch effect {
    case .persist, .list, .badge, .sound, .suppressed, .showLink, .useLocationServices, .raise,
      .deleteAttachments, .trimAttachments, .log, .draw, .showLaunchImage:
      break
    case .register, .unregister, .acknowledge, .rejectPush, .moveLink, .announceState,
      .probeGateway:
      world.pushService.carryOut(effect)
    case .answer(let ask, let answer): answered(ask, .success(answer))
    case .refuse(let ask, let failure): answered(ask, .failure(failure))
    case .diagnose(let ask, _), .openCenter(let ask, _): answered(ask, .success(AppAnswer()))
    case .tell(let connection, let event): process(connection)?.isTold(event)
    case .ask(let question, let event, _):
      process(question.connection)?.isAsked(question, event)
    case .close(let connection): close(connection)
    case .readInstallation(let ask, let path, _):
      if let app = world.apps.first(where: { $0.path == path }) {
        engine.handle(.installationRead(ask, .success(app.installation)))
      } else {
        engine.handle(
          .installationRead(ask, .failure(AppLinkFailure(.invalidArgument, "no such file"))))
      }
    case .present(let presentation): show(presentation)
    case .refresh(let presentation): world.person.sees(presentation)
    case .withdraw(let key): world.person.seesNoMore(key)
    case .closeWindow(let key): engine.handle(.notificationWindow(key, isOpen: false))
    case .prompt(let prompt): world.person.isAsked(prompt)
    case .withdrawPrompt(let prompt): world.person.isAskedNoMore(prompt)
    case .replay(_, let events):
      for case .presented(let presentation) in events { show(presentation) }
      for case .prompt(let prompt) in events { world.person.isAsked(prompt) }
    case .launch(let order): app(order.app.id)?.isLaunched(order)
    case .end(let app): self.app(app)?.isEnded()
    case .suspend(let app): self.app(app)?.isSuspended()
    case .resume(let app): self.app(app)?.isResumed()
    case .armRegions(let moment): armRegions(moment)
    case .persistClock, .cancelTimeout, .expectApp, .startExtension, .armSchedule,
      .armBackgroundWork, .armBackgroundTime, .moveClock, .moveZone:
      world.fail("the engine passed on an effect that it carries out itself")
    }
  }

  func start(_ order: ExtensionOrder) -> Bool {
    guard isUp, let app = app(order.app), !world.isTroubled || world.chance(0.9) else {
      return false
    }
    app.startExtension(order)
    return true
  }
}

// MARK: - Checks

extension SimulatedAgent: AgentObserver {
  func willHandle(_ event: AgentEvent) {
    guard isUp else { return }
    world.machine.noteManualClock()
    world.note("event \(Self.text(event))")
    world.ledger.willHandle(event)
  }

  func didHandle(_ event: AgentEvent, _ effects: [AgentEffect]) {
    guard isUp else { return }
    if case .started = event { hasStarted = true }
    // Timers and running work are consistent only after startup.
    if hasStarted { engine?.checkInvariants() }
    for effect in effects { world.note("  decides \(Self.text(effect))") }
    world.ledger.onHandled(event, effects)
  }

  func didPersist() {
    guard isUp else { return }
    world.ledger.onDurable()
    world.pushService.recordsAreDurable()
    mightDie()
  }

  func willCarryOut(_ effect: AgentEffect) {
    guard isUp else { return }
    world.ledger.onCarriedOut(effect)
  }
}

extension SimulatedAgent {
  // MARK: The trace

  private static func text(_ event: AgentEvent) -> String {
    switch event {
    case .recordsRestored: "recordsRestored"
    case .zonesChanged(let zones): "zonesChanged \(zones.deviceZone.name)"
    case .pushReceived(let push):
      "pushReceived \(push.uniqueID.low) \(push.app) \(push.kind) '\(push.collapseID)' "
        + String(decoding: push.payload.prefix(200), as: UTF8.self)
    case .installationRead(_, let result):
      "installationRead \((try? result.get())?.id.text ?? "nothing")"
    // The members of a frame have a fixed order, unlike the entries of hash tables.
    case .appRequested(let ask, let request):
      "appRequested \(ask.connection.number)/\(ask.number ?? -1) "
        + request.frame.object.text.prefix(300)
    case .appReplied(let question, let reply):
      "appReplied \(question.connection.number)/\(question.number) "
        + reply.frame.object.text.prefix(200)
    default: String(describing: event)
    }
  }

  private static func text(_ effect: AgentEffect) -> String {
    switch effect {
    case .persist(.put(let collection, let key, let value)):
      "persist \(collection.rawValue) \(key.debugDescription) "
        + String(decoding: value.drop { $0 < 0x20 }.prefix(160), as: UTF8.self).debugDescription
    case .persist(.remove(let collection, let key)):
      "remove \(collection.rawValue) \(key.debugDescription)"
    case .present(let presentation):
      "present \(presentation.key.recordKey) \(presentation.body.debugDescription) "
        + "update \(presentation.isUpdate)"
    case .refresh(let presentation): "refresh \(presentation.key.recordKey)"
    case .answer(let ask, let answer):
      "answer \(ask.connection.number)/\(ask.number ?? -1) "
        + String(answer.frame.object.text.prefix(100))
    case .sound(let key, let sound, _): "sound \(key.recordKey) critical \(sound.isCritical)"
    case .ask(let question, let event, _):
      "ask \(question.connection.number)/\(question.number) "
        + event.frame.object.text.prefix(200)
    case .tell(let connection, let event):
      "tell \(connection.number) " + event.frame.object.text.prefix(200)
    case .launch(let order): "launch \(order.app.id) \(order.reason) \(order.token)"
    default: String(describing: effect)
    }
  }
}
