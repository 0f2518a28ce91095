import Agent
import AppLink
import BelfryWire
import AppWire
import Foundation
import Glibc
import System

/// `belfry notify`: sends local notifications from a shell.
enum NotifyCommand {
  static let table = OptionTable(
    command: "belfry notify",
    summary: """
      Shows a notification for an app, either now or later, and prints its ID. Can also list and cancel pending
      notifications, and print when they will be shown. If the app has never requested permission, the command first
      asks the user and waits for the answer.
      """,
    positionals: "[TITLE [BODY] | list | cancel [ID] | next ID]", positionalCount: 0...2,
    surplusAdvice: "put quotes around a title or a body of several words; see --help",
    verbAdvice: [
      "list": "list takes no ID",
      "cancel": "cancel takes one ID, or --all; 'belfry notify list' shows the IDs",
      "next": "next takes one ID; 'belfry notify list' shows the IDs",
    ],
    [
      .value(
        "app", "APP_ID",
        default: "the app of this shell; with list and cancel --all: all apps",
        "the app that the notification belongs to"),
      .value("title", "TEXT", "the title"),
      .value("subtitle", "TEXT", "the subtitle"),
      .value("body", "TEXT", "the body text"),
      .value("sound", "NAME", "the sound: 'default', or a file in a sounds folder of the app"),
      .value(
        "icon", "FILE", "an image, such as PNG, JPEG or SVG, to show instead of the app's icon"),
      .value("image", "FILE", "a PNG, JPEG or GIF picture to attach"),
      .repeatable(
        "action", "ID=TITLE",
        "a button; the command waits and prints the ID of the chosen button, 'default' for a click "
          + "on the notification, or 'dismissed'"),
      .repeatable(
        "reply", "ID=TITLE",
        "a button with a text field; the entered text is printed on a second line"),
      .value("badge", "N", "the number on the app's icon; 0 removes it"),
      .value(
        "category", "NAME",
        "a category that the app has set, which defines the actions; without such a category, the notification has no "
          + "actions"),
      .value("thread", "ID", "the ID of a group of related notifications"),
      .value("level", "passive|active|timeSensitive|critical", "the interruption level"),
      .value("user-info", "JSON", "a JSON object with the app's own data"),
      .value(
        "id", "ID", default: "generated",
        "the notification's ID; an earlier notification with the same ID is replaced"),
      .value(
        "in", "DURATION",
        "delay: a number of seconds, or a duration such as 90s, 4m, 1h30m or 2d"),
      .value(
        "at", "TIME",
        "when to show the notification, such as 18:00 or 2026-11-21T18:00, optionally with an "
          + "offset or Z"),
      .value(
        "zone", "floating|NAME", default: "floating",
        "the time zone of --at, such as Europe/Paris; floating: the zone that the device is in at "
          + "that time; without effect if --at has an offset or Z"),
      .value(
        "matching", "COMPONENTS",
        "show the notification when these date components match, such as 'weekday=2 hour=9'"),
      .value(
        "near", "LAT,LON,RADIUS_M",
        "show the notification when the device enters or leaves this area"),
      .value(
        "on", "entry|exit", default: "entry",
        "with --near: whether to show the notification on entering or on leaving the area"),
      .flag("repeat", "repeat, with --in, --matching or --near"),
      .value(
        "every", "minute|hour|day|week|month|quarter|year",
        "repeat at this interval (requires --at, --in or --matching)"),
      .value("count", "N", default: "1", "with next: the number of dates"),
      .flag(
        "all",
        "with cancel: cancel the pending notifications of all apps or, with --app, of one app"),
      .flag("force", "with cancel --all: do not ask for confirmation"),
    ] + PermissionWait.entries + [AgentControl.jsonOption, AgentControl.socketOption])

  /// The verbs, any of which can be given in place of a title.
  static let verbTables = [
    OptionTable(
      command: "belfry notify list",
      summary: """
        Lists pending notifications, with their local times. The trigger is a delay, a time or a place. With --json,
        these are "interval", "calendar" and "location", as in the output of 'belfry agent --presenter json', and times
        are in UTC.
        """,
      [
        .value("app", "APP_ID", "only the notifications of this app"), AgentControl.jsonOption,
        AgentControl.socketOption,
      ]),
    OptionTable(
      command: "belfry notify cancel",
      summary: """
        Cancels a pending notification or, with --all, the pending notifications of all apps. With --all, the command
        prints how many it cancelled. On a terminal, the command asks for confirmation before it cancels notifications
        of apps other than the shell, unless --app specifies the app.
        """,
      positionals: "[ID]", positionalCount: 0...1,
      [
        .value(
          "app", "APP_ID",
          "the notification's app, if several apps have notifications with this ID; with --all: cancel only the "
            + "notifications of this app"),
        .flag("all", "cancel all pending notifications"),
        Confirmation.forceOption,
        AgentControl.socketOption,
      ]),
    OptionTable(
      command: "belfry notify next",
      summary: """
        Prints the dates, in UTC, on which a pending notification will be shown, one per line. To see the next date in
        local time, run 'belfry notify list'.
        """,
      positionals: "ID", positionalCount: 1...1,
      [
        .value(
          "app", "APP_ID",
          "the notification's app, if several apps have notifications with this ID"),
        .value("count", "N", default: "1", "number of dates"), AgentControl.socketOption,
      ]),
  ]

