import AppLink
import BelfryWire
import Foundation
import System

/// `belfry notify`: sends local notifications from a shell.
enum NotifyCommand {
  static let table = OptionTable(
    command: "belfry notify",
    summary: """
      Shows a notification of an app now or later; lists, cancels and looks ahead at pending ones. An
      app that never asked for permission asks first, and the command waits for the answer.
      """,
    positionals: "[TITLE [BODY] | list | cancel [ID] | next ID]", positionalCount: 0...2,
    [
      .value("app", "APP_ID", default: "this shell", "whose notification it is"),
      .value("title", "TEXT", "the title"),
      .value("subtitle", "TEXT", "the subtitle"),
      .value("body", "TEXT", "the text"),
      .value("sound", "NAME", "the sound; 'default' is the system's"),
      .value("badge", "N", "the number on the app's icon; 0 removes it"),
      .value("category", "NAME", "the category, which brings the actions"),
      .value("thread", "ID", "groups notifications"),
      .value("level", "passive|active|timeSensitive|critical", "how much it may interrupt"),
      .value("user-info", "JSON", "the app's own data, an object"),
      .value("id", "ID", default: "a new one", "its name: the same one replaces"),
      .value("in", "DURATION", "after that time: seconds, or such as 90s, 4m, 1h30m, 2d"),
      .value("at", "TIME", "at that time, such as 18:00, 2026-11-21T18:00 or with an offset or Z"),
      .value("zone", "floating|NAME", default: "floating", "the zone of --at"),
      .value("matching", "COMPONENTS", "whenever these match, such as 'weekday=2 hour=9'"),
      .value("near", "LAT,LON,RADIUS_M", "when that place is entered or left"),
      .value("on", "entry|exit", default: "entry", "which way, with --near"),
      .flag("repeat", "again and again, with --in, --matching and --near"),
      .value(
        "every", "minute|hour|day|week|month|quarter|year",
        "again and again, with --at, --in or --matching"),
      .value("count", "N", default: "1", "how many moments, with next"),
      .flag("all", "with cancel: all of them"),
    ] + PermissionWait.entries + [AgentControl.jsonOption, AgentControl.socketOption])

  /// The verbs, which take the place of a title.
  static let verbTables = [
    OptionTable(
      command: "belfry notify list", summary: "Lists what waits for its time or place.",
      [
        .value("app", "APP_ID", "of this app alone"), AgentControl.jsonOption,
        AgentControl.socketOption,
      ]),
    OptionTable(
      command: "belfry notify cancel",
      summary: "Cancels what waits under a name, or with --all everything that waits.",
      positionals: "[ID]", positionalCount: 0...1,
      [
        .value("app", "APP_ID", "of this app, where an id alone is not clear"),
        .flag("all", "all of them"), AgentControl.socketOption,
      ]),
    OptionTable(
      command: "belfry notify next",
      summary: "Prints when a pending notification will be shown, an instant in UTC a line.",
      positionals: "ID", positionalCount: 1...1,
      [
        .value("app", "APP_ID", "of this app, where an id alone is not clear"),
        .value("count", "N", default: "1", "how many moments"), AgentControl.socketOption,
      ]),
  ]

  static func run(_ arguments: [String]) -> Int32 {
    AgentControl.run(arguments, table, verbs: verbTables) { options, agent in
      let app = options.value("app")
      let words = options.positionals
      guard let verb = words.first, verbs.contains(verb) else { return try notify(options, agent) }
      if let key = notificationKeys.first(where: options.isGiven) {
        throw UsageError("--\(key) is of a notification to show: leave it out with '\(verb)'")
      }
      switch (words.first, words.count) {
      case ("list", 1): try list(options, agent)
      case ("cancel", 2): _ = try agent.ask(.cancel(app: app, id: words[1]))
      case ("cancel", 1) where options.has("all"): _ = try agent.ask(.cancel(app: app, id: nil))
      case ("next", 2):
        let count = try options.integer("count", in: Int64(1)...10_000) ?? 1
        for date in try agent.ask(.nextDates(app: app, id: words[1], count: count)).dates {
          Output.line(instant(date))
        }
      default:
        throw UsageError(
          "'\(words.joined(separator: " "))' is not understood: use list, cancel ID, cancel --all or "
            + "next ID")
      }
    }
  }

