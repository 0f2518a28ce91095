import BelfryWire
import Glibc
import ProviderService
import System

/// `belfry campaign`: sends a message to many devices, each in its own language and at its local time.
enum CampaignCommand {
  /// The options that specify the provider service.
  static let access: [OptionTable.Entry] = [
    .value(
      "provider", "URL", "address of a running provider service, such as http://127.0.0.1:2199"),
    .value(
      "data", "DIR", default: "$XDG_STATE_HOME/belfry/provider",
      "the provider service's data folder"),
    .value(
      "admin-token", "FILE", default: "admin-token in the data folder",
      "the file that contains the admin token"),
    .flag("json", "one JSON object per line"),
  ]

  /// The options that specify a campaign's recipients and time.
  private static let content: [OptionTable.Entry] = [
    .value(
      "to", "all|tag:T|user:U|FILE", default: "'to' in the campaign file, or all",
      "the recipients; FILE contains one device token per line"),
    .value("name", "NAME", default: "the first title", "the campaign's name"),
    .value(
      "at", "TIME",
      "time to send, such as 2026-11-25T09:00; each device's time zone applies unless the time has "
        + "Z or an offset; a time that has passed for every device is refused; none removes the time"
    ),
    .value("rate", "N/s", "rate limit in pushes per second"),
  ]

  private static let dryRun = OptionTable.Entry.flag(
    "dry-run",
    "show the text and the number of devices for each language, without sending anything")
  private static let detach = OptionTable.Entry.flag(
    "detach", "do not wait; the running provider continues the campaign")

  private static let send = OptionTable(
    command: "belfry campaign send",
    summary: """
      Sends a campaign and waits until every recipient has an outcome. Ctrl-C ends the wait: a running provider
      continues to send the campaign. If no provider is running, the command itself sends the campaign; 'belfry campaign
      resume ID' then continues it, and no device gets the notification twice. A campaign that starts more than a
      minute from now is scheduled: the command exits, and the running provider sends the campaign at that time.
      """,
    positionals: "FILE", positionalCount: 1...1,
    content + [
      .flag("draft", "save the campaign as a draft, without sending it"), dryRun, detach,
    ] + access + SendTarget.entries)

  private static let edit = OptionTable(
    command: "belfry campaign edit",
    summary: """
      Replaces the content of a draft or a scheduled campaign. The recipients, name, time and rate
      are kept unless FILE or an option changes them. Without FILE, the text and the payload are kept, too. A scheduled
      campaign stays scheduled, unless '--at none' removes its time: it is then a draft, which 'belfry campaign resume
      ID' sends.
      """,
    positionals: "ID [FILE]", positionalCount: 1...2,
    content.map {
      switch $0.key {
      case "to": .value("to", "all|tag:T|user:U|FILE", "the recipients")
      case "name": .value("name", "NAME", "the campaign's name")
      default: $0
      }
    }
      + [.flag("draft", "turn a scheduled campaign into a draft")] + access + SendTarget.entries)

  private static func named(
    _ verb: String, _ summary: String, isOptional: Bool = false, isSending: Bool = false,
    hasQuestion: Bool = false
  ) -> OptionTable {
    OptionTable(
      command: "belfry campaign \(verb)", summary: summary,
      positionals: isOptional ? "[ID]" : "ID", positionalCount: (isOptional ? 0 : 1)...1,
      (hasQuestion ? [Confirmation.forceOption] : []) + access
        + (isSending ? [dryRun, detach] : [])
        + (needsService.contains(verb) ? SendTarget.entries : []))
  }

  /// The verbs that can use the push service or its delivery log.
  private static let needsService: Set = ["resume", "report", "cancel"]

