import BelfryWire
import Foundation
import Glibc
import Storage
public import System
import Transport

/// The device's daemon, which owns the agent's sockets, files, buses, and child programs.
///
/// The daemon is confined to its loop. It passes every event to `AgentEngine`, and carries out the effects that the
/// engine returns to it.
public final class AgentDaemon {
  let configuration: AgentConfiguration
  let loop: EventLoop
  let log: Log
  private let engine: AgentEngine
  /// The lock on the data folder, held until the agent stops.
  private var folder: DataFolder?
  private(set) var server: AppServer?
  private(set) var presenters: PresenterHub?
  private(set) var launcher: AppLauncher?
  private(set) var receiver: PushReceiver?
  /// The gateway that the device belongs to; nil until an awaited gateway has started.
  private(set) var gateway: AgentConfiguration.Gateway?
  private var gatewayWatch: PathWatch?
  /// The storage in which apps' client modules store attachment files.
  var attachments: AttachmentStorage? {
    configuration.attachmentsFolder.map(AttachmentStorage.init(root:))
  }
  private(set) var places: LocationServices?
  /// The monitor of the focused window.
  private(set) var focus: FocusMonitor?
  private(set) var services: MachineServices?
  /// The contents of the ready file; nil before apps can connect.
  private var readyText: String?
  private var isStopped = false

  /// Creates and starts the daemon; throws failures that an operator can correct.
  public init(_ configuration: AgentConfiguration, on loop: EventLoop) throws(AgentFailure) {
    self.configuration = configuration
    gateway = configuration.gateway
    self.loop = loop
    log = configuration.log
    let records: RestoredRecords
    do {
      folder = try DataFolder(configuration.dataFolder)
      // Remove a ready file left behind by a killed agent, because other programs would mistake it for this agent's.
      if let file = configuration.readyFile { try FileSystem.remove(file) }
      Self.warnOfLostRecords(configuration)
      // A manual clock can cause a year's worth of commits in a short time. For speed, these commits need not survive a
      // power failure.
      let store = try StoredRecords(
        folder: configuration.dataFolder, survivesPowerCut: !configuration.hasManualClock)
      let journal = RecordJournal(store, log: log)
      if let notice = store.damageNotice {
        log.error("damaged records are ignored", ["what": notice])
      }
      records = try RestoredRecords(from: store)
      let clock = try Self.clock(configuration, on: loop, records: records)
      engine = AgentEngine(
        Self.modelConfiguration(configuration), on: loop, clock: clock, journal: journal,
        lookUps: Self.lookUps(journal, log: log),
        makeCalendar: { FoundationCalendar(named: $0) })
    } catch {
      throw AgentFailure("\(error)")
    }
    engine.shell = self
    handle(.recordsRestored(records))
    try start()
  }

  /// Warns if the folder has a device identity but no records.
  ///
  /// Without the warning, a start after data loss would look like a normal start.
  private static func warnOfLostRecords(_ configuration: AgentConfiguration) {
    let records = StoredRecords.file(in: configuration.dataFolder)
    guard FileSystem.exists(identityFolder(of: configuration)),
      (FileSystem.byteCount(of: records) ?? 0) == 0
    else { return }
    configuration.log.warning(
      "the agent's records are missing: apps, schedules and settings start empty; tokens are issued "
        + "again once apps are launched", ["records": records])
  }

  private static func identityFolder(of configuration: AgentConfiguration) -> String {
    configuration.dataFolder + "/identity"
  }

  private static func clock(
    _ configuration: AgentConfiguration, on loop: EventLoop, records: RestoredRecords
  ) throws(SystemFailure) -> any ScheduleClock {
    let kept = records[.schedule].first { $0.key == ScheduleRecord.clockKey }?.value
    guard !configuration.hasManualClock else { return ManualClock(kept: kept) }
    return try MachineClock(
      on: loop, kept: kept, environmentZone: ProcessInfo.processInfo.environment["TZ"],
      log: configuration.log.child("clock"))
  }

  private static func modelConfiguration(
    _ configuration: AgentConfiguration
  ) -> AgentModel.Configuration {
    var result = AgentModel.Configuration(
      agentRun: Hexadecimal.encode(SystemRandom.bytes(8)), userID: getuid())
    result.policy = configuration.grant
    result.agentExecutable = ProcessInspector.ownExecutable
    result.hasGateway =
      configuration.gateway != nil || configuration.awaitedGateway?.isNamed == true
    result.hasManualClock = configuration.hasManualClock
    result.languages = DeviceLanguages.current
    result.pendingLimit = configuration.pendingLimit
    return result
  }

