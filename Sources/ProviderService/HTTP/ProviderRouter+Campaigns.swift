internal import BelfryWire
internal import Storage
internal import Transport

/// The operator's requests concerning campaigns.
extension ProviderRouter {
  func campaign(_ request: HTTP1Request, _ path: [String]) throws -> HTTP1Response {
    guard let id = path.first else {
      try allow(["GET", "POST"], request)
      return request.method == "GET" ? .lines(try campaigns.list()) : try create(request)
    }
    switch path.dropFirst().first {
    case nil:
      try allow(["GET", "DELETE"], request)
      if request.method == "GET" { return .object(try campaigns.status(id)) }
      try campaigns.remove(id)
      return .object(["removed": true])
    case "report":
      try allow(["GET"], request)
      return .object(try campaigns.report(id))
    case "preview":
      try allow(["GET"], request)
      return .object(try campaigns.preview(id).json)
    case "events":
      try allow(["GET"], request)
      return HTTP1Response(
        status: 200, fields: [("content-type", EventStream.type)],
        body: .stream(try progress.follow(id)))
    case "recipients":
      try allow(["POST"], request)
      let added = try campaigns.append(registrations(in: request), to: id)
      return .object(["added": .integer(Int64(added))])
    case "pause":
      try allow(["POST"], request)
      _ = try campaigns.pause(id)
      return .object(try campaigns.status(id))
    case "resume":
      try allow(["POST"], request)
      _ = try campaigns.resume(id)
      return .object(try campaigns.status(id))
    default:
      throw Refusal(404, "there is nothing at \(request.path)", do: "see docs/provider.md")
    }
  }

  /// Adds a campaign and starts it, unless the request only asks for a preview or a paused campaign.
  private func create(_ request: HTTP1Request) throws -> HTTP1Response {
    var object = try Self.object(in: request)
    let audience = try Self.audience(object["to"])
    let rate = try Self.rate(object["rate"])
    let isHeld = try Self.flag("hold", object["hold"])
    let isDryRun = try Self.flag("dryRun", object["dryRun"])
    for key in ["to", "rate", "hold", "dryRun"] { object[key] = nil }
    object = try Self.withFiles(object)
    if isDryRun { return .object(try campaigns.preview(object, audience: audience).json) }
    let campaign = try campaigns.add(object, audience: audience, rate: rate)
    if !isHeld {
      guard audience != .list else {
        throw Refusal(
          400, "a list needs its recipients first",
          do: "send \"hold\":true, then POST /campaigns/ID/recipients and /resume", field: "to")
      }
      _ = try campaigns.resume(campaign.id)
    }
    return .object(try campaigns.status(campaign.id), status: 201)
  }

  private static func object(in request: HTTP1Request) throws(RequestProblems) -> JSONObject {
    if let fault = PayloadFault(in: request.body) {
      throw RequestProblems([
        RequestProblem(
          nil,
          "the campaign is not JSON at line \(fault.line), column \(fault.column) "
            + "(\(fault.what))", do: fault.remedy)
      ])
    }
    guard let object = (try? JSONValue(parsing: request.body))?.objectValue else {
      throw RequestProblems([RequestProblem(nil, "the campaign is no object", do: "send one")])
    }
    if let key = JSONValue.doubledKey(in: request.body) {
      throw RequestProblems([
        RequestProblem(key, "the campaign has it twice in one object", do: "leave one of them")
      ])
    }
    return object
  }

  /// Inserts the strings files that the request contains, by their names, into the campaign.
  private static func withFiles(_ object: JSONObject) throws(RequestProblems) -> JSONObject {
    var object = object
    guard let value = object["files"], value != .null else { return object }
    object["files"] = nil
    guard let members = value.objectValue?.members else {
      throw RequestProblems([
        RequestProblem("files", "it is no object", do: "write a member a file: its name, its text")
      ])
    }
    var files: [String: [UInt8]] = [:]
    for member in members {
      guard let text = member.value.stringValue else {
        throw RequestProblems([
          RequestProblem("files", "\(member.key) is no text", do: "write what the file holds")
        ])
      }
      files[member.key] = Array(text.utf8)
    }
    return try StringsFile.resolve(object, files: files)
  }

  /// Parses an audience: `all`, `tag:…`, `user:…` or `list`.
  private static func audience(_ value: JSONValue?) throws(RequestProblems) -> CampaignAudience {
    guard let value, value != .null else { return .all }
    let text = value.stringValue ?? ""
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    switch (parts.first, parts.count) {
    case ("all", 1) where text == "all": return .all
    case ("list", 1) where text == "list": return .list
    case ("tag", 2): return .tag(parts[1])
    case ("user", 2): return .user(parts[1])
    default:
      throw RequestProblems([
        RequestProblem("to", "it is nobody", do: "write all, tag:NAME, user:NAME or list")
      ])
    }
  }

  private static func rate(_ value: JSONValue?) throws(RequestProblems) -> Int64? {
    guard let value, value != .null else { return nil }
    guard let rate = value.integerValue, (1...Limits.rateMax).contains(rate) else {
      throw RequestProblems([
        RequestProblem(
          "rate", "it is no number of pushes a second", do: "write 1 to \(Limits.rateMax)")
      ])
    }
    return rate
  }

  private static func flag(_ name: String, _ value: JSONValue?) throws(RequestProblems) -> Bool {
    guard let value, value != .null else { return false }
    guard let flag = value.boolValue else {
      throw RequestProblems([
        RequestProblem(name, "it is neither true nor false", do: "write one")
      ])
    }
    return flag
  }
}