  private static let status = named(
    "status", "Shows the status of a campaign, or of all campaigns.", isOptional: true)
  private static let list = OptionTable(
    command: "belfry campaign list", summary: "Lists the campaigns, oldest first.", access)
  private static let show = named(
    "show", "Prints a campaign's content as a campaign file, which 'belfry campaign edit' accepts.")
  private static let pause = named(
    "pause", "Pauses a running campaign. Pushes that are already in flight are completed.")
  private static let resume = named(
    "resume", "Starts a draft or resumes a paused campaign, and waits for it to finish.",
    isSending: true)
  private static let cancel = named(
    "cancel",
    "Cancels a scheduled, running or paused campaign permanently. The report still includes the "
      + "pushes that were sent.", hasQuestion: true)
  private static let delete = named(
    "delete",
    "Deletes a campaign and its report. A campaign that is being sent cannot be deleted.",
    hasQuestion: true)
  private static let copy = named(
    "copy", "Copies a campaign to a new draft, without the scheduled time.")
  private static let test = OptionTable(
    command: "belfry campaign test",
    summary: """
      Sends a campaign's content to one registered device now, in the device's language. The
      campaign does not change.
      """,
    positionals: "ID", positionalCount: 1...1,
    [
      .value("token", "HEX", default: "the only registered device", "the device's token"),
      .value("user", "NAME", "the user whose only registered device gets the test"),
    ] + access + SendTarget.entries)
  private static let report = OptionTable(
    command: "belfry campaign report",
    summary: "Shows the results of a campaign by outcome, reason and language.",
    positionals: "ID", positionalCount: 1...1,
    [
      .flag(
        "csv",
        "print a CSV table with one row per outcome, reason and language, and one for unsent pushes"
      )
    ] + access + SendTarget.entries)

  static let tables = [
    send, list, status, show, edit, copy, test, pause, resume, cancel, delete, report,
  ]

  static func run(_ arguments: [String]) -> Int32 {
    let canWait = ["send", "resume", "start"].contains(arguments.first)
    if canWait { SignalWatcher.blockSignals([.terminate, .interrupt]) }
    let signals =
      canWait
      ? SignalInterruption { if !CampaignSending.isWaiting { exit($0.exitStatus) } } : nil
    defer { withExtendedLifetime(signals) {} }
    return CommandRun.status {
      let rest = Array(arguments.dropFirst())
      switch arguments.first {
      case "send": return try with(send, rest, CampaignSending.read, CampaignSending.send)
      case "resume", "start": return try with(resume, rest, CampaignSending.resume)
      case "status": return try with(status, rest, showStatus)
      case "show": return try with(show, rest, CampaignContent.show)
      case "list": return try with(list, rest, showList)
      case "edit": return try with(edit, rest, CampaignEditing.read, CampaignEditing.edit)
      case "test": return try with(test, rest, CampaignEditing.test)
      case "pause": return try with(pause, rest, printing("POST", "/pause"))
      case "cancel":
        return try with(cancel, rest) { options, access in
          try requireCancellation(options, access)
          return try printing("POST", "/cancel")(options, access)
        }
      case "copy": return try with(copy, rest, printing("POST", "/copy"))
      case "delete":
        return try with(delete, rest) { options, access in
          let id = try id(options)
          try requireDeletion(options, access)
          _ = try access.perform("DELETE", "/campaigns/\(id)")
          if options.has("json") {
            Output.json(["id": .string(id), "removed": true])
          } else {
            Output.line("\(id) deleted")
          }
          return 0
        }
      case "report":
        return try with(report, rest) { options, access in
          let report = try access.perform("GET", "/campaigns/\(id(options))/report")
          if options.has("csv") {
            for one in report { Output.text(CampaignTable.csv(one)) }
          } else if options.has("json") {
            print(report, options)
          } else {
            for one in report { showReport(one, options) }
          }
          return 0
        }
      case "--help", "-h":
        Output.help(tables)
        return 0
      default:
        Output.error(
          arguments.first.map { "unknown command '\($0)' after 'belfry campaign'" }
            ?? "missing command after 'belfry campaign'",
          do: "use "
            + tables.compactMap { $0.command.split(separator: " ").last }.joined(
              separator: ", "))
        return 2
      }
    }
  }

  private static func with(
    _ table: OptionTable, _ arguments: [String],
    _ body: (CommandLineOptions, ProviderAccess) throws -> Int32
  ) throws -> Int32 {
    try with(table, arguments, { _ in }) { options, access, _ in try body(options, access) }
  }

