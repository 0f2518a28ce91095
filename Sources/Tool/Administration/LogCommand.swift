import BelfryWire
import Gateway
import System

/// `belfry log`: shows the history of accepted notifications, newest last.
enum LogCommand {
  private static let columns = ["at", "state", "reason", "apnsID", "uniqueID", "device", "topic"]
  /// The widths of the columns while the log is followed: those of typical values.
  private static let widths = [20, 19, 14, 36, 36, 10, 0]

  static let verb = AdministrationVerb(
    "log", "",
    "Prints the delivery log, oldest entry first. With an argument, prints only the entries for "
      + "that token, apns-id or apns-unique-id. Without --follow, exits 1 if the argument is a token that the gateway "
      + "did not create and that is not in the log.\n\n"
      + "The gateway keeps refused and relayed pushes only in memory, so the log contains only those since the gateway started.",
    positionals: "[TOKEN|APNS-ID|UNIQUE-ID]", positionalCount: 0...1,
    options: [.flag("follow", "keep printing new lines until interrupted")],
    columns: columns, listing: "notifications",
    finish: { lines, options, _ in
      noteMissingRefusals(options)
      if lines.isEmpty { try requireKnownToken(options) }
      return lines
    }
  ) { .log(of: $0.positionals.first) }

  /// Prints a note if the gateway is not running.
  ///
  /// The user might otherwise conclude that a push that was refused has not been sent.
  private static func noteMissingRefusals(_ options: CommandLineOptions) {
    let folder = FileSystem.absolute(options.value("data") ?? StateFolders.gateway)
    guard (try? GatewayAccess(folder: folder).status()) == nil else { return }
    Output.error(
      "the gateway in \(folder) is not running, so its log does not contain refused pushes",
      do: "to see refused pushes, run 'belfry log' while the gateway is running")
  }

  /// Throws if the argument is a token that the gateway did not create.
  ///
  /// A test that expects an empty log would otherwise pass because of a mistyped token.
  private static func requireKnownToken(_ options: CommandLineOptions) throws {
    guard let text = options.positionals.first, case .token? = DeliveryLogQuery(text) else {
      return
    }
    let folder = FileSystem.absolute(options.value("data") ?? StateFolders.gateway)
    let access = GatewayAccess(folder: folder)
    guard let line = try? access.perform(.checkDeviceToken(text, topic: nil)).first,
      line["device"] == nil
    else { return }
    throw AdministrationFailure(
      .missing, "no device of this gateway has the token \(text)",
      do: "use a token that a device has registered")
  }

  static func run(_ arguments: [String]) -> Int32 {
    guard arguments.contains("--follow"), !arguments.contains("--help") else {
      return AdministrationNoun.run(verb, arguments)
    }
    return verb.table.run(arguments) { options in
      let folder = FileSystem.absolute(options.value("data") ?? StateFolders.gateway)
      try FolderOwner.act(in: folder)
      let access = GatewayAccess(folder: folder)
      var table = GrowingTable(columns: columns, widths: widths)
      try access.follow(try verb.request(options)) { line in
        if options.has("json") {
          Output.json(.object(line))
        } else {
          for row in table.rows(for: line) { Output.line(row) }
        }
      }
      return 0
    }
  }
}
