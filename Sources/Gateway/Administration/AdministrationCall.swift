public import BelfryWire
internal import Storage

/// A request in the form of the admin API: a method, a path, a query, and a JSON object as its body.
///
/// ```
/// GET /api/teams   /keys   /certificates   /topics   /channels   /devices?of=…   /faults   /log?of=…
///     /upstreams   /devices/NUMBER/apps
///     /enrolment-code   /authorities   /token-keys   /damage
/// POST the same except devices, log and damage; /api/tokens creates a provider token
///        /api/push-check   /token-check   /provider-token-check change nothing
/// DELETE /api/teams/ID?force=1   /keys/ID   /certificates/SERIAL   /topics/BUNDLE-ID?force=0   /devices/NUMBER
///        /upstreams/BUNDLE-ID   /faults?token=HEX   /faults/ID   /channels?channel=BASE64&app=BUNDLE-ID   /authorities?force=1
///        /token-keys/ID?force=1   /damage
/// ```
public struct AdministrationCall: Sendable {
  /// The method: "GET", "POST", or "DELETE".
  public var method: String
  /// The path, with percent-encoding removed.
  public var path: String
  /// The query's name-value pairs, with percent-encoding removed.
  public var query: [(name: String, value: String)]
  /// The body; nil if the call doesn't have one.
  public var body: JSONObject?

  /// Creates a call from its parts.
  public init(
    _ method: String, _ path: String, query: [(name: String, value: String)] = [],
    body: JSONObject? = nil
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.body = body
  }