  private static let verbs = ["list", "cancel", "next"]

  /// The options for the content and the time of a notification.
  private static let notificationKeys = [
    "title", "subtitle", "body", "sound", "badge", "category", "thread", "level", "user-info", "id",
    "in", "at", "zone", "matching", "near", "on", "repeat", "every",
  ]

  private static func notify(_ options: CommandLineOptions, _ agent: AgentControl) throws {
    let app = options.value("app") ?? ShellApp.shell.id
    let wait = try PermissionWait(options)
    let id = options.value("id") ?? UUID().uuidString.lowercased()
    let request = NotificationRequest(
      id: id, content: try content(options),
      trigger: try NotifyTrigger.read(options) { try now(options) })
    if options.value("app") == nil { ShellApp.shell.introduce(options) }
    defer { agent.connection.close() }
    if case .waits = try wait.notify(app, request, on: agent.connection) {
      Output.error(
        "it is shown once somebody allows \(app) to notify",
        do: "answer the question on the device, or type 'belfry settings \(app) notifications=on'")
    }
    if options.has("json") {
      Output.json(["app": .string(app), "id": .string(id)])
    } else {
      Output.line(id)
    }
  }

  /// Returns the agent's clock, in milliseconds since 1970.
  private static func now(_ options: CommandLineOptions) throws -> Int64 {
    let row = try AgentControl(options).ask(.clock).rows.first
    guard let now = row?["date"]?.integerValue else {
      throw AppLinkFailure(.unsupportedMessage, "the agent does not tell its time: update it")
    }
    return now
  }

  private static func list(_ options: CommandLineOptions, _ agent: AgentControl) throws {
    let rows = try agent.ask(.scheduled(app: options.value("app"))).rows.map { row in
      var row = row
      row["next"] = row["next"]?.integerValue.map { .string(instant($0)) }
      return row
    }
    AgentControl.show(rows, asJSON: options.has("json"))
  }

  /// Formats a time as RFC 3339 in UTC, with a fraction only if it is not zero.
  private static func instant(_ unixMilliseconds: Int64) -> String {
    let text = Timestamp.rfc3339(unixMilliseconds: unixMilliseconds)
    return text.hasSuffix(".000Z") ? String(text.dropLast(5)) + "Z" : text
  }

  private static func content(_ options: CommandLineOptions) throws -> NotificationContent {
    var content = NotificationContent()
    let words = options.positionals
    for (index, key) in ["title", "body"].enumerated()
    where index < words.count && options.value(key) != nil {
      throw UsageError("'\(words[index])' and --\(key) are both the \(key): give one")
    }
    content.title = NotificationText(options.value("title") ?? words.first ?? "")
    content.subtitle = NotificationText(options.value("subtitle") ?? "")
    content.body = NotificationText(
      options.value("body") ?? (words.count > 1 ? words[1] : ""))
    content.sound = options.value("sound").map {
      NotificationSound(name: $0 == "default" ? nil : $0)
    }
    content.badge = try options.integer("badge", in: Int64(0)...Int64(Int32.max))
    content.category = options.value("category") ?? ""
    content.thread = options.value("thread") ?? ""
    if let level = try options.choice("level", of: InterruptionLevel.allCases.map(\.rawValue)) {
      content.interruptionLevel = InterruptionLevel(rawValue: level) ?? .active
    }
    if let text = options.value("user-info") {
      guard let object = (try? JSONValue(parsing: text))?.objectValue else {
        throw CommandLineOptions.Problem.badValue(
          key: "user-info", value: text, wanted: "a JSON object, such as '{\"a\":1}'")
      }
      content.userInfo = object
    }
    guard !content.isEmpty else {
      throw UsageError("there is nothing to show: give a title, --body, --sound or --badge")
    }
    return content
  }
}
