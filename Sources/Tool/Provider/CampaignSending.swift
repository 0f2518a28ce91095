import BelfryWire
import Glibc
import ProviderService
import Synchronization
import System

/// Commands that send a campaign and wait for it to finish.
enum CampaignSending {
  /// The maximum size of a campaign's file, in bytes, excluding its strings files.
  private static let fileBytesMax = 1_048_576
  /// The maximum size of a list of tokens, in bytes, which is about 15 million lines.
  static let listBytesMax = 1 << 30
  /// The maximum number of tokens that a single request imports into the registry.
  private static let tokensPerRequest = 5_000

  /// The content of the caller's files.
  struct Input {
    let campaign: JSONObject
    /// The lines of the list of recipients; nil if the audience isn't a list.
    let list: [UInt8]?
    /// True to save the campaign as a draft.
    var isDraft = false
    /// True to show the campaign without sending it.
    var isDryRun = false
    /// True if the campaign contains only the members that the options of an edit change.
    var isPartial = false
  }

  /// The maximum time, in seconds, that the command waits for a campaign to start; the provider sends a campaign that
  /// starts later.
  private static let waitSeconds: Int64 = 60

  /// Reads the campaign and its audience.
  static func read(_ options: CommandLineOptions) throws -> Input {
    for flag in ["dry-run", "detach"] where options.has("draft") && options.has(flag) {
      throw UsageError("--draft and --\(flag) cannot be combined: use one of them")
    }
    let file = options.positionals[0]
    if CampaignCommand.isID(file), !FileSystem.exists(file) {
      throw UsageError(
        "cannot open \(file): no such file: to send the stored campaign with this ID, use "
          + "'belfry campaign resume \(file)'")
    }
    var campaign = try self.campaign(file)
    let isDraft = try flag("draft", of: campaign, options.has("draft"))
    let isDryRun = try flag("dryRun", of: campaign, options.has("dry-run"))
    campaign["dryRun"] = nil
    var list: String?
    // Without the option, the file's own recipients apply.
    if options.isGiven("to") || (campaign["to"] ?? .null) == .null {
      let (audience, file) = try audience(options)
      campaign["to"] = .string(audience)
      list = file
    } else if campaign["to"] == "list" {
      throw UsageError(
        "'to' is 'list' in \(file): use --to FILE to specify the device tokens")
    }
    campaign["draft"] = true
    try apply(options, to: &campaign)
    // Only an edit removes a time that is stored.
    if campaign["at"] == .null { campaign["at"] = nil }
    return Input(
      campaign: campaign,
      list: try list.map { try FileSystem.readRegularFile($0, limit: listBytesMax) },
      isDraft: isDraft, isDryRun: isDryRun)
  }

  /// Returns true if an option or a member of the file is set.
  private static func flag(
    _ name: String, of campaign: JSONObject, _ isGiven: Bool
  ) throws -> Bool {
    let value = campaign[name] ?? .null
    guard value == .null || value.boolValue != nil else {
      throw CampaignFailure.refused(
        status: 400, ["\(name): invalid value '\(value.text)': expected true or false"])
    }
    return isGiven || value.boolValue == true
  }

  /// The value of `--at` for a campaign without a time.
  static let noTime = "none"

  /// Sets the members that the options specify, and the time to null for `--at none`; throws an error if an option's value is invalid.
  static func apply(_ options: CommandLineOptions, to campaign: inout JSONObject) throws {
    if let rate = try rate(options) { campaign["rate"] = .integer(rate) }
    if let name = options.value("name") { campaign["name"] = .string(name) }
    if let at = options.value("at") {
      if at != noTime, let problem = SendTime.problem(in: at) {
        let error = CampaignCommand.namingOption(problem.description, options)
        throw UsageError("\(error); for no time, use \(noTime)")
      }
      campaign["at"] = at == noTime ? .null : .string(at)
    }
  }

