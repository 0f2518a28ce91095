@testable import Agent
import BelfryWire

/// The agent's process: the real model, and a shell that carries out its effects as the daemon does.
final class SimulatedAgent {
  private unowned let world: AgentSimulation
  private var model: AgentModel
  private(set) var isUp = false
  /// The number of the current run.
  ///
  /// Events that were scheduled in an earlier run have no effect.
  private(set) var life = 0
  private var hasStarted = false
  private var isTurnEndDue = false
  /// The events that wait during a disk write, in order of arrival.
  private var inbox: [AgentEvent] = []
  /// The time until which the loop waits for the disk and does not handle events.
  private var busyUntil: Int64 = 0
  /// The effects of the current turn.
  private var effects: [AgentEffect] = []
  /// The changes that the disk has not accepted yet.
  private var unpersisted: [RecordChange] = []
  /// True if the disk has refused some of these changes.
  private var hasBacklog = false
  /// True if the disk has not yet accepted all changes that the agent has made.
  var hasUnpersisted: Bool { !unpersisted.isEmpty }
  private var questionTimers: [Question: Int] = [:]
  private var nextTimer = 0
  private var scheduleAlarm = 0
  private var backgroundAlarm = 0
  private var backgroundTimeAlarm = 0
  private var regionAlarm = 0

  init(in world: AgentSimulation) {
    self.world = world
    model = Self.makeModel(in: world, run: "none")
  }

  var restartCount: Int { max(0, life - 1) }

  private static func makeModel(in world: AgentSimulation, run: String) -> AgentModel {
    var configuration = AgentModel.Configuration(agentRun: run, userID: 7)
    configuration.policy = world.profile.policy
    configuration.hasGateway = true
    configuration.hasManualClock = world.profile.hasManualClock
    configuration.pendingLimit = world.profile.pendingLimit
    configuration.agentExecutable = "/usr/bin/belfry"
    return AgentModel(
      configuration, zones: world.machine.zoneFolder,
      lookUps: AgentModel.LookUps(
        requestRecord: { [unowned world] in world.records.durable[.pending][$0.recordKey] }))
  }

  // MARK: Start and exit

  func start() {
    life += 1
    isUp = true
    hasStarted = false
    isTurnEndDue = false
    busyUntil = 0
    effects = []
    unpersisted = []
    hasBacklog = false
    questionTimers = [:]
    world.note("the agent starts, run \(life)")
    world.machine.agentStarts()
    world.ledger.agentStarts()
    model = Self.makeModel(in: world, run: "run\(life)")
    handle(.recordsRestored(world.records.durable.restored))
    // Simulate that the data was moved to another machine, or that the gateway was replaced.
    if world.isTroubled, world.chance(0.05) {
      world.pushService.identityReplaced()
      if world.chance(0.5) { handle(.machineReplaced) }
      handle(.identityReplaced)
    }
    // If a session bus already exists, the agent finds it at startup.
    if world.chance(0.3) { handle(.presenterAppeared(.desktop, isNew: true)) }
    handle(.started)
    endTurn()
    guard isUp else { return }
    world.pushService.agentStarted()
    for app in world.apps { app.agentStarted() }
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
    inbox = []
    world.ledger.agentCrashed()
    world.pushService.agentCrashed()
    world.person.agentCrashed()
    world.commands = [:]
    for app in world.apps { app.agentCrashed() }
    world.time.after(world.milliseconds(world.isTroubled ? 5_000 : 10)) { [self] in start() }
  }

  // MARK: Events

  /// Reports an external event.
  ///
  /// The agent handles the event immediately, or later if the loop is waiting for the disk. Events are never reordered.
  func report(_ event: AgentEvent) {
    guard isUp else { return }
    inbox.append(event)
    handleInbox()
  }

  private func handleInbox() {
    let life = self.life
    while !inbox.isEmpty {
      guard world.time.now >= busyUntil else {
        return world.time.at(busyUntil) { [self] in if life == self.life { handleInbox() } }
      }
      let event = inbox.removeFirst()
      guard !isRefused(event) else { continue }
      handle(event)
      guard !isTurnEndDue else { continue }
      isTurnEndDue = true
      // The changes of a loop turn become durable together.
      world.time.after(world.chance(0.7) ? 0 : world.milliseconds(2)) { [self] in
        if life == self.life { endTurn() }
      }
    }
  }

