import Agent
import BelfryWire
import AppWire
import Foundation
import System

/// `belfry center`: lists the delivered notifications, and performs the user's actions on them.
enum CenterCommand {
  static let table = OptionTable(
    command: "belfry center",
    summary: """
      Lists delivered notifications, oldest first. Can also open a notification as if the user clicked it, choose one
      of its actions, or dismiss it. With --page, shows the list as an interactive page in the terminal; with
      --window, shows it in a window.
      """,
    positionals: "[open ID | action ID ACTION | dismiss [ID]]", positionalCount: 0...3,
    [
      .value(
        "app", "APP_ID",
        "the notification's app, if several apps have notifications with this ID"),
      .value("text", "TEXT", "with action: the text for the action's text field"),
      .flag("all", "with dismiss: dismiss all notifications"),
      .flag(
        "page",
        "open an interactive page in the terminal, with keys to open, act on, reply to and clear notifications"
      ),
      .flag("window", "open the belfry-center window on this desktop, and exit immediately"),
      AgentControl.jsonOption, AgentControl.socketOption,
    ])

  private static let appOption = OptionTable.Entry.value(
    "app", "APP_ID", "the notification's app, if several apps have notifications with this ID")

  /// The user's actions on notifications.
  static let verbTables = [
    OptionTable(
      command: "belfry center open", summary: "Opens a notification as if the user clicked it.",
      positionals: "ID", positionalCount: 1...1, [appOption, AgentControl.socketOption]),
    OptionTable(
      command: "belfry center action",
      summary: "Chooses an action of the notification's category.",
      positionals: "ID ACTION", positionalCount: 2...2,
      [
        appOption, .value("text", "TEXT", "the text for the action's text field"),
        AgentControl.socketOption,
      ]),
    OptionTable(
      command: "belfry center dismiss",
      summary: "Dismisses a notification or, with --all, all notifications.",
      positionals: "[ID]", positionalCount: 0...1,
      [appOption, .flag("all", "dismiss all notifications"), AgentControl.socketOption]),
  ]

  static func run(_ arguments: [String]) -> Int32 {
    AgentControl.run(arguments, table, verbs: verbTables) { options, agent in
      if options.has("page"), options.has("window") {
        throw UsageError("--page and --window both show the notifications: use one of them")
      }
      if options.has("page") { return try CenterScreen.run(options) }
      if options.has("window") {
        // The agent would open the window on another desktop.
        guard HelperProgram.hasDisplay(display) else {
          throw HelperProgram.missingDisplay(insteadUse: "belfry center --page")
        }
        _ = try agent.ask(.openCenter(display))
        return
      }
      let request = try request(options)
      let answer = try agent.ask(request)
      // The other requests change something and have no answer to show.
      guard case .center = request else { return }
      let isJSON = options.has("json")
      // Use the time zone in which the agent schedules notifications; a manual clock has its own.
      let zone = isJSON || answer.rows.isEmpty ? "" : try NotifyCommand.zone(options)
      let rows = answer.rows.map { row in
        var row = row
        row["date"] = row["date"]?.integerValue.map {
          .string(
            isJSON
              ? Timestamp.rfc3339(unixMilliseconds: $0) : NotifyCommand.localTime($0, zone: zone))
        }
        return row
      }
      OutputTable.show(
        rows, columns: columns, .headings(of: "notifications"), asJSON: options.has("json"),
        shortening: ["body", "subtitle", "title"])
    }
  }

  /// The columns of the table, which contain the values that the verbs need and the texts that the user sees; `--json`
  /// shows all members.
  private static let columns = ["app", "id", "date", "title", "subtitle", "body", "category"]

  /// The environment variables that a window needs to find this desktop and its screen reader.
  private static var display: [String: String] {
    let names = [
      "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
    ]
    return ProcessInfo.processInfo.environment.filter { names.contains($0.key) }
  }

  private static func request(_ options: CommandLineOptions) throws -> ControlRequest {
    let app = options.value("app")
    let words = options.positionals
    switch (words.first, words.count) {
    case (nil, _): return .center(app: app)
    case ("open", 2): return .open(app: app, id: words[1])
    case ("action", 3):
      return .act(app: app, id: words[1], action: words[2], text: options.value("text"))
    case ("dismiss", 2): return .dismiss(app: app, id: words[1])
    case ("dismiss", 1) where options.has("all"): return .dismiss(app: app, id: nil)
    case ("dismiss", 1): throw UsageError("missing ID for dismiss: add one, or use --all")
    default:
      throw UsageError(
        "invalid arguments '\(words.joined(separator: " "))': expected open ID, action ID ACTION or "
          + "dismiss ID")
    }
  }
}
