import BelfryWire
package import AppWire

/// The parts of a push's payload that determine how the push is handled (apns-protocol 1.7; S2-11, S2-19).
package struct PushPayload: Hashable, Sendable {
  package var content = NotificationContent()
  /// True if the app receives time in the background.
  package var isContentAvailable = false
  /// True if a service extension may change the notification.
  var isMutable = false
  /// True if the payload contains a number that is not a possible badge: a fraction, a negative number, or a number of
  /// more than 64 bits.
  var isBadgeUnusable = false

  /// Called for each payload that is parsed; tests count the calls.
  @TaskLocal static var onParse: (@Sendable () -> Void)?

  /// Creates the value that represents an unreadable payload.
  init() {}

  /// Parses a payload; nil if it is not a JSON object.
  ///
  /// Members of the wrong type are ignored, as on Apple's devices.
  package init?(_ payload: [UInt8]) {
    Self.onParse?()
    guard let object = (try? JSONValue(parsing: payload))?.objectValue else { return nil }
    content.userInfo = object
    guard let aps = object["aps"]?.objectValue else { return }
    readAlert(aps["alert"])
    content.badge = aps["badge"]?.integerValue.flatMap { $0 >= 0 ? $0 : nil }
    isBadgeUnusable = content.badge == nil && aps["badge"]?.doubleValue != nil
    content.sound = Self.sound(aps["sound"])
    content.thread = aps["thread-id"]?.stringValue ?? ""
    content.category = aps["category"]?.stringValue ?? ""
    content.targetContent = aps["target-content-id"]?.stringValue
    content.filterCriteria = aps["filter-criteria"]?.stringValue
    content.relevance = aps["relevance-score"]?.doubleValue ?? 0
    let level = aps["interruption-level"]
    if level == "passive" { content.interruptionLevel = .passive }
    if level == "time-sensitive" { content.interruptionLevel = .timeSensitive }
    if level == "critical" { content.interruptionLevel = .critical }
    isContentAvailable = Self.isSet(aps["content-available"])
    isMutable = Self.isSet(aps["mutable-content"])
  }

  private mutating func readAlert(_ alert: JSONValue?) {
    switch alert {
    case .string(let body): content.body = NotificationText(body)
    case .object(let alert):
      content.title = Self.text(alert, "title", key: "title-loc-key", arguments: "title-loc-args")
      content.subtitle = Self.text(
        alert, "subtitle", key: "subtitle-loc-key", arguments: "subtitle-loc-args")
      content.body = Self.text(alert, "body", key: "loc-key", arguments: "loc-args")
      content.launchImage = alert["launch-image"]?.stringValue ?? ""
      switch alert["action-loc-key"] {
      case .string(let key): content.actionTitle = NotificationText(key: key)
      case .null: content.hasAction = false
      default: break
      }
    default: break
    }
  }

  private static func text(
    _ alert: JSONObject, _ name: String, key: String, arguments: String
  ) -> NotificationText {
    let plain = alert[name]?.stringValue
    guard let key = alert[key]?.stringValue else { return NotificationText(plain ?? "") }
    let arguments = (alert[arguments]?.arrayValue ?? []).map { $0.stringValue ?? $0.text }
    return NotificationText(key: key, arguments: arguments, text: plain)
  }

  private static func sound(_ value: JSONValue?) -> NotificationSound? {
    switch value {
    case .string(let name):
      return name.isEmpty ? nil : NotificationSound(name: value == "default" ? nil : name)
    case .object(let object):
      let name = object["name"]
      let isCritical = isSet(object["critical"])
      let volume = object["volume"]?.doubleValue
      return NotificationSound(
        name: name == "default" ? nil : name?.stringValue, isCritical: isCritical,
        volume: volume.map { min(1, max(0, $0)) })
    default: return nil
    }
  }

  private static func isSet(_ value: JSONValue?) -> Bool {
    value?.integerValue == 1 || value?.boolValue == true
  }
}
