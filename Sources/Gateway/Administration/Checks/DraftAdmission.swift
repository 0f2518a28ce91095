internal import BelfryWire
internal import PushWire
internal import Storage
internal import Transport

/// The gateway's own admission checks, applied to a draft.
///
/// The checks read from the control store instead of a loop's directory. After each failed check, a valid value
/// replaces the invalid one and the checks run again, so that one result reports all errors.
struct DraftAdmission {
  typealias Draft = AdministrationRequest.PushDraft

  /// The form field that a refusal concerns.
  enum Field: String {
    case token, topic, type, priority, expiration, collapseID, id, key, payload
  }

  /// A refusal that the gateway would send.
  struct Refusal {
    let field: Field
    let rejection: Rejection
    /// The time at which the token became invalid, in milliseconds since 1970; set only for `Unregistered`.
    var sinceMilliseconds: Int64?
  }

  /// The findings of all checks.
  struct Result {
    var refusals: [Refusal] = []
    var admitted: Admission.Admitted?
    /// True if the user turned off the app's notifications on the device; the gateway would accept a push and discard
    /// it.
    var isDisabled = false
    /// True if the gateway relays the push to an upstream, which performs the remaining checks.
    var isRelayed = false
    /// The key that signs the push; nil if no key was found.
    var key: KeyRecord?
  }

  private let store: any ControlStore
  private let environment: BelfryWire.Environment
  private let tokens: DeviceTokenCodec?
  private let keys: [KeyRecord]
  private let nowSeconds: Int64
  private var draft: Draft

  init(
    _ draft: Draft, store: any ControlStore, tokens: DeviceTokenCodec?,
    environment: BelfryWire.Environment, nowSeconds: Int64
  ) throws(StorageFailure) {
    self.draft = draft
    self.store = store
    self.tokens = tokens
    self.environment = environment
    self.nowSeconds = nowSeconds
    keys = try store.keys()
  }

  /// Returns the findings, after repeating the checks until they find nothing new.
  mutating func result() throws(StorageFailure) -> Result {
    var result = Result()
    result.key = try signingKey()
    // If the draft's key is refused, the remaining checks use another key, which would not sign the push.
    var key = result.key
    while true {
      switch evaluate(key) {
      case .admitted(let admitted):
        // If a valid value replaced an invalid one, the admitted request doesn't describe the draft.
        if result.refusals.isEmpty { result.admitted = admitted }
        try checkRegistration(admitted.contents, &result)
        return result
      case .forwarded:
        result.isRelayed = result.refusals.isEmpty
        return result
      case .refused(let rejection):
        let field = Self.field(of: rejection)
        guard !result.refusals.contains(where: { $0.field == field }) else {
          checkType(&result)
          return result
        }
        // The topic was wrong and has been replaced, so this mismatch says nothing about the token.
        if rejection == .deviceTokenNotForTopic,
          result.refusals.contains(where: { $0.field == .topic })
        {
          return result
        }
        result.refusals.append(Refusal(field: field, rejection: rejection))
        pass(field)
        if field == .key { key = try signingKey() }
      }
    }
  }

  /// Adds a refusal if the topic doesn't accept the push type; the regular checks never compare the two if the token is
  /// invalid.
  private func checkType(_ result: inout Result) {
    assert(!result.refusals.isEmpty, "the check found at least one error")
    let known: [Field] = [.type, .topic, .key]
    guard !result.refusals.contains(where: { known.contains($0.field) }) else { return }
    let request = request
    var context = Context(admission: self, key: result.key)
    guard case .value(let type) = request.pushType,
      case .accepted(let credential) = context.credential(for: request),
      case .found(_, let kind) = Admission.topic(
        of: request, credential: credential, context: context),
      !type.fits(topicOf: kind)
    else { return }
    result.refusals.append(Refusal(field: .type, rejection: .invalidPushType))
  }

  private func evaluate(_ key: KeyRecord?) -> Admission.Decision {
    let body = draft.payload
    var context = Context(admission: self, key: key)
    return Admission.evaluate(
      request, body: body.span, bodyBytes: body.count, atSeconds: nowSeconds, context: &context)
  }

  /// The request that the draft describes.
  private var request: PushRequest {
    var request = PushRequest()
    func set(_ name: String, _ value: String?) {
      guard let value else { return }
      let (nameBytes, valueBytes) = (Array(name.utf8), Array(value.utf8))
      request.handleField(name: nameBytes.span, value: valueBytes.span)
    }
    set(":method", "POST")
    set(":path", "/3/device/\(draft.token)")
    if !draft.topic.isEmpty { set("apns-topic", draft.topic) }
    set("apns-push-type", draft.type)
    set("apns-priority", draft.priority)
    set("apns-expiration", draft.expiration)
    set("apns-collapse-id", draft.collapseID)
    set("apns-id", draft.id)
    return request
  }

  /// Replaces an invalid field with a value that passes the checks.
  private mutating func pass(_ field: Field) {
    switch field {
    case .token: draft.token = String(repeating: "0", count: 64)
    case .topic: draft.topic = Self.placeholder
    case .type: draft.type = nil
    case .priority: draft.priority = nil
    case .expiration: draft.expiration = nil
    case .collapseID: draft.collapseID = nil
    case .id: draft.id = nil
    case .key: draft.key = nil
    case .payload: draft.payload = Array("{}".utf8)
    }
  }

