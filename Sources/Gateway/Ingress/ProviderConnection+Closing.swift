import PushWire
import System
import Transport

/// The actions that end a connection, as decided by ``ProviderLifecycle``.
extension ProviderConnection {
  /// Shuts down: accepts no more requests but still answers open ones (apns-protocol 1.13).
  func drain() { leave(.shutdown) }

  /// Sends GOAWAY with the reason; open requests are still answered.
  func leave(_ rejection: Rejection) {
    leave(because: "\(rejection.row.reason)", code: HTTP2ErrorCode.noError)
  }

  func leave(because reason: String, code: UInt32) {
    perform(lifecycle.handle(.leave), because: reason, code: code)
  }

  /// Sends GOAWAY and closes the connection without waiting for open requests; everything accepted is already durable.
  func expel(_ rejection: Rejection, code: UInt32) {
    perform(lifecycle.handle(.expel), because: "\(rejection.row.reason)", code: code)
  }

  private func perform(_ action: ProviderLifecycle.Action, because reason: String, code: UInt32) {
    switch action {
    case .none: break
    case .sendGoAway(let last): sendGoAway(because: reason, lastStreamID: last, code: code)
    case .close: stream?.close()
    case .abort: stream?.close(afterFlush: false)
    }
  }

  func sendGoAway(_ rejection: Rejection, lastStreamID: Int32? = nil) {
    sendGoAway(
      because: "\(rejection.row.reason)", lastStreamID: lastStreamID,
      code: HTTP2ErrorCode.noError)
  }

  private func sendGoAway(because reason: String, lastStreamID: Int32? = nil, code: UInt32) {
    guard let session else { return }
    front.log.info(
      "closing a provider connection with GOAWAY",
      ["peer": stream?.peerDescription ?? "", "code": "\(code)", "why": "\(reason)"])
    session.goAway(
      lastStreamID: lastStreamID, errorCode: code,
      debugData: Array("{\"reason\":\"\(reason)\"}".utf8))
    scheduleFlush()
  }

  /// Closes a connection whose client does not read its responses.
  func abandon() {
    perform(lifecycle.handle(.unresponsive), because: "", code: HTTP2ErrorCode.noError)
  }

  /// Closes the connection immediately.
  func close() { stream?.close(afterFlush: false) }
}
