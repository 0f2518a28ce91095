internal import BelfryWire
internal import Storage
internal import Transport

/// The operator's requests that manage campaigns.
extension ProviderRouter {
  func campaign(_ request: HTTP1Request, _ path: [String]) throws -> HTTP1Response {
    guard let id = path.first else {
      try allow(["GET", "POST"], request)
      return request.method == "GET" ? .lines(try campaigns.list()) : try create(request)
    }
    switch path.dropFirst().first {
    case nil:
      try allow(["GET", "PUT", "DELETE"], request)
      if request.method == "GET" { return .object(try campaigns.status(id)) }
      if request.method == "PUT" { return try edit(id, request) }
      try campaigns.remove(id)
      return .object(["removed": true])
    case "document":
      try allow(["GET"], request)
      let (document, revision) = try campaigns.content(id)
      var response = HTTP1Response.object(document)
      response.fields.append(("etag", "\"\(revision.text)\""))
      return response
    case "report":
      try allow(["GET"], request)
      return try report(id, request)
    case "preview":
      try allow(["GET"], request)
      return .object(try campaigns.preview(id).json)
    case "events":
      try allow(["GET"], request)
      return HTTP1Response(
        status: 200, fields: [("content-type", EventStream.type)],
        body: .stream(try progress.follow(id)))
    case "recipients":
      try allow(["POST", "DELETE"], request)
      if request.method == "DELETE" {
        try campaigns.clearRecipients(of: id)
        return .object(["removed": true])
      }
      let recipients = try registrations(in: request)
      guard recipients.allSatisfy({ $0.subscription == nil }) else {
        throw RequestProblems([
          RequestProblem(
            "endpoint", "a list of recipients contains only device tokens",
            do: "register the subscription, and select it with a tag or a user")
        ])
      }
      let added = try campaigns.append(recipients, to: id)
      return .object(["added": .integer(Int64(added))])
    case "test":
      try allow(["POST"], request)
      let (token, user) = try Self.testDevice(in: request)
      return .object(try campaigns.test(id, token: token, user: user))
    case "copy":
      try allow(["POST"], request)
      return .object(try campaigns.status(of: try campaigns.copy(id)), status: 201)
    case "resume":
      try allow(["POST"], request)
      _ = try campaigns.resume(id, revision: Self.revision(in: request))
      return .object(try campaigns.status(id))
    case let verb?:
      let changes = ["pause": campaigns.pause, "cancel": campaigns.cancel]
      guard let change = changes[verb] else {  // text: only a lookup of our own words
        throw Refusal(404, "\(request.path) not found", do: Self.requestsAdvice)
      }
      try allow(["POST"], request)
      _ = try change(id)
      return .object(try campaigns.status(id))
    }
  }

  /// Adds a campaign and starts it, unless the request asks only for a preview or a draft.
  private func create(_ request: HTTP1Request) throws -> HTTP1Response {
    let parts = try Parts(request)
    if parts.isDryRun {
      return .object(
        try campaigns.preview(parts.document, audience: parts.audience ?? .all).json)
    }
    let campaign = try campaigns.add(
      parts.document, audience: parts.audience ?? .all, rate: parts.rate ?? nil)
    if !parts.isHeld {
      guard campaign.audience != .list else {
        throw Refusal(
          400, "a campaign to a list cannot start without its recipients",
          do: "send \"draft\":true, then POST /campaigns/ID/recipients and /resume", field: "to")
      }
      _ = try campaigns.resume(campaign.id)
    }
    return .object(try campaigns.status(campaign.id), status: 201)
  }

  /// Replaces the content of a campaign that has not started, unless the request asks only for a preview.
  private func edit(_ id: String, _ request: HTTP1Request) throws -> HTTP1Response {
    let parts = try Parts(request)
    if parts.isDryRun {
      return .object(
        try campaigns.preview(parts.document, audience: parts.audience, replacing: id).json)
    }
    let edit = CampaignService.Edit(
      document: parts.document, audience: parts.audience, rate: parts.rate, isHeld: parts.isHeld,
      revision: try Self.revision(in: request))
    return .object(try campaigns.status(of: try campaigns.edit(id, edit)))
  }

