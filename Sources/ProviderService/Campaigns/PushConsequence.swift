internal import BelfryProvider
internal import PushWire

/// The effect on a campaign of the response to one of its pushes, or of a missing response.
package enum PushConsequence: Equatable, Sendable {
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

  /// Interprets a result of ``WebPushClient`` for a subscription at `service`.
  ///
  /// A response never pauses the campaign, because any server can be the service of a subscription. For the same reason,
  /// the reason for a failure is only the status.
  init(_ result: Result<WebPushOutcome, WebPushFailure>, from service: ProviderEndpoint) {
    switch result {
    case .success(.accepted): self = .accepted
    case .success(.rejected(let refusal)):
      let reason = "status \(refusal.status)"
      if refusal.isSubscriptionEnded {
        self = .dead(reason: reason, sinceMilliseconds: nil)
      } else if refusal.isTemporary {
        self = .notSent(why: "the push service \(service) answered with \(reason)")
      } else {
        self = .failed(reason: reason)
      }
    case .failure(.invalid(.contentTooLong)): self = .failed(reason: "PayloadTooLarge")
    case .failure(.invalid): self = .failed(reason: "BadSubscription")
    case .failure(.failed(let failure)):
      switch failure {
      case .unanswered, .timedOut, .cancelled, .closed, .badAnswer: self = .uncertain
      case .tooManyWaiting:
        self = .notSent(why: "the push service \(service) does not respond, or is overloaded")
      case .unreachable, .badCredentials, .cannotStart:
        self = .notSent(why: "cannot send to a Web Push subscription: \(failure)")
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