  /// Runs a verb.
  ///
  /// `read` reads the caller's files before the process switches to the registry's user.
  private static func with<Input>(
    _ table: OptionTable, _ arguments: [String], _ read: (CommandLineOptions) throws -> Input,
    _ body: (CommandLineOptions, ProviderAccess, Input) throws -> Int32
  ) throws -> Int32 {
    let options = try CommandLineOptions(arguments, by: table)
    if options.wantsHelp {
      Output.help(table)
      return 0
    }
    let input = try read(options)
    // Report an invalid argument even if the registry doesn't exist.
    if table.command != send.command, !options.positionals.isEmpty { _ = try id(options) }
    let access = try ProviderAccess(options)
    defer { access.close() }
    do {
      return try body(options, access, input)
    } catch CampaignFailure.refused(404, _) where table.command != send.command {
      throw CampaignFailure.unknown(options.positionals.first ?? "")
    } catch CampaignFailure.refused(let status, let lines) {
      throw CampaignFailure.refused(
        status: status,
        lines.map { line in
          // Without a service, no campaign is running; 'status' and 'list' also use this word.
          namingOption(
            access.isLocal
              ? line.replacing(": it is running:", with: ": it is interrupted:") : line, options)
        })
    }
  }

  /// Returns an error of the service in the words of the command line: with the name of the option that set a member of
  /// the campaign, and without the service's requests.
  static func namingOption(_ error: String, _ options: CommandLineOptions) -> String {
    var error = error
    for (word, ownWord) in ownWords { error = error.replacing(word, with: ownWord) }
    for key in ["at", "name", "to", "user"] {
      guard let value = options.value(key), error.hasPrefix("\(key): ") else { continue }
      let quoted = "\(key): invalid value '\(value)'"
      guard error.hasPrefix(quoted) else { return "--\(error)" }
      return "invalid value '\(value)' for --\(key)\(error.dropFirst(quoted.count))"
    }
    let member = "deviceToken: "
    guard error.hasPrefix(member) else { return error }
    let rest = String(error.dropFirst(member.count))
    return options.isGiven("token") ? "--token: \(rest)" : rest
  }

  /// The words of the service's errors that only clients of its HTTP port know, and the words of the command line.
  private static let ownWords = [
    ("'GET /tokens' and the console list", "the console lists"),
    (
      "'GET /tokens' and the device's details in the console contain",
      "the device's details in the console contain"
    ), ("'deviceToken'", "--token HEX"), ("with 'user'", "with --user NAME"),
    ("revision: the ", "the "),
    ("read the campaign again, and repeat the change", "repeat the command"),
  ]

  private static func showStatus(
    _ options: CommandLineOptions, _ access: ProviderAccess
  ) throws -> Int32 {
    let path = options.positionals.isEmpty ? "/campaigns" : "/campaigns/\(try id(options))"
    let lines = interrupting(try access.perform("GET", path), access)
    if lines.isEmpty, !options.has("json") { Output.error("no campaigns") }
    print(lines, options)
    return 0
  }

  /// Returns a verb that sends a request about a campaign and prints the answer.
  private static func printing(
    _ method: String, _ verb: String
  ) -> (CommandLineOptions, ProviderAccess) throws -> Int32 {
    { options, access in
      print(try access.perform(method, "/campaigns/\(id(options))\(verb)"), options)
      return 0
    }
  }

  /// Asks a user on a terminal to confirm that the campaign is cancelled.
  private static func requireCancellation(
    _ options: CommandLineOptions, _ access: ProviderAccess
  ) throws {
    guard let (campaign, state) = try subjectOfQuestion(options, access),
      ["scheduled", "running", "paused"].contains(state)
    else { return }
    let effect = state == "scheduled" ? "It will not be sent" : "No more pushes are sent"
    try Confirmation.require(
      "cancel the campaign \(campaign) permanently? \(effect), and it cannot be resumed.")
  }

  /// Asks a user on a terminal to confirm that the campaign is deleted.
  private static func requireDeletion(
    _ options: CommandLineOptions, _ access: ProviderAccess
  ) throws {
    guard let (campaign, state) = try subjectOfQuestion(options, access),
      ["draft", "scheduled", "completed", "cancelled"].contains(state)
    else { return }
    let hasReport = state == "completed" || state == "cancelled"
    try Confirmation.require(
      "delete the campaign \(campaign) permanently?"
        + (hasReport ? " Its report is deleted, too." : ""))
  }