  /// Returns the revision in the field `If-Match` (RFC 9110 section 13.1.1), with or without its quotes; nil if the
  /// request applies to any revision.
  private static func revision(
    in request: HTTP1Request
  ) throws(RequestProblems) -> CampaignRevision? {
    guard let field = request.field("if-match") else { return nil }
    let text = field.filter { $0 != " " && $0 != "\"" }
    if text.utf8.elementsEqual("*".utf8) { return nil }
    guard let revision = CampaignRevision(text) else {
      throw RequestProblems([
        RequestProblem(
          "If-Match", "invalid value '\(RequestProblem.excerpt(field))'",
          do: "expected the campaign's 'revision' in double quotes, or omit the field")
      ])
    }
    return revision
  }

  /// Returns the report as an object, or as a table with `?format=csv`.
  private func report(_ id: String, _ request: HTTP1Request) throws -> HTTP1Response {
    let report = try campaigns.report(id)
    switch request.queryValue("format") {
    case nil, "json"?: return .object(report)
    case "csv"?:
      return HTTP1Response(
        status: 200, contentType: "text/csv; charset=utf-8",
        body: Array(CampaignTable.csv(report).utf8))
    case let other?:
      throw RequestProblems([
        RequestProblem(
          "format", "invalid value '\(RequestProblem.excerpt(other))'",
          do: "expected json or csv")
      ])
    }
  }

  /// Returns the token or endpoint and the user of a request for a test push; nil for each that the request does not
  /// contain.
  private static func testDevice(
    in request: HTTP1Request
  ) throws(RequestProblems) -> (token: [UInt8]?, user: String?) {
    guard !request.body.isEmpty else { return (nil, nil) }
    let object = try object(in: request)
    let user = object["user"] ?? .null
    guard user == .null || user.stringValue?.isEmpty == false else {
      throw RequestProblems([
        RequestProblem(
          "user", "invalid value '\(RequestProblem.excerpt(user))'",
          do: "expected the app's identifier for a user")
      ])
    }
    if let endpoint = object["endpoint"]?.stringValue {
      return (Array(endpoint.utf8), user.stringValue)
    }
    guard let text = object["deviceToken"] else { return (nil, user.stringValue) }
    do throws(RequestProblem) {
      let token = try RegistrationRequest.token(hexadecimal: text.stringValue ?? "")
      return (token, user.stringValue)
    } catch {
      throw RequestProblems([error])
    }
  }

  /// The parts of a request that adds or replaces a campaign.
  private struct Parts {
    /// The campaign's document, with the strings files from the request.
    let document: JSONObject
    /// The audience; nil if the request does not specify one.
    let audience: CampaignAudience?
    /// The rate; nil if the request does not specify one, and an inner nil for no limit.
    let rate: Int64??
    /// True if the campaign is not to be started.
    let isHeld: Bool
    let isDryRun: Bool

    /// Reads the request.
    ///
    /// Throws one error that contains all problems, including those of the campaign itself.
    init(_ request: HTTP1Request) throws(RequestProblems) {
      var object = try ProviderRouter.object(in: request)
      var problems: [RequestProblem] = []
      func checked<Value>(
        _ body: () throws(RequestProblems) -> Value, or none: Value
      ) -> Value {
        do throws(RequestProblems) {
          return try body()
        } catch {
          problems += error.all
          return none
        }
      }
      func flag(_ name: String) -> Bool {
        checked(
          { () throws(RequestProblems) in try ProviderRouter.flag(name, object[name]) }, or: false)
      }
      audience = checked(
        { () throws(RequestProblems) -> CampaignAudience? in
          guard let value = object["to"] else { return nil }
          return try ProviderRouter.audience(value)
        }, or: nil)
      rate = checked(
        { () throws(RequestProblems) -> Int64?? in
          guard let value = object["rate"] else { return nil }
          return .some(try ProviderRouter.rate(value))
        }, or: nil)
      let isDraft = flag("draft")
      isHeld = flag("hold") || isDraft
      isDryRun = flag("dryRun")
      for key in ["to", "rate", "hold", "draft", "dryRun"] { object[key] = nil }
      if let text = object["payload"]?.stringValue {
        // The payload is invalid if its text is, so the campaign is checked without it.
        object["payload"] = checked(
          { () throws(RequestProblems) -> JSONValue? in
            let payload = try ProviderRouter.object(Array(text.utf8), field: "payload")
            return .object(payload)
          }, or: nil)
      }
      let campaign = object
      let resolved = checked(
        { () throws(RequestProblems) -> JSONObject? in try ProviderRouter.withFiles(campaign) },
        or: nil)
      document = resolved ?? campaign
      guard !problems.isEmpty else { return }
      // If a strings file cannot be read, the error already contains the problems of the campaign itself.
      if let resolved {
        _ = checked(
          { () throws(RequestProblems) -> CampaignDocument? in try CampaignDocument(resolved) },
          or: nil)
      }
      throw RequestProblems(problems)
    }
  }

