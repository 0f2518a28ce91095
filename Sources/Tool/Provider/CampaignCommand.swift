import BelfryWire
import ProviderService
import System

/// `belfry campaign`: sends one message to many devices, each in its language and at its local time.
enum CampaignCommand {
  /// The options that specify the registry.
  private static let access: [OptionTable.Entry] = [
    .value("provider", "URL", "a running registry's address, such as http://127.0.0.1:2199"),
    .value(
      "data", "DIR", default: "$XDG_STATE_HOME/belfry/provider", "the registry's data folder"),
    .value("admin-token", "FILE", default: "the data folder's", "the file with the admin token"),
    .flag("json", "one JSON object per line"),
  ]

  private static let send = OptionTable(
    command: "belfry campaign send",
    summary: """
      Sends a campaign and waits until everybody has an outcome. It may be killed: 'belfry campaign
      resume ID' goes on, and nobody is sent it twice.
      """,
    positionals: "FILE", positionalCount: 1...1,
    [
      .value(
        "to", "all|tag:T|user:U|FILE", default: "all",
        "the recipients; a file has one device token per line"),
      .flag("dry-run", "say what each language would show, and to how many; send nothing"),
      .value("rate", "N/s", "pushes a second at most"),
      .flag("detach", "do not wait; the running registry continues"),
    ] + access + SendTarget.entries)

  private static func named(
    _ verb: String, _ summary: String, isOptional: Bool = false, isSending: Bool = false
  ) -> OptionTable {
    OptionTable(
      command: "belfry campaign \(verb)", summary: summary,
      positionals: isOptional ? "[ID]" : "ID", positionalCount: (isOptional ? 0 : 1)...1,
      access
        + (isSending ? [.flag("detach", "do not wait; the running registry continues")] : [])
        + (verb == "pause" || verb == "status" ? [] : SendTarget.entries))
  }

  private static let status = named(
    "status", "Shows the status of a campaign, or of all.", isOptional: true)
  private static let pause = named("pause", "Holds a campaign once what is in flight has ended.")
  private static let resume = named(
    "resume", "Goes on with a campaign, and waits for its end.", isSending: true)
  private static let report = named("report", "Says what became of a campaign.")

  static let tables = [send, status, pause, resume, report]

  static func run(_ arguments: [String]) -> Int32 {
    let rest = Array(arguments.dropFirst())
    do {
      switch arguments.first {
      case "send": return try with(send, rest, CampaignSending.read, CampaignSending.send)
      case "resume": return try with(resume, rest, CampaignSending.resume)
      case "status": return try with(status, rest, show)
      case "pause":
        return try with(pause, rest) { options, access in
          print(try access.perform("POST", "/campaigns/\(id(options))/pause"), options)
          return 0
        }
      case "report":
        return try with(report, rest) { options, access in
          print(try access.perform("GET", "/campaigns/\(id(options))/report"), options)
          return 0
        }
      case "--help", "-h":
        for table in tables { Output.text(table.help + "\n") }
        return 0
      default:
        Output.error(
          "'belfry campaign' needs a verb", do: "give send, status, pause, resume or report")
        return 2
      }
    } catch let problem as CommandLineOptions.Problem {
      Output.error(problem)
      return 2
    } catch let problem as UsageError {
      Output.error(problem)
      return 2
    } catch {
      Output.error(error)
      return 1
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
  /// `read` reads the caller's files before the process may assume the rights of the registry's user.
  private static func with<Input>(
    _ table: OptionTable, _ arguments: [String], _ read: (CommandLineOptions) throws -> Input,
    _ body: (CommandLineOptions, ProviderAccess, Input) throws -> Int32
  ) throws -> Int32 {
    let options = try CommandLineOptions(arguments, by: table)
    if options.wantsHelp {
      Output.text(table.help)
      return 0
    }
    let input = try read(options)
    let access = try ProviderAccess(options)
    defer { access.close() }
    do {
      return try body(options, access, input)
    } catch CampaignFailure.refused(404, _) where table.command != send.command {
      throw CampaignFailure.unknown(options.positionals.first ?? "")
    }
  }

  private static func show(_ options: CommandLineOptions, _ access: ProviderAccess) throws -> Int32
  {
    let path = options.positionals.isEmpty ? "/campaigns" : "/campaigns/\(try id(options))"
    var lines = try access.perform("GET", path)
    // No service continues it, because the one that did was killed.
    if access.isLocal {
      for index in lines.indices where lines[index]["state"] == "running" {
        lines[index]["state"] = "interrupted"
      }
    }
    print(lines, options)
    return 0
  }

  /// Returns the id after validation, because it becomes part of a path.
  static func id(_ options: CommandLineOptions) throws -> String {
    let id = options.positionals.first ?? ""
    guard !id.isEmpty, id.utf8.allSatisfy({ Hexadecimal.value($0) != nil }) else {
      throw UsageError("'\(id)' is no campaign's id: 'belfry campaign status' lists them")
    }
    return id
  }

  private static func print(_ lines: [JSONObject], _ options: CommandLineOptions) {
    if options.has("json") {
      for line in lines { Output.json(.object(line)) }
      return
    }
    for (index, line) in lines.enumerated() {
      if index > 0 { Output.line("") }
      let width = line.keys.map(\.count).max() ?? 0
      for member in line.members where member.value != .null {
        let padding = String(repeating: " ", count: width - member.key.count + 2)
        let text = member.value.stringValue ?? member.value.text
        Output.line("\(member.key)\(padding)\(OutputTable.printable(text))")
      }
    }
  }
}
