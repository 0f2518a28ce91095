import BelfryProvider

/// The messages of `belfry web-push send` about a message that the service did not accept.
struct WebPushAdvice {
  /// True if the request contained the sender's token.
  let hasKey: Bool
  /// True if the command trusts a CA other than the system's.
  let hasAuthority: Bool

  /// Returns the problem and the advice; nil if the service accepted the message.
  func message(_ result: Result<WebPushOutcome, WebPushFailure>) -> String? {
    switch result {
    case .success(.accepted): nil
    case .success(.rejected(let refusal)): "\(Self.words(refusal)): \(remedy(refusal))"
    case .failure(let failure): message(failure)
    }
  }

  private func message(_ failure: WebPushFailure) -> String {
    guard case .failed(.unreachable(let endpoint, let reason)) = failure,
      reason.contains(": certificate of an unknown CA: ")
    else { return failure.description }
    return "cannot connect to \(endpoint): an unknown CA signed the service's certificate: "
      + (hasAuthority
        ? "with --ca, specify the ca.pem in the folder of the endpoint's gateway"
        : "add --ca FILE with the ca.pem in the gateway's folder")
  }

  /// Returns the status, the reason and the rule, as far as the response contains them.
  private static func words(_ refusal: WebPushOutcome.Refusal) -> String {
    let status = "status \(refusal.status)"
    let reason = OutputTable.printable(refusal.reason)
    let start = reason.isEmpty ? status : "\(reason), \(status)"
    let message = OutputTable.printable(refusal.message)
    return message.isEmpty ? start : "\(start) (\(message))"
  }

  private func remedy(_ refusal: WebPushOutcome.Refusal) -> String {
    if refusal.isSubscriptionEnded { return "delete the subscription" }
    if refusal.isTemporary {
      let pause = refusal.retryAfterSeconds.map { " \(Output.counted($0, "second"))" } ?? ""
      return "wait\(pause), then send the message again"
    }
    return switch refusal.status {
    case 401, 403:
      hasKey
        ? "check --vapid, --subject and the clock of this machine"
        : "add --vapid FILE with the key to which the subscription is restricted"
    case 413: "send a shorter text"
    default: "check the options before you send the message again"
    }
  }
}