  static func send(
    _ options: CommandLineOptions, _ access: ProviderAccess, _ input: Input
  ) throws -> Int32 {
    if options.has("detach"), access.isLocal { throw CampaignFailure.needsService }
    let campaign = input.campaign
    let added = try access.perform("POST", "/campaigns", body: campaign.bytes)
    guard let id = added.first?["id"]?.stringValue else {
      throw CampaignFailure.unreadable("the response has no campaign ID")
    }
    do {
      if let list = input.list {
        try bring(list, of: options.value("to") ?? "", to: id, access)
      }
      let preview = try access.perform("GET", "/campaigns/\(id)/preview").first ?? [:]
      // The start of a campaign without recipients fails for the reason of which the preview warns.
      if input.isDryRun || input.isDraft || preview["devices"]?.integerValue != 0 {
        CampaignOutput.warn(of: preview)
      }
      if input.isDryRun {
        CampaignOutput.show(
          preview: preview, at: campaign["at"]?.stringValue, asJSON: options.has("json"))
        let problems = CampaignOutput.problems(of: preview)
        if !problems.isEmpty { throw CampaignFailure.refused(status: 400, problems) }
        _ = try access.perform("DELETE", "/campaigns/\(id)")
        return 0
      }
      if input.isDraft {
        let status = try access.perform("GET", "/campaigns/\(id)").first ?? [:]
        CampaignOutput.added(status, asJSON: options.has("json"))
        if !options.has("json") { CampaignOutput.adviseOnDraft(id) }
        return 0
      }
      _ = try access.perform("POST", "/campaigns/\(id)/resume")
      if options.has("detach"), !options.has("json") {
        CampaignOutput.waits(in: preview, of: campaign)
      }
    } catch {
      // Delete a campaign that couldn't be started, so that no part of it remains.
      _ = try? access.perform("DELETE", "/campaigns/\(id)")
      throw error
    }
    return try wait(for: id, options, access)
  }

  static func resume(_ options: CommandLineOptions, _ access: ProviderAccess) throws -> Int32 {
    if options.has("detach"), access.isLocal { throw CampaignFailure.needsService }
    let id = try CampaignCommand.id(options)
    let before = try access.perform("GET", "/campaigns/\(id)").first ?? [:]
    if options.has("dry-run") {
      return try preview(id, at: before["at"]?.stringValue, options, access)
    }
    if before["state"] == "completed" {
      throw CampaignFailure.refused(
        status: 409,
        ["campaign \(id) is already completed: copy it and send the copy"])
    }
    _ = try access.perform("POST", "/campaigns/\(id)/resume")
    return try wait(for: id, options, access)
  }

  /// Shows the text and the number of devices of a stored campaign, and throws the problems that prevent its start.
  private static func preview(
    _ id: String, at time: String?, _ options: CommandLineOptions, _ access: ProviderAccess
  ) throws -> Int32 {
    let preview = try access.perform("GET", "/campaigns/\(id)/preview").first ?? [:]
    CampaignOutput.warn(of: preview)
    CampaignOutput.show(preview: preview, at: time, asJSON: options.has("json"))
    let problems = CampaignOutput.problems(of: preview)
    if !problems.isEmpty { throw CampaignFailure.refused(status: 400, problems) }
    return 0
  }

  /// True once the campaign has been started, so that Ctrl-C only ends the wait.
  static var isWaiting: Bool { hasStartedWaiting.load(ordering: .relaxed) }
  private static let hasStartedWaiting = Atomic(false)

  private static func wait(
    for id: String, _ options: CommandLineOptions, _ access: ProviderAccess
  ) throws -> Int32 {
    hasStartedWaiting.store(true, ordering: .relaxed)
    // Ctrl-C ends the command, but not a campaign that a running provider sends.
    let interruption = Mutex<Interruption?>(nil)
    let signals = SignalInterruption { one in interruption.withLock { $0 = one } }
    defer { withExtendedLifetime(signals) {} }
    var status = try access.perform("GET", "/campaigns/\(id)").first ?? [:]
    var output = CampaignOutput(
      id: id, asJSON: options.has("json"), isLocal: access.isLocal)
    if options.has("detach") {
      output.finish(status)
      return 0
    }
    while true {
      if let interruption = interruption.withLock({ $0 }) {
        Output.error(
          access.isLocal
            ? "stopped sending campaign \(id)" : "the provider continues to send campaign \(id)",
          do: access.isLocal
            ? "'belfry campaign resume \(id)' continues it"
            : "stop it with 'belfry campaign pause \(id)' or 'belfry campaign cancel \(id)'")
        throw interruption
      }
      switch status["state"]?.stringValue {
      case "running": break
      case "scheduled":
        guard try startsSoon(id, access) else {
          CampaignOutput.added(status, asJSON: options.has("json"))
          if access.isLocal {
            Output.error(
              "warning: no provider is running to send the campaign at the scheduled time",
              do: "start 'belfry provider'")
          }
          return 0
        }
        // If no service is running, this command starts the campaign at its scheduled time.
        if access.isLocal { _ = try access.perform("POST", "/campaigns/\(id)/resume") }
      default: return end(status, &output, id)
      }
      output.progress(status)
      usleep(CampaignOutput.pollMicroseconds)
      status = try access.perform("GET", "/campaigns/\(id)").first ?? [:]
    }
  }

