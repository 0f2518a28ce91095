public import BelfryWire

/// A query of the delivery log.
public enum DeliveryLogQuery: Sendable, Hashable {
  /// Matches every line, whatever its token and ID.
  case everything
  /// Matches the lines of one device token.
  case token([UInt8])
  /// Matches the lines of one `apns-id` or `apns-unique-id`.
  case notification(NotificationID)

  /// Parses a hexadecimal token or an ID; nil for anything else.
  public init?(_ text: String) {
    let characters = Array(text.utf8)
    if let id = NotificationID(characters.span) {
      self = .notification(id)
      return
    }
    guard !text.isEmpty, let token = Hexadecimal.decode(text) else { return nil }
    self = .token(token)
  }
}

/// One line of `belfry log`.
public struct DeliveryLogLine: Sendable, Hashable {
  /// The time, in milliseconds since 1970.
  public var atMilliseconds: Int64
  /// The state of a rejected push; `reason` contains the cause.
  public static let refused = "Refused"

  /// The event, as `DeliveryState.label` spells it, or ``refused``.
  public var state: String
  /// The reason for a rejection; nil for other events.
  public var reason: String?
  /// The notification's `apns-id`, which its provider chose or the gateway generated.
  public var id: NotificationID
  /// The notification's `apns-unique-id`, which the gateway generated; nil for a rejected push.
  public var uniqueID: NotificationID?
  /// The device's number; 0 for the line of a broadcast as a whole.
  public var device: UInt64
  /// The topic of the app.
  public var topic: String
  /// The push type; nil if it is unknown.
  public var pushType: PushType?

  /// Creates a line from its parts.
  public init(
    atMilliseconds: Int64, state: String, reason: String? = nil, id: NotificationID,
    uniqueID: NotificationID?, device: UInt64, topic: String, pushType: PushType? = nil
  ) {
    self.atMilliseconds = atMilliseconds
    self.state = state
    self.reason = reason
    self.id = id
    self.uniqueID = uniqueID
    self.device = device
    self.topic = topic
    self.pushType = pushType
  }
}

/// The source of a running gateway's delivery log.
public protocol DeliveryLogSource: Sendable {
  /// Returns the matching lines, oldest first.
  ///
  /// It may block until the loops answer.
  func lines(of query: DeliveryLogQuery) -> [DeliveryLogLine]
  /// Calls `receive` with each new line until it returns false or the gateway stops.
  ///
  /// Returns the earlier lines, oldest first, so that each line is reported once.
  ///
  /// `receive` may be called before this function returns.
  func follow(
    _ query: DeliveryLogQuery, _ receive: @escaping @Sendable ([DeliveryLogLine]) -> Bool
  ) -> [DeliveryLogLine]
}
