public import BelfryWire
public import Foundation

/// A start, update or end of a Live Activity (apns-protocol section 3).
public struct LiveActivityContent: Sendable, Equatable {
  /// What happens to the activity.
  public enum Event: Sendable, Equatable {
    /// It begins, with the type and the value of its attributes.
    case start(attributesType: String, attributes: JSONObject)
    /// It changes.
    case update
    /// It ends, and leaves the screen at this moment; without one, within four hours.
    case end(dismissal: Date?)
  }

  /// What happens.
  public var event: Event
  /// The activity's state, as the app's type decodes it.
  public var state: JSONObject
  /// The moment of the state: the device ignores an older one.
  public var timestamp: Date
  /// When the state counts as outdated.
  public var stale: Date?
  /// Its place among others; any number.
  public var relevanceScore: Double?
  /// What is shown on devices that show no activity, and beside its start.
  public var alert: AlertContent?

  /// An event at a moment.
  public init(
    _ event: Event, state: JSONObject, timestamp: Date = Date(), stale: Date? = nil,
    relevanceScore: Double? = nil, alert: AlertContent? = nil
  ) {
    self.event = event
    self.state = state
    self.timestamp = timestamp
    self.stale = stale
    self.relevanceScore = relevanceScore
    self.alert = alert
  }

  func aps() throws(PushFault) -> JSONObject {
    var aps: JSONObject = [
      "timestamp": try Self.seconds(timestamp, "timestamp"), "content-state": .object(state),
    ]
    switch event {
    case .start(let type, let attributes):
      guard !type.isEmpty else {
        throw .badValue(member: "attributesType", wanted: "the name of a type")
      }
      guard alert != nil else {
        throw .badValue(member: "alert", wanted: "given with the start of an activity")
      }
      aps["event"] = "start"
      aps["attributes-type"] = .string(type)
      aps["attributes"] = .object(attributes)
    case .update: aps["event"] = "update"
    case .end(let dismissal):
      aps["event"] = "end"
      if let dismissal { aps["dismissal-date"] = try Self.seconds(dismissal, "dismissal") }
    }
    assert(aps["event"] != nil, "each event has its name")
    if let stale { aps["stale-date"] = try Self.seconds(stale, "stale") }
    aps["relevance-score"] = relevanceScore.map { .double($0) }
    if let alert {
      for member in try alert.aps().members where ["alert", "sound"].contains(member.key) {
        aps[member.key] = member.value
      }
    }
    return aps
  }

  private static func seconds(_ date: Date, _ member: String) throws(PushFault) -> JSONValue {
    guard let seconds = Int64(exactly: date.timeIntervalSince1970.rounded()), seconds >= 0 else {
      throw .badValue(member: member, wanted: "a moment since 1970")
    }
    return .integer(seconds)
  }
}