  static func run(_ arguments: [String]) -> Int32 {
    // If the command is interrupted while it waits, it withdraws its notification or reports that it still waits.
    let hasButtons = arguments.contains { $0.hasPrefix("--action") || $0.hasPrefix("--reply") }
    if hasButtons || !arguments.contains(where: { verbs.contains($0) }) {
      SignalWatcher.blockSignals([.terminate, .interrupt])
    }
    return AgentControl.run(arguments, table, verbs: verbTables) { options, agent in
      let app = options.value("app")
      let words = options.positionals
      guard let verb = words.first, verbs.contains(verb) else { return try notify(options, agent) }
      if let key = notificationKeys.first(where: options.isGiven) {
        throw UsageError("--\(key) cannot be used with '\(verb)'")
      }
      switch (words.first, words.count) {
      case ("list", 1): try list(options, agent)
      case ("cancel", 2): _ = try agent.ask(.cancel(app: app, id: words[1]))
      case ("cancel", 1) where options.has("all"): try cancelAll(of: app, options, agent)
      case ("next", 2):
        let count = try options.integer("count", in: Int64(1)...10_000) ?? 1
        let dates = try agent.ask(.nextDates(app: app, id: words[1], count: count)).dates
        // Only a notification with --near has no dates.
        if dates.isEmpty {
          Output.error(
            "no dates: '\(words[1])' is shown when the device enters or leaves its area (--near)")
        }
        for date in dates {
          Output.line(instant(date))
        }
      case ("cancel", 1): throw UsageError("missing ID for cancel: add one, or use --all")
      case ("next", 1):
        throw UsageError("missing ID for next: add one; 'belfry notify list' shows the IDs")
      default:
        throw UsageError(
          "invalid arguments '\(words.joined(separator: " "))': expected list, cancel ID, cancel --all or "
            + "next ID")
      }
    }
  }

  private static let verbs = ["list", "cancel", "next"]

  /// The options for a notification's content and time.
  private static let notificationKeys = [
    "title", "subtitle", "body", "sound", "icon", "image", "action", "reply", "badge", "category",
    "thread", "level", "user-info", "id",
    "in", "at", "zone", "matching", "near", "on", "repeat", "every",
  ]

  /// Refuses a mistyped subcommand, which would otherwise be shown as the title of a notification.
  ///
  /// Options for the content or the time of a notification show that the word is a title.
  private static func checkVerb(_ options: CommandLineOptions) throws(UsageError) {
    guard let word = options.positionals.first, !notificationKeys.contains(where: options.isGiven)
    else { return }
    let remedy: String
    if word == "help", options.positionals.count == 1 {
      remedy = "run 'belfry notify --help'."
    } else if let verb = misspelledVerb(word) {
      remedy = "did you mean '\(verb)'?"
    } else {
      return
    }
    throw UsageError(
      "unknown subcommand '\(word)': \(remedy) To show a notification with this title, use --title")
  }

  /// Returns the verb that the user probably meant: one with an additional or a missing letter, or with letters in a
  /// different order.
  ///
  /// A word with another letter, such as "text" or "last", is a title.
  static func misspelledVerb(_ word: String) -> String? {
    guard let verb = Suggestion.nearest(to: word, in: verbs), verb != word else { return nil }
    let (shorter, longer) = word.count < verb.count ? (word, verb) : (verb, word)
    if shorter.count == longer.count { return word.sorted() == verb.sorted() ? verb : nil }
    let isOneLetter = longer.indices.contains { index in
      var rest = longer
      rest.remove(at: index)
      return rest == shorter
    }
    return isOneLetter ? verb : nil
  }

