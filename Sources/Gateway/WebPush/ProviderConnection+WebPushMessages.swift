import BelfryWire
import PushWire
import Storage
import System
import WebPush

/// The requests about a message that was sent before: its state, and its withdrawal (docs/web-push.md).
extension ProviderConnection {
  /// Handles `GET` or `DELETE` of a message's address.
  func decideAboutMessage(_ open: ProviderStream, _ webPush: WebPushFront) {
    let named: WebPushFront.NamedMessage
    do throws(WebPushRefusal) {
      named = try webPush.identify(
        open.webPush ?? WebPushRequest(), message: open.request.webPushID,
        atSeconds: front.loop.unixMilliseconds / 1_000, tokens: front.tokens)
    } catch {
      return refuseWebPush(open, error)
    }
    raiseStreamLimit()
    guard isInConnectionRate() else {
      return refuseWebPush(open, WebPushRefusal(.tooManyRequests, retryAfterSeconds: 1))
    }
    let reply = front.address(of: self, open.streamID)
    guard open.request.method == .delete else {
      let question = MessageQuestion(
        key: NotificationKey(named.contents), uniqueID: named.uniqueID, reply: reply)
      if !front.askHome(question) { refuseWebPush(open, WebPushRefusal(.overloaded)) }
      return
    }
    open.webPushAnswer = .withdrawal
    front.submit(
      Submission(
        withdrawing: named.uniqueID, of: named.contents, id: generatedID(of: open),
        acceptedMilliseconds: front.loop.unixMilliseconds, reply: reply),
      of: self)
  }

  /// Answers an open stream with the home's answer about a message.
  func answer(_ streamID: Int32, _ answer: MessageAnswer) {
    guard let open = streams[streamID] else { return }
    switch answer {
    case .status(let status):
      answerWebPush(
        open, status: 200,
        fields: [("content-type", "application/json"), ("cache-control", "no-store")],
        body: status.json.bytes)
    case .unknown:
      refuseWebPush(
        open,
        WebPushRefusal(.messageUnknown, "neither the store nor this node's log has the message"))
    case .tooMany:
      refuseWebPush(open, WebPushRefusal(.tooManyRequests, retryAfterSeconds: 1))
    case .storeFailed: refuseWebPush(open, WebPushRefusal(.storeUnavailable))
    }
  }
}
