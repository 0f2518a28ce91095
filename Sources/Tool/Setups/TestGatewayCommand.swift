import BelfryWire
import PushWire
import Foundation
import Glibc
import System

/// `belfry test-gateway`: runs a command with its own gateway and virtual devices.
enum TestGatewayCommand {
  static let table = OptionTable(
    command: "belfry test-gateway",
    summary: """
      Starts a gateway and virtual devices on free ports in a temporary folder, runs COMMAND, stops everything, and
      exits with COMMAND's status (128 plus the signal number if a signal terminated COMMAND).

      The environment of COMMAND contains BELFRY_HOST, BELFRY_PROVIDER_PORT, BELFRY_CA, BELFRY_KEY_FILE,
      BELFRY_KEY_ID, BELFRY_TEAM_ID, BELFRY_TOPIC, BELFRY_TOKEN (the first device's token), BELFRY_TOKENS (the tokens
      of all devices, up to 1,000, separated by spaces), BELFRY_TOKENS_FILE (a file with one token per line),
      BELFRY_RECEIVED (a file with one JSON line per push that a device has received), BELFRY_GATEWAY (the gateway's
      data folder, which other belfry commands then use) and BELFRY_INSECURE_PROVIDER_PORT (the provider API without
      TLS).

      With several --app options, these tokens and this topic belong to the first app. BELFRY_TOPIC_1, BELFRY_TOKEN_1,
      BELFRY_TOPIC_2, BELFRY_TOKEN_2 and so on contain the topics and the first device's tokens, in the order of the
      --app options. BELFRY_TOKENS_JSON is a JSON object with all tokens by topic, up to 1,000.

      'belfry device order' controls the devices: it can, for example, take them offline or unregister their tokens.
      'belfry device received' prints the pushes that the devices have received.
      """,
    positionals: "-- COMMAND…", positionalCount: 1...100_000,
    [
      .repeatable(
        "app", "BUNDLE-ID[:TYPE]", isRequired: true,
        "an app that the devices register for this type of push, or for alert pushes if no type is "
          + "given"),
      .value("count", "N", default: "1", "number of devices"),
      .value(
        "environment", "sandbox|production", default: "sandbox", "the gateway's APNs environment"),
      .value(
        "data", "DIR",
        "data folder to use instead of a temporary folder: new, empty, or from an earlier run, which "
          + "had the same tokens"),
      .flag("keep", "keep the temporary folder and print its path"),
    ])

  /// Runs the command's own process, which checks the options and passes them to the keeper.
  static func run(_ arguments: [String]) -> Int32 {
    do throws(CommandLineOptions.Problem) {
      let options = try CommandLineOptions(arguments, by: table)
      if options.wantsHelp {
        Output.help(table)
        return 0
      }
      _ = try TestGatewayRun(options, keeperOf: nil)
      return ProgramSupervisor.run(["test-gateway"] + arguments)
    } catch {
      Output.error(error)
      return 2
    }
  }

  /// Runs the keeper for the process `parent`.
  static func runKeeper(_ arguments: [String], parent: pid_t) -> Int32 {
    do {
      let options = try CommandLineOptions(arguments, by: table)
      return try TestGatewayRun(options, keeperOf: parent).run()
    } catch let interruption as ProgramSupervisor.Interruption {
      return 128 + interruption.signal
    } catch {
      Output.error(error)
      return 1
    }
  }
}

/// A run of `belfry test-gateway`.
struct TestGatewayRun {
  private let apps: [TestDevices.App]
  private let count: Int
  private let environment: String
  private let dataFolder: String?
  private let keepsFolder: Bool
  private let command: [String]
  private let parent: pid_t?

  init(_ options: CommandLineOptions, keeperOf parent: pid_t?) throws(CommandLineOptions.Problem) {
    _ = try options.required("app")
    var apps: [TestDevices.App] = []
    for text in options.values("app") {
      let app = try Self.app(text)
      guard !apps.contains(app) else {
        throw .badValue(key: "app", value: text, wanted: "each app and type once")
      }
      guard apps.count < Self.appsMax else {
        throw .badValue(key: "app", value: text, wanted: "at most \(Self.appsMax) apps")
      }
      apps.append(app)
    }
    self.apps = apps
    count = try options.integer("count", in: 1...100_000) ?? 1
    environment = try options.choice("environment", of: ["sandbox", "production"]) ?? "sandbox"
    dataFolder = options.value("data").map(FileSystem.absolute)
    keepsFolder = options.has("keep") || dataFolder != nil
    command = options.positionals
    self.parent = parent
  }

  /// The maximum number of apps in a run; each app has two environment variables.
  private static let appsMax = 100

  private static func app(
    _ text: String
  ) throws(CommandLineOptions.Problem) -> TestDevices.App {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    let bytes = Array(name.utf8)
    guard TopicParts.isWellFormed(bytes.span) else {
      throw .badValue(
        key: "app", value: text,
        wanted: "an app ID of 1 to 255 letters, digits, dots, hyphens and underscores, such as "
          + "com.example.app")
    }
    guard let kind = parts.count < 2 ? .alert : TokenKind(name: String(parts[1])) else {
      let types = TokenKind.allCases.map { "\($0.name)" }
      throw .badValue(
        key: "app", value: text,
        wanted:
          "BUNDLE-ID or BUNDLE-ID:TYPE, where TYPE is \(CommandLineOptions.list(types)); for several types, "
          + "repeat --app")
    }
    return TestDevices.App(bundleID: name, kind: kind)
  }

