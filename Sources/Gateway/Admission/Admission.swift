public import BelfryWire

/// What the checks need to know beyond the request itself.
public protocol AdmissionContext {
  /// The credential of the request's connection or `authorization` field.
  mutating func credential(for request: borrowing PushRequest) -> Admission.Credential
  /// The app of a bundle identifier.
  func app(bundleID: Span<UInt8>) -> App?
  /// Whether an app that is not found may be one whose row is damaged.
  func mayBeDamaged(bundleID: Span<UInt8>) -> Bool
  /// Whether the app of a token is one whose row may be damaged.
  func mayBeDamaged(app: UInt32) -> Bool
  /// Returns a device token's contents; `nil` when this gateway did not make it.
  mutating func open(token: Span<UInt8>) -> TokenContents?
  /// Returns the scripted answer to an otherwise valid request, whether or not its token is active
  /// (`belfry fault`); `nil` for the regular one.
  mutating func scripted(_ request: borrowing PushRequest, to app: App) -> Rejection?
}

extension AdmissionContext {
  /// Returns false: every row is whole.
  public func mayBeDamaged(bundleID: Span<UInt8>) -> Bool { false }
  /// Returns false: every row is whole.
  public func mayBeDamaged(app: UInt32) -> Bool { false }

  /// Returns nil: nothing is scripted.
  public mutating func scripted(_ request: borrowing PushRequest, to app: App) -> Rejection? { nil }
}

/// The ordered checks of `POST /3/device/TOKEN` (apns-protocol 1.12), up to what only the device's home
/// loop knows: whether the token is still active, and its rate.
public enum Admission {
  /// The outcome of step 4.
  public enum Credential {
    case refused(Rejection)
    case accepted(ProviderCredential)
  }

  /// The outcome of the checks.
  public enum Decision {
    case refused(Rejection)
    case admitted(Admitted)
  }

  /// A request that may go to its device.
  public struct Admitted {
    /// The opened token.
    public let contents: TokenContents
    /// The app that the topic names.
    public let app: App
    /// The push type, as given or as implied by the token.
    public let pushType: PushType
    /// 10, 5 or 1.
    public let priority: UInt8
    /// Seconds since 1970 until which it is stored; 0 when it is tried once.
    public let expiration: Int64
  }

  /// Checks a complete request whose body has `bodyBytes` bytes; `body` is the part that was retained, all of it
  /// unless it is too large.
  public static func evaluate(
    _ request: borrowing PushRequest, body: Span<UInt8>, bodyBytes: Int, atSeconds now: Int64,
    context: inout some AdmissionContext
  ) -> Decision {
    guard request.method == .post else { return .refused(.methodNotAllowed) }
    guard request.path == .device || request.path == .deviceWithoutToken else {
      return .refused(.badPath)
    }
    guard !request.hasDuplicates else { return .refused(.duplicateHeaders) }
    let credential: ProviderCredential
    switch context.credential(for: request) {
    case .refused(let rejection): return .refused(rejection)
    case .accepted(let accepted): credential = accepted
    }
    guard request.path == .device else { return .refused(.missingDeviceToken) }
    if let rejection = faultInFields(request) { return .refused(rejection) }
    let app: App
    let topicKind: TokenKind
    switch topic(of: request, credential: credential, context: context) {
    case .refused(let rejection): return .refused(rejection)
    case .found(let found, let kind): (app, topicKind) = (found, kind)
    }
    let givenType: PushType? = if case .value(let type) = request.pushType { type } else { nil }
    let sizedType = givenType ?? PushType(impliedBy: topicKind)
    guard bodyBytes <= sizedType.payloadBytesMax else { return .refused(.payloadTooLarge) }
    // A body that is not JSON counts as empty (apns-protocol section 10).
    guard PayloadSyntax.isObject(body) else { return .refused(.payloadEmpty) }
    if let rejection = context.scripted(request, to: app) { return .refused(rejection) }
    guard let contents = context.open(token: request.token.span) else {
      return .refused(.badDeviceToken)
    }
    guard contents.app == app.number, isPair(contents.kind, topicKind) else {
      // The token's own app may be there again when its row is.
      return .refused(
        context.mayBeDamaged(app: contents.app) ? .serviceUnavailable : .deviceTokenNotForTopic)
    }
    // After the token: a token of another topic is answered first, whatever the type (apns-protocol 1.12).
    let pushType = givenType ?? PushType(impliedBy: contents.kind)
    guard pushType.tokenKind == contents.kind else { return .refused(.invalidPushType) }
    assert(pushType.fits(topicOf: topicKind), "a type that fits the token fits its topic")
    return .admitted(
      Admitted(
        contents: contents, app: app, pushType: pushType,
        priority: priority(of: request, pushType: pushType),
        expiration: expiration(of: request, atSeconds: now)))
  }

