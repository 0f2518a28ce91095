public import BelfryWire

/// What the service answered to a push: both cases are answers, so both are values.
public enum PushOutcome: Sendable, Equatable {
  /// `200`: the service took the notification over.
  case accepted(Receipt)
  /// The service refused the notification and said why.
  case rejected(Refusal)

  /// What an accepted notification is known by.
  public struct Receipt: Sendable, Equatable {
    /// `apns-id` of the answer, byte for byte.
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

    /// A refusal from its parts.
    public init(status: Int, reason: String, timestampMilliseconds: Int64?, id: String) {
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

    /// Whether the token will not work again, so that the sender should forget it.
    public var tokenIsDead: Bool {
      status == 410 || rejection == .badDeviceToken || rejection == .deviceTokenNotForTopic
    }
  }
}