  private static func notify(_ options: CommandLineOptions, _ agent: AgentControl) throws {
    try checkVerb(options)
    let app = options.value("app") ?? ShellApp.shell.id
    guard AppID(app) != nil else { throw UsageError(AppID.message(forInvalid: app)) }
    for key in ["count", "all", "force"] where options.isGiven(key) {
      let verb = key == "count" ? "next" : "cancel"
      throw UsageError("--\(key) requires '\(verb)': remove --\(key)")
    }
    if options.value("id") == "" {
      throw UsageError("invalid value '' for --id: expected at least one character")
    }
    let wait = try PermissionWait(options)
    let id = options.value("id") ?? UUID().uuidString.lowercased()
    let actions = try NotifyActions(options)
    var content = try NotifyContent.read(options)
    let trigger = try NotifyTrigger.read(options) { try now(options) }
    if let image = options.value("image") {
      content.attachments = [try NotifyContent.attachment(image, of: app)]
    }
    if let actions {
      content.actions = actions.list
      // A dismissal is also an answer, and the notification stays until the user answers.
      content.tellsDismissal = true
    }
    let request = NotificationRequest(id: id, content: content, trigger: trigger)
    if options.value("app") == nil { ShellApp.shell.introduce(options) }
    defer { agent.connection.close() }
    let answer = actions?.answer(to: id, of: app, on: agent.connection)
    let added = CommandAnswer()
    let signals = SignalInterruption { interruption in
      added.set(.failure(interruption))
      answer?.set(.failure(interruption))
    }
    defer { withExtendedLifetime(signals) {} }
    /// Removes the notification, whose buttons would have no effect after this command exits.
    func withdraw() {
      // The notification might still be pending.
      for request in [ControlRequest.cancel(app: app, id: id), .dismiss(app: app, id: id)] {
        _ = try? AgentControl(options).ask(request)
      }
    }
    let outcome: PermissionWait.Outcome
    do {
      outcome = try wait.notify(app, request, on: agent.connection, added)
    } catch {
      // Without buttons, the notification outlives the command.
      if actions != nil { try withdrawQuestion(after: error, of: app, withdraw) }
      if let failure = error as? AppLinkFailure, failure.reason == .notificationsNotAllowed {
        throw PermissionWait.refusal(of: app, on: agent.connection)
      }
      if let failure = error as? AppLinkFailure, failure.reason == .notificationInvalidNoDate,
        let text = options.value("at")
      {
        throw CommandLineOptions.Problem.badValue(
          key: "at", value: text, wanted: "a time in the future")
      }
      throw error
    }
    if case .waits = outcome {
      Output.error(
        "the notification is shown once permission is granted",
        do: "answer the question on the device, or run 'belfry settings \(app) notifications=on'")
    }
    if options.value("near") != nil { NotifyWarnings.warnOfUnknownLocation(options) }
    var isHidden = false
    if case .added = outcome, content.hasAlert || actions != nil {
      isHidden = NotifyWarnings.warnOfSettings(app, on: agent.connection) {
        answer?.isThere == true
      }
    }
    if let actions, let answer {
      // A question that could not be shown already has its answer: the reason.
      if !isHidden, !answer.isThere {
        if actions.hasTextField { NotifyWarnings.warnOfMissingTextField(of: id, options) }
        // If the command is a job of the agent's terminal, the user might not be able to type an answer there.
        let level = content.interruptionLevel
        let hasBanner =
          trigger != nil
          || !NotifyWarnings.reportMissingBanner(
            app, breaksThrough: level == .timeSensitive || level == .critical,
            on: agent.connection, options)
        if isatty(STDERR_FILENO) == 1 { Output.error(actions.notice(of: id, hasBanner: hasBanner)) }
      }
      try actions.print(answer, options, withdraw: withdraw)
    } else if options.has("json") {
      Output.json(["app": .string(app), "id": .string(id)])
    } else {
      Output.line(id)
    }
  }

  /// Withdraws a notification with buttons if the wait for permission ended with `error` before the user decided, and
  /// throws the error without the advice about a notification that still waits.
  private static func withdrawQuestion(
    after error: any Error, of app: String, _ withdraw: () -> Void
  ) throws {
    switch error {
    case let interruption as Interruption:
      withdraw()
      throw interruption
    case let interrupted as PermissionWait.Interrupted:
      withdraw()
      throw interrupted.interruption
    case let timedOut as PermissionWait.TimedOut:
      withdraw()
      throw AppLinkFailure(
        .agentUnavailable,
        "timed out: no permission to show notifications within \(timedOut.seconds) s, so the notification was "
          + "withdrawn: grant it with 'belfry settings \(app) notifications=on', and run the command again"
      )
    default: break
    }
  }

  /// Returns the agent's clock, in milliseconds since 1970.
  private static func now(_ options: CommandLineOptions) throws -> Int64 {
    guard let now = try clock(options)["date"]?.integerValue else {
      throw AppLinkFailure(
        .unsupportedMessage, "the agent does not report its time: update the agent")
    }
    return now
  }

