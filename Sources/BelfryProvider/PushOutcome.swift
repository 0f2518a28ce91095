public import PushWire

/// The service's response to a push.
///
/// A refusal is also a response, so it is a value and not an error.
public enum PushOutcome: Sendable, Equatable {
  /// `200`: the service accepted the notification.
  case accepted(Receipt)
  /// The service refused the notification and gave a reason.
  case rejected(Refusal)

  /// The identifiers of an accepted notification.
  public struct Receipt: Sendable, Equatable {
    /// The response's `apns-id`, byte for byte; empty if absent.
    public let id: String
    /// The response's `apns-unique-id`, which the development environment sends so that the push can be looked up in
    /// the delivery log.
    public let uniqueID: String?

    /// Creates a receipt from the response's header fields.
    public init(id: String, uniqueID: String?) {
      self.id = id
      self.uniqueID = uniqueID
    }
  }

  /// A refusal as it was received, with its interpretation.
  public struct Refusal: Sendable, Equatable {
    /// The HTTP status of the response.
    public let status: Int
    /// The reason string as it was received; empty if the response does not contain a reason.
    public let reason: String
    /// The reason as a value; `nil` for a reason that APNs does not document.
    public let rejection: Rejection?
    /// For status 410, the time since which the token has not been valid for the topic, in milliseconds since 1970.
    public let timestampMilliseconds: Int64?
    /// The response's `apns-id`, byte for byte; empty if absent.
    public let id: String
    /// The time, in seconds, after which the service asks the sender to retry; nil if the service does not specify it.
    public let retryAfterSeconds: Int64?

    /// Creates a refusal from its parts.
    public init(
      status: Int, reason: String, timestampMilliseconds: Int64?, id: String,
      retryAfterSeconds: Int64? = nil
    ) {
      self.retryAfterSeconds = retryAfterSeconds
      self.status = status
      self.reason = reason
      self.rejection = Rejection(reason: reason)
      self.timestampMilliseconds = timestampMilliseconds
      self.id = id
    }

    /// The recommended action (apns-protocol 1.11).
    ///
    /// If the reason is unknown, the status determines the action.
    public var advice: Rejection.Advice {
      if let rejection { return rejection.row.advice }
      return status >= 500 ? .retryWithBackoff : status == 429 ? .retryLater : .doNotRetry
    }

    /// The conclusion about the device token that a response allows.
    public enum TokenVerdict: Sendable, Equatable {
      /// No action: the refusal does not apply to the token.
      case unaffected
      /// Delete the token, unless the app has registered it again after this time, in milliseconds since 1970.
      case dead(sinceMilliseconds: Int64?)
      /// Investigate, and keep the token.
      ///
      /// A token for the other environment or another app receives the same response, so a single incorrect setting
      /// makes every token look invalid.
      case doubtful
    }

    /// The conclusion about the device token that this response allows.
    ///
    /// Only a 410 response states that a token is dead.
    public var tokenVerdict: TokenVerdict {
      if status == 410 { return .dead(sinceMilliseconds: timestampMilliseconds) }
      return rejection == .badDeviceToken || rejection == .deviceTokenNotForTopic
        ? .doubtful : .unaffected
    }
  }
}
