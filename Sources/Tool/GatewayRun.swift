import Agent
import BelfryWire
import Console
import GatewayConsole
import Gateway
import Glibc
import Synchronization
import System

/// A run of the gateway, which handles its signals, its ready file, and its shutdown.
final class GatewayRun {
  private let loop: EventLoop
  private let log: Log
  private let readyFile: String?
  private let server: GatewayServer
  private let folder: GatewayFolder
  private let metrics = MetricRegistry()
  private let readiness = Readiness()
  private let consoleAddress: SocketAddress
  private let consoleConnections: Int
  private let names: [String]
  private let settings: GatewaySettings
  private let reread: () throws(LayeredOptions.Failure) -> GatewaySettings?
  private var console: ConsoleServer?
  private var phones: VirtualPhones?
  private var history: MetricHistory?
  private var signals: SignalWatcher?
  private lazy var service = ServiceNotifier(on: loop)
  private var status: Int32 = 0

  /// Creates a run with these settings; on SIGHUP, `reread` reads the settings again.
  init(
    _ settings: GatewaySettings,
    reread: @escaping () throws(LayeredOptions.Failure) -> GatewaySettings?
  ) throws {
    loop = try EventLoop()
    self.settings = settings
    self.reread = reread
    let configuration = settings.configuration
    log = LogOptions.log("gateway", settings.options)
    readyFile = settings.readyFile
    folder = GatewayFolder(path: configuration.folder)
    do {
      if !FileSystem.exists(folder.path) { try Self.requireFree(console: settings.console) }
      server = try GatewayServer(
        configuration: configuration, loop: loop, metrics: metrics,
        makeCarrier: ProviderCarrier.factory(), log: log)
    } catch {
      // If another gateway already uses the folder, the ready file might belong to that gateway.
      if !error.isFolderBusy, let readyFile { try FileSystem.remove(readyFile) }
      throw error
    }
    // Remove the ready file of a gateway that was killed, which could be mistaken for this gateway's file.
    if let readyFile { try FileSystem.remove(readyFile) }
    consoleAddress = settings.console
    consoleConnections = configuration.consoleConnections
    names = configuration.names
  }

  /// Throws if another program uses the console's port.
  ///
  /// The result can change before the console opens, so this check only prevents a new folder from being created by a
  /// start that must fail.
  private static func requireFree(
    console address: SocketAddress
  ) throws(GatewayServer.Failure) {
    guard address.port != 0 else { return }
    do throws(SystemFailure) {
      Socket.close(try Socket.listen(on: address))
    } catch {
      let failure = ListenFailure(
        option: "console-port", hostOption: "console-host", port: address.port, reason: error)
      throw GatewayServer.Failure.setup("the gateway cannot start: \(failure)")
    }
  }

  /// Runs until a signal or a failure.
  ///
  /// Returns the exit status.
  func untilStopped() -> Int32 {
    do {
      signals = try SignalWatcher(on: loop) { [unowned self] signal in
        if signal == .hangup { return reload() }
        shutDown()
      }
      server.onDrainRequested = { [unowned self] in
        log.info("an administrator asked this node to stop")
        shutDown()
      }
      try server.start(
        onReady: { [unowned self] in ready($0) },
        onFailed: { [unowned self] in fail($0) },
        onStopped: { [unowned self] in
          phones?.close()
          history?.stop()
          console?.stop()
          loop.stop()
        })
    } catch {
      Output.error(error)
      return 1
    }
    loop.run()
    return status
  }

  private func shutDown() {
    log.info("shutting down: notifying providers and devices, keeping accepted notifications")
    readiness.isReady = false
    service.stopping()
    // Stop the history first: it reads the store's file, and the store must be the last to use that file.
    history?.stop()
    server.drain()
  }

