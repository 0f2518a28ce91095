internal import BelfryWire
public import PushWire

/// The information that the checks need beyond the request itself.
public protocol AdmissionContext {
  /// Returns the credential from the request's connection or `authorization` field.
  mutating func credential(for request: borrowing PushRequest) -> Admission.Credential
  /// Returns the app with a bundle identifier.
  func app(bundleID: Span<UInt8>) -> App?
  /// Returns true if the app wasn't found but might be in a damaged row.
  func mayBeDamaged(bundleID: Span<UInt8>) -> Bool
  /// Returns true if the token's app wasn't found but might be in a damaged row.
  func mayBeDamaged(app: UInt32) -> Bool
  /// Returns a device token's contents; `nil` if this gateway didn't create it.
  mutating func open(token: Span<UInt8>) -> TokenContents?
  /// Returns true if pushes to devices of an upstream are relayed for this app.
  func hasUpstream(_ app: App) -> Bool
  /// Returns true if the app's upstream wasn't found but might be in a damaged row.
  func mayHaveDamagedUpstream(app: UInt32) -> Bool
  /// Returns the scripted answer (`belfry fault`) to a request that is valid, except that its token might be inactive;
  /// `nil` for the regular answer.
  mutating func scripted(_ request: borrowing PushRequest, to app: App) -> Rejection?
}

extension AdmissionContext {
  /// Returns false; contexts that can have damaged rows override this default.
  public func mayBeDamaged(bundleID: Span<UInt8>) -> Bool { false }
  /// Returns false; contexts that can have damaged rows override this default.
  public func mayBeDamaged(app: UInt32) -> Bool { false }

  /// Returns true if the app has a relay; contexts without a directory override this default.
  public func hasUpstream(_ app: App) -> Bool { app.hasUpstream }
  /// Returns false; contexts that can have damaged rows override this default.
  public func mayHaveDamagedUpstream(app: UInt32) -> Bool { false }
  /// Returns nil; contexts that have scripted answers override this default.
  public mutating func scripted(_ request: borrowing PushRequest, to app: App) -> Rejection? { nil }
}

/// The ordered checks of `POST /3/device/TOKEN` (apns-protocol 1.12), except those that only the device's home loop can
/// perform: whether the token is still active and within its rate limit.
public enum Admission {
  /// The outcome of checking the request's credential (apns-protocol 1.12, step 4).
  public enum Credential {
    case refused(Rejection)
    case accepted(ProviderCredential)
  }

  /// The outcome of the checks.
  public enum Decision {
    case refused(Rejection)
    case admitted(Admitted)
    /// The gateway did not create the device token, and the app has an upstream, which performs the remaining checks.
    case forwarded(App, from: ProviderCredential)
  }

  /// A request that passed the checks.
  public struct Admitted {
    /// The contents of the device token.
    public let contents: TokenContents
    /// The app that the topic identifies.
    public let app: App
    /// The push type, which is either specified by the request or implied by the token's kind.
    public let pushType: PushType
    /// The priority: 10, 5, or 1.
    public let priority: UInt8
    /// The time until which the gateway stores the notification, in seconds since 1970; 0 if it attempts delivery only
    /// once.
    public let expiration: Int64
  }

  /// Checks a complete request whose body is `bodyBytes` bytes long.
  ///
  /// `body` is the part of the body that was retained: all of it, unless the body is too large.
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
    // A body that isn't JSON counts as empty (apns-protocol section 10).
    guard PayloadSyntax.isObject(body) else { return .refused(.payloadEmpty) }
    if let rejection = context.scripted(request, to: app) { return .refused(rejection) }
    guard let contents = context.open(token: request.token.span) else {
      return decisionOnForeignToken(request, of: app, from: credential, context)
    }
    guard contents.app == app.number, isPair(contents.kind, topicKind) else {
      // The token's app might be missing only because its row is damaged.
      return .refused(
        context.mayBeDamaged(app: contents.app) ? .serviceUnavailable : .deviceTokenNotForTopic)
    }
    // Check the push type after the topic: a token for another topic is rejected first, whatever the push type
    // (apns-protocol 1.12).
    let pushType = givenType ?? PushType(impliedBy: contents.kind)
    guard pushType.tokenKind == contents.kind else { return .refused(.invalidPushType) }
    assert(pushType.fits(topicOf: topicKind), "the push type fits the token's topic")
    return .admitted(
      Admitted(
        contents: contents, app: app, pushType: pushType,
        priority: priority(of: request, pushType: pushType),
        expiration: expiration(of: request, atSeconds: now)))
  }

  /// Returns the decision on a request whose token this gateway did not create.
  ///
  /// If an upstream might be missing only because its row is damaged, the token might be valid, so the sender must not
  /// delete it.
  private static func decisionOnForeignToken(
    _ request: borrowing PushRequest, of app: App, from sender: ProviderCredential,
    _ context: some AdmissionContext
  ) -> Decision {
    guard !request.token.isEmpty else { return .refused(.badDeviceToken) }
    if context.hasUpstream(app) { return .forwarded(app, from: sender) }
    return .refused(
      context.mayHaveDamagedUpstream(app: app.number) ? .serviceUnavailable : .badDeviceToken)
  }

  private static func faultInFields(_ request: borrowing PushRequest) -> Rejection? {
    if case .invalid = request.id { return .badMessageID }
    if case .invalid = request.expiration { return .badExpirationDate }
    if case .invalid = request.priority { return .badPriority }
    if case .invalid = request.pushType { return .invalidPushType }
    if case .invalid = request.collapse { return .badCollapseID }
    return nil
  }

  /// The app and the token kind that a topic identifies, or the reason for refusing the topic.
  enum TopicOutcome {
    case refused(Rejection)
    case found(App, TokenKind)
  }

  /// Resolves the topic of a request, or the topic that the request's certificate implies.
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
      // The suffix of a push type can also be part of the bundle identifier itself.
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

  /// Returns true if a token can be used with a topic.
  ///
  /// An MDM token's topic is the certificate's own topic and has no suffix (apns-protocol 1.5).
  private static func isPair(_ tokenKind: TokenKind, _ topicKind: TokenKind) -> Bool {
    tokenKind == topicKind || (tokenKind == .mdm && topicKind == .alert)
  }

  /// Returns the effective priority.
  ///
  /// A background push never exceeds priority 5, whatever the sender sets (apns-protocol 1.5).
  private static func priority(of request: borrowing PushRequest, pushType: PushType) -> UInt8 {
    guard case .value(let priority) = request.priority else {
      return pushType == .background ? 5 : 10
    }
    return pushType == .background ? min(priority, 5) : priority
  }

  /// Returns the effective expiration, which is at most 30 days away.
  ///
  /// An absent header doesn't mean 0 (apns-protocol section 4).
  private static func expiration(
    of request: borrowing PushRequest, atSeconds now: Int64
  ) -> Int64 {
    let latest = now + Int64(WireLimits.storageDaysMax) * 86_400
    guard case .value(let seconds) = request.expiration else { return latest }
    return min(seconds, latest)
  }
}
