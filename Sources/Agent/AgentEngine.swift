import Scheduling
import AppWire
package import System

/// The parts of the agent that carry out effects: sockets, windows, programs, and the gateway's link.
///
/// The methods are called on the agent's loop.
package protocol AgentShell: AnyObject {
  /// Carries out an effect.
  ///
  /// The records that precede the effect have already been written, or the attempt to write them has failed.
  func carryOut(_ effect: AgentEffect)

  /// Starts an app's extension; returns false if it cannot be started.
  func start(_ order: ExtensionOrder) -> Bool
}

/// An observer of the engine's events and effects, which checks them in a simulation.
package protocol AgentObserver: AnyObject {
  func willHandle(_ event: AgentEvent)
  /// Called with the effects that the event has caused.
  func didHandle(_ event: AgentEvent, _ effects: [AgentEffect])
  /// Called when all changes to the records are durable.
  func didPersist()
  func willCarryOut(_ effect: AgentEffect)
}

/// The agent's core, which passes each event and its time to the model, commits the records among the resulting
/// effects, and then has the effects carried out.
///
/// The engine is confined to its loop. It also runs the model's timers, and leaves everything else to its shell.
package final class AgentEngine {
  package let loop: EventLoop
  /// The machine's clock, or a manual clock that only `belfry clock` moves.
  let clock: any ScheduleClock
  package private(set) var model: AgentModel
  private let journal: RecordJournal
  private let timers: AgentTimers
  /// A function that returns a calendar, other than the Gregorian one, by its name.
  private let makeCalendar: ZoneFolder.MakeCalendar
  weak var shell: (any AgentShell)?
  weak var observer: (any AgentObserver)?
  /// The effects of the current turn.
  private var effects: [AgentEffect] = []
  /// The number of times that a manual clock has moved in this turn of the loop.
  private var clockMoves = 0
  private var isTurnEndDue = false
  private var isStopped = false

  /// Creates an engine without state; the first event must be `recordsRestored`.
  init(
    _ configuration: AgentModel.Configuration, on loop: EventLoop, clock: any ScheduleClock,
    journal: RecordJournal, lookUps: AgentModel.LookUps,
    makeCalendar: @escaping ZoneFolder.MakeCalendar
  ) {
    self.loop = loop
    self.clock = clock
    self.journal = journal
    self.makeCalendar = makeCalendar
    timers = AgentTimers(on: loop)
    model = AgentModel(
      configuration,
      zones: ZoneFolder(clock.zones, deviceZone: clock.zone, makeCalendar: makeCalendar),
      lookUps: lookUps)
    timers.report = { [weak self] in self?.handle($0) }
    clock.onEvent = { [weak self] in self?.onClock($0) }
  }

  /// The number of changes that are not written yet.
  var unpersistedCount: Int { journal.unpersistedCount }
  /// A notice for the user about damaged records; nil if all records are intact.
  var damageNotice: String? { journal.damageNotice }

  // MARK: - Events

  /// Handles an event.
  ///
  /// The event's effects are carried out at the end of the turn, because all events of a turn share one commit.
  package func handle(_ event: AgentEvent) {
    guard !isStopped else { return }
    observer?.willHandle(event)
    model.handle(event, at: now)
    let new = model.takeEffects()
    effects += new
    observer?.didHandle(event, new)
    guard !isTurnEndDue else { return }
    isTurnEndDue = true
    loop.atTurnEnd(self)
  }

  /// Handles a request; refuses it if it would change records while earlier changes cannot be written.
  func request(_ requestID: RequestID, _ request: AppRequest) {
    guard !request.changesRecords || isUpToDate() else {
      shell?.carryOut(.refuse(requestID, .diskRefuses))
      return
    }
    handle(.appRequested(requestID, request))
  }

  /// Returns true if earlier changes are on disk or can be written now.
  private func isUpToDate() -> Bool {
    guard journal.unpersistedCount > 0 else { return true }
    guard journal.write() else { return false }
    // While a turn is in progress, its own changes are not written yet.
    if !isTurnEndDue {
      observer?.didPersist()
      handle(.recordsPersisted)
    }
    return true
  }

  private var now: AgentTime {
    let moment = clock.now
    return AgentTime(
      wall: moment.wall, elapsed: moment.elapsed, awake: loop.nowNanoseconds / 1_000_000)
  }

  private func onClock(_ event: ScheduleClockEvent) {
    switch event {
    case .due: handle(.scheduleDue)
    case .clockWasSet: handle(.clockWasSet)
    case .zonesChanged: reportZones()
    }
  }

  /// Reports the time zones with a new, empty cache, because the time-zone database might have changed.
  private func reportZones() {
    handle(
      .zonesChanged(
        ZoneFolder(clock.zones, deviceZone: clock.zone, makeCalendar: makeCalendar)))
  }

  // MARK: - Effects

  private func carryOut(_ effect: AgentEffect) {
    observer?.willCarryOut(effect)
    switch effect {
    case .ask(let question, _, let timeout):
      shell?.carryOut(effect)
      timers.start(question, milliseconds: timeout)
    case .cancelTimeout(let question): timers.cancel(question)
    case .expectApp(let app, let token, let timeout):
      timers.report(.appExpected(app, token: token), afterMilliseconds: timeout)
    case .startExtension(let order): start(order)
    case .armSchedule(let wakeUp): clock.wake(atWall: wakeUp.wall, elapsed: wakeUp.elapsed)
    case .armBackgroundWork(let moment): armBackgroundWork(atUnixMilliseconds: moment)
    case .armBackgroundTime(let moment): armBackgroundTime(atElapsedMilliseconds: moment)
    case .moveClock(let moment): moveClock(toUnixMilliseconds: moment)
    case .moveZone(let name):
      if let zone = clock.zones.zone(named: name) { (clock as? ManualClock)?.move(to: zone) }
      reportZones()
    case .persistClock: break
    case .persist, .answer, .refuse, .tell, .close, .readInstallation, .diagnose, .present,
      .refresh,
      .list, .draw, .closeWindow, .showLaunchImage, .withdraw, .badge, .sound, .suppressed, .prompt,
      .withdrawPrompt, .showLink, .openCenter, .replay, .launch, .raise, .end, .kill, .suspend,
      .resume,
      .deleteAttachments, .trimAttachments, .register, .unregister, .moveLink, .announceState,
      .probeGateway, .acknowledge, .rejectPush, .unifiedPush, .armRegions, .useLocationServices,
      .log:
      shell?.carryOut(effect)
    }
  }

  private func start(_ order: ExtensionOrder) {
    guard shell?.start(order) == true else { return handle(.extensionFailed(token: order.token)) }
    timers.report(
      .extensionTimeEnds(token: order.token),
      afterMilliseconds: Limits.extensionWarningMilliseconds)
    timers.report(
      .extensionTimedOut(token: order.token), afterMilliseconds: Limits.extensionMilliseconds)
  }

  private func armBackgroundWork(atUnixMilliseconds moment: Int64?) {
    // A manual clock needs no timer, because it reports its own moves.
    let wait = clock.isManual ? nil : moment.map { $0 - clock.now.wall }
    timers.armBackgroundWork(afterMilliseconds: wait)
  }

  private func armBackgroundTime(atElapsedMilliseconds moment: Int64?) {
    // A manual clock needs no timer, because it reports its own moves.
    let wait = clock.isManual ? nil : moment.map { $0 - clock.now.elapsed }
    timers.armBackgroundTime(afterMilliseconds: wait)
  }

  private func moveClock(toUnixMilliseconds moment: Int64) {
    clockMoves += 1
    guard clockMoves >= Limits.clockMovesPerTurn else {
      (clock as? ManualClock)?.move(toWall: moment)
      return handle(.clockMoved)
    }
    // Continue a long clock move in later turns, so that the agent can answer other requests between turns.
    clockMoves = 0
    timers.soon { [weak self] in
      (self?.clock as? ManualClock)?.move(toWall: moment)
      self?.handle(.clockMoved)
    }
  }

  // MARK: - The end

  /// Stops handling events; call `turnEnded` first to have the effects of earlier events carried out.
  func stop() {
    isStopped = true
    timers.close()
    clock.close()
  }

  /// Traps in debug builds if the agent's state is inconsistent.
  package func checkInvariants() { model.checkInvariants() }
}

extension AgentEngine: TurnEndTarget {
  /// Commits the changes of this turn, then carries out the effects, until no effects are left.
  package func turnEnded() {
    while !effects.isEmpty {
      let due = effects
      effects = []
      let outcome = journal.commit(due, clock)
      if outcome == .durable {
        observer?.didPersist()
        handle(.recordsPersisted)
      }
      for effect in due { carryOut(effect.after(outcome)) }
    }
    isTurnEndDue = false
    clockMoves = 0
  }
}
