import Agent
import AppLink
import BelfryWire
import Glibc
import System

/// `belfry dev`: runs a gateway and an agent for app development.
enum DevCommand {
  static let table = OptionTable(
    command: "belfry dev",
    summary: """
      Runs a gateway and an agent until interrupted, and prints the next steps. By default, the agent grants every
      permission. The gateway chooses free ports and uses them again on the next run.
      """,
    [
      .value("app", "APP_ID", default: "com.example.app", "the app to use in the printed commands"),
      .value(
        "data", "DIR", default: "the current user's data folders",
        "data folder for the gateway and the agent"),
      .value(
        "socket", "PATH",
        default:
          "with --data, agent.sock in that folder; otherwise, $XDG_RUNTIME_DIR/belfry/agent.sock",
        "the socket that apps connect to"),
      .repeatable(
        "presenter", "desktop|terminal|json",
        default: "desktop if a session bus is available; otherwise, terminal",
        "how notifications are shown"),
      .value(
        "grant", "ask|all|TYPES|none", default: "all", "the response to requests for permission"),
      .flag(
        "json",
        "print one JSON object instead of the next steps; the terminal presenter then prints to standard error"
      ),
      .value("ready-file", "FILE", "file to write once apps and providers can connect"),
    ])

  /// Runs the command's own process, which checks the options and passes them to the keeper.
  static func run(_ arguments: [String]) -> Int32 {
    do throws(CommandLineOptions.Problem) {
      let options = try CommandLineOptions(arguments, by: table)
      if options.wantsHelp {
        Output.help(table)
        return 0
      }
      _ = try DevRun(options)
      return ProgramSupervisor.run(["dev"] + arguments)
    } catch {
      Output.error(error)
      return 2
    }
  }

  /// Runs the keeper for the process `parent`.
  static func runKeeper(_ arguments: [String], parent: pid_t) -> Int32 {
    do {
      let run = try DevRun(CommandLineOptions(arguments, by: table))
      let supervisor = try ProgramSupervisor(keeperOf: parent)
      defer { supervisor.killAll() }
      try run.untilInterrupted(supervisor)
      return 0
    } catch is ProgramSupervisor.Interruption {
      return 0
    } catch {
      Output.error(error)
      return 1
    }
  }
}

/// A run of `belfry dev`.
struct DevRun {
  private let app: String
  private let gatewayFolder: String
  private let agentFolder: String
  private let socket: String
  private let presenters: [String]
  private let grant: String
  private let isJSON: Bool
  private let readyFile: String?

  init(_ options: CommandLineOptions) throws(CommandLineOptions.Problem) {
    let data = options.value("data").map(FileSystem.absolute)
    app = options.value("app") ?? "com.example.app"
    // The printed commands would refuse an invalid ID.
    guard AppID(app) != nil else { throw .badValue(key: "app", value: app, wanted: AppID.form) }
    gatewayFolder = data.map { $0 + "/gateway" } ?? StateFolders.gateway
    agentFolder = data.map { $0 + "/agent" } ?? StateFolders.agent
    socket =
      options.value("socket").map(FileSystem.absolute)
      ?? data.map { $0 + "/agent.sock" } ?? StateFolders.socket
    presenters = options.values("presenter")
    grant = options.value("grant") ?? "all"
    isJSON = options.has("json")
    readyFile = options.value("ready-file").map(FileSystem.absolute)
  }

  /// Runs until a signal is received or one of the two programs exits.
  func untilInterrupted(_ supervisor: ProgramSupervisor) throws {
    if let readyFile { try FileSystem.remove(readyFile) }
    let gateway = try SetupGateway.start(
      in: gatewayFolder, logFile: gatewayFolder + ".log", options: portOptions, by: supervisor)
    defer { supervisor.stop(gateway.program) }
    let agent = try startAgent(of: gateway, by: supervisor)
    defer { supervisor.stop(agent) }
    DeviceRunFile(agentReadyFile: agentFolder + ".ready.json", received: receivedFile)
      .write(inGateway: gatewayFolder)
    defer { DeviceRunFile.remove(inGateway: gatewayFolder) }
    let guide = DevGuide(gateway: gateway, app: app, socket: socket, agentFolder: agentFolder)
    if isJSON { Output.json(.object(guide.line)) } else { Output.text(guide.text) }
    if let readyFile {
      try FileSystem.write(Array((guide.line.text + "\n").utf8), to: readyFile, mode: 0o600)
    }
    defer { if let readyFile { try? FileSystem.remove(readyFile) } }
    try supervisor.wait { agent.status != nil || gateway.program.status != nil }
    let name = agent.status != nil ? "agent" : "gateway"
    let log = agent.status != nil ? agent.logFile : gateway.program.logFile
    throw SetupGateway.Failure(
      description: "the \(name) exited: \(SetupGateway.lastLine(of: log ?? ""))")
  }

  private var receivedFile: String { agentFolder + ".received.jsonl" }