  /// Returns true if a request would change records while earlier changes wait for the disk; the daemon refuses such
  /// requests.
  private func isRefused(_ event: AgentEvent) -> Bool {
    guard hasBacklog, case .appRequested(let ask, let request) = event, request.changesRecords
    else { return false }
    if effects.isEmpty, world.records.takesCommit() {
      world.records.commit(unpersisted)
      unpersisted = []
      hasBacklog = false
      world.ledger.onDurable()
      handle(.recordsPersisted)
      return false
    }
    world.note("a request is refused: earlier changes are not on disk yet")
    answered(ask, .failure(.diskRefuses))
    return true
  }

  /// Handles an event within a turn.
  private func handle(_ event: AgentEvent) {
    world.note("event \(Self.text(event))")
    world.ledger.willHandle(event)
    model.handle(event, at: world.machine.now)
    if case .started = event { hasStarted = true }
    // Timers and running work are consistent only after startup.
    if hasStarted { model.checkInvariants() }
    let new = model.takeEffects()
    effects += new
    for effect in new { world.note("  decides \(Self.text(effect))") }
    world.ledger.onHandled(event, new)
  }

  private func endTurn() {
    isTurnEndDue = false
    let effects = self.effects
    guard !effects.isEmpty else { return }
    self.effects = []
    if diesNow() { return crash() }
    let count = unpersisted.count
    for case .persist(let change) in effects { unpersisted.append(change) }
    if effects.contains(.persistClock), let record = world.machine.changedClockRecord() {
      unpersisted.append(.put(.schedule, key: ScheduleRecord.clockKey, record))
    }
    let hasChanges = unpersisted.count > count
    let isSlow = !unpersisted.isEmpty && world.profile.commitMost > 1 && world.chance(0.3)
    guard isSlow else { return finishCommit(effects, hasChanges: hasChanges) }
    let life = self.life
    isTurnEndDue = true
    busyUntil = world.time.now + world.milliseconds(world.profile.commitMost)
    world.time.at(busyUntil) { [self] in
      guard life == self.life else { return }
      isTurnEndDue = false
      finishCommit(effects, hasChanges: hasChanges)
    }
  }

  private func finishCommit(_ effects: [AgentEffect], hasChanges: Bool) {
    let life = self.life
    var arePersisted = true
    if !unpersisted.isEmpty {
      arePersisted = world.records.takesCommit()
      if arePersisted {
        world.records.commit(unpersisted)
        unpersisted = []
      } else {
        world.note("the disk rejects a commit")
      }
    }
    hasBacklog = !arePersisted
    let outcome: RecordJournal.Outcome =
      arePersisted ? .durable : hasChanges ? .refused : .unchanged
    if arePersisted { world.ledger.onDurable() }
    if diesNow() { return crash() }
    if arePersisted { handle(.recordsPersisted) }
    for effect in effects {
      carryOut(effect.after(outcome))
      if life != self.life { return }
    }
    if diesNow() { return crash() }
    endTurn()
  }

  private func diesNow() -> Bool { world.isTroubled && world.chance(world.profile.crashAtCommit) }

  // MARK: Effects

  private func carryOut(_ effect: AgentEffect) {
    world.ledger.onCarriedOut(effect)
    switch effect {
    case .persist, .persistClock, .list, .badge, .sound, .suppressed, .showLink,
      .probeGateway, .moveLink,
      .announceState, .useLocationServices, .raise, .deleteAttachments, .trimAttachments, .log:
      break
    case .answer(let ask, let answer): answered(ask, .success(answer))
    case .refuse(let ask, let failure): answered(ask, .failure(failure))
    case .diagnose(let ask, _), .openCenter(let ask, _): answered(ask, .success(AppAnswer()))
    case .tell(let connection, let event): process(connection)?.isTold(event)
    case .ask(let question, let event, let timeout): ask(question, event, timeout)
    case .cancelTimeout(let question): questionTimers[question] = nil
    case .close(let connection): close(connection)
    case .readInstallation(let ask, let path, _):
      if let app = world.apps.first(where: { $0.path == path }) {
        handle(.installationRead(ask, .success(app.installation)))
      } else {
        handle(.installationRead(ask, .failure(AppLinkFailure(.invalidArgument, "no such file"))))
      }
    case .present(let presentation): show(presentation)
    case .refresh(let presentation): world.person.sees(presentation)
    case .withdraw(let key): world.person.seesNoMore(key)
    case .draw, .showLaunchImage: break
    case .closeWindow(let key): handle(.notificationWindow(key, isOpen: false))
    case .prompt(let prompt): world.person.isAsked(prompt)
    case .withdrawPrompt(let prompt): world.person.isAskedNoMore(prompt)
    case .replay(_, let events):
      for case .presented(let presentation) in events { show(presentation) }
      for case .prompt(let prompt) in events { world.person.isAsked(prompt) }
    case .launch(let order): app(order.app.id)?.isLaunched(order)
    case .expectApp(let app, let token, let timeout):
      after(timeout, .appExpected(app, token: token))
    case .end(let app): self.app(app)?.isEnded()
    case .suspend(let app): self.app(app)?.isSuspended()
    case .resume(let app): self.app(app)?.isResumed()
    case .startExtension(let order): start(order)
    case .register(let app, let kind): world.pushService.register(app, kind)
    case .unregister(let app, let kind): world.pushService.unregister(app, kind)
    case .acknowledge(let id): world.pushService.isAcknowledged(id)
    case .rejectPush(let id): world.pushService.isRejected(id)
    case .armSchedule(let wakeUp): armSchedule(wakeUp)
    case .armBackgroundWork(let moment): armBackgroundWork(moment)
    case .armBackgroundTime(let moment): armBackgroundTime(moment)
    case .armRegions(let moment): armRegions(moment)
    case .moveClock(let wall):
      guard world.chance(0.2) else {
        world.machine.moveManualClock(toWall: wall)
        return handle(.clockMoved)
      }
      // Continue in a later turn, so that other events can occur before it.
      moveClock(toWall: wall, at: world.time.now + world.milliseconds(5), life: life)
    case .moveZone(let name):
      world.machine.moveManualClock(toZone: name)
      handle(.zonesChanged(world.machine.zoneFolder))
    }
  }

