public import BelfryWire

/// What the service answered to a push: both cases are answers, so both are values.
public enum PushOutcome: Sendable, Equatable {
  /// `200`: the service took the notification over.
  case accepted(Receipt)
  /// The service refused the notification and said why.
  case rejected(Refusal)

  /// What an accepted notification is known by.
  public struct Receipt: Sendable, Equatable {
    /// `apns-id` of the answer, byte for byte; empty where it has none.
    public let id: String
    /// `apns-unique-id`, which the development environment gives, for the delivery log.
    public let uniqueID: String?

    /// A receipt from the answer's header fields.
    public init(id: String, uniqueID: String?) {
      self.id = id
      self.uniqueID = uniqueID
    }
  }

  /// A refusal as it stood on the wire, and what it means.
  public struct Refusal: Sendable, Equatable {
    /// The HTTP status.
    public let status: Int
    /// The wire string; empty where the answer had none.
    public let reason: String
    /// The reason as a value; `nil` for one that APNs does not document.
    public let rejection: Rejection?
    /// With status 410: since when the token has not been valid for the topic, in milliseconds since
    /// 1970.
    public let timestampMilliseconds: Int64?
    /// `apns-id` of the answer.
    public let id: String
    /// Seconds after which the service wants to be asked again; nil where it names none.
    public let retryAfterSeconds: Int64?

    /// A refusal from its parts.
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

    /// What to do about it (apns-protocol 1.11); an unknown reason goes by its status.
    public var advice: Rejection.Advice {
      if let rejection { return rejection.row.advice }
      return status >= 500 ? .retryWithBackoff : status == 429 ? .retryLater : .doNotRetry
    }

    /// What an answer allows its sender to do with the device token.
    public enum TokenVerdict: Sendable, Equatable {
      /// Nothing: the refusal is not about the token.
      case unaffected
      /// Forget it, unless the app registered it again after this moment, in milliseconds since 1970.
      case dead(sinceMilliseconds: Int64?)
      /// Look into it and keep it: a token of the other environment or of another app is answered the
      /// same, so that a wrong setting makes every token look bad.
      case doubtful
    }

    /// What this answer allows: only 410 says that a token is dead.
    public var tokenVerdict: TokenVerdict {
      if status == 410 { return .dead(sinceMilliseconds: timestampMilliseconds) }
      return rejection == .badDeviceToken || rejection == .deviceTokenNotForTopic
        ? .doubtful : .unaffected
    }
  }
}
