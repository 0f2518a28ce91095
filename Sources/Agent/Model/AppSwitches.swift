import BelfryWire
package import AppWire

/// The user's switches for one app (S1-3, S4-4, S4-5).
package struct AppSwitches: Hashable, Sendable {
  package var alert = true
  package var sound = true
  package var badge = true
  var center = true
  package var lockScreen = true
  package var criticalAlert = true
  package var timeSensitive = true
  package var alertStyle = NotificationSettings.AlertStyle.banner
  package var previews = NotificationSettings.Previews.always

  private static var names: [(String, WritableKeyPath<AppSwitches, Bool>)] {
    [
      ("alert", \.alert), ("sound", \.sound), ("badge", \.badge), ("center", \.center),
      ("lockScreen", \.lockScreen), ("criticalAlert", \.criticalAlert),
      ("timeSensitive", \.timeSensitive),
    ]
  }

  /// Sets one switch, in the syntax of `belfry settings`; returns false if the switch or the value is unknown.
  mutating func turn(_ name: String, to word: String) -> Bool {
    if let path = Self.names.first(where: { $0.0 == name })?.1 {
      guard let isOn = Self.isOn(word) else { return false }
      self[keyPath: path] = isOn
      return true
    }
    switch name {
    case "style":
      guard let style = NotificationSettings.AlertStyle(rawValue: word) else { return false }
      alertStyle = style
    case "previews":
      guard let previews = NotificationSettings.Previews(rawValue: word) else { return false }
      self.previews = previews
    default: return false
    }
    return true
  }

  /// Returns the valid values of a switch or of another setting; nil for an unknown setting.
  static func words(of name: String) -> [String]? {
    switch name {
    case "style": NotificationSettings.AlertStyle.allCases.map(\.rawValue)
    case "previews": NotificationSettings.Previews.allCases.map(\.rawValue)
    default: names.contains { $0.0 == name } ? onOff : nil
    }
  }

  /// The values of an on/off switch.
  static let onOff = ["on", "off"]

  /// Returns true for `on` and false for `off`; nil for any other word.
  static func isOn(_ word: String) -> Bool? {
    switch word {
    case "on": true
    case "off": false
    default: nil
    }
  }

  var json: JSONObject {
    var object = JSONObject()
    for (name, path) in Self.names { object[name] = .bool(self[keyPath: path]) }
    object["style"] = .string(alertStyle.rawValue)
    object["previews"] = .string(previews.rawValue)
    return object
  }

  init() {}

  /// Reads the switches; missing or unknown values keep their defaults.
  init(json: JSONObject) {
    for (name, path) in Self.names {
      if let isOn = json[name]?.boolValue { self[keyPath: path] = isOn }
    }
    for name in ["style", "previews"] {
      if let word = json[name]?.stringValue { _ = turn(name, to: word) }
    }
  }
}