  /// Returns the request; nil if the API has no such path or method.
  ///
  /// Throws if members of the body are missing, unknown, or of the wrong type.
  public func request() throws(AdministrationFailure) -> AdministrationRequest? {
    let parts = path.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: true)
    guard path.hasPrefix("/api/"), parts.count >= 2 else { return nil }
    let collection = String(parts[1])
    let element = parts.count > 2 ? String(parts[2]) : nil
    switch (method, element) {
    case ("GET", nil): return list(collection)
    case ("GET", .some(let element)):
      guard collection.hasSameBytes(as: "devices"),
        element.utf8.suffix(5).elementsEqual("/apps".utf8),
        let number = UInt64(element.dropLast("/apps".count))
      else { return nil }
      return .listDeviceApps(number: number)
    case ("POST", nil): return try add(to: collection)
    case ("DELETE", _): return try remove(element, from: collection)
    default: return nil
    }
  }

  private func list(_ collection: String) -> AdministrationRequest? {
    switch collection {
    case "teams": .listTeams
    case "keys": .listKeys
    case "certificates": .listCertificates
    case "topics": .listTopics
    case "upstreams": .listUpstreams
    case "channels": .listChannels
    case "devices": .listDevices(of: value("of"))
    case "enrolment-code": .enrollmentCode
    case "authorities": .listAuthorities
    case "token-keys": .listTokenKeys
    case "nodes": .listNodes
    case "damage": .listDamage
    case "faults": .listFaults
    case "log": .log(of: value("of"))
    default: nil
    }
  }

  private func add(to collection: String) throws(AdministrationFailure) -> AdministrationRequest? {
    var fields = AdministrationFields(body ?? [:])
    let request: AdministrationRequest
    switch collection {
    case "teams":
      request = .addTeam(id: try fields.optionalText("id"), name: try fields.optionalText("name"))
    case "keys":
      request = .addKey(
        .init(
          id: try fields.optionalText("id"), team: try fields.optionalText("team") ?? "",
          environments: try fields.environments("environment"),
          topics: try fields.texts("topics"), relatedKey: try fields.optionalText("related"),
          perDay: try fields.optionalNumber("perDay", of: Int64.self),
          perSecond: try fields.optionalNumber("perSecond", of: UInt32.self)))
    case "tokens":
      request = .makeProviderToken(key: try fields.optionalText("key"))
    case "certificates":
      let form = try fields.optionalText("form") ?? "universal"
      guard ["universal", "uid"].contains(form) else {
        throw AdministrationFields.wrong("form", form, "universal or uid")
      }
      let key = try fields.optionalText("key") ?? "ec"
      guard ["ec", "rsa"].contains(key) else {
        throw AdministrationFields.wrong("key", key, "ec or rsa")
      }
      request = .addCertificate(
        .init(
          team: try fields.optionalText("team") ?? "", bundleID: try fields.text("topic"),
          environments: try fields.environments("environment"),
          isUniversal: form == "universal", hasRSAKey: key == "rsa"))
    case "topics":
      request = .addTopic(
        .init(
          team: try fields.optionalText("team") ?? "", bundleID: try fields.text("topic"),
          keep: try fields.keep("keep"), hasBroadcast: try fields.optionalBool("broadcast")))
    case "channels":
      let storage = try fields.optionalNumber("storage", of: UInt8.self) ?? 0
      guard storage < 2 else { throw AdministrationFields.wrong("storage", "\(storage)", "0 or 1") }
      request = .addChannel(bundleID: try fields.text("app"), keepsLatest: storage == 1)
    case "upstreams": request = .addUpstream(try fields.upstream())
    case "enrolment-code":
      request = .rotateEnrollmentCode
    case "authorities":
      request = .rotateAuthority
    case "token-keys":
      request = .rotateTokenKey
    case "faults":
      return .addFault(try FaultRule(body ?? [:]))
    case "push-check": request = .checkPush(try AdministrationRequest.PushDraft(&fields))
    case "token-check":
      request = .checkDeviceToken(
        try fields.text("token"), topic: try fields.optionalText("topic"))
    case "provider-token-check":
      request = .checkProviderToken(
        try fields.text("token"), topic: try fields.optionalText("topic"))
    default:
      return nil
    }
    try fields.end()
    return request
  }

  private func remove(
    _ element: String?, from collection: String
  ) throws(AdministrationFailure) -> AdministrationRequest? {
    switch (collection, element) {
    case ("teams", .some(let id)): return .removeTeam(id: id, isForced: value("force") == "1")
    case ("keys", .some(let id)): return .revokeKey(id: id)
    case ("certificates", .some(let serial)): return .revokeCertificate(serial: serial)
    case ("topics", .some(let bundleID)):
      return .removeTopic(bundleID: bundleID, isForced: value("force") != "0")
    case ("upstreams", .some(let topic)): return .removeUpstream(topic: topic)
    case ("channels", .none):
      guard let id = value("channel") else {
        throw AdministrationFailure(
          .invalid, "'channel' is missing", do: "add the channel's ID to the query")
      }
      return .removeChannel(id: id, bundleID: value("app"))
    case ("devices", .some(let text)):
      guard let number = UInt64(text) else {
        throw AdministrationFields.wrong("device", text, "a device's number")
      }
      return .revokeDevice(number: number)
    case ("damage", .none): return .forgetDamage
    case ("faults", .none): return .clearFaults(token: try deviceToken())
    case ("faults", .some(let text)):
      guard let id = UInt64(text) else {
        throw AdministrationFields.wrong("id", text, "a fault's id")
      }
      return .removeFault(id: id)
    case ("authorities", .none): return .finishAuthority(isForced: value("force") == "1")
    case ("nodes", .some(let name)):
      return .drainNode(name: name, isForced: value("force") != "0")
    case ("token-keys", .some(let id)):
      return .retireTokenKey(id: id, isForced: value("force") == "1")
    default: return nil
    }
  }

  private func value(_ name: String) -> String? { query.first { $0.name == name }?.value }

  /// Returns the device token in the query; nil if the query doesn't contain one.
  private func deviceToken() throws(AdministrationFailure) -> [UInt8]? {
    guard let text = value("token") else { return nil }
    guard let token = Hexadecimal.decode(text), !token.isEmpty else {
      throw AdministrationFields.wrong(
        "token", text, "a device token, which has an even number of hexadecimal digits")
    }
    return token
  }
}

