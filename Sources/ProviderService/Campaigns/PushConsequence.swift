internal import BelfryProvider
internal import PushWire

/// The effect on a campaign of the response to one of its pushes, or of a missing response.
enum PushConsequence: Equatable {
  /// The service accepted the push.
  case accepted
  /// The token is dead.
  ///
  /// `sinceMilliseconds` is the time since which the token has been dead, in milliseconds since 1970; nil if the
  /// service did not report the time.
  case dead(reason: String, sinceMilliseconds: Int64?)
  /// The service permanently refused this push for this device.
  case failed(reason: String)
  /// The service did not accept the push, but might accept it later.
  case notSent(why: String)
  /// The service failed while it handled the push, so the device might have received the push.
  case interrupted(why: String)
  /// The push was sent, but it is not known whether it arrived.
  case uncertain
  /// The service refuses the whole campaign because of its credentials or topic.
  case refused(why: String)

  /// Interprets a result of ``ProviderClient``.
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
    // The service would also refuse the push for every other device of the campaign.
    case .topicDisallowed, .badTopic, .missingTopic, .invalidPushType, .badPriority,
      .badExpirationDate, .badCollapseID, .payloadEmpty, .payloadTooLarge, .badPath:
      self = .refused(why: "the push service rejected the campaign: \(reason)")
    default:
      switch refusal.advice {
      case .doNotRetry: self = .failed(reason: reason)
      case .retryLater where refusal.status == 500,
        .retryWithBackoff where refusal.status == 500:
        self = .interrupted(why: "the push service answered \(reason)")
      case .retryLater, .retryWithBackoff:
        self = .notSent(why: "the push service answered \(reason)")
      case .reconnect where refusal.status >= 500:
        self = .notSent(why: "the push service answered \(reason)")
      case .reconnect, .renewProviderToken:
        self = .refused(why: "the push service rejected the credentials: \(reason)")
      }
    }
  }
}
