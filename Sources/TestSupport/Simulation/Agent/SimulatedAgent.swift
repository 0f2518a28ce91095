import Agent
import AppWire
import System

/// The agent's process: the real daemon, with its engine, journal, timers, and app server, on a simulated machine.
final class SimulatedAgent {
  /// An input in the loop's mailbox, which needs no lock because the world has only one thread.
  private enum Report: @unchecked Sendable {
    case event(AgentEvent)
    /// An input from the link to the gateway.
    case link(() -> Void)
  }

  private unowned let world: AgentSimulation
  private var daemon: AgentDaemon?
  private var loop: EventLoop?
  private var transport: SimulatedAppTransport?
  private var reports: Mailbox<Report>?
  private(set) var isUp = false
  /// The number of the current run.
  ///
  /// Events that were scheduled in an earlier run have no effect.
  private(set) var life = 0
  private var hasStarted = false
  /// The time of the next turn of the loop; `.max` if nothing is due.
  private var nextTurn = Int64.max
  /// True if an app might have made one of the agent's sockets ready since the last turn.
  private var polls = false
  /// The time until which the loop waits for the disk and does not handle events.
  private var busyUntil: Int64 = 0
  /// True if the disk has not yet accepted all changes that the agent has made.
  var hasUnpersisted: Bool { (daemon?.unpersistedCount ?? 0) > 0 }
  private var regionAlarm = 0

  init(in world: AgentSimulation) { self.world = world }

  var restartCount: Int { max(0, life - 1) }

  private func resources(
    _ records: RestoredRecords, _ transport: SimulatedAppTransport
  ) -> AgentResources {
    var configuration = AgentModel.Configuration(agentRun: "run\(life)", userID: 7)
    configuration.policy = world.profile.policy
    configuration.hasGateway = true
    configuration.hasManualClock = world.profile.hasManualClock
    configuration.pendingLimit = world.profile.pendingLimit
    configuration.agentExecutable = "/usr/bin/belfry"
    let journal = RecordJournal(world.records, log: .silent)
    return AgentResources(
      machine: self, transport: transport, connections: .init(descriptors: 1_024),
      held: HeldBytes.Bounds(), model: configuration, records: records, journal: journal,
      clock: world.machine.clock,
      lookUps: AgentModel.LookUps(
        requestRecord: { journal.durableValue(.pending, key: $0.recordKey) }),
      makeCalendar: { _ in nil }, log: .silent, observer: self)
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
    polls = false
    guard let records = try? RestoredRecords(from: world.records) else {
      preconditionFailure("the simulated disk can be read")
    }
    guard let loop = try? EventLoop(clock: world.time) else {
      preconditionFailure("the machine has no descriptors for a loop")
    }
    let transport = SimulatedAppTransport(on: loop, in: world)
    self.loop = loop
    self.transport = transport
    let life = life
    reports = loop.mailbox(of: Report.self) { [weak self] reports in
      for report in reports {
        guard let self, life == self.life else { return }
        switch report {
        case .event(let event): daemon?.handle(event)
        case .link(let body): body()
        }
      }
    }
    do {
      _ = try AgentDaemon(resources(records, transport), on: loop)
    } catch {
      return world.fail("the agent cannot start: \(error)")
    }
    guard isUp else { return }
    turn()
    guard isUp else { return }
    world.pushService.agentStarted()
    for app in world.apps { app.agentStarted() }
  }

  /// Opens a connection from a process; returns nil if the agent is not running.
  func connect(_ identity: ProcessIdentity, _ peer: any SimulatedPeer) -> SimulatedAppLink? {
    isUp ? transport?.connect(identity, peer) : nil
  }