extension AdministrationRequest {
  /// The request as a call to the admin API.
  public var call: AdministrationCall {
    switch self {
    case .listTeams: .init("GET", "/api/teams")
    case .addTeam(let id, let name):
      .init("POST", "/api/teams", body: .of(("id", id.json), ("name", name.json)))
    case .removeTeam(let id, let isForced):
      .init("DELETE", "/api/teams/\(id)", query: isForced ? [("force", "1")] : [])
    case .listKeys: .init("GET", "/api/keys")
    case .addKey(let key): .init("POST", "/api/keys", body: key.json)
    case .revokeKey(let id): .init("DELETE", "/api/keys/\(id)")
    case .makeProviderToken(let key):
      .init("POST", "/api/tokens", body: .of(("key", key.json)))
    case .listCertificates: .init("GET", "/api/certificates")
    case .addCertificate(let certificate):
      .init("POST", "/api/certificates", body: certificate.json)
    case .revokeCertificate(let serial): .init("DELETE", "/api/certificates/\(serial)")
    case .listTopics: .init("GET", "/api/topics")
    case .addTopic(let topic): .init("POST", "/api/topics", body: topic.json)
    case .removeTopic(let bundleID, let isForced):
      .init("DELETE", "/api/topics/\(bundleID)", query: isForced ? [] : [("force", "0")])
    case .listUpstreams: .init("GET", "/api/upstreams")
    case .addUpstream(let upstream): .init("POST", "/api/upstreams", body: upstream.json)
    case .removeUpstream(let topic): .init("DELETE", "/api/upstreams/\(topic)")
    case .listChannels: .init("GET", "/api/channels")
    case .addChannel(let bundleID, let keepsLatest):
      .init(
        "POST", "/api/channels",
        body: ["app": .string(bundleID), "storage": .integer(keepsLatest ? 1 : 0)])
    case .removeChannel(let id, let bundleID):
      .init(
        "DELETE", "/api/channels",
        query: [("channel", id)] + (bundleID.map { [("app", $0)] } ?? []))
    case .listDevices(let text):
      .init("GET", "/api/devices", query: text.map { [("of", $0)] } ?? [])
    case .listDeviceApps(let number): .init("GET", "/api/devices/\(number)/apps")
    case .revokeDevice(let number): .init("DELETE", "/api/devices/\(number)")
    case .enrollmentCode: .init("GET", "/api/enrolment-code")
    case .rotateEnrollmentCode: .init("POST", "/api/enrolment-code")
    case .listAuthorities: .init("GET", "/api/authorities")
    case .rotateAuthority: .init("POST", "/api/authorities")
    case .finishAuthority(let isForced):
      .init("DELETE", "/api/authorities", query: isForced ? [("force", "1")] : [])
    case .listTokenKeys: .init("GET", "/api/token-keys")
    case .rotateTokenKey: .init("POST", "/api/token-keys")
    case .retireTokenKey(let id, let isForced):
      .init("DELETE", "/api/token-keys/\(id)", query: isForced ? [("force", "1")] : [])
    case .listNodes: .init("GET", "/api/nodes")
    case .drainNode(let name, let isForced):
      .init("DELETE", "/api/nodes/\(name)", query: isForced ? [] : [("force", "0")])
    case .listDamage: .init("GET", "/api/damage")
    case .forgetDamage: .init("DELETE", "/api/damage")
    case .listFaults: .init("GET", "/api/faults")
    case .addFault(let rule):
      .init("POST", "/api/faults", body: AdministrationLines.line(rule))
    case .removeFault(let id): .init("DELETE", "/api/faults/\(id)")
    case .clearFaults(let token):
      .init(
        "DELETE", "/api/faults", query: token.map { [("token", Hexadecimal.encode($0))] } ?? [])
    case .log(let text):
      .init("GET", "/api/log", query: text.map { [("of", $0)] } ?? [])
    case .checkPush(let draft): .init("POST", "/api/push-check", body: draft.json)
    case .checkDeviceToken(let token, let topic):
      .init(
        "POST", "/api/token-check", body: .of(("token", .string(token)), ("topic", topic.json)))
    case .checkProviderToken(let token, let topic):
      .init(
        "POST", "/api/provider-token-check",
        body: .of(("token", .string(token)), ("topic", topic.json)))
    }
  }
}

