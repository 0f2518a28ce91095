import Agent
import AppLink
import BelfryWire
import AppWire
import Glibc
import System
import Transport

/// `belfry agent`: runs the device's daemon until SIGTERM or SIGINT.
enum AgentCommand {
  static let table = OptionTable(
    command: "belfry agent",
    summary: """
      Runs the device's notification service, which shows the notifications of apps and stays connected to a gateway.
      Without --gateway, the agent rejoins the gateway that it last joined by address or invitation. If it has never
      joined a gateway that way, it joins the current user's gateway as soon as that gateway is running. With
      --gateway none, the agent handles only local notifications.
      """,
    [
      .value(
        "data", "DIR", default: "$XDG_STATE_HOME/belfry/agent",
        "folder for the agent's identity, apps and history"),
      .value(
        "socket", "PATH", default: "$XDG_RUNTIME_DIR/belfry/agent.sock",
        "the socket that apps connect to"),
      .value(
        "gateway", DeviceGateway.optionName + "|none",
        default:
          "the gateway last joined by address or invitation; otherwise, the current user's gateway",
        "a gateway.json file, the address of a gateway's device port, an invitation, or an "
          + "invitation file (see 'belfry device invite')"),
      .value("ca", "FILE", "the gateway's CA certificate (PEM)"),
      .value(
        "enroll", "CODE",
        "the gateway's enrollment code, which the agent needs only to enroll"),
      .repeatable(
        "presenter", "desktop|terminal|json",
        default: "desktop if a session bus is available; otherwise, terminal",
        "how notifications are shown"),
      .value(
        "grant", "ask|all|TYPES|none", default: "ask",
        "the response to an app's request for permission; TYPES is a list such as alert,sound"),
      .value(
        "pending-limit", "N", default: "64", "maximum number of pending notifications per app"),
      .value(
        "clock", "system|manual", default: "system",
        "manual: only 'belfry clock' changes the time"),
      .value(
        "unifiedpush", "on|off", default: "on",
        "on: apps on the session bus can register for Web Push messages (see "
          + "'belfry unifiedpush')"),
      LogOptions.level, LogOptions.format, LogOptions.file,
      .value("ready-file", "FILE", "file to write once apps can connect"),
      .value(
        "received", "FILE",
        "write each received push to this file, for 'belfry device received'; once the agent has a gateway, it empties "
          + "the file of an earlier run, and refuses a file with other content"),
      .flag(
        "install",
        "start the agent with these options at each login, and also now if the user's systemd is "
          + "running"),
      .flag(
        "uninstall",
        "no longer start the agent at login, and stop it if the user's systemd has started it"),
    ])

  static func run(_ arguments: [String]) -> Int32 {
    table.run(arguments) { options in
      let configuration = try Self.configuration(options)
      guard let arguments = try installedArguments(options) else {
        return try serve(configuration, options)
      }
      let installation = try AgentInstallation()
      let isRunning = { (try? AgentControl(options).ask(.clock)) != nil }
      if options.has("install") {
        try installation.install(arguments, isRunning: isRunning)
      } else {
        try installation.uninstall {
          (try? AgentControl(options).ask(.diagnose).rows).map(AgentInstallation.stopAdvice)
        }
      }
      return 0
    }
  }

  private static func serve(
    _ configuration: AgentConfiguration, _ options: CommandLineOptions
  ) throws -> Int32 {
    var configuration = configuration
    SignalWatcher.blockSignals()
    configuration.descriptors = DescriptorLimit.raise()
    try FolderOwner.act(in: configuration.dataFolder)
    let loop = try EventLoop()
    configuration.socketDescriptor = try ActivationSocket.descriptor(at: configuration.socketPath)
    let daemon = try AgentDaemon(configuration, on: loop)
    // Only the agent that owns the data folder can change the remembered gateway.
    try remember(options)
    let service = ServiceNotifier(on: loop)
    let signals = try SignalWatcher(on: loop, for: [.terminate, .interrupt]) { _ in
      service.stopping()
      daemon.stop()
      // Stop in the loop's next turn, so that the current turn sends the output that the shutdown has queued.
      loop.schedule(afterNanoseconds: 0) { loop.stop() }
    }
    service.ready()
    loop.run()
    signals.close()
    return 0
  }

