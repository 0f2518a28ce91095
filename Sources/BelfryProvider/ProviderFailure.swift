/// Why a push got no answer: nothing is known about it, or nothing was sent.
public enum ProviderFailure: Error, Sendable, Equatable, CustomStringConvertible {
  /// The credentials cannot be used.
  case badCredentials(String)
  /// The client's thread cannot be started.
  case cannotStart(String)
  /// The push cannot be written as a request.
  case badPush(String)
  /// No connection could be made.
  case unreachable(endpoint: String, reason: String)
  /// The connection ended, each time that the push was sent, before the answer came: the service may
  /// have accepted it.
  case unanswered(reason: String)
  /// No answer came in time: the service may have accepted the push.
  case timedOut(seconds: Int)
  /// The answer cannot be read.
  case badAnswer(String)
  /// More pushes wait than the client keeps.
  case tooManyWaiting
  /// The task that sent the push was cancelled.
  case cancelled
  /// The client was closed.
  case closed

  /// What is wrong and what to do.
  public var description: String {
    switch self {
    case .badCredentials(let reason): "the credentials cannot be used: \(reason)"
    case .cannotStart(let reason): "the client cannot start: \(reason)"
    case .badPush(let reason): "this push cannot be sent: \(reason)"
    case .unreachable(let endpoint, let reason):
      "cannot connect to \(endpoint): \(reason); check the address, the CA and that it runs"
    case .unanswered(let reason):
      "the connection ended before the answer (\(reason)): send it again with the same apns-id"
    case .timedOut(let seconds):
      "no answer within \(seconds) s: send it again with the same apns-id"
    case .badAnswer(let what): "the service's answer cannot be read (\(what)): ask again"
    case .tooManyWaiting: "too many pushes wait: send on when some have been answered"
    case .cancelled: "the push was cancelled: it may have been sent"
    case .closed: "the client is closed: make another"
    }
  }
}
