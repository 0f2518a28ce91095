import BelfryWire
import Foundation
import Glibc
import Storage
public import System
import Transport

/// The device's daemon: serves apps, holds the link to the gateway, shows notifications.
///
/// Confined to its loop. All that it decides is `DeviceModel`'s: this carries it out, after what
/// must be kept is durable.
public final class AgentDaemon {
  let configuration: AgentConfiguration
  let loop: EventLoop
  let log: Log
  var model: DeviceModel
  /// Time and zones: the machine's, or ones that only `belfry clock` moves.
  let clock: any ScheduleClock
  /// What fires when.
  var scheduler: Scheduler?
  /// Where the device is, and which regions are watched.
  var places: RegionMonitor?
  /// Scheduled requests that no commit has taken yet; nil is one that goes.
  var unkeptRequests: [AppNotificationID: NotificationRequest?] = [:]
  /// Something was scheduled: what of it is due is shown once it is kept.
  var isScheduleUnsettled = false
  let records: any AgentRecords
  /// Held until the agent stops, so that another one may follow.
  private var folder: DataFolder?
  private var server: AppServer?
  private(set) var presenters: PresenterHub?
  var launcher: AppLauncher?
  var receiver: PushReceiver?
  private var effects: [AgentEffect] = []
  /// Changes that the disk has not taken yet.
  private var unkept: [RecordChange] = []
  var unkeptCount: Int { unkept.count }
  private var isTurnEndDue = false
  private var questionTimers: [Question: TimerID] = [:]
  /// Lets the app that the person chose come to the front.
  private var activationToken: String?
  /// Looks again for background work that waits.
  var backgroundTimer: TimerID?
  var services: SystemServices?
  var systemBusFinder: ReconnectingBus?
  var systemBus: BusConnection? { systemBusFinder?.bus }
  /// Which window is in front.
  var focus: FocusMonitor?
  var sleeps = false
  var isLockToldByService = false
  /// Prompts that no presenter could show yet.
  private var openPrompts: [AppID: Prompt] = [:]
  private var isStopped = false

  /// Starts serving; throws what a person can mend.
  public init(_ configuration: AgentConfiguration, on loop: EventLoop) throws(AgentFailure) {
    self.configuration = configuration
    self.loop = loop
    log = configuration.log
    model = DeviceModel(
      policy: configuration.grant,
      agentRun: hexadecimal(SystemRandom.bytes(8)), userID: getuid())
    do {
      folder = try DataFolder(configuration.dataFolder)
      // One that a killed agent left would be taken for this one's.
      if let file = configuration.readyFile { try FileSystem.remove(file) }
      // A clock that a test moves goes through a year of commits at once.
      let stored = try StoredRecords(
        folder: configuration.dataFolder, survivesPowerCut: !configuration.hasManualClock)
      records = stored
      model.languages = DeviceLanguages.current
      let damaged = try model.restore(from: stored)
      for name in damaged { log.warning("a damaged record is passed over", ["record": name]) }
      clock = try Self.clock(configuration, on: loop, records: stored)
    } catch {
      throw AgentFailure("\(error)")
    }
    model.hasGateway = configuration.gateway != nil
    model.agentExecutable = ProcessInspector.ownExecutable
    let texts = LocalizedTexts()
    model.lookup = { texts.text($2, folder: $0.bundlePath, languages: $1) }
    try start()
  }

  private static func clock(
    _ configuration: AgentConfiguration, on loop: EventLoop, records: any AgentRecords
  ) throws -> any ScheduleClock {
    let kept = try records.value(.schedule, key: ScheduleRecord.clockKey)
    guard !configuration.hasManualClock else { return ManualClock(kept: kept) }
    return try MachineClock(
      on: loop, kept: kept, environmentZone: ProcessInfo.processInfo.environment["TZ"],
      log: configuration.log.child("clock"))
  }

  private func start() throws(AgentFailure) {
    let launcher = AppLauncher(socketPath: configuration.socketPath, log: log.child("launch"))
    self.launcher = launcher
    let presenters = PresenterHub(configuration, on: loop, listener: self)
    self.presenters = presenters
    presenters.onQuiet = { [weak self] isQuiet in
      self?.changeConditions { $0.isDesktopQuiet = isQuiet }
    }
    presenters.onBus = { [weak self, weak launcher] bus in
      launcher?.bus = bus
      // A session that begins may have brought its X server along.
      if bus != nil { self?.focus?.start() }
    }
    presenters.open()
    watchServices()
    watchFocus()
    do {
      try FileSystem.makeDirectories(FileSystem.parent(of: configuration.socketPath))
      server = try AppServer(
        loop: loop, path: configuration.socketPath, userID: getuid(), listener: self,
        log: log.child("apps"))
    } catch SystemFailure.call(_, EADDRINUSE, _) {
      close()
      throw AgentFailure(
        "an agent already serves \(configuration.socketPath): stop it, or give another --socket")
    } catch {
      close()
      throw AgentFailure("\(error)")
    }
    if let gateway = configuration.gateway {
      do {
        receiver = try PushReceiver(
          gateway, folder: configuration.dataFolder + "/identity", daemon: self)
      } catch {
        close()
        throw AgentFailure("\(error)")
      }
    }
    model.resume()
    do {
      try startSchedule()
      try startLocation()
    } catch {
      close()
      throw AgentFailure("\(error)")
    }
    flush()
    writeReadyFile()
    receiver?.start()
    log.info("the agent serves apps", ["socket": configuration.socketPath])
  }

