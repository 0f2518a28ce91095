public import BelfryWire

/// A query of the delivery log.
public enum DeliveryLogQuery: Sendable, Hashable {
  /// Every line.
  case everything
  /// Lines of one device token.
  case token([UInt8])
  /// Lines of one `apns-id` or `apns-unique-id`.
  case notification(NotificationID)

  /// Parses a token in hexadecimal or an id; nil for anything else.
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
  /// The state of a push that was refused; the reason says why.
  public static let refused = "Refused"

  /// What happened, as `DeliveryState.label` spells it, or ``refused``.
  public var state: String
  /// The reason, if there is one.
  public var reason: String?
  /// `apns-id`.
  public var id: NotificationID
  /// `apns-unique-id`; nil of a push that was refused.
  public var uniqueID: NotificationID?
  /// The device's number; 0 for a broadcast as a whole.
  public var device: UInt64
  /// The app's topic.
  public var topic: String

  /// A line from its parts.
  public init(
    atMilliseconds: Int64, state: String, reason: String? = nil, id: NotificationID,
    uniqueID: NotificationID?, device: UInt64, topic: String
  ) {
    self.atMilliseconds = atMilliseconds
    self.state = state
    self.reason = reason
    self.id = id
    self.uniqueID = uniqueID
    self.device = device
    self.topic = topic
  }
}

/// Where the administration finds the delivery log of a running gateway.
public protocol DeliveryLogSource: Sendable {
  /// Returns the matching lines, oldest first; may wait for the loops to answer.
  func lines(of query: DeliveryLogQuery) -> [DeliveryLogLine]
  /// Calls `receive` with every new line, until it returns false or the gateway stops; returns the lines before those,
  /// oldest first, so that each line comes once.
  ///
  /// `receive` may be called before this returns.
  func follow(
    _ query: DeliveryLogQuery, _ receive: @escaping @Sendable ([DeliveryLogLine]) -> Bool
  ) -> [DeliveryLogLine]
}
