internal import BelfryProvider
internal import BelfryWire

/// What a push's answer, or the lack of one, means for its campaign.
enum AnswerMeaning: Equatable {
  /// The service took it over.
  case accepted
  /// The token is dead since a moment, in milliseconds since 1970, where the service named one.
  case dead(reason: String, sinceMilliseconds: Int64?)
  /// The service will not take this push for this device.
  case failed(reason: String)
  /// The service did not take it, and may later.
  case notSent(why: String)
  /// It was sent, and whether it arrived is not known.
  case uncertain
  /// The service refuses the campaign as a whole: credentials or topic.
  case refused(why: String)

  /// The meaning of a result of ``ProviderClient``.
  init(_ result: Result<PushOutcome, ProviderFailure>) {
    switch result {
    case .success(.accepted): self = .accepted
    case .success(.rejected(let refusal)): self.init(refusal)
    case .failure(let failure):
      switch failure {
      case .unanswered, .timedOut, .cancelled, .closed, .badAnswer: self = .uncertain
      case .unreachable, .tooManyWaiting: self = .notSent(why: "\(failure)")
      case .badCredentials, .cannotStart: self = .refused(why: "\(failure)")
      case .badPush: self = .failed(reason: "BadPush")
      }
    }
  }

  private init(_ refusal: PushOutcome.Refusal) {
    let reason = refusal.reason.isEmpty ? "status \(refusal.status)" : refusal.reason
    if refusal.status == 410 {
      self = .dead(reason: reason, sinceMilliseconds: refusal.timestampMilliseconds)
      return
    }
    switch refusal.rejection {
    // Every other device of the campaign would get the same.
    case .topicDisallowed, .badTopic, .missingTopic, .invalidPushType, .badPriority,
      .badExpirationDate, .badCollapseID, .payloadEmpty, .payloadTooLarge, .badPath:
      self = .refused(why: "the service refuses this campaign: \(reason)")
    default:
      switch refusal.advice {
      case .doNotRetry: self = .failed(reason: reason)
      case .retryLater, .retryWithBackoff: self = .notSent(why: "the service answers \(reason)")
      case .reconnect where refusal.status >= 500:
        self = .notSent(why: "the service answers \(reason)")
      case .reconnect, .renewProviderToken:
        self = .refused(why: "the service refuses the credentials: \(reason)")
      }
    }
  }
}
