import Agent
import AppLink
import BelfryWire
import AppWire
import Glibc
import System

/// `belfry app`: acts as an app from a shell, and lists the apps.
enum AppCommand {
  private static let usages = [
    ("run APP_ID [OPTION]…", "act as an app, and print one JSON line per callback"),
    ("install DIR|FILE.desktop", "install or update an app"),
    ("list [--json]", "list the apps"),
    ("remove APP_ID", "remove an app and all its data"),
    ("token APP_ID [--kind KIND]", "print the app's device token in hex"),
  ]

  /// Returns the text of `--help`, wrapped to `columns` characters per line; nil does not wrap it.
  static func help(columns: Int?) -> String {
    let indent = (usages.map(\.0.count).max() ?? 0) + 20
    return usages.enumerated().map { index, usage in
      let words = (index == 0 ? "usage: " : "       ") + "belfry app " + usage.0
      let gap = String(repeating: " ", count: indent - words.count)
      return WrappedText.text(usage.1, after: words + gap, indent: indent, columns: columns) + "\n"
    }.joined()
  }

  static let tables = [AppRun.table, installTable, listTable, removeTable, tokenTable]

  static func run(_ arguments: [String]) -> Int32 {
    let rest = Array(arguments.dropFirst())
    switch arguments.first {
    case "run": return AppRun.run(rest)
    case "install": return install(rest)
    case "list": return list(rest)
    case "remove": return remove(rest)
    case "token": return token(rest)
    case "--help":
      Output.text(help(columns: Output.helpColumns))
      return 0
    case let word:
      Output.error(
        word.map { "unknown command 'belfry app \($0)'" } ?? "missing command",
        do: "use run, install, list, remove or token")
      return 2
    }
  }

  static let installTable = OptionTable(
    command: "belfry app install",
    summary: "Installs an app, or updates an installed app.",
    positionals: "DIR|FILE.desktop", positionalCount: 1...1,
    [AgentControl.jsonOption, AgentControl.socketOption])

  private static func install(_ arguments: [String]) -> Int32 {
    AgentControl.run(arguments, installTable) { options, agent in
      let path = FileSystem.absolute(options.positionals[0])
      show(try agent.ask(.install(path: path)).rows, options)
      for warning in InstallationWarnings.warnings(ofAppAt: path) {
        Output.error("warning: \(OutputTable.printable(warning))")
      }
    }
  }

  static let listTable = OptionTable(
    command: "belfry app list", summary: "Lists the apps.",
    [AgentControl.jsonOption, AgentControl.socketOption])

  private static func list(_ arguments: [String]) -> Int32 {
    AgentControl.run(arguments, listTable) { options, agent in
      show(try agent.ask(.apps).rows, options)
    }
  }

  /// Prints apps, as a table with the state in words or as JSON lines.
  private static func show(_ rows: [JSONObject], _ options: CommandLineOptions) {
    let isJSON = options.has("json")
    let shown = rows.map { row in
      var row = row
      if !isJSON, row["state"] == "notRunning" { row["state"] = "not running" }
      return row
    }
    AgentControl.show(shown, .headings(of: "apps"), asJSON: isJSON)
  }

  static let removeTable = OptionTable(
    command: "belfry app remove",
    summary: """
      Removes an app, its settings, its pending and delivered notifications, and its device tokens. This cannot be
      undone: if the app registers again, or if you run 'belfry subscribe' again, the token is a new one. On a terminal,
      the command asks for confirmation.
      """,
    positionals: "APP_ID", positionalCount: 1...1,
    [
      .flag(
        "force", "remove the app without confirmation; without a terminal, this is the default"),
      AgentControl.socketOption,
    ])

  private static func remove(_ arguments: [String]) -> Int32 {
    AgentControl.run(arguments, removeTable) { options, agent in
      let app = options.positionals[0]
      // Ask only on a terminal, so that existing scripts keep working.
      let doesAsk =
        !options.has("force") && isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1
      let doesReport = isatty(STDOUT_FILENO) == 1
      var loss: String?
      if doesAsk || doesReport { loss = try dataDeleted(with: app, options) }
      if doesAsk, let loss { try confirmRemoval(of: app, deleting: loss) }
      warnOfProcesses(in: try agent.ask(.removeApp(app)).rows, of: app)
      if doesReport, let loss { Output.line("removed \(app), \(loss)") }
    }
  }

