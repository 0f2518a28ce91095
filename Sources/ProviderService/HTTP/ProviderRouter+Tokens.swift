internal import BelfryProvider
internal import BelfryWire
internal import Storage
internal import System
internal import Transport

/// The requests from apps and the operator that manage tokens.
extension ProviderRouter {
  /// Registers a token, or removes it.
  func register(_ request: HTTP1Request, as caller: Caller) throws -> HTTP1Response {
    let registration = try RegistrationRequest(request, zones: registry.zones)
    if request.method == "DELETE" {
      return try remove(registration, as: caller)
    }
    try checkSubscription(registration)
    let topic = try topic(of: registration, as: caller)
    let limit = limit(of: topic, as: caller)
    let change = try registry.register(registration, topic: topic, limit: limit)
    if change == .full { throw full(topic) }
    var line: JSONObject = ["registered": .string(change.rawValue), "topic": .string(topic)]
    line["language"] = registration.language.map { .string($0) }
    line["timeZone"] = registration.timeZone.map { .string($0) }
    if registration.subscription != nil { line["kind"] = .string(Registry.webPushKind) }
    line["warnings"] = Self.warnings(of: [registration])
    return .object(line)
  }

  /// Refuses a subscription without keys, or whose endpoint is an address that is not public.
  ///
  /// A name that resolves to such an address is refused when a message is sent.
  private func checkSubscription(
    _ registration: RegistrationRequest
  ) throws(RequestProblems) {
    try registration.requireKeys()
    guard !allowsPrivateEndpoints, let service = registration.subscription?.service,
      let address = SocketAddress(host: service.host, port: service.port), !address.isPublic
    else { return }
    throw RequestProblems([
      RequestProblem(
        "endpoint", "not a public address",
        do: "the operator can allow it with --web-push-private-addresses")
    ])
  }

  /// Returns the number of tokens that the caller's app can have.
  ///
  /// The operator can import any number.
  private func limit(of topic: String, as caller: Caller) -> RegistrationLimit? {
    let app: String
    switch caller {
    case .administrator: return nil
    case .app(let bundleID): app = bundleID
    case .anybody:
      app = apps.apps.map(\.bundleID).first { AppKeys.isTopic(topic, of: $0) } ?? topic
    }
    // Two kinds of tokens can share a topic, so count each topic only once.
    let topics = Set(TokenKind.allCases.map { "\(app)\($0.topicSuffix)" })
    return RegistrationLimit(topics: topics.sorted(), tokens: tokensPerApp)
  }

  private func full(_ topic: String) -> Refusal {
    log.warning(
      "an app has reached its token limit: new tokens are rejected; see --tokens-per-app",
      ["topic": topic, "allowed": "\(tokensPerApp)"])
    var refusal = Refusal(
      429, "the app has reached its limit of \(tokensPerApp) tokens",
      do: "try again later; the operator can raise --tokens-per-app")
    refusal.retryAfterSeconds = Limits.fullRetrySeconds
    return refusal
  }

  private func remove(
    _ registration: RegistrationRequest, as caller: Caller
  ) throws -> HTTP1Response {
    // If the operator does not specify a topic, the request applies to all topics.
    let topic: String? =
      caller == .administrator && registration.topic == nil
      ? nil : try topic(of: registration, as: caller)
    let wasThere = try registry.remove(registration.token, topic: topic)
    guard wasThere else {
      let isWebPush = registration.subscription != nil
      throw Refusal(
        404, "this \(isWebPush ? "subscription" : "token") is not registered",
        do: "there is nothing to remove", field: isWebPush ? "endpoint" : "deviceToken")
    }
    return .object(["removed": true])
  }

  private func topic(
    of registration: RegistrationRequest, as caller: Caller
  ) throws(RequestProblems) -> String {
    do throws(RequestProblem) {
      return try caller.topic(given: registration.topic, of: apps)
    } catch {
      throw RequestProblems([error])
    }
  }

