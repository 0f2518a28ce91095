import BelfryWire
import Glibc
import ProviderService
import System

/// The commands that send a campaign and wait for its end.
enum CampaignSending {
  /// Bytes of a campaign's file, excluding its strings files.
  private static let fileBytesMax = 1_048_576
  /// Bytes of a list of tokens: about 15 million lines.
  private static let listBytesMax = 1 << 30
  /// Tokens that are imported to the registry in one request.
  private static let tokensPerRequest = 5_000

  /// The content of the caller's files.
  struct Input {
    let campaign: JSONObject
    /// The lines of the list of recipients; nil if the audience is not a list.
    let list: [UInt8]?
  }

  /// Reads the campaign and its audience.
  static func read(_ options: CommandLineOptions) throws -> Input {
    var campaign = try self.campaign(options.positionals[0])
    let (audience, list) = try audience(options)
    campaign["to"] = .string(audience)
    campaign["rate"] = try rate(options).map { .integer($0) }
    campaign["hold"] = true
    return Input(
      campaign: campaign,
      list: try list.map { try FileSystem.readRegularFile($0, limit: listBytesMax) })
  }

  static func send(
    _ options: CommandLineOptions, _ access: ProviderAccess, _ input: Input
  ) throws -> Int32 {
    if options.has("detach"), access.isLocal { throw CampaignFailure.needsService }
    let campaign = input.campaign
    let added = try access.perform("POST", "/campaigns", body: campaign.bytes)
    guard let id = added.first?["id"]?.stringValue else {
      throw CampaignFailure.unreadable("the registry named no campaign")
    }
    do {
      if let list = input.list { try bring(list, to: id, access) }
      let preview = try access.perform("GET", "/campaigns/\(id)/preview").first ?? [:]
      CampaignOutput.warn(of: preview)
      if options.has("dry-run") {
        CampaignOutput.show(preview: preview, asJSON: options.has("json"))
        let problems = CampaignOutput.problems(of: preview)
        if !problems.isEmpty { throw CampaignFailure.refused(status: 400, problems) }
        _ = try access.perform("DELETE", "/campaigns/\(id)")
        return 0
      }
      _ = try access.perform("POST", "/campaigns/\(id)/resume")
    } catch {
      // A campaign that never started leaves nothing behind.
      _ = try? access.perform("DELETE", "/campaigns/\(id)")
      throw error
    }
    return try wait(for: id, options, access)
  }

  static func resume(_ options: CommandLineOptions, _ access: ProviderAccess) throws -> Int32 {
    if options.has("detach"), access.isLocal { throw CampaignFailure.needsService }
    let id = try CampaignCommand.id(options)
    _ = try access.perform("POST", "/campaigns/\(id)/resume")
    return try wait(for: id, options, access)
  }

  private static func wait(
    for id: String, _ options: CommandLineOptions, _ access: ProviderAccess
  ) throws -> Int32 {
    var status = try access.perform("GET", "/campaigns/\(id)").first ?? [:]
    var output = CampaignOutput(id: id, asJSON: options.has("json"))
    if options.has("detach") {
      output.finish(status)
      return 0
    }
    while status["state"]?.stringValue == "running" {
      output.progress(status)
      usleep(CampaignOutput.pollMicroseconds)
      status = try access.perform("GET", "/campaigns/\(id)").first ?? [:]
    }
    output.finish(status)
    if let problem = status["problem"]?.stringValue {
      Output.error("the campaign is held (\(problem))", do: "belfry campaign resume \(id)")
    }
    let isDone =
      status["state"]?.stringValue == "finished" && status["failed"]?.integerValue == 0
      && status["unknown"]?.integerValue == 0
    return isDone ? 0 : 1
  }

  // MARK: what is sent, and to whom

  private static func campaign(_ file: String) throws -> JSONObject {
    let bytes = try FileSystem.read(file == "-" ? "/dev/stdin" : file, limit: fileBytesMax)
    if let fault = PayloadFault(in: bytes) { throw SendFailure.badPayload(file, fault) }
    let object = try JSONValue(parsing: bytes).objectValue ?? [:]
    if let key = JSONValue.doubledKey(in: bytes) {
      throw CampaignFailure.refused(
        status: 400, ["\(file) has '\(key)' twice in one object: leave one of them"])
    }
    let folder = FileSystem.parent(of: FileSystem.absolute(file))
    do {
      return try StringsFile.resolve(object, in: folder)
    } catch {
      throw CampaignFailure.refused(status: 400, error.all.map(\.description))
    }
  }

  private static func audience(
    _ options: CommandLineOptions
  ) throws -> (audience: String, list: String?) {
    let to = options.value("to") ?? "all"
    if to == "all" || to.hasPrefix("tag:") || to.hasPrefix("user:") { return (to, nil) }
    guard FileSystem.exists(to) else {
      throw CommandLineOptions.Problem.badValue(
        key: "to", value: to, wanted: "all, tag:T, user:U or a file with one token per line")
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

  private static func bring(_ list: [UInt8], to id: String, _ access: ProviderAccess) throws {
    var chunk: [UInt8] = []
    var count = 0
    func flush() throws {
      guard count > 0 else { return }
      _ = try access.perform(
        "POST", "/campaigns/\(id)/recipients", contentType: "text/plain", body: chunk)
      chunk = []
      count = 0
    }
    for line in list.split(separator: 0x0A) {
      chunk += line
      chunk.append(0x0A)
      count += 1
      if count == tokensPerRequest { try flush() }
    }
    try flush()
  }
}
