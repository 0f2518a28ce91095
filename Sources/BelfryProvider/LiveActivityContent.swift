public import BelfryWire
public import Foundation

/// A start, update, or end of a Live Activity (apns-protocol section 3).
public struct LiveActivityContent: Sendable, Equatable {
  /// The change to the activity.
  public enum Event: Sendable, Equatable {
    /// The activity starts, with the type and values of its attributes.
    case start(attributesType: String, attributes: JSONObject)
    /// The activity's state changes; the activity remains on screen.
    case update
    /// The activity ends, and is removed from the screen at this time or, if no time is given, within four hours.
    case end(dismissal: Date?)
  }

  /// The change to the activity.
  public var event: Event
  /// The activity's state, in the form that the app's own type decodes.
  public var state: JSONObject
  /// The time at which the state was current.
  ///
  /// The device ignores a state with an older time.
  public var timestamp: Date
  /// The time after which the state counts as outdated.
  public var stale: Date?
  /// The activity's relevance relative to other activities; any number is allowed.
  public var relevanceScore: Double?
  /// The alert for the start of an activity, and for devices that do not show activities.
  public var alert: AlertContent?

  /// Creates an event at a given time.
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
        throw .badValue(member: "alert", wanted: "an alert for the start of an activity")
      }
      aps["event"] = "start"
      aps["attributes-type"] = .string(type)
      aps["attributes"] = .object(attributes)
    case .update: aps["event"] = "update"
    case .end(let dismissal):
      aps["event"] = "end"
      if let dismissal { aps["dismissal-date"] = try Self.seconds(dismissal, "dismissal") }
    }
    assert(aps["event"] != nil, "an event has a name")
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
      throw .badValue(member: member, wanted: "a date in 1970 or later")
    }
    return .integer(seconds)
  }
}