  private func moveClock(toWall wall: Int64, at moment: Int64, life: Int) {
    world.time.at(moment) { [self] in
      if life == self.life { handleInbox() }
      guard life == self.life else { return }
      guard world.time.now >= busyUntil else {
        return moveClock(toWall: wall, at: busyUntil, life: life)
      }
      world.machine.moveManualClock(toWall: wall)
      report(.clockMoved)
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

  private func ask(_ question: Question, _ event: AppEvent, _ timeout: Int64) {
    process(question.connection)?.isAsked(question, event)
    nextTimer += 1
    let timer = nextTimer
    let life = self.life
    questionTimers[question] = timer
    world.time.after(timeout * 1_000_000) { [self] in
      guard life == self.life, questionTimers[question] == timer else { return }
      questionTimers[question] = nil
      report(.questionTimedOut(question))
    }
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
    if world.profile.showsAtOnce { return handle(.notificationShown(key)) }
    guard world.isTroubled ? world.chance(0.7) : true else { return }
    let life = self.life
    world.time.after(world.milliseconds(300)) { [self] in
      if life == self.life { report(.notificationShown(key)) }
    }
  }

  private func start(_ order: ExtensionOrder) {
    guard let app = app(order.app), !world.isTroubled || world.chance(0.9) else {
      return handle(.extensionFailed(token: order.token))
    }
    app.startExtension(order)
    after(Limits.extensionWarningMilliseconds, .extensionTimeEnds(token: order.token))
    after(Limits.extensionMilliseconds, .extensionTimedOut(token: order.token))
  }

  // MARK: Alarms

  private func armSchedule(_ wakeUp: ScheduleWakeUp) {
    scheduleAlarm += 1
    let (alarm, life) = (scheduleAlarm, life)
    guard !world.profile.hasManualClock else { return }
    let moment = [
      wakeUp.wall.map(world.machine.nanoseconds(atWall:)),
      wakeUp.elapsed.map(AgentTimers.nanoseconds),
    ].compactMap { $0 }.min()
    guard let moment else { return }
    world.time.at(moment + world.milliseconds(20)) { [self] in
      if life == self.life, alarm == scheduleAlarm { report(.scheduleDue) }
    }
  }

  /// Handles a clock change, which stops wall-clock alarms until they are set again.
  func clockWasSet() {
    scheduleAlarm += 1
    after(world.random(0...5), .clockWasSet)
  }

  private func armBackgroundWork(_ moment: Int64?) {
    backgroundAlarm += 1
    let (alarm, life) = (backgroundAlarm, life)
    guard let moment, !world.profile.hasManualClock else { return }
    let wait = AgentTimers.nanoseconds(moment - world.machine.now.wall)
    world.time.after(wait + world.milliseconds(60_000)) { [self] in
      if life == self.life, alarm == backgroundAlarm { report(.backgroundWorkDue) }
    }
  }

  private func armBackgroundTime(_ moment: Int64?) {
    backgroundTimeAlarm += 1
    let (alarm, life) = (backgroundTimeAlarm, life)
    guard let moment, !world.profile.hasManualClock else { return }
    world.time.at(moment * 1_000_000 + world.milliseconds(20)) { [self] in
      if life == self.life, alarm == backgroundTimeAlarm { report(.backgroundTimeDue) }
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