  /// Ends in order: nothing is lost that was answered.
  public func stop() {
    guard !isStopped else { return }
    turnEnded()
    close()
    log.info("the agent stopped")
  }

  private func close() {
    guard !isStopped else { return }
    isStopped = true
    for timer in questionTimers.values { loop.cancel(timer) }
    questionTimers = [:]
    scheduler?.close()
    places?.close()
    receiver?.close()
    server?.close()
    focus?.close()
    presenters?.close()
    systemBusFinder?.close()
    if let backgroundTimer { loop.cancel(backgroundTimer) }
    if let file = configuration.readyFile { try? FileSystem.remove(file) }
    folder = nil
  }

  func writeReadyFile() {
    guard let file = configuration.readyFile, !isStopped else { return }
    let ready: JSONObject = [
      "pid": .integer(Int64(getpid())), "socket": .string(configuration.socketPath),
      "device": receiver?.device.map { .string(String($0)) } ?? .null,
    ]
    do {
      try FileSystem.write(Array((ready.text + "\n").utf8), to: file, mode: 0o600)
    } catch {
      log.error("the ready file cannot be written", ["why": "\(error)"])
    }
  }

  private func show(_ event: PresenterEvent) {
    presenters?.show(event, atUnixMilliseconds: clock.now.wall)
  }

  func linkChanged(isUp: Bool) {
    model.isLinkUp = isUp
    show(.link(isUp: isUp))
  }

  // MARK: - Effects

  /// Carries out what the model has decided, at the end of this turn of the loop: what one turn
  /// brought is made durable at once.
  func flush() {
    takeEffects()
    guard !effects.isEmpty || isScheduleUnsettled, !isTurnEndDue else { return }
    isTurnEndDue = true
    loop.atTurnEnd(self)
  }

  /// The schedule changes at once, so that a question of the same turn sees the change; the rest
  /// waits for the turn's end.
  private func takeEffects() {
    for effect in model.takeEffects() {
      switch effect {
      case .schedule(let key, let request, let ask): schedule(key, request, ask)
      case .unschedule(let keys): unschedule(keys)
      case .unscheduleAll(let app):
        unschedule(waiting(of: app.text))
        for change in places?.remove(places?.keys(of: app) ?? []) ?? [] {
          model.emit(.keep(change))
        }
      default: effects.append(effect)
      }
    }
  }

  private func carryOut(_ effect: AgentEffect, isKept: Bool) {
    switch effect {
    case .keep, .schedule, .unschedule, .unscheduleAll: break
    case .answer(let ask, let answer):
      guard let number = ask.number else { break }
      guard isKept else {
        return carryOut(
          .refuse(ask, AppLinkFailure(.storageFailed, "the disk does not take it: make room")),
          isKept: true)
      }
      if server?.send(answer.frame.answering(number), to: ask.connection) == false {
        log.debug("an answer came too late or is too long")
      }
    case .refuse(let ask, let failure):
      guard let number = ask.number else { break }
      server?.send(AppMessage.refusing(number, failure), to: ask.connection)
    case .tell(let connection, let event): server?.send(event.frame, to: connection)
    case .ask(let question, let event, let timeout): self.ask(question, event, timeout)
    case .close(let connection): server?.close(connection)
    case .present(let presentation): show(.presented(presentation))
    case .refresh(let presentation): show(.refreshed(presentation))
    case .withdraw(let key): show(.removed(key))
    case .badge(let app, let badge): show(.badge(app, badge))
    case .sound(let key, let sound):
      show(.sound(key, sound))
      if let app = model.apps[key.app] { presenters?.play(sound, of: app) }
    case .suppressed(let key, let reason): show(.suppressed(key, reason))
    case .prompt(let prompt): self.prompt(prompt)
    case .withdrawPrompt(let app):
      openPrompts[app] = nil
      show(.promptWithdrawn(app))
    case .launch(let order):
      launcher?.launch(order, activationToken: activationToken)
      activationToken = nil
      show(.launched(order.app.id, order.reason))
    case .expectApp(let app, let token, let timeout):
      loop.schedule(afterNanoseconds: timeout * 1_000_000) { [weak self] in
        self?.model.appExpected(app, token: token)
        self?.flush()
      }
    case .end(let app): launcher?.end(app)
    case .startExtension(let order): start(order)
    case .register(let app, let kind): receiver?.register(app, kind)
    case .unregister(let app, let kind): receiver?.unregister(app, kind)
    case .linkState: tellLinkState()
    case .acknowledge(let id): receiver?.acknowledge(id, isKept: isKept)
    case .locationPermission: places?.tellService()
    }
  }

