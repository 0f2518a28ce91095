import Gateway
import System

/// The settings of `belfry gateway`, from its command line, the environment, and its configuration file.
struct GatewaySettings {
  let options: CommandLineOptions
  private(set) var configuration: GatewayConfiguration
  let console: SocketAddress
  let readyFile: String?
  /// Messages about problems that aren't errors.
  let warnings: [String]
  /// The place in the file or the environment that specifies the operator's certificate.
  let certificatePlace: String?

  /// Reads the settings.
  ///
  /// Returns nil if help was requested.
  init?(_ arguments: [String]) throws(LayeredOptions.Failure) {
    // `--check-config FILE` reads the file in the same way as `--config FILE` does at startup.
    let arguments = arguments.flatMap { argument in
      argument == "--check-config"
        ? ["--check-config=given", "--config"]
        : argument.hasPrefix("--check-config=") && argument != "--check-config="
          ? ["--check-config=given", "--config=" + argument.dropFirst("--check-config=".count)]
          : [argument]
    }
    var layers = try LayeredOptions(
      arguments, by: GatewayCommand.table, prefix: Self.variablePrefix)
    if layers.options.wantsHelp { return nil }
    layers.supplyCredentials(["server-certificate", "server-key"])
    var read: (GatewayConfiguration, SocketAddress)?
    while read == nil {
      do throws(CommandLineOptions.Problem) {
        let configuration = try GatewayCommand.configuration(layers.options)
        read = (configuration, try GatewayCommand.consoleAddress(layers.options))
      } catch {
        // The loop terminates, because each iteration removes a value.
        guard layers.note(error) else { throw .usage(error) }
      }
    }
    try layers.requireFaultless()
    guard let read else { return nil }
    options = layers.options
    warnings = layers.warnings
    certificatePlace = layers.place(of: "server-certificate")?.text
    (configuration, console) = read
    configuration.adminTokenFile = ServiceCredentials.file("admin-token")
    readyFile = options.value("ready-file")
  }

  /// The prefix of environment variables, as in `BELFRY_GATEWAY_PROVIDER_PORT`.
  static let variablePrefix = "BELFRY_GATEWAY_"

  /// Returns the options that differ in `new` and require a restart of the process.
  func needingRestart(in new: GatewaySettings) -> [String] {
    let names = [
      "port-offset", "console-port", "console-host", "log-level", "log-format", "ready-file",
    ]
    return names.filter { name in
      if options.values(name) != new.options.values(name) { return true }
      // The default of the console's port depends on --port-offset, as those of the gateway's other ports.
      return name == "console-port" && console.port != new.console.port
    }
  }
}

extension LayeredOptions.Failure {
  /// Prints the error to standard error.
  ///
  /// Returns the exit status.
  func report() -> Int32 {
    switch self {
    case .usage(let problem):
      Output.error(problem)
      return 2
    case .configuration(let faults):
      for fault in faults { Output.error(fault) }
      return 1
    }
  }
}

/// `belfry gateway check-config FILE` and `belfry gateway --check-config FILE`: checks a configuration file.
enum GatewayCheck {
  static let table = OptionTable(
    command: "belfry gateway check-config",
    summary:
      "Checks a gateway configuration file and prints each error with its line number, without starting or "
      + "changing anything. Exits 1 if there are errors.",
    positionals: "FILE", positionalCount: 1...1, [])

  static func run(_ arguments: [String]) -> Int32 {
    do throws(CommandLineOptions.Problem) {
      let options = try CommandLineOptions(arguments, by: table)
      if options.wantsHelp {
        Output.help(table)
        return 0
      }
      guard let settings = try settings(options.positionals[0]) else { return 1 }
      return run(settings)
    } catch {
      Output.error(error)
      return 2
    }
  }

  /// Returns the settings in a file, without other sources, or nil after printing the errors in the file.
  private static func settings(
    _ file: String
  ) throws(CommandLineOptions.Problem) -> GatewaySettings? {
    do throws(LayeredOptions.Failure) {
      return try GatewaySettings(["--config", file])
    } catch {
      switch error {
      // The error is in the file, even if it isn't on a specific line, for example, if an option is missing.
      case .usage(let problem): Output.error("\(FileSystem.absolute(file)): \(problem)")
      case .configuration(let faults): for fault in faults { Output.error(fault) }
      }
      return nil
    }
  }

  static func run(_ settings: GatewaySettings) -> Int32 {
    for warning in settings.warnings { Output.error(warning) }
    do {
      try settings.configuration.checkCertificate()
      let now = SystemClock.unixMilliseconds / 1_000
      if let problem = try settings.configuration.certificateProblem(nowSeconds: now) {
        Output.error((settings.certificatePlace.map { "\($0): " } ?? "") + problem)
        return 1
      }
    } catch {
      Output.error((settings.certificatePlace.map { "\($0): " } ?? "") + "\(error)")
      return 1
    }
    let file = settings.options.value("config").map(FileSystem.absolute) ?? "the configuration"
    Output.line("\(file) is valid")
    return 0
  }
}
