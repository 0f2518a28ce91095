internal import BelfryWire
internal import PushWire
internal import Storage
internal import System
internal import Transport

/// Read-only checks of pushes, device tokens, and provider tokens.
extension Administration {
  func check(
    _ draft: AdministrationRequest.PushDraft, _ now: Int64
  ) throws(StorageFailure) -> JSONObject {
    var admission = try admission(of: draft, now)
    let result = try admission.result()
    let type = draft.type.flatMap(Self.pushType) ?? result.admitted?.pushType ?? .alert
    var line: JSONObject = [
      "ok": .bool(result.refusals.isEmpty), "bytes": .integer(Int64(draft.payload.count)),
      "bytesMax": .integer(Int64(type.payloadBytesMax)),
    ]
    line["key"] = result.key.map { .string($0.id) }
    line["team"] = result.key.map { .string($0.team) }
    if let admitted = result.admitted {
      line["type"] = .string("\(admitted.pushType.name)")
      line["priority"] = .integer(Int64(admitted.priority))
      line["expiresAt"] = Self.time(admitted.expiration * 1_000)
      line["device"] = .string("\(admitted.contents.device)")
    }
    line["faults"] = .array(
      result.refusals.map { .object(Self.line($0, payload: draft.payload)) })
    var notes = PayloadNotes.notes(draft.payload, type, priority: draft.priority)
    if result.isDisabled {
      notes.append("The user has turned off this app's notifications: accepted, then discarded.")
    }
    if result.isRelayed {
      notes.append(
        "The gateway relays the push to the app's upstream, which checks the device token.")
    }
    line["notes"] = .array(notes.map { .string($0) })
    return line
  }

  func check(
    deviceToken text: String, topic: String?, _ now: Int64
  ) throws(StorageFailure) -> JSONObject {
    var draft = AdministrationRequest.PushDraft()
    draft.token = text
    draft.payload = Array("{}".utf8)
    let contents = contents(ofToken: text)
    var line = JSONObject()
    if let contents {
      let apps = try store.apps()
      let app = apps.first { $0.number == contents.app }
      let ownTopic = app.map { "\($0.bundleID)\(contents.kind.topicSuffix)" }
      line["device"] = .string("\(contents.device)")
      line["deviceName"] = try store.device(number: contents.device).map { .string($0.name) }
      line["topic"] = ownTopic.map { .string($0) }
      line["team"] = app.map { .string($0.team) }
      line["kind"] = .string("\(contents.kind.name)")
      line["environment"] = .string(contents.environment.name)
      draft.topic = topic ?? ownTopic ?? ""
    } else {
      draft.topic = topic ?? ""
    }
    var admission = try admission(of: draft, now)
    let result = try admission.result()
    // If the topic is unknown, omit findings about any field but the token.
    var refusals = result.refusals.filter { topic != nil || contents != nil || $0.field == .token }
    // The caller gave no credential. If the gateway's keys can't send to the topic, report only that the topic isn't the
    // token's.
    if contents == nil {
      refusals.removeAll { $0.rejection == .topicDisallowed }
    } else if line["topic"]?.stringValue?.hasSameBytes(as: draft.topic) != true {
      for index in refusals.indices where refusals[index].rejection == .topicDisallowed {
        refusals[index] = DraftAdmission.Refusal(field: .token, rejection: .deviceTokenNotForTopic)
      }
    }
    line["ok"] = .bool(refusals.isEmpty)
    line["disabled"] = .bool(result.isDisabled)
    if result.isRelayed { line["relayed"] = true }
    line["faults"] = .array(refusals.map { .object(Self.line($0, payload: draft.payload)) })
    return line
  }

  func check(
    providerToken text: String, topic: String?, _ now: Int64
  ) throws(StorageFailure) -> JSONObject {
    let text = text.lowercased().hasPrefix("bearer ") ? String(text.dropFirst(7)) : text
    let bytes = Array(text.utf8)
    let token: ProviderToken
    do throws(ProviderToken.ParseFailure) {
      token = try ProviderToken(bytes.span)
    } catch {
      return Self.line(.invalidProviderToken, because: Self.sentence(error))
    }
    var line: JSONObject = [
      "key": .string(token.keyID), "team": .string(token.teamID),
      "algorithm": token.algorithm == .es256 ? "ES256" : "ES512",
      "issuedAt": Self.time(Self.milliseconds(token.issuedAt)),
      "expiresAt": Self.time(
        Self.milliseconds(token.issuedAt) + WireLimits.providerTokenAgeSecondsMax * 1_000),
    ]
    let (rejection, why) = try fault(of: token, bytes, topic: topic, now)
    let verdict =
      rejection.map { Self.line($0, because: why) } ?? ["ok": true, "detail": .string(why)]
    line.merge(verdict)
    return line
  }

