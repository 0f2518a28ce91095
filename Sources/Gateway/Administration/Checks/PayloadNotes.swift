internal import BelfryWire
internal import PushWire

/// Warnings about a payload that the gateway accepts.
///
/// The service doesn't inspect `aps`, and devices ignore anything they can't use (apns-protocol section 3).
enum PayloadNotes {
  private static let keys: Set<String> = [
    "alert", "badge", "sound", "thread-id", "category", "content-available", "mutable-content",
    "target-content-id", "interruption-level", "relevance-score", "filter-criteria",
    // The keys of Live Activities.
    "event", "timestamp", "content-state", "stale-date", "dismissal-date", "attributes",
    "attributes-type", "input-push-channel", "input-push-token",
    // The keys of widgets, controls, and older web pushes.
    "content-changed", "url-args",
  ]

  /// Returns warnings about `payload` as a push of `type`, most important first.
  static func notes(_ payload: [UInt8], _ type: PushType, priority: String?) -> [String] {
    guard let object = (try? JSONValue(parsing: payload))?.objectValue else { return [] }
    guard let value = object["aps"] else {
      return type == .mdm || type == .voip || type == .pushToTalk
        ? [] : ["No aps dictionary, so the system ignores this push."]
    }
    guard let aps = value.objectValue else {
      return ["aps is not an object, so the device ignores it."]
    }
    var notes: [String] = []
    for key in aps.keys where !keys.containsBytes(of: key) {
      notes.append("Unknown key aps.\(key). Put custom data outside aps.")
    }
    notes += wrongTypes(aps)
    let shows = ["alert", "badge", "sound"].filter { aps[$0] != nil }
    switch type {
    case .alert where shows.isEmpty:
      notes.append("An alert push without alert, badge or sound has no visible effect.")
    case .background:
      if aps["content-available"]?.integerValue != 1 {
        notes.append("A background push needs \"content-available\": 1 to wake the app.")
      }
      if !shows.isEmpty {
        notes.append(
          "A background push ignores \(shows.joined(separator: ", ")). Use an alert push instead.")
      }
      if priority == "10" { notes.append("A background push is sent with priority 5.") }
    default: break
    }
    return notes
  }

  private static func wrongTypes(_ aps: JSONObject) -> [String] {
    var notes: [String] = []
    func check(_ key: String, _ wanted: String, _ isRight: (JSONValue) -> Bool) {
      guard let value = aps[key], !isRight(value) else { return }
      notes.append("aps.\(key) must be \(wanted). The device ignores other values.")
    }
    check("alert", "a string or an object") { $0.stringValue != nil || $0.objectValue != nil }
    check("badge", "an integer of at least 0") { ($0.integerValue ?? -1) >= 0 }
    check("sound", "a name or an object") { $0.stringValue != nil || $0.objectValue != nil }
    for key in ["thread-id", "category", "target-content-id"] {
      check(key, "a string") { $0.stringValue != nil }
    }
    for key in ["content-available", "mutable-content"] {
      check(key, "1") { $0.integerValue == 1 || $0.integerValue == 0 }
    }
    let levels = ["passive", "active", "time-sensitive", "critical"]
    check("interruption-level", "one of \(levels.joined(separator: ", "))") {
      $0.stringValue.map(levels.containsBytes) ?? false
    }
    check("relevance-score", "a number from 0 to 1") {
      $0.doubleValue.map((0...1).contains) ?? false
    }
    return notes
  }
}