  private func startAgent(
    of gateway: SetupGateway, by supervisor: ProgramSupervisor
  ) throws -> SupervisedProgram {
    let readyFile = agentFolder + ".ready.json"
    try FileSystem.makeDirectories(FileSystem.parent(of: agentFolder))
    try FileSystem.remove(readyFile)
    let words =
      [
        ProgramSupervisor.path, "agent", "--data", agentFolder, "--socket", socket, "--grant",
        grant,
        // Pass the gateway's description, because an argument would expose the enrollment code in the list of
        // processes.
        "--gateway", gateway.file, "--ready-file", readyFile, "--received", receivedFile,
      ] + presenters.flatMap { ["--presenter", $0] }
    let agent = try supervisor.start(words) {
      // The agent asks the user its questions in this terminal, which also shows its notifications. With --json, a
      // program reads the standard output, so only JSON lines are printed there.
      $0.output = isJSON && !presenters.contains("json") ? STDERR_FILENO : STDOUT_FILENO
      $0.logFile = agentFolder + ".log"
    }
    try supervisor.wait { agent.status != nil || FileSystem.exists(readyFile) }
    guard agent.status == nil else {
      throw SetupGateway.Failure(
        description: "the agent did not start: "
          + SetupGateway.lastLine(of: agentFolder + ".log"))
    }
    return agent
  }

  /// The options for the ports.
  ///
  /// Each listener uses its previous port again if the port is free; otherwise, it uses any free port. Several
  /// developers can therefore share a machine with a gateway on the default ports.
  private var portOptions: [String] {
    let bytes = (try? FileSystem.read(gatewayFolder + "/gateway.json", limit: 65_536)) ?? []
    let ports = (try? JSONValue(parsing: bytes))?.objectValue?["ports"]?.objectValue
    return ["provider", "device", "binary", "feedback", "console"].flatMap { name in
      let last = ports?[name]?.integerValue.flatMap(UInt16.init(exactly:)) ?? 0
      return ["--\(name)-port", Self.isFree(last) ? "\(last)" : "0"]
    }
  }

  private static func isFree(_ port: UInt16) -> Bool {
    guard let address = SocketAddress(host: "127.0.0.1", port: port),
      let descriptor = try? Socket.listen(on: address)
    else { return false }
    Socket.close(descriptor)
    return true
  }
}

/// The instructions for using a running gateway and agent.
struct DevGuide {
  let gateway: SetupGateway
  let app: String
  let socket: String
  let agentFolder: String

  /// The object for `--json` and the ready file.
  var line: JSONObject {
    [
      "event": "ready", "pid": .integer(Int64(getpid())), "gateway": .string(gateway.file),
      "socket": .string(socket), "console": .string(console), "app": .string(app),
      "tokenCommand": .string(tokenCommand), "curl": .string(curl("$(\(tokenCommand))")),
    ]
  }

  /// The instructions as text.
  var text: String {
    """
    A gateway and an agent are running; press Ctrl-C to stop both. In another shell:

    Run your app:
      BELFRY_APP_ID=\(appWord)\(socketVariable) .build/debug/MyApp

    Or act as your app:
      \(belfry) app run \(appWord) --authorize alert,sound,badge --register\(socketOption)

    Get its device token after it has registered, and send it a push:
      TOKEN=$(\(tokenCommand))
      \(belfry) send "$TOKEN" --topic \(appWord) --title Hello\(gatewayOption)
      \(curl("$TOKEN"))

    Print a URL that opens the console in a browser and signs you in:
      \(belfry) console\(dataOption)

    Or sign in with the admin token:
      xdg-open \(console)
      cat \(ShellWords.quoted(gateway.adminTokenFile))

    The logs are in \(gateway.program.logFile ?? "") and \(agentFolder).log

    """
  }

  private var belfry: String { ShellWords.belfry }
  private var appWord: String { ShellWords.quoted(app) }

  // Other commands find the gateway without options only if it is in the current user's default folder.
  private var isUsualGateway: Bool {
    StateFolders.isKnown && gateway.folder == StateFolders.gateway
  }
  private var gatewayOption: String {
    isUsualGateway ? "" : " --gateway \(ShellWords.quoted(gateway.file))"
  }
  private var dataOption: String {
    isUsualGateway ? "" : " --data \(ShellWords.quoted(gateway.folder))"
  }
  private var socketOption: String {
    socket == AgentSocket.path ? "" : " --socket \(ShellWords.quoted(socket))"
  }

  private var socketVariable: String {
    socket == AgentSocket.path ? "" : " BELFRY_SOCKET=\(ShellWords.quoted(socket))"
  }

  private var tokenCommand: String { "\(belfry) app token \(appWord)\(socketOption)" }

  private var console: String { "http://127.0.0.1:\(gateway.port("console"))/" }

  private func curl(_ token: String) -> String {
    CurlLine.text(
      host: gateway.host, port: gateway.port("provider"), caFile: gateway.caFile, topic: app,
      token: token, providerToken: "$(\(belfry) key jwt\(dataOption))", body: "Hello")
  }
}
