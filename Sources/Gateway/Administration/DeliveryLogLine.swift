public import BelfryWire

/// What a line of the delivery log is looked up by.
public enum DeliveryLogQuery: Sendable, Hashable {
  /// Every line.
  case everything
  /// Lines of one device token.
  case token([UInt8])
  /// Lines of one `apns-id` or `apns-unique-id`.
  case notification(NotificationID)

  /// Reads what a person types: a token in hexadecimal or an id; nil for neither.
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
  /// When, in milliseconds since 1970.
  public var atMilliseconds: Int64
  /// What happened, as `DeliveryState.label` spells it.
  public var state: String
  /// Why, where there is a reason.
  public var reason: String?
  /// `apns-id`.
  public var id: NotificationID
  /// `apns-unique-id`.
  public var uniqueID: NotificationID
  /// The device's number; 0 where a line is about a broadcast and no device of it.
  public var device: UInt64
  /// The app's topic.
  public var topic: String

  /// A line from its parts.
  public init(
    atMilliseconds: Int64, state: String, reason: String? = nil, id: NotificationID,
    uniqueID: NotificationID, device: UInt64, topic: String
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
  /// The lines that are kept, oldest first; may wait for the loops to answer.
  func lines(of query: DeliveryLogQuery) -> [DeliveryLogLine]
  /// Hands on every line from now on, until `receive` answers false or the gateway stops.
  func follow(
    _ query: DeliveryLogQuery, _ receive: @escaping @Sendable ([DeliveryLogLine]) -> Bool)
}