  /// Returns the state of the agent's clock: `time`, `date`, and `zone`.
  private static func clock(_ options: CommandLineOptions) throws -> JSONObject {
    try AgentControl(options).ask(.clock).rows.first ?? [:]
  }

  /// Returns the name of the time zone in which the agent schedules notifications.
  static func zone(_ options: CommandLineOptions) throws -> String {
    try clock(options)["zone"]?.stringValue ?? ""
  }

  /// Cancels the pending notifications of an app or, if `app` is nil, of all apps, and prints their number.
  private static func cancelAll(
    of app: String?, _ options: CommandLineOptions, _ agent: AgentControl
  ) throws {
    let rows = try AgentControl(options).ask(.scheduled(app: app)).rows
    // Ask only on a terminal, so that existing scripts keep working.
    if app == nil, !options.has("force"), isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 {
      try confirmCancellation(of: rows)
    }
    _ = try agent.ask(.cancel(app: app, id: nil))
    Output.line("cancelled \(Output.counted(rows.count, "notification"))")
  }

  /// The error for notifications that the user decided to keep.
  private struct NotCancelled: Error, CustomStringConvertible {
    var description: String {
      "nothing was cancelled: to cancel the notifications of all apps, answer y, or use --force; to cancel those of one "
        + "app, use --app"
    }
  }

  /// Asks on the terminal whether to cancel notifications if some belong to apps other than the shell, and throws an
  /// error unless the user agrees.
  private static func confirmCancellation(of rows: [JSONObject]) throws {
    let shell = ShellApp.shell.id
    let others = rows.filter { $0["app"]?.stringValue?.hasSameBytes(as: shell) != true }.count
    guard others > 0 else { return }
    Output.error(
      "this also cancels \(Output.counted(others, "notification")) of other apps; 'belfry notify list' shows them"
    )
    guard Confirmation.isGiven(for: "Cancel all?") else { throw NotCancelled() }
  }

  private static func list(_ options: CommandLineOptions, _ agent: AgentControl) throws {
    let isJSON = options.has("json")
    let found = try agent.ask(.scheduled(app: options.value("app"))).rows
    // Use the time zone in which the agent schedules notifications; a manual clock has its own.
    let zone = isJSON || found.isEmpty ? nil : try zone(options)
    let rows = found.map { row in
      var row = row
      row["next"] = row["next"]?.integerValue.map {
        .string(isJSON ? instant($0) : localTime($0, zone: zone ?? ""))
      }
      if !isJSON, row["waitsForPermission"]?.boolValue == true {
        row["next"] = "waiting for permission"
      }
      if !isJSON {
        row["waitsForPermission"] = nil
        row["repeats"] = .string(repetition(row))
        row["every"] = nil
        row["trigger"] = row["trigger"]?.stringValue.map { .string(triggers[$0] ?? $0) }
      }
      return row
    }
    OutputTable.show(
      rows, columns: ["app", "id", "next", "title", "body", "trigger", "repeats"],
      .headings(of: "pending notifications"), asJSON: isJSON)
  }

  /// The words in the table of pending notifications for the triggers whose names are technical terms.
  private static let triggers = ["interval": "delay", "calendar": "time", "location": "place"]

  /// Returns how often a notification repeats: "no", "every day", or "yes" if the interval is unknown.
  static func repetition(_ row: JSONObject) -> String {
    guard row["repeats"]?.boolValue == true else { return "no" }
    return row["every"]?.stringValue.map { "every \($0)" } ?? "yes"
  }

  /// Formats a time for the user, in the given time zone: "2026-11-21 18:00:00".
  static func localTime(_ unixMilliseconds: Int64, zone: String) -> String {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(identifier: zone) ?? .gmt
    let date = Date(timeIntervalSince1970: Double(unixMilliseconds) / 1_000)
    let parts = calendar.dateComponents(
      [.year, .month, .day, .hour, .minute, .second], from: date)
    func text(_ number: Int?, _ width: Int) -> String {
      let digits = "\(number ?? 0)"
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    return "\(text(parts.year, 4))-\(text(parts.month, 2))-\(text(parts.day, 2)) "
      + "\(text(parts.hour, 2)):\(text(parts.minute, 2)):\(text(parts.second, 2))"
  }

  /// Formats a time as RFC 3339 in UTC, with a fraction only if the fraction isn't zero.
  private static func instant(_ unixMilliseconds: Int64) -> String {
    let text = Timestamp.rfc3339(unixMilliseconds: unixMilliseconds)
    return text.hasSuffix(".000Z") ? String(text.dropLast(5)) + "Z" : text
  }
}