  func run() throws -> Int32 {
    guard let parent else { return 1 }
    let supervisor = try ProgramSupervisor(keeperOf: parent)
    let folder = try dataFolder ?? Self.temporaryFolder()
    func removeFolder() {
      if !keepsFolder { try? FileManager.default.removeItem(atPath: folder) }
    }
    supervisor.onAbandoned = removeFolder
    defer {
      supervisor.killAll()
      removeFolder()
      if keepsFolder, dataFolder == nil { Output.error("keeping test data", do: folder) }
    }
    try FileSystem.makeDirectories(folder)
    try Self.requireOwnFolder(folder)
    // Environment variables that specify another gateway don't apply to this gateway.
    for name in ProcessInfo.processInfo.environment.keys
    where name.hasPrefix(GatewaySettings.variablePrefix) { unsafe unsetenv(name) }
    let gateway = try SetupGateway.start(
      in: folder + "/gateway", logFile: folder + "/gateway.log", options: gatewayOptions,
      by: supervisor)
    let devices = try TestDevices.start(
      count, of: gateway, apps: apps, in: folder, by: supervisor)
    let program = try supervisor.start(command) { launch in
      let variables = ProcessInfo.processInfo.environment
        .merging(variables(gateway, devices)) { $1 }
      launch.environment = variables.map { "\($0.key)=\($0.value)" }
    }
    let status = supervisor.wait(for: program) {
      gateway.program.status != nil || devices.program.status != nil
    }
    guard let status else {
      supervisor.stop(program)
      let part = gateway.program.status != nil ? gateway.program : devices.program
      let name = gateway.program.status != nil ? "the gateway" : "the devices"
      throw SetupGateway.Failure(
        description: "\(name) exited before the command: "
          + SetupGateway.lastLine(of: part.logFile ?? ""))
    }
    // Stop the devices first, so that they don't notice that the gateway stops. After that, all received pushes have
    // been written.
    supervisor.stop(devices.program)
    supervisor.stop(gateway.program)
    return status
  }

  private var gatewayOptions: [String] {
    let listeners = ["provider", "device", "binary", "feedback", "console", "insecure-provider"]
    return listeners.flatMap { ["--\($0)-port", "0"] } + ["--environment", environment]
  }

  private func variables(_ gateway: SetupGateway, _ devices: TestDevices) -> [String: String] {
    var variables = [
      "BELFRY_HOST": gateway.host, "BELFRY_PROVIDER_PORT": "\(gateway.port("provider"))",
      "BELFRY_INSECURE_PROVIDER_PORT": "\(gateway.port("insecureProvider"))",
      "BELFRY_CA": gateway.caFile, "BELFRY_KEY_FILE": gateway.keyFile,
      "BELFRY_KEY_ID": gateway.keyID, "BELFRY_TEAM_ID": gateway.teamID,
      "BELFRY_GATEWAY": gateway.folder, "BELFRY_TOPIC": apps.first?.topic ?? "",
      "BELFRY_TOKEN": devices.tokens.first ?? "",
      "BELFRY_TOKENS": devices.tokens.prefix(Self.environmentTokensMax).joined(separator: " "),
      "BELFRY_TOKENS_FILE": devices.tokensFile,
      "BELFRY_RECEIVED": devices.receivedFile,
    ]
    var left = Self.environmentTokensMax
    var byTopic: [(String, JSONValue)] = []
    for (index, app) in apps.enumerated() {
      let tokens = devices.tokens(of: app)
      variables["BELFRY_TOPIC_\(index + 1)"] = app.topic
      variables["BELFRY_TOKEN_\(index + 1)"] = tokens.first ?? ""
      byTopic.append((app.topic, .array(tokens.prefix(left).map { .string($0) })))
      left -= min(left, tokens.count)
    }
    variables["BELFRY_TOKENS_JSON"] = JSONValue.object(JSONObject(byTopic)).text
    return variables
  }

  /// The maximum number of tokens in one environment variable, which the kernel limits to 128 KiB; each token takes up
  /// 65 bytes.
  private static let environmentTokensMax = 1_000

  /// Throws an error if `folder` contains files that an earlier run did not create, because this run would replace some
  /// of them.
  private static func requireOwnFolder(_ folder: String) throws(SystemFailure) {
    guard !FileSystem.isRegularFile(folder + "/gateway/control.sqlite"),
      try !FileSystem.list(folder).isEmpty
    else { return }
    throw .unusable(
      text: folder,
      reason:
        "the folder is not empty, and not from an earlier run: choose a new or empty folder for "
        + "--data")
  }

  private static func temporaryFolder() throws(SystemFailure) -> String {
    let base = StateFolders.variable("TMPDIR") ?? "/tmp"
    var template = Array("\(FileSystem.absolute(base))/belfry-test-gateway-XXXXXX".utf8CString)
    guard let made = unsafe mkdtemp(&template) else {
      let reason = SystemFailure.call(name: "mkdtemp", errno: errno, subject: base).reason
      throw .unusable(
        text: "the temporary folder \(base) (\(reason))",
        reason: "set TMPDIR to an existing folder in which you can create files")
    }
    return unsafe String(cString: made)
  }
}