  /// Returns the arguments for the agent to install, or nil if the command should run an agent itself.
  private static func installedArguments(_ options: CommandLineOptions) throws -> [String]? {
    guard options.has("install") || options.has("uninstall") else { return nil }
    guard !(options.has("install") && options.has("uninstall")) else {
      throw UsageError("--install and --uninstall cannot be combined: use one of them")
    }
    // A running agent can wait for its gateway's file, but a misspelled path must not be installed.
    if options.has("install"), let given = options.value("gateway"),
      let file = DeviceGateway.awaitedFile(given), !FileSystem.exists(file)
    {
      throw DeviceGateway.Problem.badChosenFile(
        FileSystem.absolute(file), reason: "no such file")
    }
    // Make these paths absolute, because the installed agent starts in a different working folder.
    let paths: Set<String> = ["data", "socket", "ca", "ready-file", "log-file"]
    var arguments: [String] = []
    let hasCode =
      options.has("install")
      && (options.value("enroll") != nil
        || options.value("gateway")?.hasPrefix(Invitation.scheme) == true)
    for entry in table.entries {
      if hasCode, ["gateway", "ca", "enroll"].contains(entry.key) { continue }
      for value in options.values(entry.key) {
        let isPath =
          paths.contains(entry.key) || entry.key == "gateway" && FileSystem.exists(value)
        arguments += ["--\(entry.key)", isPath ? FileSystem.absolute(value) : value]
      }
    }
    if hasCode { arguments += ["--gateway", try writeDescription(options)] }
    if let file = environmentGateway(options) { arguments += ["--gateway", file] }
    guard options.has("install") || arguments.isEmpty else {
      throw UsageError("--uninstall cannot be combined with other options")
    }
    return arguments
  }

  /// Returns the file of the gateway in `BELFRY_GATEWAY`, because the installed agent does not get the variable from
  /// this shell; nil if the variable is not set, or if another gateway has precedence over it.
  private static func environmentGateway(_ options: CommandLineOptions) -> String? {
    guard options.has("install"), let folder = StateFolders.variable("BELFRY_GATEWAY"),
      !["gateway", "ca", "enroll"].contains(where: options.isGiven),
      !FileSystem.exists(descriptionFile(options))
    else { return nil }
    let file = FileSystem.absolute(DeviceGateway.usersFile)
    guard FileSystem.exists(file) else {
      Output.error(
        "BELFRY_GATEWAY is \(folder), which contains no gateway.json, so the installed agent does not use it",
        do: "start that gateway, and run this command again")
      return nil
    }
    Output.error("the installed agent uses the gateway in \(folder), because BELFRY_GATEWAY is set")
    return file
  }

  /// Writes a description of the gateway that these options specify to a file that only the user can read, and returns
  /// the file's path.
  ///
  /// The enrollment code must not be an argument, because all users can see a process's arguments.
  private static func writeDescription(_ options: CommandLineOptions) throws -> String {
    let file = descriptionFile(options)
    let folder = FileSystem.parent(of: file)
    let gateway = try DeviceGateway(options)
    let authority = folder + "/gateway-ca.pem"
    let description: JSONObject = [
      "host": .string(gateway.host), "ports": ["device": .integer(Int64(gateway.port))],
      "caFile": .string(authority), "enrollmentCode": .string(gateway.enrollmentCode),
    ]
    try FileSystem.makeDirectories(folder)
    try FileSystem.write(gateway.authorityPEM, to: authority, mode: 0o600)
    try FileSystem.write(Array((description.text + "\n").utf8), to: file, mode: 0o600)
    return file
  }

  /// The file with the description of a gateway that the agent joined by address or invitation.
  private static func descriptionFile(_ options: CommandLineOptions) -> String {
    FileSystem.absolute(options.value("data") ?? StateFolders.agent) + "/gateway.json"
  }

  /// Remembers a gateway that was specified by its address or an invitation, for the next start without `--gateway`.
  ///
  /// If `--gateway` specifies the file of another gateway, the agent forgets the remembered one; `none` applies only to
  /// this start.
  private static func remember(_ options: CommandLineOptions) throws {
    guard let given = options.value("gateway") else { return }
    let file = descriptionFile(options)
    if DeviceGateway.isAddressOrInvitation(given) {
      _ = try writeDescription(options)
    } else if given != "none", FileSystem.absolute(given) != file {
      try? FileSystem.remove(file)
    }
  }