  private static func lookUps(_ journal: RecordJournal, log: Log) -> AgentModel.LookUps {
    let texts = LocalizedTexts()
    /// Apps whose text was truncated; each app is logged once.
    var cut: Set<AppID> = []
    return AgentModel.LookUps(
      text: {
        let filled = texts.text($2, folder: $0.bundlePath, languages: $1)
        if filled.isCut, cut.count < Limits.apps, cut.insert($0.id).inserted {
          log.warning(
            "an app's string was truncated: with its arguments filled in, it has more than "
              + "\(WireLimits.filledTextBytesMax) bytes, or its plural forms refer to each other too often; make its "
              + "format or its arguments shorter",
            ["app": $0.id.text, "key": String(($2.key ?? "").unicodeScalars.prefix(80))])
        }
        return filled.text
      },
      requestRecord: { journal.durableValue(.pending, key: $0.recordKey) })
  }

  // MARK: - Starting and stopping

  private func start() throws(AgentFailure) {
    let launcher = AppLauncher(
      on: loop, socketPath: configuration.socketPath, log: log.child("launch")
    ) { [weak self] in self?.handle(.appLaunchFailed($0, token: $1)) }
    self.launcher = launcher
    places = LocationServices(on: loop) { [weak self] in self?.handle($0) }
    openPresenters(launcher)
    watchServices()
    watchFocus()
    do {
      try FileSystem.makeDirectories(FileSystem.parent(of: configuration.socketPath))
      server = try AppServer(
        loop: loop, path: configuration.socketPath, descriptor: configuration.socketDescriptor,
        userID: getuid(), connections: .init(descriptors: configuration.descriptors),
        held: configuration.heldBytes, listener: self, log: log.child("apps"))
    } catch SystemFailure.call(_, EADDRINUSE, _) {
      close()
      throw AgentFailure(
        "another agent is already running on \(configuration.socketPath): stop it, or choose another --socket"
      )
    } catch {
      close()
      throw AgentFailure("\(error)")
    }
    if let gateway {
      do {
        receiver = try makeReceiver(gateway)
      } catch {
        close()
        throw AgentFailure("\(error)")
      }
    }
    handle(.started)
    writeReadyFile()
    receiver?.start()
    log.info("ready: apps can connect", ["socket": configuration.socketPath])
    awaitGateway()
  }

  private func makeReceiver(
    _ gateway: AgentConfiguration.Gateway
  ) throws(DeviceIdentityFolder.Failure) -> PushReceiver {
    let machine: [UInt8]
    let received: ReceivedFile?
    do throws(SystemFailure) {
      machine = try MachineIdentity.current()
      received = try configuration.receivedFile.map { path throws(SystemFailure) in
        try ReceivedFile(path)
      }
    } catch {
      throw .file(error)
    }
    return try PushReceiver(
      gateway,
      identities: DeviceIdentityFolder(
        Self.identityFolder(of: configuration), machine: machine),
      received: received, on: loop, log: log.child("gateway"), owner: self
    ) {
      $0.deviceName = configuration.deviceName ?? ProcessInfo.processInfo.hostName
      $0.memory = model.rememberedPushes
      $0.retrySlackNanoseconds = Limits.gatewayRetrySlackNanoseconds
    }
  }

  // MARK: - A gateway that starts later

  /// Joins the awaited gateway once it writes its description.
  private func awaitGateway() {
    guard gateway == nil, let awaited = configuration.awaitedGateway else { return }
    if awaited.isNamed {
      log.warning(
        "no such file: waiting for a gateway to start there; check --gateway if it never does",
        ["file": awaited.file])
    } else {
      log.info(
        "no gateway yet: joining the current user's gateway once it starts", ["file": awaited.file])
    }
    gatewayWatch = PathWatch(awaited.file, on: loop) { [weak self] in self?.joinAwaited(awaited) }
    if awaited.isNamed { handle(.linkChanged(isUp: false)) }
    // The gateway might have written the description before the watch began.
    if FileSystem.exists(awaited.file) {
      joinAwaited(awaited)
    } else if gatewayWatch?.isWatching != true {
      poll(awaited, afterNanoseconds: Limits.awaitedGatewayNanoseconds)
    }
  }

  /// Polls for the description at increasing intervals, because the kernel does not allow another file watch.
  private func poll(
    _ awaited: AgentConfiguration.AwaitedGateway, afterNanoseconds pause: Int64
  ) {
    loop.schedule(afterNanoseconds: pause) { [weak self] in
      guard let self, !self.isStopped, self.gateway == nil else { return }
      if FileSystem.exists(awaited.file) { self.joinAwaited(awaited) }
      if self.gateway == nil {
        self.poll(
          awaited, afterNanoseconds: min(pause * 2, Limits.awaitedGatewayNanosecondsMax))
      }
    }
  }