  /// Returns the first rule that a token breaks and a sentence that explains the result; the rule is nil if the token
  /// is valid.
  ///
  /// The rules are checked in the same order as in the gateway.
  private func fault(
    of token: ProviderToken, _ text: [UInt8], topic: String?, _ now: Int64
  ) throws(StorageFailure) -> (Rejection?, String) {
    guard let record = try store.keys().first(where: { $0.id == token.keyID }) else {
      return (.invalidProviderToken, "This gateway has no key \(token.keyID) (kid).")
    }
    guard record.revokedMilliseconds == nil else {
      return (.invalidProviderToken, "Key \(record.id) was revoked.")
    }
    guard record.team == token.teamID else {
      return (
        .invalidProviderToken,
        "Key \(record.id) belongs to team \(record.team), not to \(token.teamID) (iss)."
      )
    }
    guard let publicKey = try? ES256PublicKey(spkiDER: record.publicKeySPKI) else {
      return (.invalidProviderToken, "Can't read key \(record.id) from the store.")
    }
    let key = ProviderVerificationKey(record, publicKey: publicKey)
    let verifier = TokenVerifier(directory: CredentialDirectory(version: 1, keys: [key], apps: []))
    let authorization = Array("bearer ".utf8) + text
    guard case .verified(let verified) = verifier.verify(authorization: authorization.span) else {
      return (
        .invalidProviderToken,
        "Invalid signature: the token was signed with a key other than \(record.id), or was altered."
      )
    }
    var rules = ConnectionCredentials(environment: environment)
    switch rules.present(verified, atSeconds: now / 1_000) {
    case nil: break
    case .expiredProviderToken?:
      let age = (now - Self.milliseconds(token.issuedAt)) / 1_000
      let when = age > 0 ? "\(age / 60) minutes ago" : "\(-age / 60) minutes in the future"
      return (.expiredProviderToken, "Issued \(when) (iat): the limit is one hour.")
    case let rejection?:
      return (rejection, "Key \(record.id) is valid only in \(record.environments.name).")
    }
    guard let topic, !topic.isEmpty else { return (nil, "Valid.") }
    var draft = AdministrationRequest.PushDraft()
    draft.topic = topic
    draft.key = record.id
    draft.payload = Array("{}".utf8)
    var admission = try admission(of: draft, now)
    if let refusal = try admission.result().refusals.first(where: { $0.field == .topic }) {
      return (refusal.rejection, "The token is valid, but not for topic \(topic).")
    }
    return (nil, "Valid, and allowed to send to \(topic).")
  }

  private func admission(
    of draft: AdministrationRequest.PushDraft, _ now: Int64
  ) throws(StorageFailure) -> DraftAdmission {
    try DraftAdmission(
      draft, store: store, tokens: tokenCodec, environment: environment, nowSeconds: now / 1_000)
  }

  /// Returns the contents of a device token of this gateway; nil if the string isn't such a token.
  private func contents(ofToken text: String) -> TokenContents? {
    Hexadecimal.decode(text).flatMap { tokenCodec?.open($0.span) }
  }

  /// Returns the device to which a hexadecimal device token belongs; nil if the string isn't a token of this gateway.
  func device(ofToken text: String) -> UInt64? { contents(ofToken: text)?.device }

  /// The codec that seals and opens device tokens; nil if the folder's keys can't be read.
  var tokenCodec: DeviceTokenCodec? {
    guard let keys = try? folder.tokenKeys() else { return nil }
    let cell = try? ControlSetting.cell(in: store)
    return try? DeviceTokenCodec(keys: keys, environment: environment, cell: cell ?? 0)
  }

  // MARK: Lines

  private static func line(
    _ refusal: DraftAdmission.Refusal, payload: [UInt8]
  ) -> JSONObject {
    let row = refusal.rejection.row
    var line: JSONObject = [
      "field": .string(refusal.field.rawValue), "reason": .string(refusal.rejection.reason),
      "status": .integer(Int64(row.status)), "when": .string("\(row.when)"),
    ]
    line["since"] = refusal.sinceMilliseconds.map(time)
    if refusal.field == .payload, !payload.isEmpty, let fault = PayloadFault(in: payload) {
      line["line"] = .integer(Int64(fault.line))
      line["column"] = .integer(Int64(fault.column))
      line["what"] = .string(fault.what)
      line["advice"] = .string(fault.remedy)
    }
    return line
  }

  private static func line(_ rejection: Rejection, because detail: String) -> JSONObject {
    [
      "ok": false, "reason": .string(rejection.reason),
      "status": .integer(Int64(rejection.row.status)), "when": .string("\(rejection.row.when)"),
      "detail": .string(detail),
    ]
  }

  private static func sentence(_ failure: ProviderToken.ParseFailure) -> String {
    switch failure {
    case .malformed: "Expected three base64url parts, the first two of them JSON objects."
    case .algorithm: "alg must be ES256."
    case .missing: "kid, iss or iat is missing or has the wrong type."
    }
  }

  private static func pushType(_ name: String) -> PushType? {
    let bytes = Array(name.utf8)
    return PushType(bytes.span)
  }

  private static func time(_ milliseconds: Int64) -> JSONValue {
    .string(Timestamp.rfc3339(unixMilliseconds: milliseconds))
  }

  /// Converts seconds from an unverified token to milliseconds, clamped to the range of years that a date can
  /// represent.
  private static func milliseconds(_ seconds: Int64) -> Int64 {
    max(0, min(seconds, 253_402_300_799)) * 1_000
  }
}
