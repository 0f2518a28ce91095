import AppWire
import Scheduling
import BelfryWire
import Foundation
import Glibc
import Storage
import System
import Transport

/// The machine of a real agent: its files, buses, windows, child programs, and link to the gateway.
///
/// The machine is confined to the agent's loop.
final class LinuxMachine: AgentMachine {
  let configuration: AgentConfiguration
  let loop: EventLoop
  let log: Log
  /// The daemon that runs on this machine and owns it.
  private(set) weak var daemon: AgentDaemon?
  /// The lock on the data folder, held until the agent stops.
  private var folder: DataFolder?
  private let journal: RecordJournal
  private let records: RestoredRecords
  /// The machine's clock, or a manual clock that only `belfry clock` moves.
  let clock: any ScheduleClock
  private(set) var presenters: PresenterHub?
  private(set) var launcher: AppLauncher?
  var receiver: PushReceiver?
  /// The gateway that the device belongs to; nil until an awaited gateway has started.
  var gateway: AgentConfiguration.Gateway?
  var gatewayWatch: PathWatch?
  /// The storage in which apps' client modules store attachment files.
  var attachments: AttachmentStorage? {
    configuration.attachmentsFolder.map(AttachmentStorage.init(root:))
  }
  private(set) var places: LocationServices?
  /// The monitor of the focused window.
  private(set) var focus: FocusMonitor?
  private(set) var services: MachineServices?
  private(set) var unifiedPush: UnifiedPushService?
  /// The contents of the ready file; nil before apps can connect.
  private var readyText: String?
  private(set) var isClosed = false

  /// Opens the data folder; throws failures that an operator can correct.
  init(_ configuration: AgentConfiguration, on loop: EventLoop) throws(AgentFailure) {
    self.configuration = configuration
    gateway = configuration.gateway
    self.loop = loop
    log = configuration.log
    do {
      folder = try DataFolder(configuration.dataFolder)
      // Remove a ready file left behind by a killed agent, because other programs would mistake it for this agent's.
      if let file = configuration.readyFile { try FileSystem.remove(file) }
      Self.warnOfLostRecords(configuration)
      // A manual clock can cause a year's worth of commits in a short time. For speed, these commits need not survive a
      // power failure.
      let store = try StoredRecords(
        folder: configuration.dataFolder, survivesPowerCut: !configuration.hasManualClock)
      journal = RecordJournal(store, log: log)
      if let notice = store.damageNotice {
        log.error("damaged records are ignored", ["what": notice])
      }
      records = try RestoredRecords(from: store)
      clock = try Self.clock(configuration, on: loop, records: records)
    } catch {
      if case StorageFailure.busy(let path) = error {
        throw AgentFailure(
          "another agent is already running with the data folder \(path): stop the process that 'belfry doctor --socket "
            + "\(configuration.socketPath)' names, or choose another --data"
        )
      }
      throw AgentFailure("\(error)")
    }
  }

  /// The resources of an agent on this machine.
  var resources: AgentResources {
    AgentResources(
      machine: self,
      transport: SocketAppTransport(
        path: configuration.socketPath, descriptor: configuration.socketDescriptor,
        userID: getuid()),
      connections: .init(descriptors: configuration.descriptors), held: configuration.heldBytes,
      model: Self.modelConfiguration(configuration), records: records, journal: journal,
      clock: clock, lookUps: Self.lookUps(journal, log: log),
      makeCalendar: { FoundationCalendar(named: $0) }, log: log)
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

  static func identityFolder(of configuration: AgentConfiguration) -> String {
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
    result.isGatewayOff = configuration.isGatewayOff
    result.hasManualClock = configuration.hasManualClock
    result.languages = DeviceLanguages.current
    result.pendingLimit = configuration.pendingLimit
    result.servesUnifiedPush = configuration.servesUnifiedPush && configuration.usesSessionBus
    result.seed = SystemRandom.bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
    return result
  }

  private static func lookUps(_ journal: RecordJournal, log: Log) -> AgentModel.LookUps {
    let texts = LocalizedTexts()
    /// Apps whose text was truncated; each app is logged once.
    var cut: Set<AppID> = []
    var lookUps = AgentModel.LookUps(
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
      requestRecord: { journal.durableValue(.pending, key: $0.recordKey) },
      programProblem: { $0.programProblem })
    lookUps.extensionProblems = { $0.extensionProblems }
    lookUps.hasOutdatedProgram = { ProcessInspector.hasOutdatedProgram($0) }
    return lookUps
  }

  // MARK: - Starting and stopping

  func open(for daemon: AgentDaemon) {
    self.daemon = daemon
    let launcher = AppLauncher(
      on: loop, socketPath: configuration.socketPath, log: log.child("launch")
    ) { [weak self] app, token, why in
      self?.show(.launchFailed(app, why: why))
      self?.handle(.appLaunchFailed(app, token: token))
    }
    self.launcher = launcher
    places = LocationServices(on: loop) { [weak self] in self?.handle($0) }
    unifiedPush = makeUnifiedPush()
    openPresenters(launcher)
    watchServices()
    watchFocus()
  }

  func prepareLink() throws(AgentFailure) {
    guard let gateway else { return }
    do {
      receiver = try makeReceiver(gateway)
    } catch {
      throw AgentFailure("\(error)")
    }
  }

  func daemonStarted() {
    writeReadyFile()
    receiver?.start()
    log.info("ready: apps can connect", ["socket": configuration.socketPath])
    awaitGateway()
  }

  private func openPresenters(_ launcher: AppLauncher) {
    let source = WindowPresenter.Source(
      words: { [weak self] in DeviceWords(languages: self?.daemon?.model.languages ?? []) },
      center: { [weak self] in self?.daemon?.model.centerGroups ?? [] },
      date: { [weak self] in
        guard let self else { return "" }
        return CenterDate.text(
          $0, now: self.clock.now.wall, zone: self.clock.zone.name,
          languages: self.daemon?.model.languages ?? [])
      })
    let presenters = PresenterHub(configuration, source, on: loop, listener: self)
    self.presenters = presenters
    presenters.onQuiet = { [weak self] in self?.handle(.conditionChanged(.desktopQuiet($0))) }
    presenters.onBus = { [weak self, weak launcher] bus in
      launcher?.bus = bus
      self?.unifiedPush?.use(bus)
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

  func close() {
    guard !isClosed else { return }
    isClosed = true
    places?.close()
    gatewayWatch?.close()
    receiver?.close()
    focus?.close()
    launcher?.close()
    presenters?.close()
    services?.close()
    if let file = configuration.readyFile { try? FileSystem.remove(file) }
    folder = nil
  }

  /// Writes the ready file if its contents have changed.
  func writeReadyFile() {
    guard let file = configuration.readyFile, !isClosed else { return }
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

  func appDisconnected() { launcher?.reap() }

  // MARK: - The daemon

  /// Passes an event to the engine.
  func handle(_ event: AgentEvent) { daemon?.handle(event) }
}
