import BelfryWire
import PushWire
import Storage
import System
import Transport
import WebPush

/// The requests about Web Push endpoints and messages (docs/web-push.md).
extension ProviderConnection {
  /// Returns true if the request is about an endpoint or a message, and the gateway has a Web Push service.
  func isAboutWebPush(_ open: ProviderStream) -> Bool {
    guard front.webPush != nil else { return false }
    switch open.request.path {
    case .webPush, .webPushMessage, .matrixNotify:
      return interface == .everything || interface == .webPush
    default: return interface == .webPush
    }
  }

  func decideWebPush(_ open: ProviderStream) {
    guard let webPush = front.webPush else { return }
    if open.request.method == .options { return allowOrigins(open) }
    switch (open.request.path, open.request.method) {
    case (.webPush, .post): submit(open, webPush)
    case (.webPush, .get):
      // The discovery that early UnifiedPush apps performed.
      answerWebPush(
        open, status: 200, fields: [("content-type", "application/json")],
        body: Array(#"{"unifiedpush":{"version":1}}"#.utf8))
    case (.webPush, _): refuseWebPush(open, WebPushRefusal(.methodNotAllowed))
    case (.matrixNotify, _): decideMatrix(open, webPush)
    case (.webPushMessage, .get), (.webPushMessage, .delete): decideAboutMessage(open, webPush)
    case (.webPushMessage, _): refuseWebPush(open, WebPushRefusal(.methodNotAllowed))
    default: refuseWebPush(open, WebPushRefusal(.endpointUnknown))
    }
  }

  private func submit(_ open: ProviderStream, _ webPush: WebPushFront) {
    let body = open.takeBody()
    let admitted: WebPushFront.Admitted
    do throws(WebPushRefusal) {
      admitted = try webPush.admit(
        open.webPush ?? WebPushRequest(), endpoint: open.request.webPushID, body: body,
        bodyBytes: open.bodyBytes, atSeconds: front.loop.unixMilliseconds / 1_000,
        tokens: front.tokens)
    } catch {
      return refuseWebPush(open, error)
    }
    raiseStreamLimit()
    guard isInConnectionRate() else {
      return refuseWebPush(open, WebPushRefusal(.tooManyRequests, retryAfterSeconds: 1))
    }
    open.webPushAnswer = .message(
      admitted.contents, keyHash: admitted.keyHash, ttlSeconds: admitted.ttlSeconds)
    open.uniqueID = front.makeID()
    let message = admitted.message
    // A message to a browser has the subscription's channel ID as its ID, because no table contains the channel ID.
    let id = admitted.channel ?? generatedID(of: open)
    front.submit(
      Submission(
        admitted.contents, id: id, uniqueID: open.uniqueID,
        expiration: admitted.expiration(atSeconds: front.storageStartSeconds),
        priority: message.urgency.priority, pushType: .webPush, collapseID: message.topic ?? [],
        payload: message.body, acceptedMilliseconds: front.loop.unixMilliseconds,
        keep: Limits.webPushKeep, reply: front.address(of: self, open.streamID)),
      of: self)
  }

  // MARK: Answers

  /// Answers a request that the device's home has accepted.
  func acceptWebPush(_ open: ProviderStream) {
    switch open.webPushAnswer {
    case .message(let contents, let keyHash, let ttlSeconds):
      acceptMessage(open, contents, keyHash: keyHash, ttlSeconds: ttlSeconds)
    case .withdrawal: answerWebPush(open, status: 204, fields: [])
    case nil: assertionFailure("the home accepted a Web Push request that has an answer")
    }
  }

  /// Answers a message with its address, which contains the restriction of the subscription.
  private func acceptMessage(
    _ open: ProviderStream, _ contents: TokenContents, keyHash: [UInt8], ttlSeconds: Int64
  ) {
    guard let webPush = front.webPush,
      let endpoint = WebPushEndpointID(
        token: front.tokens.sealEndpoint(contents, keyHash: keyHash)),
      let message = WebPushMessageID(message: open.uniqueID.bytes, endpoint: endpoint)
    else { return refuseWebPush(open, WebPushRefusal(.internalError)) }
    assert(ttlSeconds >= 0, "a message is stored for a time that is not negative")
    front.metrics.accepted.add()
    answerWebPush(
      open, status: 201,
      fields: [
        ("location", "\(webPush.origin)/message/\(message.text)"), ("ttl", "\(ttlSeconds)"),
      ])
    countAccepted()
  }

  /// Answers a message that the device's home has refused.
  func refuseWebPush(_ open: ProviderStream, _ rejection: Rejection) {
    let rule = WebPushRule(rejection)
    refuseWebPush(
      open,
      WebPushRefusal(
        rule, retryAfterSeconds: rule == .tooManyRequests ? 1 : Int(Limits.retryAfterSeconds)))
  }

  func refuseWebPush(_ open: ProviderStream, _ refusal: WebPushRefusal) {
    guard let webPush = front.webPush else { return }
    assert(refusal.status(webPush.dialect) >= 400, "a refusal has an error's status")
    noteWebPushRefusal(
      because: "\(refusal.rule.row.reason): \(refusal.message)", id: generatedID(of: open),
      status: refusal.status(webPush.dialect))
    answerWebPush(
      open, status: refusal.status(webPush.dialect),
      fields: [("content-type", "application/json")] + refusal.fields(webPush.dialect),
      body: refusal.body(webPush.dialect))
    countRefused(
      status: refusal.status(webPush.dialect), isGuess: refusal.rule == .endpointUnknown)
  }

  /// Records a refused message for `belfry log` and the metrics.
  func noteWebPushRefusal(
    because reason: @autoclosure () -> String, id: NotificationID, status: Int
  ) {
    _ = front.noteRefusal(
      because: reason(), id: id, token: [], topic: Array("(web push)".utf8), pushType: .webPush)
    front.metrics.countWebPushRefusal(status: status)
  }

  /// Answers a request that was not complete in time.
  func refuseIncomplete(_ open: ProviderStream) {
    let refusal = WebPushRefusal(.requestIncomplete)
    guard open.request.path == .matrixNotify else { return refuseWebPush(open, refusal) }
    refuseMatrix(open, MatrixRefusal(.incomplete, refusal.message))
  }

  /// Answers the request by which a browser asks whether a page of another origin can send.
  private func allowOrigins(_ open: ProviderStream) {
    answerWebPush(
      open, status: 204,
      fields: [
        ("access-control-allow-methods", "POST, GET, DELETE, OPTIONS"),
        ("access-control-allow-headers", "*, Authorization"),
        ("access-control-max-age", "3600"),
      ])
  }

  func answerWebPush(
    _ open: ProviderStream, status: Int, fields: [(name: StaticString, value: String)],
    body: [UInt8] = []
  ) {
    guard streams.remove(open.streamID) != nil, let session else { return }
    let cors: [(name: StaticString, value: String)] = [
      ("access-control-allow-origin", "*"),
      ("access-control-expose-headers", "Location, TTL, Retry-After"),
    ]
    front.responses.answer(
      open.streamID, status: status, fields: fields + cors, body: body, on: session)
    front.recycle(open)
    scheduleFlush()
  }
}

extension WebPushRule {
  /// Creates the rule of a refusal by the device's home.
  init(_ rejection: Rejection) {
    switch rejection {
    case .unregistered, .badDeviceToken, .expiredToken: self = .subscriptionEnded
    case .tooManyRequests: self = .tooManyRequests
    case .serviceUnavailable: self = .storeUnavailable
    case .shutdown: self = .shutdown
    default: self = .internalError
    }
  }
}
