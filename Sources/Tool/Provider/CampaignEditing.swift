import BelfryWire
import System

/// Commands that change a campaign that hasn't started, or send it to a single device as a test.
enum CampaignEditing {
  /// Reads the new content, and the recipients if an option changes them.
  static func read(_ options: CommandLineOptions) throws -> CampaignSending.Input {
    _ = try CampaignCommand.id(options)
    var campaign = try CampaignSending.campaign(options.positionals[1])
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
    return CampaignSending.Input(campaign: campaign, list: list)
  }

  static func edit(
    _ options: CommandLineOptions, _ access: ProviderAccess, _ input: CampaignSending.Input
  ) throws -> Int32 {
    let id = try CampaignCommand.id(options)
    let before = try access.perform("GET", "/campaigns/\(id)").first ?? [:]
    var campaign = input.campaign
    // A scheduled campaign must not start with only half of its new list.
    if input.list != nil { campaign["draft"] = true }
    var status = try access.perform("PUT", "/campaigns/\(id)", body: campaign.bytes)
    if let list = input.list {
      _ = try access.perform("DELETE", "/campaigns/\(id)/recipients")
      try CampaignSending.bring(list, of: options.value("to") ?? "", to: id, access)
      if before["state"] == "scheduled", !options.has("draft") {
        _ = try access.perform("POST", "/campaigns/\(id)/resume")
      }
      status = try access.perform("GET", "/campaigns/\(id)")
    }
    for one in status { CampaignOutput.added(one, asJSON: options.has("json")) }
    try warnOfPassedTime(status.first ?? [:], before: before, access)
    return 0
  }

  /// Warns about a draft that has a time that has passed, for all devices or for some of them.
  private static func warnOfPassedTime(
    _ status: JSONObject, before: JSONObject, _ access: ProviderAccess
  ) throws {
    guard status["state"] == "draft", let id = status["id"]?.stringValue,
      let preview = try access.perform("GET", "/campaigns/\(id)/preview").first,
      preview["startsInSeconds"]?.integerValue == 0
    else { return }
    let hasPassedForAll = (preview["problems"]?.arrayValue ?? []).contains {
      $0.objectValue?["field"] == "at"
    }
    let devices = hasPassedForAll ? "" : " for some devices"
    let effect = before["state"] == "scheduled" ? ", so the campaign is now a draft" : ""
    Output.error(
      "warning: the scheduled time has passed\(devices)\(effect)",
      do: hasPassedForAll
        ? "use --at to set a later time, or copy the campaign: a copy has no time"
        : "starting it sends it to them immediately")
  }

  /// Sends a campaign's content to one device.
  static func test(_ options: CommandLineOptions, _ access: ProviderAccess) throws -> Int32 {
    var request = JSONObject()
    request["deviceToken"] = options.value("token").map { .string($0) }
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