  /// Applies the current configuration file, environment file, and certificates without closing any connections.
  private func reload() {
    guard readiness.isReady else { return }
    let new: GatewaySettings
    do throws(LayeredOptions.Failure) {
      guard let read = try reread() else { return }
      new = read
    } catch {
      let what: [String] =
        switch error {
        case .usage(let problem): ["\(problem)"]
        case .configuration(let faults): faults
        }
      for fault in what {
        log.error("keeping the previous configuration: the new one is invalid", ["what": fault])
      }
      return
    }
    let needRestart: [String]
    do {
      needRestart = try server.follow(new.configuration) + settings.needingRestart(in: new)
    } catch {
      return log.error(
        "keeping the previous configuration: the new one is invalid", ["what": "\(error)"])
    }
    log.info("reloaded the configuration and the certificates")
    if !needRestart.isEmpty {
      log.warning(
        "some options need a restart", ["options": needRestart.joined(separator: ",")])
    }
  }

  private func openConsole(_ opened: GatewayServer.Description) throws {
    let history = try MetricHistory(
      of: metrics, countWaiting: folder.notificationCounter(storesIn: settings.configuration.store),
      archive: folder.metricArchiveFile)
    self.history = history
    addMetrics(history)
    let (administration, condition) = (server.administration, server.condition)
    let gateway = TestPushes.Gateway(
      host: opened.host, port: opened.ports.providers.first ?? 0, folder: folder)
    let (token, names) = (server.adminToken, names)
    let phones = VirtualPhones(host: opened.host, port: opened.ports.device, folder: folder)
    self.phones = phones
    console = try ConsoleServer(
      address: consoleAddress, option: "console-port", hostOption: "console-host",
      connections: consoleConnections
    ) { [consoleAddress, metrics, readiness, log] port in
      let api = AdminRouter(
        administration: administration, token: token, metrics: metrics, condition: condition,
        history: history, description: opened.status(console: (consoleAddress.host, port)),
        log: log.child("console")
      ) { readiness.isReady }
      let router = ConsoleRouter(
        api: api, token: token, names: names, port: port, gateway: gateway, phones: phones)
      return { router.answer($0) }
    }
  }

  /// Adds the metrics that are read only on request.
  private func addMetrics(_ history: MetricHistory) {
    metrics.gauge(
      "belfry_build_info", help: "1, with the version and the commit as labels.",
      labels: ["version": Version.current, "commit": Version.commit]
    ).set(1)
    metrics.addProcess(descriptorLimit: settings.configuration.descriptors)
    GatewayGauges.add(to: metrics, condition: server.condition, history: history) { [readiness] in
      readiness.isReady
    }
  }

  /// Writes the information for clients to the gateway's folder and to the ready file.
  private func write(_ description: GatewayServer.Description) throws(SystemFailure) {
    var description = description
    description.consolePort = console?.port ?? 0
    let json = description.json(
      consoleHost: consoleAddress.host, names: names)
    let text = Array((json + "\n").utf8)
    try FileSystem.write(text, to: folder.descriptionFile, mode: 0o600)
    if let readyFile { try FileSystem.write(text, to: readyFile, mode: 0o600) }
  }

  private func ready(_ opened: GatewayServer.Description) {
    do {
      try openConsole(opened)
      readiness.isReady = true
      try write(opened)
      server.didStart()
    } catch {
      fail("\(error)")
      return
    }
    server.onDescriptionChanged = { [unowned self] changed in
      do throws(SystemFailure) {
        try write(changed)
      } catch {
        log.error("cannot update gateway.json or the ready file", ["why": "\(error)"])
      }
    }
    service.ready()
    let ports = opened.ports
    let providers = ports.providers.map { "\($0)" }.joined(separator: ",")
    log.info(
      "ready",
      [
        "provider": providers,
        "insecureProvider": ports.insecureProvider.map { "\($0)" } ?? "off",
        "device": "\(ports.device)", "data": folder.path,
        "webPush": (ports.webPush ?? ports.insecureWebPush).map { "\($0)" } ?? "off",
      ])
    log.info(
      "console ready: sign in with the link that '\(consoleCommand)' prints, or with the admin token",
      [
        "console": consoleAddress.consoleURL(port: console?.port ?? 0),
        "tokenFile": folder.adminTokenFile,
      ])
  }

