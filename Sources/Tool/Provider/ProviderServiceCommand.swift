import ProviderService
import Storage
import System
import Transport

/// `belfry provider`: runs the token registry until SIGTERM or SIGINT.
enum ProviderServiceCommand {
  static let table = OptionTable(
    command: "belfry provider",
    summary: """
      Runs the token registry and the campaign service. Apps register their device tokens over HTTP, and
      browsers their Web Push subscriptions; you send campaigns from the console in the browser or with 'belfry campaign'. In an empty data folder, the
      provider creates all files that it needs. Apps authenticate with 'authorization: Bearer' and their key from
      apps/BUNDLE-ID.key in the data folder; other requests require the admin token instead.
      """,
    [
      .value(
        "data", "DIR", default: "$XDG_STATE_HOME/belfry/provider",
        "folder for the registry, keys and admin token"),
      .value("host", "ADDR", default: "127.0.0.1", "address of the listener"),
      .value(
        "port", "PORT", default: "2199",
        "port of the HTTP listener, which also serves the console"),
      .repeatable("name", "NAME", "a host name by which browsers can open the console"),
      .value(
        "store", "URL", default: "sqlite:",
        "where to keep the registry and campaigns: an SQLite file in the data folder (sqlite:), or a "
          + "PostgreSQL database (postgres://USER@HOST/DATABASE) that no other provider uses"),
      .repeatable(
        "topic", "BUNDLE-ID",
        "an app that can register its tokens; the app's key is generated at the first start"),
      .value(
        "tokens-per-app", "N", default: "1000000",
        "maximum number of registered tokens per app; further tokens are refused"),
      .flag("open", "accept apps without a key (allowed on loopback only)"),
    ] + SendTarget.entries + CampaignWebPush.entries + [
      .value(
        "feedback", "HOST:PORT",
        "a legacy feedback service to query for expired tokens every hour (requires --certificate)"),
      LogOptions.level, LogOptions.format,
      .value("ready-file", "FILE", "file to write once the listener accepts connections"),
    ])

  static func run(_ arguments: [String]) -> Int32 {
    let options: CommandLineOptions
    let address: SocketAddress
    do throws(CommandLineOptions.Problem) {
      options = try CommandLineOptions(arguments, by: table)
      if options.wantsHelp {
        Output.help(table)
        return 0
      }
      address = try Self.address(options)
      try check(options)
    } catch {
      Output.error(error)
      return 2
    }
    SignalWatcher.blockSignals()
    do {
      try FolderOwner.act(in: FileSystem.absolute(options.value("data") ?? StateFolders.provider))
      return try ProviderRun(options, address: address).untilStopped()
    } catch StorageFailure.busy(let path) {
      Output.error(
        "\(path) is locked by another process, such as another provider or 'belfry campaign'",
        do: "stop that process, or use another folder with --data")
      return 1
    } catch {
      Output.error(error)
      return (error as? any CommandFailure)?.exitStatus ?? 1
    }
  }

  private static func address(
    _ options: CommandLineOptions
  ) throws(CommandLineOptions.Problem) -> SocketAddress {
    let host = options.value("host") ?? "127.0.0.1"
    let port: UInt16 = try options.integer("port") ?? 2_199
    guard let address = SocketAddress(host: host, port: port) else {
      throw .badValue(key: "host", value: host, wanted: "an IP address of this machine")
    }
    guard !options.has("open") || address.isLoopback else {
      throw .badValue(key: "host", value: host, wanted: "a loopback address with --open")
    }
    return address
  }

  /// Returns the maximum number of tokens per app.
  static func tokensPerApp(
    _ options: CommandLineOptions
  ) throws(CommandLineOptions.Problem) -> Int64 {
    try options.integer("tokens-per-app", in: 1...1_000_000_000 as ClosedRange<Int64>)
      ?? ProviderRouter.tokensPerAppDefault
  }

  private static func check(
    _ options: CommandLineOptions
  ) throws(CommandLineOptions.Problem) {
    _ = try options.storeLocation()
    for topic in options.values("topic") where !AppKeys.isTopic(topic) {
      throw .badValue(key: "topic", value: topic, wanted: "a bundle identifier")
    }
    if let feedback = options.value("feedback") {
      guard SendTarget.isAddress(feedback) else {
        throw .badValue(key: "feedback", value: feedback, wanted: "an address with a port")
      }
      _ = try options.required("certificate")
    }
    _ = try tokensPerApp(options)
    try LogOptions.check(options)
    _ = try options.choice("apple", of: ["sandbox", "production"])
  }
}