extension AdministrationRequest.NewKey {
  fileprivate var json: JSONObject {
    .of(
      ("id", id.json), ("team", team.isEmpty ? nil : .string(team)),
      ("environment", .string(environments.name)),
      ("topics", .array(topics.map { .string($0) })), ("related", relatedKey.json),
      ("perDay", perDay.map { .integer($0) }),
      ("perSecond", perSecond.map { .integer(Int64($0)) }))
  }
}

extension AdministrationRequest.NewCertificate {
  fileprivate var json: JSONObject {
    .of(
      ("team", team.isEmpty ? nil : .string(team)), ("topic", .string(bundleID)),
      ("environment", .string(environments.name)),
      ("form", .string(isUniversal ? "universal" : "uid")),
      ("key", .string(hasRSAKey ? "rsa" : "ec")))
  }
}

extension AdministrationFields {
  fileprivate mutating func upstream() throws(AdministrationFailure)
    -> AdministrationRequest
    .NewUpstream
  {
    let environment = try optionalText("environment")
    if let environment, Environment(name: environment) == nil {
      throw Self.wrong("environment", environment, "sandbox or production")
    }
    return AdministrationRequest.NewUpstream(
      topic: try text("topic"), privateKeyPEM: Array(try text("key").utf8),
      keyID: try text("keyID"), teamID: try text("teamID"),
      environment: environment.flatMap(Environment.init(name:)),
      host: try optionalText("host") ?? "",
      port: try optionalNumber("port", of: UInt16.self) ?? 443,
      authorityPEM: Array((try optionalText("ca") ?? "").utf8))
  }
}

extension AdministrationRequest.NewUpstream {
  fileprivate var json: JSONObject {
    .of(
      ("topic", .string(topic)), ("key", .string(String(decoding: privateKeyPEM, as: UTF8.self))),
      ("keyID", .string(keyID)), ("teamID", .string(teamID)),
      ("environment", environment.map { .string($0.name) }),
      ("host", host.isEmpty ? nil : .string(host)),
      ("port", host.isEmpty ? nil : .integer(Int64(port))),
      ("ca", authorityPEM.isEmpty ? nil : .string(String(decoding: authorityPEM, as: UTF8.self))))
  }
}

extension AdministrationRequest.PushDraft {
  /// Creates a draft from the members of the object in a request.
  public init(_ fields: inout AdministrationFields) throws(AdministrationFailure) {
    self.init()
    token = try fields.optionalText("token") ?? ""
    topic = try fields.optionalText("topic") ?? ""
    type = try fields.optionalText("type")
    priority = try fields.optionalText("priority")
    expiration = try fields.optionalText("expiration")
    collapseID = try fields.optionalText("collapseID")
    id = try fields.optionalText("id")
    key = try fields.optionalText("key")
    let text = try fields.optionalText(
      "payload", wanted: "a JSON string that contains the payload")
    payload = Array((text ?? "").utf8)
  }

  fileprivate var json: JSONObject {
    .of(
      ("token", .string(token)), ("topic", .string(topic)), ("type", type.json),
      ("priority", priority.json), ("expiration", expiration.json),
      ("collapseID", collapseID.json), ("id", id.json), ("key", key.json),
      ("payload", .string(String(decoding: payload, as: UTF8.self))))
  }
}

extension AdministrationRequest.NewTopic {
  fileprivate var json: JSONObject {
    .of(
      ("team", team.isEmpty ? nil : .string(team)), ("topic", .string(bundleID)),
      ("keep", keep.map { $0 == .max ? "all" : .integer(Int64($0)) }),
      ("broadcast", hasBroadcast.map { .bool($0) }))
  }
}

extension String? {
  fileprivate var json: JSONValue? { map { .string($0) } }
}

extension JSONObject {
  /// Returns an object with the members whose value isn't nil.
  fileprivate static func of(_ members: (String, JSONValue?)...) -> JSONObject {
    JSONObject(members.compactMap { name, value in value.map { (name, $0) } })
  }
}