  /// Returns a page of tokens: `?limit=`, `?after=`, and the conditions of a search: `?deviceToken=`, `?topic=`,
  /// `?user=`, `?tag=`, `?language=`, `?endpoint=`, `?kind=`.
  ///
  /// The beginning of a token, with at least eight digits, also finds the token. The header field `link` contains the
  /// next page's address.
  func tokens(_ request: HTTP1Request) throws -> HTTP1Response {
    func number(
      _ name: String, _ range: ClosedRange<Int64>, or none: Int64
    ) throws(RequestProblems) -> Int64 {
      guard let text = request.queryValue(name) else { return none }
      guard let value = Int64(text), range.contains(value) else {
        throw RequestProblems([
          RequestProblem(
            name,
            "invalid value '\(String(text.unicodeScalars.prefix(40)))'",
            do: "expected a number from \(range.lowerBound) to \(range.upperBound)")
        ])
      }
      return value
    }
    try Self.checkParameters(of: request)
    let most = Int64(Limits.tokensPerPage)
    let limit = try number("limit", 1...most, or: most)
    let after = try number("after", 0...Int64.max, or: 0)
    let (filter, digits, query) = try filter(of: request)
    var page: (lines: [JSONObject], next: Int64?) = ([], nil)
    if digits == nil || filter?.sealed != nil {
      page = try registry.page(filter, after: after, limit: Int(limit))
    }
    // No registration has exactly this token, so the digits might be the beginning of a longer token.
    if page.lines.isEmpty, var others = filter, let digits {
      others.sealed = nil
      page = try registry.page(startingWith: digits, others, after: after, limit: Int(limit))
    }
    let next = page.next.map { "</tokens?\(query)limit=\(limit)&after=\($0)>; rel=\"next\"" }
    return .lines(page.lines, fields: next.map { [("link", $0)] } ?? [])
  }

  /// Refuses a parameter that is, or resembles, the name of a field or of a condition.
  ///
  /// If such a parameter were ignored, the response would contain devices that the client did not search for. Other
  /// parameters are ignored.
  private static func checkParameters(of request: HTTP1Request) throws(RequestProblems) {
    let known = conditions + ["limit", "after"]
    let unknown = request.query.lazy.map(\.name).filter {
      $0.utf8.count <= Limits.fieldNameBytesMax && !known.containsBytes(of: $0)
    }
    for name in unknown.prefix(Limits.fieldsCompared) {
      let meant =
        RegistrationFields.meant(by: name).flatMap { known.containsBytes(of: $0) ? $0 : nil }
        ?? Suggestion.nearest(to: name, in: known)
      guard meant != nil || RegistrationFields.names.containsBytes(of: name) else { continue }
      throw RequestProblems([
        RequestProblem(
          RequestProblem.excerpt(name), "unknown parameter",
          do: meant.map { "did you mean '\($0)'?" }
            ?? "expected one of \(known.joined(separator: ", "))")
      ])
    }
  }

  /// The names of the parameters that are conditions of a search.
  private static let conditions = [
    "deviceToken", "topic", "user", "tag", "language", "endpoint", "kind",
  ]

  /// Returns the conditions of a search, the digits that might be the beginning of a token, and the query text that
  /// repeats these conditions in the next page's address.
  private func filter(
    of request: HTTP1Request
  ) throws(RequestProblems) -> (filter: TokenFilter?, digits: String?, query: String) {
    var values: [String: String] = [:]  // text: the keys are our own words
    var query = ""
    for name in Self.conditions {
      guard let value = request.queryValue(name), !value.isEmpty else { continue }
      let bytesMax =
        name == "endpoint" ? WebPushSubscription.endpointBytesMax : Limits.nameBytesMax * 4
      guard value.utf8.count <= bytesMax else {
        throw RequestProblems([
          RequestProblem(name, "too long", do: "expected up to \(Limits.nameBytesMax) bytes")
        ])
      }
      values[name] = value
      query += "\(name)=\(Self.percentEncoded(value))&"
    }
    guard !values.isEmpty else { return (nil, nil, "") }
    var filter = TokenFilter()
    let digits = values["deviceToken"].flatMap(Self.beginningOfToken)
    do throws(RequestProblem) {
      // An odd number of digits is only the beginning of a token.
      if let token = values["deviceToken"], digits?.utf8.count.isMultiple(of: 2) != false {
        filter.sealed = registry.sealer.seal(try RegistrationRequest.token(hexadecimal: token))
      }
      if let endpoint = values["endpoint"] {
        guard values["deviceToken"] == nil else {
          throw RequestProblem("endpoint", "sent with a device token", do: "search for one of them")
        }
        filter.sealed = registry.sealer.seal(Array(endpoint.utf8))
      }
      filter.isWebPush = try Self.isWebPush(kind: values["kind"])
      filter.language = try RegistrationRequest.language(values["language"])
    } catch {
      throw RequestProblems([error])
    }
    filter.topic = values["topic"]
    filter.user = values["user"]
    filter.tag = values["tag"]
    return (filter, digits, query)
  }

