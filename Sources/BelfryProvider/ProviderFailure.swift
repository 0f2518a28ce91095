/// The reason that a push has no response: its outcome is unknown, or nothing was sent.
public enum ProviderFailure: Error, Sendable, Equatable, CustomStringConvertible {
  /// The credentials cannot be used.
  case badCredentials(String)
  /// The client's thread cannot be started.
  case cannotStart(String)
  /// The push cannot be written as a request.
  case badPush(String)
  /// No connection could be opened, or the service refused to process the request.
  case unreachable(endpoint: String, reason: String)
  /// Each time the push was sent, the connection was closed before a response arrived.
  ///
  /// The service might have accepted the push.
  case unanswered(reason: String)
  /// No response was received within the time limit.
  ///
  /// The service might have accepted the push. A push that was refused and is still waiting for its next attempt when
  /// the time limit ends does not fail with this error: its outcome is the refusal.
  case timedOut(seconds: Int)
  /// The response cannot be read.
  case badAnswer(String)
  /// The maximum number of waiting pushes is reached.
  case tooManyWaiting
  /// The task that sent the push was cancelled.
  case cancelled
  /// The client was closed; if the push had already been sent, the service might have accepted it.
  case closed

  /// A description of the error and how to fix it.
  public var description: String {
    switch self {
    case .badCredentials(let reason): "the credentials cannot be used: \(reason)"
    case .cannotStart(let reason): "the client cannot start: \(reason)"
    case .badPush(let reason): "this push cannot be sent: \(reason)"
    case .unreachable(let endpoint, let reason)
    where reason == Self.noStreamsReason || reason == Self.streamRefusedReason:
      "cannot send to \(endpoint): \(reason): try again later"
    case .unreachable(let endpoint, let reason) where reason.hasPrefix(Self.goingAwayReason):
      "\(endpoint) closed the connection before it accepted the request (\(reason)): try again"
    case .unreachable(let endpoint, let reason) where reason.contains(Self.wrongPortReason):
      // The reason is a TLS term, and it already contains advice.
      "cannot connect to \(endpoint): the port does not accept pushes; check the port"
    case .unreachable(let endpoint, let reason):
      "cannot connect to \(endpoint): \(Self.cause(reason, of: endpoint)); "
        + Self.advice(reason, of: endpoint)
    case .unanswered(let reason):
      "the connection ended before the response (\(reason)): retry with the same apns-id"
    case .timedOut(let seconds):
      "no response within \(seconds) s: retry with the same apns-id"
    case .badAnswer(let what): "cannot read the service's response (\(what)): retry"
    case .tooManyWaiting: "too many pending pushes: wait for some responses first"
    case .cancelled: "the push was cancelled: it may have been sent"
    case .closed: "the client is closed: create another one"
    }
  }

  /// The reason for a request that waited on an open connection until the time limit.
  static let noStreamsReason = "the service allows no concurrent requests"
  /// The reason for a request whose stream the service refused each time.
  static let streamRefusedReason = "the service refused the request each time (REFUSED_STREAM)"
  /// The beginning of the reason for a connection that the service closed with GOAWAY.
  static let goingAwayReason = "the service is going away"
  /// A part of the reason of a TLS connection to a port with another protocol, such as a gateway's port for devices.
  private static let wrongPortReason = "TLS failed: the peer has no common application protocol"

  /// True if the service accepted the connection, but set its maximum number of concurrent streams to 0.
  ///
  /// If the limit is higher, the client sends its waiting requests, so the connection is not closed as idle.
  package var isWithoutStreams: Bool {
    guard case .unreachable(_, let reason) = self else { return false }
    return reason == Self.noStreamsReason
      || reason.hasPrefix(Self.goingAwayReason) && reason.contains("\"IdleTimeout\"")
  }

  /// Returns the advice for the reason that no connection could be opened.
  private static func advice(_ reason: String, of endpoint: String) -> String {
    let isApple = endpoint.contains("push.apple.com:")
    // The service reports problems of a certificate only if it is the client's.
    if reason.contains("TLS failed: the peer reported: "), reason.contains("certificate") {
      return "use a valid client certificate"
        + (isApple ? "" : ", which 'belfry certificate add' creates")
    }
    // If TLS failed, a program listens at the address.
    if reason.contains("TLS failed: ") { return "check the address and the CA" }
    let service = isApple ? "service" : "gateway"
    return "check the address, and that the \(service) is running"
  }

  /// Returns the reason without the words that a message about a connection to `endpoint` already contains.
  package static func cause(_ reason: String, of endpoint: String) -> String {
    var cause = reason[...]
    for words in ["not connected: ", "cannot connect to \(endpoint): "]
    where cause.utf8.starts(with: words.utf8) {
      cause = cause[cause.utf8.index(cause.startIndex, offsetBy: words.utf8.count)...]
    }
    return String(cause)
  }
}