  fileprivate static func object(in request: HTTP1Request) throws(RequestProblems) -> JSONObject {
    try object(request.body, field: nil)
  }

  /// Parses the JSON object in a body, or in the member `field` that contains it as text.
  fileprivate static func object(
    _ bytes: [UInt8], field: String?
  ) throws(RequestProblems) -> JSONObject {
    if let fault = PayloadFault(in: bytes) {
      throw RequestProblems([
        RequestProblem(
          field,
          "invalid JSON at line \(fault.line), column \(fault.column): \(fault.what)",
          do: fault.remedy)
      ])
    }
    guard let object = (try? JSONValue(parsing: bytes))?.objectValue else {
      throw RequestProblems([
        RequestProblem(
          field, field == nil ? "the request is not a JSON object" : "not a JSON object",
          do: "send an object")
      ])
    }
    if let key = JSONValue.doubledKey(in: bytes) {
      throw RequestProblems([
        field == nil
          ? RequestProblem(key, "duplicate key in one object", do: "remove one of the two")
          : RequestProblem(
            field, "duplicate key '\(RequestProblem.excerpt(key))' in one object",
            do: "remove one of the two")
      ])
    }
    return object
  }

  /// Inserts the strings files that the request contains, by name, into the campaign.
  fileprivate static func withFiles(_ object: JSONObject) throws(RequestProblems) -> JSONObject {
    var object = object
    guard let value = object["files"], value != .null else { return object }
    object["files"] = nil
    guard let members = value.objectValue?.members else {
      throw RequestProblems([
        RequestProblem(
          "files", "not an object", do: "add one member per file, with its name and text")
      ])
    }
    var files: [String: [UInt8]] = [:]
    for member in members {
      guard let text = member.value.stringValue else {
        throw RequestProblems([
          RequestProblem(
            "files", "'\(RequestProblem.excerpt(member.key))' is not a string",
            do: "expected the file's text")
        ])
      }
      files[member.key] = Array(text.utf8)
    }
    return try StringsFile.resolve(object, files: files)
  }

  /// Parses an audience: `all`, `tag:…`, `user:…`, or `list`.
  fileprivate static func audience(_ value: JSONValue?) throws(RequestProblems) -> CampaignAudience
  {
    guard let value, value != .null else { return .all }
    let text = value.stringValue ?? ""
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    switch (parts.first, parts.count) {
    case ("all", 1) where text == "all": return .all
    case ("list", 1) where text == "list": return .list
    case ("tag", 2), ("user", 2):
      let isList = [",tag:", ",user:"].contains { text.utf8.firstRange(of: $0.utf8) != nil }
      guard !isList else {
        throw RequestProblems([
          RequestProblem(
            "to", "invalid value '\(RequestProblem.excerpt(text))'",
            do: "only one \(parts[0]) is possible; send one campaign for each")
        ])
      }
      return parts[0] == "tag" ? .tag(parts[1]) : .user(parts[1])
    default:
      throw RequestProblems([
        RequestProblem(
          "to", "invalid value '\(RequestProblem.excerpt(value))'",
          do: "expected all, tag:NAME or user:NAME; for a list of tokens, use --to FILE on the "
            + "command line")
      ])
    }
  }

  fileprivate static func rate(_ value: JSONValue?) throws(RequestProblems) -> Int64? {
    guard let value, value != .null else { return nil }
    guard let rate = value.integerValue, (1...Limits.rateMax).contains(rate) else {
      throw RequestProblems([
        RequestProblem(
          "rate", "invalid value '\(RequestProblem.excerpt(value))'",
          do: "expected a number of pushes per second from 1 to \(Limits.rateMax), such as 500")
      ])
    }
    return rate
  }

  fileprivate static func flag(_ name: String, _ value: JSONValue?) throws(RequestProblems) -> Bool
  {
    guard let value, value != .null else { return false }
    guard let flag = value.boolValue else {
      throw RequestProblems([
        RequestProblem(
          name, "invalid value '\(RequestProblem.excerpt(value))'",
          do: "expected true or false")
      ])
    }
    return flag
  }
}