  /// Releases the objects that the loop retains, which would otherwise keep the loop and its descriptors open.
  func release() {
    loop?.releaseAll()
    // Break the retain cycle between the daemon and its machine.
    daemon = nil
    transport = nil
  }

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
    daemon?.halt()
    daemon = nil
    reports = nil
    world.ledger.agentCrashed()
    world.pushService.agentCrashed()
    world.person.agentCrashed()
    for command in world.commands { command.loseAgent() }
    world.commands = []
    for app in world.apps { app.agentCrashed() }
    world.time.after(world.milliseconds(world.isTroubled ? 5_000 : 10)) { [self] in start() }
  }

  /// Returns true if the simulation kills the process now, which is a random choice.
  private func diesNow() -> Bool { world.isTroubled && world.chance(world.profile.crashAtCommit) }

  /// Kills the process with a certain probability.
  ///
  /// Call this method at points at which a real process could also be killed.
  func mightDie() { if isUp, diesNow() { crash() } }

  // MARK: Turns

  /// Reports an external event.
  ///
  /// The agent handles the event in the next turn of its loop, at once or a little later. Events are never reordered.
  func report(_ event: AgentEvent) { post(.event(event)) }

  /// Handles an input from the link to the gateway in a turn of the agent's loop, in sequence with the reported events.
  func inTurn(_ body: @escaping () -> Void) { post(.link(body)) }

  private func post(_ report: Report) {
    guard isUp else { return }
    reports?.post(report)
    scheduleTurn(at: world.time.now + (world.chance(0.7) ? 0 : world.milliseconds(2)))
  }

  /// Schedules a turn in which the agent polls its sockets, because an app might have made one of them ready.
  func mayBeReady() {
    guard isUp else { return }
    polls = true
    scheduleTurn(at: world.time.now)
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
    guard let loop, isUp else { return }
    nextTurn = .max
    let polled = polls
    polls = false
    // A turn that handled input might have left more input in a socket.
    if loop.turn(mayBlock: false, polls: polled), polled { polls = true }
    guard isUp else { return }
    transport?.exchange()
    guard isUp else { return }
    let next = polls ? world.time.now : loop.nextWakeup
    if next < .max / 2 { scheduleTurn(at: next) }
  }

  private func after(_ milliseconds: Int64, _ event: AgentEvent) {
    let life = self.life
    world.time.after(milliseconds * 1_000_000) { [self] in
      if life == self.life { report(event) }
    }
  }

  private func app(_ id: AppID) -> SimulatedApp? { world.apps.first { $0.id == id } }

  /// Simulates a presenter that shows the notification and confirms this immediately, later, or never.
  private func show(_ presentation: Presentation) {
    let key = presentation.key
    world.person.sees(presentation)
    if world.profile.showsAtOnce {
      daemon?.handle(.notificationShown(key))
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

extension SimulatedAgent: AgentMachine {
  func open(for daemon: AgentDaemon) { self.daemon = daemon }

  func prepareLink() {
    guard let daemon else { return }
    world.pushService.agentStarts(daemon.engine)
    guard isUp else { return }
    // If a session bus already exists, the agent finds it at startup.
    if world.chance(0.3) { daemon.handle(.presenterAppeared(.desktop, isNew: true)) }
  }

  func daemonStarted() {}

  func refusal(of request: AppRequest) -> AppLinkFailure? { nil }

  func appDisconnected() {}

  func close() {}

  func carryOut(_ effect: AgentEffect) {
    guard isUp, let daemon else { return }
    switch effect {
    case .persist, .list, .badge, .sound, .suppressed, .showLink, .useLocationServices, .raise,
      .deleteAttachments, .trimAttachments, .log, .draw, .showLaunchImage, .unifiedPush:
      break
    case .register, .unregister, .acknowledge, .rejectPush, .moveLink, .announceState,
      .probeGateway:
      world.pushService.carryOut(effect)
    case .diagnose(let ask, _), .openCenter(let ask, _):
      daemon.carryOut(.answer(ask, AppAnswer()))
    case .readInstallation(let ask, let path, _):
      if let app = world.apps.first(where: { $0.path == path }) {
        daemon.handle(.installationRead(ask, .success(app.installation)))
      } else {
        daemon.handle(
          .installationRead(ask, .failure(AppLinkFailure(.invalidArgument, "no such file"))))
      }
    case .present(let presentation): show(presentation)
    case .refresh(let presentation): world.person.sees(presentation)
    case .withdraw(let key): world.person.seesNoMore(key)
    case .closeWindow(let key): daemon.handle(.notificationWindow(key, isOpen: false))
    case .prompt(let prompt): world.person.isAsked(prompt)
    case .withdrawPrompt(let prompt): world.person.isAskedNoMore(prompt)
    case .replay(_, let events):
      for case .presented(let presentation) in events { show(presentation) }
      for case .prompt(let prompt) in events { world.person.isAsked(prompt) }
    case .launch(let order): app(order.app.id)?.isLaunched(order)
    case .end(let app): self.app(app)?.isEnded()
    case .kill(let app): self.app(app)?.isKilled()
    case .suspend(let app): self.app(app)?.isSuspended()
    case .resume(let app): self.app(app)?.isResumed()
    case .armRegions(let moment): armRegions(moment)
    case .persistClock, .cancelTimeout, .expectApp, .startExtension, .armSchedule,
      .armBackgroundWork, .armBackgroundTime, .moveClock, .moveZone:
      world.fail("the engine passed on an effect that it carries out itself")
    case .answer, .refuse, .tell, .ask, .close:
      world.fail("the app server passed on an effect that it carries out itself")
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
    if case .appGreeted(let ask, _, let process) = event {
      transport?.greeted(ask, by: process)
    }
    let event = seen(event)
    world.note("event \(Self.text(event))")
    world.ledger.willHandle(event)
  }

  func didHandle(_ event: AgentEvent, _ effects: [AgentEffect]) {
    guard isUp else { return }
    if case .started = event { hasStarted = true }
    // Timers and running work are consistent only after startup.
    if hasStarted { daemon?.engine.checkInvariants() }
    for effect in effects { world.note("  decides \(Self.text(effect))") }
    world.ledger.onHandled(seen(event), effects)
  }

  /// Returns the event in the form that the ledgers expect.
  ///
  /// The ledgers treat a second greeting on a connection as an ordinary request.
  private func seen(_ event: AgentEvent) -> AgentEvent {
    guard case .appGreeted(let ask, let hello, let process) = event,
      transport?.isFirstGreeting(ask, of: process) == false
    else { return event }
    return .appRequested(ask, .hello(hello))
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
    // Print the frame, whose members have a fixed order. The order of a hash table's entries can differ between runs.
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