  /// Returns a description of the campaign for a question, and its state; nil if the command does not ask.
  ///
  /// The service refuses an action that the state does not allow, so such an action needs no question.
  private static func subjectOfQuestion(
    _ options: CommandLineOptions, _ access: ProviderAccess
  ) throws -> (campaign: String, state: String)? {
    guard Confirmation.isPossible, !options.has("force") else { return nil }
    let id = try id(options)
    guard let status = try access.perform("GET", "/campaigns/\(id)").first,
      let state = status["state"]?.stringValue
    else { return nil }
    // The IDs of campaigns are easy to confuse, and several campaigns can have the same name.
    let name = status["name"]?.stringValue.map { "\"\(OutputTable.printable($0))\", " } ?? ""
    return ("\(id) (\(name)\(OutputTable.printable(state)))", state)
  }

  /// Prints a report for users: the status, followed by the outcomes as a table.
  private static func showReport(_ report: JSONObject, _ options: CommandLineOptions) {
    var status = report
    for key in ["reasons", "kinds", "languages", "outcomes", "states"] { status[key] = nil }
    print([status], options)
    // The language of the text that was sent, which can differ from the device's language.
    let outcomes = CampaignTable.lines(report).map { line in
      var line = line
      line["textLanguage"] = line["language"]
      return line
    }
    guard !outcomes.isEmpty else { return }
    Output.line("")
    let hasWebPush = outcomes.contains { $0["kind"] == "webPush" }
    OutputTable.show(
      outcomes,
      columns: ["outcome", "reason", "textLanguage"] + (hasWebPush ? ["kind"] : []) + ["devices"],
      .headings(of: "outcomes"), asJSON: false)
  }

  private static func showList(
    _ options: CommandLineOptions, _ access: ProviderAccess
  ) throws -> Int32 {
    let lines = interrupting(try access.perform("GET", "/campaigns"), access)
    var columns = [
      "id", "name", "state", "at", "devices", "accepted", "dead", "failed", "unknown", "topic",
      "created",
    ]
    // A campaign that waits for hours would otherwise seem to have failed.
    if lines.contains(where: { ($0["waitsUntil"] ?? .null) != .null }) {
      columns.append("waitsUntil")
    }
    if lines.contains(where: { ($0["problem"] ?? .null) != .null }) { columns.append("problem") }
    OutputTable.show(
      lines, columns: columns, .headings(of: "campaigns"), asJSON: options.has("json"))
    return 0
  }

  /// Returns the lines; if no service runs for the registry, running campaigns are marked as interrupted.
  ///
  /// A campaign can be in this state because the process that was sending it was killed.
  private static func interrupting(_ lines: [JSONObject], _ access: ProviderAccess) -> [JSONObject]
  {
    guard access.isLocal else { return lines }
    return lines.map { line in
      var line = line
      if line["state"] == "running" { line["state"] = "interrupted" }
      return line
    }
  }

  /// Returns the campaign's ID after validating it, because the ID becomes part of a path.
  static func id(_ options: CommandLineOptions) throws -> String {
    let id = options.positionals.first ?? ""
    guard !id.isEmpty, id.utf8.allSatisfy({ Hexadecimal.value($0) != nil }) else {
      throw UsageError("invalid campaign ID '\(id)': 'belfry campaign list' lists the campaigns")
    }
    return id
  }

  /// Returns true if a text has the form of the IDs of campaigns: 12 hexadecimal digits.
  static func isID(_ text: String) -> Bool {
    text.utf8.count == 12 && text.utf8.allSatisfy { Hexadecimal.value($0) != nil }
  }

  static func print(_ lines: [JSONObject], _ options: CommandLineOptions) {
    if options.has("json") {
      for line in lines { Output.json(.object(line)) }
      return
    }
    for (index, status) in lines.enumerated() {
      if index > 0 { Output.line("") }
      var line = status
      // Only programs that change a campaign need its revision.
      line["revision"] = nil
      // The recipients of a draft are counted when it starts.
      if line["state"] == "draft" { line["devices"] = "not counted yet" }
      if let hours = line["quietHours"]?.objectValue,
        let from = hours["from"]?.stringValue, let to = hours["to"]?.stringValue
      {
        line["quietHours"] = .string("\(from) to \(to)")
      }
      let width = line.keys.map(\.count).max() ?? 0
      for member in line.members where member.value != .null {
        let padding = String(repeating: " ", count: width - member.key.count + 2)
        let text = member.value.stringValue ?? member.value.text
        Output.line("\(member.key)\(padding)\(OutputTable.printable(text))")
      }
    }
  }
}
