internal import BelfryWire
public import PushWire

/// The ordered checks of channel management requests and broadcasts (apns-protocol section 5), except those that only
/// the channel service can perform: whether the channel exists, and whether it stores messages.
public enum ChannelAdmission {
  /// The operation that a request specifies.
  public enum Call: Equatable, Sendable {
    case make(ChannelConfiguration)
    case read(ChannelID)
    case remove(ChannelID)
    case list
    /// Sends a broadcast.
    ///
    /// The expiration is in seconds since 1970; 0 means a single delivery attempt.
    case broadcast(ChannelID, priority: UInt8, expiration: Int64)

    /// The channel that the call refers to, if any.
    var channel: ChannelID? {
      switch self {
      case .read(let id), .remove(let id), .broadcast(let id, _, _): id
      case .make, .list: nil
      }
    }
  }

  /// The outcome of the checks.
  public enum Decision {
    case refused(Rejection)
    case admitted(App, Call)
  }

  /// Checks a complete request to any of the three paths.
  ///
  /// `body` is at most as long as the payload limit; `bodyBytes` is the number of bytes received.
  public static func evaluate(
    _ request: borrowing PushRequest, body: [UInt8], bodyBytes: Int,
    context: inout some AdmissionContext
  ) -> Decision {
    guard isLegal(request.method, on: request.path) else { return .refused(.methodNotAllowed) }
    guard !request.hasDuplicates else { return .refused(.duplicateHeaders) }
    let credential: ProviderCredential
    switch context.credential(for: request) {
    case .refused(let rejection): return .refused(rejection)
    case .accepted(let accepted): credential = accepted
    }
    let app: App
    switch self.app(of: request, credential: credential, context: context) {
    case .refused(let rejection): return .refused(rejection)
    case .found(let found): app = found
    }
    guard app.hasBroadcast else { return .refused(.featureNotEnabled) }
    if case .invalid = request.requestID { return .refused(.badMessageID) }
    if case .invalid = request.id { return .refused(.badMessageID) }
    do throws(Refusal) {
      let call = try call(request, body: body, bodyBytes: bodyBytes)
      return .admitted(app, call)
    } catch {
      return .refused(error.rejection)
    }
  }

  private struct Refusal: Error {
    let rejection: Rejection

    init(_ rejection: Rejection) { self.rejection = rejection }
  }

  private static func isLegal(_ method: PushRequest.Method, on path: PushRequest.Path) -> Bool {
    switch path {
    case .channels: method == .post || method == .get || method == .delete
    case .allChannels: method == .get
    default: method == .post
    }
  }

  private enum AppOutcome {
    case refused(Rejection)
    case found(App)
  }

  /// Resolves the app of a request.
  ///
  /// The path contains the plain bundle identifier. The gateway refuses an identifier with a push type's suffix as
  /// `TopicDisallowed`, and an app that doesn't belong to the credential as `TopicMismatch` (apns-protocol 5.1, 5.4).
  private static func app(
    of request: borrowing PushRequest, credential: ProviderCredential,
    context: some AdmissionContext
  ) -> AppOutcome {
    let bundleID = request.bundleID
    guard let app = context.app(bundleID: bundleID.span) else {
      let plain = TopicParts(bundleID.span).bundleIDBytes
      let base = context.app(bundleID: bundleID.span.extracting(0..<plain))
      if base == nil, context.mayBeDamaged(bundleID: bundleID.span) {
        return .refused(.serviceUnavailable)
      }
      let isOwn = base.map { $0.teamID == credential.teamID } ?? false
      return .refused(isOwn ? .topicDisallowed : .topicMismatch)
    }
    guard app.teamID == credential.teamID else { return .refused(.topicMismatch) }
    switch credential {
    case .certificate(let certificate):
      guard certificate.allows(topic: bundleID.span) else { return .refused(.topicMismatch) }
    case .token(let token):
      if let allowed = token.key.bundleIDs, !allowed.contains(bundleID) {
        return .refused(.topicDisallowed)
      }
    }
    return .found(app)
  }

  private static func call(
    _ request: borrowing PushRequest, body: [UInt8], bodyBytes: Int
  ) throws(Refusal) -> Call {
    switch (request.path, request.method) {
    case (.allChannels, _): return .list
    case (.channels, .get): return .read(try channel(of: request))
    case (.channels, .delete): return .remove(try channel(of: request))
    case (.channels, _):
      guard bodyBytes <= WireLimits.largePayloadBytesMax else { throw Refusal(.payloadTooLarge) }
      do throws(ChannelConfiguration.Fault) {
        return .make(try ChannelConfiguration(body))
      } catch {
        throw Refusal(error.rejection)
      }
    default: return try broadcast(request, body: body, bodyBytes: bodyBytes)
    }
  }

  private static func channel(
    of request: borrowing PushRequest
  ) throws(Refusal) -> ChannelID {
    guard !request.channelID.isEmpty else { throw Refusal(.missingChannelID) }
    guard let bytes = Base64.decode(request.channelID.span) else { throw Refusal(.badChannelID) }
    guard let id = ChannelID(bytes) else { throw Refusal(.channelNotRegistered) }
    return id
  }

  /// Reads a broadcast.
  ///
  /// All of the broadcast fields are required (apns-protocol 5.2).
  private static func broadcast(
    _ request: borrowing PushRequest, body: [UInt8], bodyBytes: Int
  ) throws(Refusal) -> Call {
    guard !request.channelID.isEmpty else { throw Refusal(.missingChannelID) }
    guard Base64.decode(request.channelID.span) != nil else { throw Refusal(.badChannelID) }
    switch request.pushType {
    case .absent: throw Refusal(.missingPushType)
    case .value(.liveActivity): break
    case .invalid, .value: throw Refusal(.invalidPushType)
    }
    guard case .value(let expiration) = request.expiration, expiration >= 0 else {
      throw Refusal(.badExpirationDate)
    }
    guard case .value(let priority) = request.priority else { throw Refusal(.badPriority) }
    guard bodyBytes > 0 else { throw Refusal(.payloadEmpty) }
    guard bodyBytes <= WireLimits.largePayloadBytesMax else { throw Refusal(.payloadTooLarge) }
    guard let payload = try? JSONValue(parsing: body), payload.objectValue != nil else {
      throw Refusal(.badRequestPayload)
    }
    return .broadcast(try channel(of: request), priority: priority, expiration: expiration)
  }
}
