internal import BelfryProvider
internal import BelfryWire
internal import Scheduling
internal import Storage
package import Transport

/// A request to register or remove a device token or a Web Push subscription, with validated fields.
package struct RegistrationRequest {
  /// The device token's bytes, or the endpoint of a subscription.
  let token: [UInt8]
  /// The Web Push subscription; nil for a device token.
  let subscription: WebPushSubscription?
  /// The topic as received.
  let topic: String?
  let language: String?
  let timeZone: String?
  let user: String?
  let installation: String?
  let tags: [String]
  /// The environment of the token, if the app specified it.
  let environment: Environment?

  /// The warnings for the developer about ignored fields with names that resemble supported names.
  let warnings: [String]

  /// Reads the query, and the body if it is a form, JSON, or the token itself.
  package init(_ request: HTTP1Request, zones: DeviceZones) throws(RequestProblems) {
    try self.init(RegistrationFields(request), zones: zones)
  }

  /// Reads one object from a line of a list.
  init(_ object: JSONObject, zones: DeviceZones) throws(RequestProblems) {
    try self.init(RegistrationFields(object), zones: zones)
  }

  private init(_ fields: RegistrationFields, zones: DeviceZones) throws(RequestProblems) {
    var problems = fields.problems
    warnings = fields.warnings
    func checked<Value>(_ body: () throws(RequestProblem) -> Value, or none: Value) -> Value {
      do throws(RequestProblem) {
        return try body()
      } catch {
        problems.append(error)
        return none
      }
    }
    subscription = checked(
      { () throws(RequestProblem) in try Self.subscription(fields) }, or: nil)
    let endpoint = subscription.map { Array($0.endpoint.utf8) }
    if let endpoint {
      token = endpoint
    } else if fields.first("endpoint") == nil {
      token = checked({ () throws(RequestProblem) in try Self.token(fields) }, or: [])
    } else {
      token = []
    }
    topic = fields.first("topic")
    language = checked(
      { () throws(RequestProblem) in try Self.language(fields.first("language")) }, or: nil)
    timeZone = checked(
      { () throws(RequestProblem) in try Self.zone(fields.first("timeZone"), zones) }, or: nil)
    user = checked(
      { () throws(RequestProblem) in try Self.name("user", fields.first("user")) }, or: nil)
    installation = checked(
      { () throws(RequestProblem) in
        try Self.name("installation", fields.first("installation"))
      }, or: nil)
    tags = checked(
      { () throws(RequestProblem) in try Self.tags(fields.all("tag")) }, or: [])
    environment = checked(
      { () throws(RequestProblem) in
        try Self.environment(fields.first("environment"), isWebPush: endpoint != nil)
      }, or: nil)
    if !problems.isEmpty { throw RequestProblems(problems) }
    assert(!token.isEmpty, "an accepted request has a token")
  }

  /// Returns the part of the request that is stored.
  func registration(
    sealed: [UInt8], keys: [UInt8]? = nil, topic: String
  ) -> TokenRegistration {
    TokenRegistration(
      sealed: sealed, topic: topic, language: language, timeZone: timeZone, user: user,
      installation: installation, tags: tags, environment: environment?.name, keys: keys)
  }

  // MARK: Fields

  /// Parses a token in hexadecimal, in the formats that apps and files use.
  static func token(hexadecimal text: String) throws(RequestProblem) -> [UInt8] {
    // Older apps send the printed description of their data object: <0a1b2c3d …>.
    let digits = String(decoding: text.utf8.filter { !" <>".utf8.contains($0) }, as: UTF8.self)
    guard let bytes = Hexadecimal.decode(digits), !bytes.isEmpty else {
      let count = digits.utf8.count
      if !count.isMultiple(of: 2), digits.utf8.allSatisfy({ Hexadecimal.value($0) != nil }) {
        throw RequestProblem(
          "deviceToken", "odd number of digits (\(count))",
          do: "expected an even number of hexadecimal digits (two for each byte)")
      }
      throw RequestProblem(
        "deviceToken", "not hexadecimal", do: "expected two digits for each byte of the token")
    }
    return try sized(bytes)
  }

  private static func token(_ fields: RegistrationFields) throws(RequestProblem) -> [UInt8] {
    if let raw = fields.raw { return try sized(raw) }
    guard let text = fields.first("deviceToken", "token") else {
      let near = fields.pairs.first { RegistrationFields.meant(by: $0.name) == "deviceToken" }
      throw RequestProblem(
        "deviceToken", "missing",
        do: near.map { "use deviceToken instead of \(excerpt($0.name))" }
          ?? "send it in hexadecimal, or as the body with content-type application/octet-stream")
    }
    return try token(hexadecimal: text)
  }

  /// Reads a Web Push subscription; returns nil if the request has no endpoint.
  ///
  /// The keys can be missing only if the request removes the subscription; see ``requireKeys()``.
  private static func subscription(
    _ fields: RegistrationFields
  ) throws(RequestProblem) -> WebPushSubscription? {
    guard let endpoint = fields.first("endpoint") else { return nil }
    guard fields.raw == nil, fields.first("deviceToken", "token") == nil else {
      throw RequestProblem(
        "endpoint", "sent with a device token", do: "register each of them in its own request")
    }
    do throws(WebPushFault) {
      return try WebPushSubscription(
        endpoint: endpoint, p256dh: fields.first("p256dh"), auth: fields.first("auth"))
    } catch {
      throw RequestProblem(fault: error)
    }
  }

  /// Throws a problem if the request contains a Web Push subscription without keys.
  func requireKeys() throws(RequestProblems) {
    guard let subscription, subscription.keys == nil else { return }
    throw RequestProblems([RequestProblem(fault: .keysMissing)])
  }

  private static func sized(_ bytes: [UInt8]) throws(RequestProblem) -> [UInt8] {
    guard bytes.count <= WireLimits.deviceTokenBytesMax else {
      throw RequestProblem(
        "deviceToken", "\(bytes.count) bytes are too many for a token",
        do: "expected up to \(WireLimits.deviceTokenBytesMax) bytes")
    }
    return bytes
  }

  static func language(_ text: String?) throws(RequestProblem) -> String? {
    guard let text else { return nil }
    let tag = LanguageTag.canonical(text)
    guard tag.utf8.count <= Limits.languageBytesMax, LanguageTag.isUsable(tag) else {
      throw RequestProblem(
        "language", "invalid value '\(excerpt(text))'",
        do: "expected a language tag such as fr-CA")
    }
    return tag
  }

  static func zone(_ text: String?, _ zones: DeviceZones) throws(RequestProblem) -> String? {
    guard let text else { return nil }
    guard zones.zone(named: text) != nil else {
      throw RequestProblem(
        "timeZone", "invalid value '\(excerpt(text))'",
        do: "expected a time zone that this machine knows, such as Europe/Paris")
    }
    return text
  }

  /// Parses `sandbox` or `production`.
  ///
  /// `development`, the term that app entitlements use, means `sandbox`.
  /// A Web Push subscription has no environment.
  static func environment(
    _ text: String?, isWebPush: Bool = false
  ) throws(RequestProblem) -> Environment? {
    guard let text else { return nil }
    guard !isWebPush else {
      throw RequestProblem(
        "environment", "not allowed for a Web Push subscription", do: "leave it out")
    }
    let name = text.utf8.count <= Limits.fieldNameBytesMax ? text.lowercased() : ""
    guard let environment = Environment(name: name == "development" ? "sandbox" : name) else {
      throw RequestProblem(
        "environment", "invalid value '\(excerpt(text))'",
        do: "expected development or production")
    }
    return environment
  }

  /// Returns the beginning of a string, for use in a message.
  private static func excerpt(_ text: String) -> String { RequestProblem.excerpt(text) }

  private static func name(_ field: String, _ text: String?) throws(RequestProblem) -> String? {
    guard let text else { return nil }
    guard text.utf8.count <= Limits.nameBytesMax,
      text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
    else {
      throw RequestProblem(
        field, "too long, or contains control characters",
        do: "expected up to \(Limits.nameBytesMax) bytes of text")
    }
    return text
  }

  private static func tags(_ all: [String]) throws(RequestProblem) -> [String] {
    var tags: [String] = []
    /// The tags as bytes, because a comparison of strings would normalize them.
    var known: Set<[UInt8]> = []
    for tag in all {
      guard let name = try name("tag", tag), known.insert(Array(name.utf8)).inserted else {
        continue
      }
      guard tags.count < Limits.tagsMax else {
        throw RequestProblem(
          "tag", "more than \(Limits.tagsMax) tags",
          do: "expected up to \(Limits.tagsMax) for a device")
      }
      tags.append(name)
    }
    return tags
  }
}