  private func joinAwaited(_ awaited: AgentConfiguration.AwaitedGateway) {
    guard !isStopped, gateway == nil, FileSystem.exists(awaited.file) else { return }
    do {
      let found = try awaited.read()
      receiver = try makeReceiver(found)
      gateway = found
    } catch {
      return log.warning("cannot join the gateway yet", ["why": "\(error)"])
    }
    gatewayWatch?.close()
    gatewayWatch = nil
    log.info("the gateway has started: joining it", ["file": awaited.file])
    handle(.gatewayFound)
    writeReadyFile()
    receiver?.start()
  }

  private func openPresenters(_ launcher: AppLauncher) {
    let source = WindowPresenter.Source(
      words: { [weak self] in DeviceWords(languages: self?.model.languages ?? []) },
      center: { [weak self] in self?.model.centerGroups ?? [] },
      date: { [weak self] in
        guard let self else { return "" }
        return CenterDate.text(
          $0, now: self.clock.now.wall, zone: self.clock.zone.name,
          languages: self.model.languages)
      })
    let presenters = PresenterHub(configuration, source, on: loop, listener: self)
    self.presenters = presenters
    presenters.onQuiet = { [weak self] in self?.handle(.conditionChanged(.desktopQuiet($0))) }
    presenters.onBus = { [weak self, weak launcher] bus in
      launcher?.bus = bus
      // A new session can have its own X server.
      if bus != nil { self?.focus?.start() }
    }
    presenters.open()
  }

  /// Subscribes to the machine's services.
  ///
  /// With a manual clock, commands report the device's state instead.
  private func watchServices() {
    guard !clock.isManual, configuration.usesMachineServices else { return }
    let places = places
    let locationLog = log.child("location")
    services = MachineServices(
      on: loop, log: log,
      report: { [weak self] change in
        switch change {
        case .device(let change): self?.handle(.conditionChanged(change))
        case .zone(let name): (self?.clock as? MachineClock)?.setReportedZone(name)
        }
      },
      onBus: { places?.use($0, log: locationLog) })
  }

  /// Monitors the focused window, if the desktop reports it.
  private func watchFocus() {
    guard configuration.usesSessionBus else { return }
    let focus = FocusMonitor(on: loop, log: log.child("focus")) { [weak self] in
      self?.handle(.focusedWindowChanged($0))
    }
    self.focus = focus
    focus.start()
  }

  /// Shuts down gracefully, so that no confirmed data is lost.
  public func stop() {
    guard !isStopped else { return }
    engine.turnEnded()
    close()
    log.info("the agent stopped")
  }

  private func close() {
    guard !isStopped else { return }
    isStopped = true
    engine.stop()
    places?.close()
    gatewayWatch?.close()
    receiver?.close()
    server?.close()
    focus?.close()
    launcher?.close()
    presenters?.close()
    services?.close()
    if let file = configuration.readyFile { try? FileSystem.remove(file) }
    folder = nil
  }

  /// Writes the ready file if its contents have changed.
  func writeReadyFile() {
    guard let file = configuration.readyFile, !isStopped else { return }
    let ready: JSONObject = [
      "pid": .integer(Int64(getpid())), "socket": .string(configuration.socketPath),
      "device": receiver?.device.map { .string(String($0)) } ?? .null,
    ]
    let text = ready.text + "\n"
    guard text != readyText else { return }
    readyText = text
    do {
      try FileSystem.write(Array(text.utf8), to: file, mode: 0o600)
    } catch {
      log.error("cannot write the ready file", ["why": "\(error)"])
    }
  }

  /// The machine's clock, or a manual clock that only `belfry clock` moves.
  var clock: any ScheduleClock { engine.clock }
  private var model: AgentModel { _read { yield engine.model } }
  /// The number of changes that are not written yet.
  var unpersistedCount: Int { engine.unpersistedCount }
  var damageNotice: String? { engine.damageNotice }

  /// Returns the app that owns a connection.
  func app(ofConnection connection: ConnectionID) -> AppID? { model.app(of: connection) }

  /// Returns the folder with an app's resources; nil if the app has no such folder.
  func bundlePath(of app: AppID) -> String? { model.bundlePath(of: app) }

  // MARK: - Events

  /// Passes an event to the engine.
  func handle(_ event: AgentEvent) {
    guard !isStopped else { return }
    engine.handle(event)
  }

  /// Passes a request to the engine.
  func request(_ requestID: RequestID, _ request: AppRequest) {
    guard !isStopped else { return }
    engine.request(requestID, request)
  }

}

extension AgentDaemon: PushReceiverOwner {
  /// Records durably that the data is from another machine, before the agent produces output that depends on it.
  func onMachineReplaced() {
    handle(.machineReplaced)
    engine.turnEnded()
  }

  func identityChanged() { writeReadyFile() }
}