  private func ask(_ question: Question, _ event: AppEvent, _ timeoutMilliseconds: Int64) {
    server?.send(event.frame.numbered(question.number), to: question.connection)
    questionTimers[question] = loop.schedule(
      afterNanoseconds: timeoutMilliseconds * 1_000_000
    ) { [weak self] in
      guard let self else { return }
      self.questionTimers[question] = nil
      self.model.replied(question, nil)
      self.flush()
    }
  }

  private func prompt(_ prompt: Prompt) {
    openPrompts[prompt.app] = prompt
    show(.prompt(prompt))
    if presenters?.canAsk != true {
      log.warning(
        "an app waits for permission: answer with 'belfry settings APP_ID notifications=on'",
        ["app": prompt.app.text])
    }
  }
}

extension AgentDaemon: TurnEndTarget {
  /// Keeps what this turn changed, then does what follows from it.
  public func turnEnded() {
    isTurnEndDue = false
    takeEffects()
    let batch = effects
    effects = []
    var isKept = true
    unkept += batch.compactMap { effect -> RecordChange? in
      if case .keep(let change) = effect { change } else { nil }
    }
    if !unkept.isEmpty {
      do {
        try records.commit(unkept)
        unkept = []
        unkeptRequests = [:]
      } catch {
        isKept = false
        log.error("records could not be kept", ["why": "\(error)"])
        // What the disk did not take is offered to it again, as far as memory may hold it.
        unkept.removeFirst(max(0, unkept.count - Limits.unkeptChanges))
      }
    }
    for effect in batch { carryOut(effect, isKept: isKept) }
    if isScheduleUnsettled {
      isScheduleUnsettled = false
      scheduler?.settle()
    }
    flush()
    if !model.isAskingWhatToShow { scheduler?.resume() }
    lookForBackground()
  }
}

extension AgentDaemon: AppServerListener {
  func appGreeted(_ ask: Ask, _ hello: AppHello, by process: ProcessIdentity) {
    model.greeted(ask, hello, by: process)
    flush()
  }

  func appAsked(_ ask: Ask, _ request: AppRequest) {
    if case .control(let control) = request, model.peers[ask.connection]?.role == .control,
      machineAsked(ask, control) || scheduleControlled(ask, control)
        || placeControlled(ask, control)
    {
      return flush()
    }
    if let app = model.peers[ask.connection]?.app,
      scheduleAsked(ask, app, request) || placeAsked(ask, app, request)
    {
      return flush()
    }
    model.asked(ask, request, atUnixMilliseconds: clock.now.wall)
    flush()
  }

  func appReplied(_ question: Question, _ reply: AppReply) {
    if let timer = questionTimers.removeValue(forKey: question) { loop.cancel(timer) }
    model.replied(question, reply)
    flush()
  }

  func appClosed(_ connection: ConnectionID) {
    for question in questionTimers.keys where question.connection == connection {
      if let timer = questionTimers.removeValue(forKey: question) { loop.cancel(timer) }
    }
    model.closed(connection)
    places?.followers[connection] = nil
    launcher?.reap()
    flush()
  }

  /// What a command asks of the machine rather than of the model; false when it is none of that.
  private func machineAsked(_ ask: Ask, _ request: ControlRequest) -> Bool {
    switch request {
    case .install(let path):
      switch AppInstaller.read(path, languages: model.languages) {
      case .success(let record): model.install(ask, record)
      case .failure(let failure): model.emit(.refuse(ask, failure))
      }
    case .diagnose: model.emit(.answer(ask, .rows(diagnosis)))
    default: return false
    }
    return true
  }
}

extension AgentDaemon: PresenterListener {
  func presenterShowed(_ key: AppNotificationID) {
    model.shown(key)
    flush()
  }

  func presenterActed(
    _ key: AppNotificationID, action: String, text: String?, activationToken: String?
  ) {
    self.activationToken = activationToken
    model.responded(key, action: action, text: text)
    flush()
  }

  func presenterDecided(_ app: AppID, isAllowed: Bool) {
    model.decided(app, isAllowed: isAllowed, atUnixMilliseconds: clock.now.wall)
    flush()
  }

  func presenterPostponed(_ app: AppID) {
    model.postponed(app)
    flush()
  }

  func presenterAppeared(_ presenter: any Presenter, isNew: Bool) {
    let now = clock.now.wall
    if isNew {
      for presentation in model.unseen() {
        presenter.show(.presented(presentation), atUnixMilliseconds: now)
      }
      for prompt in openPrompts.values { presenter.show(.prompt(prompt), atUnixMilliseconds: now) }
    }
    for record in model.apps.values where record.badge > 0 {
      presenter.show(.badge(record.id, record.badge), atUnixMilliseconds: now)
    }
  }
}
