import BelfryWire
import PushWire
import System
import Transport

/// Pushes to the devices of an upstream.
extension ProviderConnection {
  /// Sends a push to the upstream of its app; the request stays open until the upstream has answered.
  func relay(_ open: ProviderStream, to app: App, from sender: ProviderCredential) {
    guard let relay = app.relay else {
      assertionFailure("a push is forwarded only if its app has an upstream")
      return answer(open.streamID, .refused(.badDeviceToken, timestampMilliseconds: nil))
    }
    raiseStreamLimit()
    guard isInRate(app) else {
      return answer(open.streamID, .refused(.tooManyRequests, timestampMilliseconds: nil))
    }
    guard hasRoomForTeam(of: app), let mailbox = front.context.ownMailbox else {
      return answer(open.streamID, .refused(.serviceUnavailable, timestampMilliseconds: nil))
    }
    guard let push = upstreamPush(open, to: app) else {
      return answer(open.streamID, .refused(.badCollapseID, timestampMilliseconds: nil))
    }
    let id = id(of: open)
    front.context.shared.payloads?.retain(push.payload, id: id, uniqueID: nil)
    let pushType: PushType? = if case .value(let type) = open.request.pushType { type } else { nil }
    let (address, token, topic) = (
      front.address(of: self, open.streamID), open.request.token, Array(push.topic.utf8)
    )
    @Sendable func result(_ outcome: RelayOutcome) -> RelayedPush {
      RelayedPush(
        address: address, outcome: outcome, relay: relay, id: id, token: token, topic: topic,
        pushType: pushType)
    }
    assert(open.isDecided, "only a complete request is relayed")
    load.begin()
    let budget: SenderBudget? = if case .token(let token) = sender { token.key.budget } else { nil }
    let outcome = relay.send(
      push, within: budget, atUnixMilliseconds: front.loop.unixMilliseconds
    ) { mailbox.post(.routed(.relayed(result($0)))) }
    if let outcome { front.handle(result(outcome)) }
  }

  /// Returns the push of a request, with the sender's own fields; nil if the collapse ID is not text.
  private func upstreamPush(_ open: ProviderStream, to app: App) -> UpstreamPush? {
    let request = open.request
    let collapseID = String(validating: request.collapseID, as: UTF8.self)
    guard let collapseID, !collapseID.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
      return nil
    }
    let id =
      if case .value = request.id {
        String(decoding: request.idText, as: UTF8.self)
      } else {
        generatedID(of: open).text
      }
    var push = UpstreamPush(
      token: Hexadecimal.encode(request.token),
      topic: String(decoding: request.topic.isEmpty ? app.bundleID : request.topic, as: UTF8.self),
      payload: open.takeBody(), id: id)
    if case .value(let type) = request.pushType { push.pushType = type }
    if case .value(let priority) = request.priority { push.priority = priority }
    if case .value(let expiration) = request.expiration { push.expiration = expiration }
    if case .value = request.collapse { push.collapseID = collapseID }
    return push
  }

  /// Answers a relayed push; does nothing if the sender has reset the stream in the meantime.
  func answer(_ streamID: Int32, _ outcome: RelayOutcome) {
    if let open = streams[streamID], open.delayMilliseconds > 0 {
      let nanoseconds = Int64(open.delayMilliseconds) * 1_000_000
      open.delayMilliseconds = 0
      _ = front.loop.schedule(afterNanoseconds: nanoseconds) { [weak self] in
        self?.answer(streamID, outcome)
      }
      return
    }
    resumeIfAnswered()
    switch outcome {
    case .answered(let answer): pass(answer, to: streamID)
    case .overBudget(let seconds):
      refuse(streamID, .tooManyRequests, retryAfterSeconds: seconds)
    case .withheld, .unreachable, .busy, .uncounted, .unknown:
      self.answer(streamID, .refused(.serviceUnavailable, timestampMilliseconds: nil))
    }
  }

  private func pass(_ answer: UpstreamAnswer, to streamID: Int32) {
    countRelayed(answer)
    guard let open = streams.remove(streamID), let session else { return }
    let ownID = open.request.idText
    front.responses.relay(
      streamID, answer, id: answer.id.isEmpty ? String(decoding: ownID, as: UTF8.self) : answer.id,
      on: session)
    front.recycle(open)
    scheduleFlush()
  }
}

extension ResponseWriter {
  /// Writes an upstream's answer with its fields and reason.
  func relay(
    _ streamID: Int32, _ answer: UpstreamAnswer, id: String, on session: any HTTP2ServerSession
  ) {
    var fields: [(name: StaticString, value: String)] = []
    func add(_ name: StaticString, _ value: String?) {
      // The field is omitted if it could not be written unchanged.
      guard let value, !value.isEmpty, value.utf8.count <= Limits.relayedFieldBytesMax,
        value.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
      else { return }
      fields.append((name, value))
    }
    add("apns-id", id)
    add("apns-unique-id", answer.uniqueID)
    add("retry-after", answer.retryAfterSeconds.map { "\($0)" })
    var body: JSONObject = [:]
    if !answer.reason.isEmpty { body["reason"] = .string(answer.reason) }
    if let timestamp = answer.timestampMilliseconds { body["timestamp"] = .integer(timestamp) }
    self.answer(
      streamID, status: answer.status, fields: fields,
      body: answer.status == 200 ? [] : Array(body.text.utf8), on: session)
  }
}