  /// A bundle identifier that no app has, because it contains no dot.
  private static let placeholder = "placeholder"

  private static func field(of rejection: Rejection) -> Field {
    switch rejection {
    case .badMessageID: .id
    case .badExpirationDate: .expiration
    case .badPriority: .priority
    case .invalidPushType: .type
    case .badCollapseID: .collapseID
    case .missingTopic, .badTopic, .topicDisallowed: .topic
    case .payloadEmpty, .payloadTooLarge: .payload
    case .missingProviderToken, .invalidProviderToken, .badEnvironmentKeyInToken: .key
    default: .token
    }
  }

  // MARK: Lookups for the checks

  /// Returns the key that the draft specifies; if it specifies none, a valid key, preferably of the team that owns the
  /// topic.
  private func signingKey() throws(StorageFailure) -> KeyRecord? {
    if let id = draft.key { return keys.first { $0.id == id } }
    let topic = Array(draft.topic.utf8)
    let bundleID = String(
      decoding: topic[..<TopicParts(topic.span).bundleIDBytes], as: UTF8.self)
    var app = try store.app(bundleID: bundleID)
    // The suffix of a push type can also be part of the bundle identifier itself.
    if app == nil { app = try store.app(bundleID: draft.topic) }
    let good = keys.filter {
      $0.revokedMilliseconds == nil && $0.environments.contains(environment)
    }
    return good.first {
      $0.team == app?.team && ($0.topics.isEmpty || $0.topics.contains(app?.bundleID ?? ""))
    } ?? good.first
  }

  /// Checks the token's registration in the store, which can be slightly out of date: only the device's home loop knows
  /// the current state.
  private func checkRegistration(
    _ contents: TokenContents, _ result: inout Result
  ) throws(StorageFailure) {
    let key = NotificationKey(contents)
    let damage = store.damage
    var table = RegistrationTable(damage: damage)
    if let record = try store.registration(of: key) { table.set(key, to: .init(record)) }
    let device = try store.device(number: contents.device)
    if device == nil, damage.mayHave(.device(contents.device)) {
      result.refusals.append(Refusal(field: .token, rejection: .serviceUnavailable))
      return
    }
    if let since = device?.revokedMilliseconds {
      table.revoke(contents.device, atMilliseconds: since)
    }
    switch table.verdict(key, generation: contents.generation) {
    case .active: return
    case .disabled: result.isDisabled = true
    case .unknown:
      result.refusals.append(
        Refusal(
          field: .token,
          rejection: damage.mayHave(.registration(key)) ? .serviceUnavailable : .badDeviceToken))
    case .unregistered(let since):
      result.refusals.append(
        Refusal(field: .token, rejection: .unregistered, sinceMilliseconds: since))
    }
  }

  /// The context of the admission checks, backed by the store.
  private struct Context: AdmissionContext {
    var admission: DraftAdmission
    let key: KeyRecord?

    mutating func credential(for request: borrowing PushRequest) -> Admission.Credential {
      guard let key else {
        return .refused(admission.draft.key == nil ? .missingProviderToken : .invalidProviderToken)
      }
      guard key.revokedMilliseconds == nil,
        let publicKey = try? ES256PublicKey(spkiDER: key.publicKeySPKI)
      else { return .refused(.invalidProviderToken) }
      guard key.environments.contains(admission.environment) else {
        return .refused(.badEnvironmentKeyInToken)
      }
      let id = Array(key.id.utf8)
      return .accepted(
        .token(
          VerifiedToken(
            key: ProviderVerificationKey(key, publicKey: publicKey),
            issuedAt: admission.nowSeconds, digest: SHA256.hash(id))))
    }

    func app(bundleID: Span<UInt8>) -> App? {
      var name: [UInt8] = []
      name.append(copying: bundleID)
      let text = String(decoding: name, as: UTF8.self)
      if text == DraftAdmission.placeholder {
        return App(number: 0, bundleID: name, teamID: key?.team ?? "")
      }
      return (try? admission.store.app(bundleID: text)).flatMap { $0 }
        .map { App($0, teamRate: nil) }
    }

    func mayBeDamaged(bundleID: Span<UInt8>) -> Bool {
      var name: [UInt8] = []
      name.append(copying: bundleID)
      return admission.store.damage.mayHave(.bundle(String(decoding: name, as: UTF8.self)))
    }

    func mayBeDamaged(app: UInt32) -> Bool {
      admission.store.damage.mayHave(.app(number: app))
    }

    func hasUpstream(_ app: App) -> Bool {
      (try? admission.store.upstreams())?.contains { $0.app == app.number } ?? false
    }

    func mayHaveDamagedUpstream(app: UInt32) -> Bool {
      admission.store.damage.mayHave(.upstream(app: app))
    }

    mutating func open(token: Span<UInt8>) -> TokenContents? { admission.tokens?.open(token) }
  }
}
