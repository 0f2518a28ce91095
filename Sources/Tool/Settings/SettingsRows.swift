import Agent
import BelfryWire

/// The settings that a user can change, as shown on the terminal page and in the window.
struct SettingsRows {
  /// A setting and its values.
  struct Row {
    /// The agent's name for the setting.
    var id: String
    /// The setting's name in the device's language.
    var title: String
    /// The current value.
    var word: String
    /// The values from which the user can choose, in order.
    ///
    /// The array is empty for a row that opens another page.
    var words: [String]
    /// A function that returns the action that sets a value.
    var action: (String) -> SettingsPage.Action
  }

  static let onOff = ["on", "off"]

  /// An app's settings, in order.
  ///
  /// The agent reports a setting for each notification type that the app has requested.
  private static let switches: [(name: String, title: WordKey, words: [String])] = [
    ("alert", .alerts, onOff), ("sound", .sounds, onOff), ("badge", .badges, onOff),
    ("style", .alertStyle, ["none", "banner", "alert"]),
    ("previews", .showPreviews, ["always", "whenAuthenticated", "never"]),
    ("lockScreen", .onLockScreen, onOff), ("center", .inNotificationCenter, onOff),
    ("timeSensitive", .timeSensitive, onOff), ("criticalAlert", .criticalAlerts, onOff),
    ("location", .location, ["denied", "whenInUse", "always"]),
  ]

  private let content: SettingsPage.Content
  private let words: DeviceWords

  init(_ content: SettingsPage.Content, _ words: DeviceWords) {
    self.content = content
    self.words = words
  }

  /// Returns the settings of an app, or an empty array if the agent doesn't list the app.
  func rows(of app: String) -> [Row] {
    guard let values = content.apps.first(where: { $0["app"]?.stringValue == app }) else {
      return []
    }
    let status = values["authorization"]?.stringValue ?? ""
    let isAllowed = status != "denied" && status != "notDetermined"
    var rows = [
      Row(
        id: "notifications", title: self.words[.allowNotifications],
        word: isAllowed ? "on" : "off", words: Self.onOff
      ) {
        .change(app: app, name: "notifications", word: $0)
      }
    ]
    for (name, title, words) in Self.switches {
      guard let word = values[name]?.stringValue else { continue }
      // Until the app has requested access, the user has made no decision that could be changed.
      if name == "location", word == "notDetermined" { continue }
      rows.append(
        Row(id: name, title: self.words[title], word: word, words: words) {
          .change(app: app, name: name, word: $0)
        })
    }
    return rows
  }

  /// The settings of the whole device.
  var device: [Row] {
    var rows: [Row] = []
    if let focus = content.state["focus"]?.stringValue {
      rows.append(
        Row(id: "focus", title: words[.focus], word: focus, words: Self.onOff) {
          .changeState(name: "focus", word: $0)
        })
    }
    if let location = content.device["location"]?.stringValue {
      rows.append(
        Row(id: "location", title: words[.location], word: location, words: Self.onOff) {
          .changeDevice(name: "location", word: $0)
        })
    }
    return rows
  }

  /// Returns the text for a value in the device's language; returns an unknown value unchanged.
  func text(of word: String) -> String {
    switch word {
    case "on": words[.on]
    case "off": words[.off]
    case "whenAuthenticated": words[.whenUnlocked]
    case "whenInUse": words[.whileInUse]
    case "denied", "never": words[.never]
    case "none": words[.none]
    case "banner": words[.banner]
    case "alert": words[.alert]
    case "always": words[.always]
    default: word
    }
  }
}