  /// The error for an app that the user decided to keep.
  private struct NotRemoved: Error, CustomStringConvertible {
    let app: String
    var description: String {
      "\(app) was not removed: to remove it, answer y, or use --force"
    }
  }

  /// Returns the data that is deleted together with an app; nil if the agent does not have the app.
  private static func dataDeleted(
    with app: String, _ options: CommandLineOptions
  ) throws -> String? {
    let rows = try AgentControl(options).ask(.apps).rows
    guard let row = rows.first(where: { $0["app"]?.stringValue?.hasSameBytes(as: app) == true })
    else { return nil }
    let isRegistered = row["registered"]?.arrayValue?.isEmpty == false
    return isRegistered
      ? "its settings, its notifications and its device tokens"
      : "its settings and its notifications"
  }

  /// Asks on the terminal whether to remove an app, and throws an error unless the user agrees.
  private static func confirmRemoval(of app: String, deleting loss: String) throws {
    Output.error("removing \(app) also deletes \(loss), and cannot be undone")
    guard Confirmation.isGiven(for: "Remove it?") else { throw NotRemoved(app: app) }
  }

  static let tokenTable = OptionTable(
    command: "belfry app token", summary: "Prints the app's device token in hex.",
    positionals: "APP_ID", positionalCount: 1...1,
    [
      .value("kind", "KIND", default: "alert", "the kind of token, such as voip"),
      .value(
        "wait", "SECONDS", default: "0",
        "number of seconds to wait if the app has not registered yet"),
      AgentControl.socketOption,
    ])

  private static func token(_ arguments: [String]) -> Int32 {
    AgentControl.run(arguments, tokenTable) { options, agent in
      let names = TokenKind.allCases.map { "\($0.name)" }
      let kind = try options.choice("kind", of: names).flatMap(TokenKind.init(name:)) ?? .alert
      let app = options.positionals[0]
      let seconds = try options.integer("wait", in: Int64(0)...86_400) ?? 0
      let end = ContinuousClock.now + .seconds(seconds)
      var answer = Result { try agent.ask(.token(app: app, kind: kind)).token }
      while (try? answer.get()) == nil, ContinuousClock.now < end {
        usleep(tokenPauseMicroseconds)
        answer = Result { try AgentControl(options).ask(.token(app: app, kind: kind)).token }
      }
      if seconds > 0, case .failure(let failure as AppLinkFailure) = answer,
        failure.reason == .unknownApp
      {
        throw AppLinkFailure(
          .unknownApp,
          "no app has connected as '\(app)' within \(seconds) s: start it with BELFRY_APP_ID=\(app), or see "
            + "'belfry app list'")
      }
      guard let token = try answer.get() else {
        throw AppLinkFailure(
          .unknownApp,
          "\(app) has no \(kind.name) token: \(registrationAdvice(kind, app))")
      }
      Output.line(token)
    }
  }

  /// Returns the advice for an app that has no token of this kind.
  static func registrationAdvice(_ kind: TokenKind, _ app: String) -> String {
    let api: String
    switch kind {
    case .alert: return "register the app, for example with 'belfry app run \(app) --register'"
    case .voip, .complication, .fileProvider: api = "PKPushRegistry"
    case .liveActivity: api = "ActivityKit"
    case .mdm, .location, .pushToTalk, .widgets, .controls, .webPush:
      return "the client modules do not register for this kind; use a virtual device, for example "
        + "with 'belfry device run --app \(app):\(kind.name)'"
    }
    return "run an app that registers with \(api)"
  }

  /// The time, in microseconds, between two queries of `belfry app token --wait`.
  private static let tokenPauseMicroseconds: UInt32 = 100_000
}