  private static func configuration(
    _ options: CommandLineOptions
  ) throws -> AgentConfiguration {
    try LogOptions.check(options)
    var configuration = AgentConfiguration(
      dataFolder: FileSystem.absolute(options.value("data") ?? StateFolders.agent),
      socketPath: FileSystem.absolute(options.value("socket") ?? StateFolders.socket),
      log: LogOptions.log("agent", options), output: Output.line)
    configuration.attachmentsFolder = StateFolders.attachments
    let presenters = try options.values("presenter").map {
      name throws(CommandLineOptions.Problem) in
      guard let kind = PresenterKind(rawValue: name) else {
        throw .badValue(key: "presenter", value: name, wanted: "desktop, terminal or json")
      }
      return kind
    }
    configuration.presenters = presenters.isEmpty ? nil : presenters
    configuration.grant = try grant(options)
    configuration.pendingLimit = try options.integer("pending-limit", in: 1...1_000_000) ?? 64
    configuration.hasManualClock =
      try options.choice("clock", of: ["system", "manual"]) == "manual"
    configuration.servesUnifiedPush =
      try options.choice("unifiedpush", of: ["on", "off"]) != "off"
    configuration.readyFile = options.value("ready-file").map(FileSystem.absolute)
    configuration.receivedFile = options.value("received").map(FileSystem.absolute)
    configuration.readsInput = !presenters.contains(.json)
    configuration.isGatewayOff = options.value("gateway") == "none"
    configuration.awaitedGateway = awaitedGateway(options)
    if configuration.awaitedGateway == nil { configuration.gateway = try gateway(options) }
    return configuration
  }

  private static func grant(_ options: CommandLineOptions) throws(CommandLineOptions.Problem)
    -> GrantPolicy
  {
    switch options.value("grant") {
    case nil, "ask": return .ask
    case "all": return .all
    case "none": return .none
    case let words?:
      var types: Set<AuthorizationOption> = []
      for word in words.split(separator: ",") {
        guard let type = AuthorizationOption(rawValue: String(word)) else {
          throw .badValue(
            key: "grant", value: words,
            wanted: "ask, all, none, or types such as alert,sound,badge")
        }
        types.insert(type)
      }
      return .types(types)
    }
  }

  /// Returns the gateway to wait for, if its description doesn't exist yet.
  private static func awaitedGateway(
    _ options: CommandLineOptions
  ) -> AgentConfiguration.AwaitedGateway? {
    let file: String
    if let given = options.value("gateway") {
      guard let awaited = DeviceGateway.awaitedFile(given) else { return nil }
      file = awaited
    } else {
      guard StateFolders.isKnown, options.value("ca") == nil, options.value("enroll") == nil,
        !FileSystem.exists(descriptionFile(options))
      else { return nil }
      file = DeviceGateway.usersFile
    }
    guard !FileSystem.exists(file) else { return nil }
    return AgentConfiguration.AwaitedGateway(
      file: FileSystem.absolute(file), isNamed: options.isGiven("gateway")
    ) {
      let gateway = try options.value("gateway").map { _ in try DeviceGateway(options) }
      return (try gateway ?? DeviceGateway(file: file)).forAgent
    }
  }

  private static func gateway(_ options: CommandLineOptions) throws -> AgentConfiguration.Gateway? {
    let given = options.value("gateway")
    let files =
      [descriptionFile(options)] + (StateFolders.isKnown ? [DeviceGateway.usersFile] : [])
    let found = files.first(where: FileSystem.exists)
    guard given ?? found ?? "none" != "none" else {
      // These options require a gateway.
      guard options.value("ca") == nil, options.value("enroll") == nil else {
        throw CommandLineOptions.Problem.required(key: "gateway")
      }
      return nil
    }
    return try DeviceGateway(options, default: found ?? DeviceGateway.usersFile).forAgent
  }
}

extension DeviceGateway {
  /// The gateway in the form that the agent's configuration uses.
  fileprivate var forAgent: AgentConfiguration.Gateway {
    AgentConfiguration.Gateway(
      host: host, port: port, authorityPEM: authorityPEM, enrollmentCode: enrollmentCode)
  }
}