  private static func faultInFields(_ request: borrowing PushRequest) -> Rejection? {
    if case .invalid = request.id { return .badMessageID }
    if case .invalid = request.expiration { return .badExpirationDate }
    if case .invalid = request.priority { return .badPriority }
    if case .invalid = request.pushType { return .invalidPushType }
    if case .invalid = request.collapse { return .badCollapseID }
    return nil
  }

  /// The app and the token kind that a topic names, or why it may not be used.
  enum TopicOutcome {
    case refused(Rejection)
    case found(App, TokenKind)
  }

  /// Reads the topic of a request, or the one that its certificate implies.
  static func topic(
    of request: borrowing PushRequest, credential: ProviderCredential,
    context: some AdmissionContext
  ) -> TopicOutcome {
    var topic = request.topic
    if topic.isEmpty {
      guard case .certificate(let certificate) = credential,
        let implied = certificate.defaultTopic
      else { return .refused(.missingTopic) }
      topic = implied
    }
    guard TopicParts.isWellFormed(topic.span) else { return .refused(.badTopic) }
    if case .certificate(let certificate) = credential, !certificate.allows(topic: topic.span) {
      return .refused(.topicDisallowed)
    }
    let parts = TopicParts(topic.span)
    var kind = parts.kind
    let base = topic.span.extracting(0..<parts.bundleIDBytes)
    var app = context.app(bundleID: base)
    if app == nil, context.mayBeDamaged(bundleID: base) { return .refused(.serviceUnavailable) }
    if app == nil, parts.bundleIDBytes < topic.count {
      // A bundle identifier may end like a suffix itself.
      app = context.app(bundleID: topic.span)
      kind = .alert
      if app == nil, context.mayBeDamaged(bundleID: topic.span) {
        return .refused(.serviceUnavailable)
      }
    }
    guard let app, app.teamID == credential.teamID else { return .refused(.topicDisallowed) }
    if case .token(let token) = credential, let allowed = token.key.bundleIDs,
      !allowed.contains(app.bundleID)
    {
      return .refused(.topicDisallowed)
    }
    return .found(app, kind)
  }

  /// An MDM token's topic is the certificate's own and has no suffix (apns-protocol 1.5).
  private static func isPair(_ tokenKind: TokenKind, _ topicKind: TokenKind) -> Bool {
    tokenKind == topicKind || (tokenKind == .mdm && topicKind == .alert)
  }

  /// Background pushes are always 5, whatever the sender says (apns-protocol 1.5).
  private static func priority(of request: borrowing PushRequest, pushType: PushType) -> UInt8 {
    guard case .value(let priority) = request.priority else {
      return pushType == .background ? 5 : 10
    }
    return pushType == .background ? min(priority, 5) : priority
  }

  /// At most 30 days; an absent header is not 0 (apns-protocol section 4).
  private static func expiration(
    of request: borrowing PushRequest, atSeconds now: Int64
  ) -> Int64 {
    let latest = now + Int64(WireLimits.storageDaysMax) * 86_400
    guard case .value(let seconds) = request.expiration else { return latest }
    return min(seconds, latest)
  }
}
