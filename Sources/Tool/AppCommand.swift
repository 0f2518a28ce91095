import Agent
import AppLink
import BelfryWire
import AppWire
import Glibc
import System

/// `belfry app`: acts as an app from a shell, and lists the apps.
enum AppCommand {
  private static let summary = """
    usage: belfry app run APP_ID [OPTION]…        act as an app, and print one JSON line per callback
           belfry app install DIR|FILE.desktop    install or update an app
           belfry app list [--json]               list the apps
           belfry app remove APP_ID               remove an app and all its data
           belfry app token APP_ID [--kind KIND]  print the app's device token in hex

    """

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
      Output.text(summary)
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
      AgentControl.show(
        try agent.ask(.install(path: path)).rows, .headings(of: "apps"),
        asJSON: options.has("json"))
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
      let isJSON = options.has("json")
      let rows = try agent.ask(.apps).rows.map { row in
        var row = row
        if !isJSON, row["state"] == "notRunning" { row["state"] = "not running" }
        return row
      }
      AgentControl.show(rows, .headings(of: "apps"), asJSON: isJSON)
    }
  }

  static let removeTable = OptionTable(
    command: "belfry app remove",
    summary: "Removes an app and its notifications, settings and registrations.",
    positionals: "APP_ID", positionalCount: 1...1, [AgentControl.socketOption])

  private static func remove(_ arguments: [String]) -> Int32 {
    AgentControl.run(arguments, removeTable) { options, agent in
      _ = try agent.ask(.removeApp(options.positionals[0]))
    }
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
      guard let token = try answer.get() else {
        throw AppLinkFailure(
          .unknownApp,
          "\(app) has no \(kind.name) token: register the app, for example with 'belfry app run \(app) "
            + "--register'")
      }
      Output.line(token)
    }
  }

  /// The time, in microseconds, between two queries of `belfry app token --wait`.
  private static let tokenPauseMicroseconds: UInt32 = 100_000
}