  private static func end(
    _ status: JSONObject, _ output: inout CampaignOutput, _ id: String
  ) -> Int32 {
    output.finish(status)
    let state = status["state"]?.stringValue ?? "unknown"
    if state == "paused" || state == "draft" {
      let why = status["problem"]?.stringValue.map { " (\($0))" } ?? ""
      Output.error("the campaign is \(state)\(why)", do: "run 'belfry campaign resume \(id)'")
    }
    let failed = status["failed"]?.integerValue ?? 0
    let unknown = status["unknown"]?.integerValue ?? 0
    var outcomes: [String] = []
    if failed > 0 { outcomes.append("failed for \(Output.counted(failed, "device"))") }
    if unknown > 0 {
      outcomes.append("has an unknown outcome for \(Output.counted(unknown, "device"))")
    }
    guard state == "completed" else { return 1 }
    guard outcomes.isEmpty else {
      Output.error(
        "the campaign \(outcomes.joined(separator: " and "))",
        do: "run 'belfry campaign report \(id)' to see the reasons")
      return 1
    }
    return 0
  }

  /// Returns true if a scheduled campaign reaches its first device within a minute.
  private static func startsSoon(_ id: String, _ access: ProviderAccess) throws -> Bool {
    let preview = try access.perform("GET", "/campaigns/\(id)/preview").first ?? [:]
    return (preview["startsInSeconds"]?.integerValue).map { $0 <= waitSeconds } ?? true
  }

  // MARK: Content and recipients

  static func campaign(_ file: String) throws -> JSONObject {
    let bytes = try FileSystem.read(file == "-" ? "/dev/stdin" : file, limit: fileBytesMax)
    if let fault = PayloadFault(in: bytes) { throw SendFailure.badPayload(file, fault) }
    let object = try JSONValue(parsing: bytes).objectValue ?? [:]
    if let key = JSONValue.doubledKey(in: bytes) {
      throw CampaignFailure.refused(
        status: 400, ["\(file): duplicate key '\(key)' in one object: remove one of the two"])
    }
    let folder = FileSystem.parent(of: FileSystem.absolute(file))
    do {
      return try StringsFile.resolve(object, in: folder)
    } catch {
      throw CampaignFailure.refused(status: 400, error.all.map(\.description))
    }
  }

  static func audience(
    _ options: CommandLineOptions
  ) throws -> (audience: String, list: String?) {
    let to = options.value("to") ?? "all"
    if to == "all" { return (to, nil) }
    for prefix in ["tag:", "user:"] where to.hasPrefix(prefix) && to != prefix { return (to, nil) }
    guard FileSystem.exists(to) else {
      throw CommandLineOptions.Problem.badValue(
        key: "to", value: to,
        wanted: "all, tag:T, user:U or an existing file with one token per line")
    }
    return ("list", to)
  }

  private static func rate(_ options: CommandLineOptions) throws -> Int64? {
    guard let text = options.value("rate") else { return nil }
    let number = text.hasSuffix("/s") ? String(text.dropLast(2)) : text
    guard let rate = Int64(number), (1...1_000_000).contains(rate) else {
      throw CommandLineOptions.Problem.badValue(
        key: "rate", value: text, wanted: "pushes per second, such as 500/s")
    }
    return rate
  }

  /// Sends the lines of a file to the provider, as the recipients of a campaign.
  static func bring(
    _ list: [UInt8], of file: String, to id: String, _ access: ProviderAccess
  ) throws {
    var chunk: [UInt8] = []
    var count = 0
    // The number of lines that have been sent; the provider counts lines from the first line of each request.
    var sent = 0
    func flush() throws {
      guard count > 0 else { return }
      do {
        _ = try access.perform(
          "POST", "/campaigns/\(id)/recipients", contentType: "text/plain", body: chunk)
      } catch CampaignFailure.refused(let status, let lines) {
        throw CampaignFailure.refused(
          status: status, lines.map { located($0, in: file, after: sent) })
      }
      sent += count
      chunk = []
      count = 0
    }
    // Count empty lines too, so that the number of a line with an error is its number in the file.
    for line in list.split(separator: 0x0A, omittingEmptySubsequences: false) {
      chunk += line
      chunk.append(0x0A)
      count += 1
      if count == tokensPerRequest { try flush() }
    }
    try flush()
  }

  /// Returns an error about a line of a request as an error about a line of the file; other errors are unchanged.
  private static func located(_ error: String, in file: String, after lines: Int) -> String {
    let prefix = "line "
    guard error.hasPrefix(prefix), let colon = error.firstIndex(of: ":"),
      let number = Int(error[..<colon].dropFirst(prefix.count))
    else { return error }
    return "\(file) line \(number + lines)\(error[colon...])"
  }
}
