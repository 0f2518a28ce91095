/// The reason that a Web Push message has no response: its outcome is unknown, or nothing was sent.
public enum WebPushFailure: Error, Sendable, CustomStringConvertible {
  /// The message or the subscription is invalid, so nothing was sent.
  case invalid(WebPushFault)
  /// No response was received, or the client cannot send.
  case failed(ProviderFailure)

  /// A description of the error and how to fix it.
  public var description: String {
    switch self {
    case .invalid(let fault): fault.description
    case .failed(.unreachable(let endpoint, let reason)) where Self.isWithoutHTTP2(reason):
      "cannot send to \(endpoint): the service does not support HTTP/2, which is required; check the endpoint"
    case .failed(.unanswered(let reason)):
      "the connection ended before the response (\(reason)): the service might have accepted the message"
    case .failed(.timedOut(let seconds)):
      "no response within \(seconds) s: the service might have accepted the message"
    case .failed(let failure): failure.description
    }
  }

  /// Returns true for the failure of a connection to a service that only supports HTTP/1.1.
  private static func isWithoutHTTP2(_ reason: String) -> Bool {
    reason.contains("the peer has no common application protocol")
      || reason.contains("instead of HTTP/2")
  }
}