  private static func isWebPush(kind: String?) throws(RequestProblem) -> Bool? {
    guard let kind else { return nil }
    let kinds = [Registry.deviceKind: false, Registry.webPushKind: true]
    guard let isWebPush = kinds[kind] else {  // text: only a lookup of our own words
      throw RequestProblem(
        "kind", "invalid value '\(RequestProblem.excerpt(kind))'",
        do: "expected \(Registry.deviceKind) or \(Registry.webPushKind)")
    }
    return isWebPush
  }

  /// Returns the digits of an incomplete token in the form in which tokens are listed; nil if there are too few or too
  /// many digits, or if the text is not hexadecimal.
  private static func beginningOfToken(_ text: String) -> String? {
    let bytes = text.utf8.filter { !" <>".utf8.contains($0) }
    guard Limits.tokenPrefixDigits.contains(bytes.count),
      bytes.allSatisfy({ Hexadecimal.value($0) != nil })
    else { return nil }
    return String(decoding: bytes, as: UTF8.self).lowercased()
  }

  private static func percentEncoded(_ text: String) -> String {
    var encoded = ""
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      default: encoded += "%" + Hexadecimal.encode([byte])
      }
    }
    return encoded
  }

  /// Returns the notifications that were sent to a device: `?deviceToken=`, `?topic=`.
  func sent(_ request: HTTP1Request) throws -> HTTP1Response {
    let token: [UInt8]
    do throws(RequestProblem) {
      token = try RegistrationRequest.token(hexadecimal: request.queryValue("deviceToken") ?? "")
    } catch {
      throw RequestProblems([error])
    }
    return .object(try campaigns.sent(to: token, topic: request.queryValue("topic")))
  }

  /// Registers several tokens in one request: one object per line, with the fields of `/register`.
  func bringTokens(_ request: HTTP1Request) throws -> HTTP1Response {
    let registrations = try registrations(in: request)
    var withTopics: [(request: RegistrationRequest, topic: String)] = []
    for registration in registrations {
      try checkSubscription(registration)
      withTopics.append((registration, try topic(of: registration, as: .administrator)))
    }
    let changes = try registry.register(withTopics)
    func count(_ change: RegistrationChange) -> JSONValue {
      .integer(Int64(changes.count { $0 == change }))
    }
    var line: JSONObject = [
      "added": count(.added), "replaced": count(.replaced), "renewed": count(.renewed),
    ]
    line["warnings"] = Self.warnings(of: registrations)
    return .object(line)
  }

  /// Returns each warning once, or nil if there are no warnings.
  private static func warnings(of registrations: [RegistrationRequest]) -> JSONValue? {
    var warnings: [String] = []
    for warning in registrations.lazy.flatMap(\.warnings)
    where warnings.count < Limits.warningsMax && !warnings.contains(warning) {
      warnings.append(warning)
    }
    return warnings.isEmpty ? nil : .array(warnings.map { .string($0) })
  }

  /// Parses a body with one token per line, in hexadecimal or as an object.
  func registrations(in request: HTTP1Request) throws -> [RegistrationRequest] {
    var registrations: [RegistrationRequest] = []
    let lines = request.body.split(separator: 0x0A, omittingEmptySubsequences: false)
    for (index, bytes) in lines.enumerated() {
      let line = bytes.last == 0x0D ? bytes.dropLast() : bytes
      guard !line.allSatisfy({ $0 <= 0x20 }) else { continue }
      guard registrations.count < Limits.tokensPerRequest else {
        throw Refusal(
          413, "more than \(Limits.tokensPerRequest) tokens in one request",
          do: "send them in several requests")
      }
      do throws(RequestProblems) {
        registrations.append(try registration(inLine: Array(line)))
      } catch {
        // Only a line that is an object has members.
        let isObject = line.first == UInt8(ascii: "{")
        throw RequestProblems(
          error.all.map { problem in
            let field = isObject ? problem.field.map { "\($0): " } ?? "" : ""
            return RequestProblem(
              "line \(index + 1)", "\(field)\(problem.what)", do: problem.advice)
          })
      }
    }
    return registrations
  }

  private func registration(inLine line: [UInt8]) throws(RequestProblems) -> RegistrationRequest {
    guard line.first == UInt8(ascii: "{") else {
      let text = String(decoding: line, as: UTF8.self)
      return try RegistrationRequest(["deviceToken": .string(text)], zones: registry.zones)
    }
    guard let object = (try? JSONValue(parsing: line))?.objectValue else {
      throw RequestProblems([
        RequestProblem(
          "deviceToken", "the line is not a JSON object",
          do: "use a JSON object, or a token as a hex string")
      ])
    }
    return try RegistrationRequest(object, zones: registry.zones)
  }
}
