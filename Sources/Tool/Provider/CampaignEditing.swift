import BelfryWire
import System

/// Commands that change a campaign that hasn't started, or send it to a single device as a test.
enum CampaignEditing {
  /// Reads the new content, and the recipients if an option changes them.
  static func read(_ options: CommandLineOptions) throws -> CampaignSending.Input {
    _ = try CampaignCommand.id(options)
    let file = options.positionals.dropFirst().first
    guard file != nil || changes.contains(where: options.isGiven) else {
      throw UsageError(
        "missing argument: expected FILE, or an option that changes the campaign: "
          + CommandLineOptions.list(changes.map { "--\($0)" }))
    }
    var campaign = try file.map { try CampaignSending.campaign($0) } ?? JSONObject()
    var list: [UInt8]?
    if options.isGiven("to") {
      let (audience, file) = try CampaignSending.audience(options)
      campaign["to"] = .string(audience)
      list = try file.map {
        try FileSystem.readRegularFile($0, limit: CampaignSending.listBytesMax)
      }
    }
    if options.has("draft") { campaign["draft"] = true }
    try CampaignSending.apply(options, to: &campaign)
    return CampaignSending.Input(campaign: campaign, list: list, isPartial: file == nil)
  }

  /// The options that change a campaign even without a file.
  private static let changes = ["to", "name", "at", "rate", "draft"]

  static func edit(
    _ options: CommandLineOptions, _ access: ProviderAccess, _ input: CampaignSending.Input
  ) throws -> Int32 {
    let id = try CampaignCommand.id(options)
    let before = try access.perform("GET", "/campaigns/\(id)").first ?? [:]
    var campaign = input.campaign
    if input.isPartial {
      var content = try access.perform("GET", "/campaigns/\(id)/document").first ?? [:]
      // The service keeps the values of these members if the request omits them.
      for key in ["to", "name", "at", "rate"] { content[key] = nil }
      content.merge(campaign)
      campaign = content
    }
    // A scheduled campaign must not start with only half of its new list.
    if input.list != nil { campaign["draft"] = true }
    // An edit without a file must not undo a change that another client has just made.
    var status = try access.perform(
      "PUT", "/campaigns/\(id)", body: campaign.bytes,
      revision: input.isPartial ? before["revision"]?.stringValue : nil)
    if let list = input.list {
      _ = try access.perform("DELETE", "/campaigns/\(id)/recipients")
      try CampaignSending.bring(list, of: options.value("to") ?? "", to: id, access)
      if before["state"] == "scheduled", !options.has("draft") {
        _ = try access.perform("POST", "/campaigns/\(id)/resume")
      }
      status = try access.perform("GET", "/campaigns/\(id)")
    }
    for one in status { CampaignOutput.added(one, asJSON: options.has("json")) }
    try warn(of: status.first ?? [:], before: before, access)
    if options.value("at") == CampaignSending.noTime, before["state"] == "scheduled",
      !options.has("json")
    {
      CampaignOutput.adviseOnDraft(id)
    }
    return 0
  }

  /// Prints the warnings of an edited campaign, and warns about a draft that has a time that has passed, for all devices
  /// or for some of them.
  private static func warn(
    of status: JSONObject, before: JSONObject, _ access: ProviderAccess
  ) throws {
    guard let id = status["id"]?.stringValue,
      var preview = try access.perform("GET", "/campaigns/\(id)/preview").first
    else { return }
    let hasPassed =
      status["state"] == "draft" && preview["startsInSeconds"]?.integerValue == 0
    if hasPassed {
      // The warning below is about the time, too.
      let others = (preview["warnings"]?.arrayValue ?? []).filter {
        $0.stringValue?.hasPrefix("the time has already passed") != true
      }
      preview["warnings"] = .array(others)
    }
    CampaignOutput.warn(of: preview)
    guard hasPassed else { return }
    let hasPassedForAll = (preview["problems"]?.arrayValue ?? []).contains {
      $0.objectValue?["field"] == "at"
    }
    let devices = hasPassedForAll ? "" : " for some devices"
    let effect = before["state"] == "scheduled" ? ", so the campaign is now a draft" : ""
    Output.error(
      "warning: the scheduled time has passed\(devices)\(effect)",
      do: hasPassedForAll
        ? "use --at to set a later time, or --at none to remove it"
        : "starting it sends it to them immediately")
  }

  /// Sends a campaign's content to one device.
  static func test(_ options: CommandLineOptions, _ access: ProviderAccess) throws -> Int32 {
    var request = JSONObject()
    request["deviceToken"] = options.value("token").map { .string($0) }
    request["user"] = options.value("user").map { .string($0) }
    let answer = try access.perform(
      "POST", "/campaigns/\(CampaignCommand.id(options))/test", body: request.bytes)
    CampaignCommand.print(answer, options)
    guard answer.first?["status"]?.integerValue != 200 else { return 0 }
    Output.error(
      "the push service refused the test push (\(answer.first?["reason"]?.stringValue ?? "no reason"))",
      do: "docs/rejections.md explains the reason")
    return 1
  }
}