  /// The command that prints a link to the console, with `--data` unless the gateway uses the default folder.
  private var consoleCommand: String {
    StateFolders.isKnown && folder.path == FileSystem.absolute(StateFolders.usualGateway)
      ? "belfry console" : "belfry console --data \(ShellWords.quoted(folder.path))"
  }

  private func fail(_ why: String) {
    Output.error(
      readiness.isReady ? "the gateway stops" : "the gateway cannot start", do: why)
    status = 1
    server.drain()
  }
}

/// A flag that shows probes on other threads whether every listener accepts connections.
private final class Readiness: Sendable {
  private let flag = Atomic<Bool>(false)

  var isReady: Bool {
    get { flag.load(ordering: .acquiring) }
    set { flag.store(newValue, ordering: .releasing) }
  }
}

extension GatewayServer.Description {
  /// Returns the members of the status that don't change while the gateway runs, such as its version and addresses.
  func status(console: (host: String, port: UInt16)) -> JSONObject {
    func address(_ port: UInt16?, host: String? = nil) -> JSONValue? {
      let host = host ?? self.host
      return port.map { .string("\(host.contains(":") ? "[\(host)]" : host):\($0)") }
    }
    var members: JSONObject = [
      "version": .string(Version.current), "commit": .string(Version.commit),
    ]
    members["providerAddress"] = address(ports.providers.first)
    if ports.providers.count > 1 {
      members["providerAddresses"] = .array(ports.providers.compactMap { address($0) })
    }
    members["deviceAddress"] = address(ports.device)
    members["binaryAddress"] = address(ports.binary)
    members["feedbackAddress"] = address(ports.feedback)
    members["consoleAddress"] = address(console.port, host: console.host)
    return members
  }

  /// Returns the object for the ready file; `names` are the host names that the operator configured.
  func json(consoleHost: String, names: [String]) -> String {
    var ports: [(String, JSONValue)] = [
      ("provider", .integer(Int64(self.ports.providers.first ?? 0)))
    ]
    if self.ports.providers.count > 1 {
      ports.append(("providers", .array(self.ports.providers.map { .integer(Int64($0)) })))
    }
    ports.append(("device", .integer(Int64(self.ports.device))))
    ports.append(("binary", .integer(Int64(self.ports.binary))))
    ports.append(("feedback", .integer(Int64(self.ports.feedback))))
    ports.append(("console", .integer(Int64(consolePort))))
    if let insecure = self.ports.insecureProvider {
      ports.append(("insecureProvider", .integer(Int64(insecure))))
    }
    if let webPush = self.ports.webPush {
      ports.append(("webPush", .integer(Int64(webPush))))
    }
    if let insecure = self.ports.insecureWebPush {
      ports.append(("insecureWebPush", .integer(Int64(insecure))))
    }
    let namesIfAny: [(String, JSONValue)] =
      names.isEmpty ? [] : [("names", .array(names.map { .string($0) }))]
    return JSONValue.object(
      JSONObject(
        [
          ("pid", .integer(Int64(getpid()))), ("environment", .string(environment.name)),
          ("host", .string(host)), ("consoleHost", .string(consoleHost)),
          ("ports", .object(JSONObject(ports))),
          ("caFile", .string(authorityFile)), ("teamID", .string(teamID)),
          ("keyID", .string(keyID)), ("keyFile", .string(keyFile)),
          ("enrollmentCode", .string(enrollmentCode)),
          ("adminTokenFile", .string(adminTokenFile)),
        ] + namesIfAny + (node.map { [("node", .string($0))] } ?? []))
    ).text
  }
}
