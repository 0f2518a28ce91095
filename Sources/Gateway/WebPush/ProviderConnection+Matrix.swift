import PushWire
import System
import Transport
import WebPush

/// The Matrix push gateway, which homeservers use to send to the endpoints of this service (docs/web-push.md).
///
/// The gateway makes no requests. One request sends the same message to several subscriptions.
extension ProviderConnection {
  func decideMatrix(_ open: ProviderStream, _ webPush: WebPushFront) {
    switch open.request.method {
    case .post: notify(open, webPush)
    case .get:
      answerWebPush(
        open, status: 200, fields: [("content-type", "application/json")],
        body: Array("\(MatrixNotification.discovery)".utf8))
    case .missing, .put, .delete, .options, .other:
      refuseMatrix(open, MatrixRefusal(.unrecognized, "the path allows only GET and POST"))
    }
  }

  private func notify(_ open: ProviderStream, _ webPush: WebPushFront) {
    let notification: MatrixNotification
    do throws(MatrixRefusal) {
      notification = try MatrixNotification(open.takeBody(), bodyBytes: open.bodyBytes)
    } catch {
      return refuseMatrix(open, error)
    }
    let stream = open.streamID
    matrix.begin(stream)
    for pushkey in notification.pushkeys {
      let recipient: WebPushFront.Recipient
      do throws(WebPushRefusal) {
        recipient = try webPush.subscription(ofPushkey: pushkey, tokens: front.tokens)
      } catch {
        reject(pushkey, of: stream, error, webPush)
        continue
      }
      raiseStreamLimit()
      // The limit on a connection's streams does not limit the number of messages, because a request has many of them.
      guard load.hasRoom, isInConnectionRate() else {
        matrix.fail(stream, because: .tooManyRequests)
        continue
      }
      submit(notification, to: recipient, part: matrix.submit(pushkey, of: stream))
    }
    matrix.checkInvariants()
    if let outcome = matrix.complete(stream) { finish(stream, outcome) }
  }

  private func submit(
    _ notification: MatrixNotification, to recipient: WebPushFront.Recipient, part: Int32
  ) {
    assert(MatrixRequests.isPart(part), "the answer finds the part of the request")
    front.submit(
      Submission(
        recipient.contents, id: recipient.channel ?? front.makeID(), uniqueID: front.makeID(),
        expiration: front.storageStartSeconds + WebPushLimits.matrixStorageSeconds,
        priority: notification.urgency.priority, pushType: .webPush,
        collapseID: notification.collapseID, payload: notification.body,
        acceptedMilliseconds: front.loop.unixMilliseconds, keep: Limits.webPushKeep,
        reply: front.address(of: self, part)),
      of: self)
  }

  // MARK: Answers

  /// Records the answer to the message to one pushkey; answers the request if it was the last one.
  ///
  /// If the homeserver has reset the request in the meantime, there is nothing to answer.
  func answerMatrix(_ part: Int32, _ answer: ProviderAnswer) {
    guard let webPush = front.webPush else { return }
    switch answer {
    case .accepted: front.metrics.accepted.add()
    case .refused(let rejection, _):
      if MatrixRequests.isFinal(rejection) {
        note(WebPushRefusal(WebPushRule(rejection)), webPush)
      }
    }
    guard let (stream, outcome) = matrix.answer(part, answer) else { return }
    finish(stream, outcome)
  }

  private func finish(_ stream: Int32, _ outcome: MatrixRequests.Outcome) {
    guard let open = streams[stream] else { return }
    switch outcome {
    case .decided(let rejected):
      answerWebPush(
        open, status: 200, fields: [("content-type", "application/json")],
        body: MatrixNotification.answer(rejecting: rejected))
      countAccepted()
    case .unavailable(let rejection):
      refuseMatrix(
        open,
        MatrixRefusal(
          .unavailable,
          "not every device got the notification, because \(WebPushRule(rejection).row.when): "
            + "repeat the request"))
    }
  }

  /// Records a pushkey to which no homeserver can send.
  private func reject(
    _ pushkey: [UInt8], of stream: Int32, _ refusal: WebPushRefusal, _ webPush: WebPushFront
  ) {
    note(refusal, webPush)
    matrix.reject(pushkey, of: stream)
  }

  /// Records for `belfry log` why there is no message to a pushkey; the status is that of a Web Push message.
  private func note(_ refusal: WebPushRefusal, _ webPush: WebPushFront) {
    noteWebPushRefusal(
      because: "\(refusal.rule.row.reason): \(refusal.message)", id: front.makeID(),
      status: refusal.status(webPush.dialect))
  }

  /// Answers a request that is refused as a whole.
  func refuseMatrix(_ open: ProviderStream, _ refusal: MatrixRefusal) {
    noteWebPushRefusal(
      because: "\(refusal.code.word): \(refusal.message)", id: generatedID(of: open),
      status: refusal.code.status)
    var fields: [(name: StaticString, value: String)] = [("content-type", "application/json")]
    if refusal.code == .unavailable {
      fields.append(("retry-after", "\(Limits.retryAfterSeconds)"))
    }
    answerWebPush(open, status: refusal.code.status, fields: fields, body: refusal.body)
    countRefused(status: refusal.code.status, isGuess: false)
  }
}
