import BelfryWire
import AppWire
import System

/// The settings of apps and their values, in the syntax of `belfry settings`.
package enum AppSettingsWords {
  /// Returns the reason that no app has this setting or this value; nil if an app can have both.
  package static func problem(_ name: String, _ word: String) -> String? {
    let words: [String]? =
      switch name {
      case "notifications": AppSwitches.onOff
      case "location": LocationStatus.allCases.map(\.rawValue)
      default: AppSwitches.words(of: name)
      }
    guard let words else {
      return
        "unknown setting '\(name)': use notifications, alert, sound, badge, center, lockScreen, criticalAlert, "
        + "timeSensitive, style, previews or location"
    }
    guard !words.contains(word) else { return nil }
    return "invalid value '\(word)' for \(name): expected \(CommandLineOptions.list(words))"
  }
}

extension LocalApp {
  /// Applies changes in the syntax of `belfry settings`.
  ///
  /// - Throws: A description of the first invalid change.
  mutating func applySettings(_ changes: [String: String]) throws(AppLinkFailure) {
    for (name, word) in changes.sorted(by: { $0.key < $1.key }) {
      try applySetting(name, word)
    }
  }

  private mutating func applySetting(_ name: String, _ word: String) throws(AppLinkFailure) {
    if let problem = AppSettingsWords.problem(name, word) {
      throw AppLinkFailure(.invalidArgument, problem)
    }
    switch name {
    case "notifications": decideAuthorization(isAllowed: AppSwitches.isOn(word) == true)
    case "location": locationStatus = LocationStatus(rawValue: word) ?? locationStatus
    default:
      if let option = AuthorizationOption(rawValue: name), !requested.contains(option) {
        throw AppLinkFailure(
          .invalidArgument,
          "\(id) never requested \(name), so it has no such setting: let the app request it, or run "
            + "'belfry app run \(id) --authorize \(name)'")
      }
      let isKnown = switches.turn(name, to: word)
      assert(isKnown, "a setting without a problem has this value")
    }
  }

  /// The app's row in the output of `belfry settings`.
  var settingsRow: JSONObject {
    var row: JSONObject = [
      "app": .string(id.text), "name": .string(displayName),
      "authorization": .string(status.rawValue),
    ]
    for option in AuthorizationOption.allCases where requested.contains(option) {
      guard let isOn = switches.json[option.rawValue]?.boolValue else { continue }
      row[option.rawValue] = isOn && status.allows ? "on" : "off"
    }
    row["style"] = .string(switches.alertStyle.rawValue)
    row["previews"] = .string(switches.previews.rawValue)
    row["center"] = switches.center ? "on" : "off"
    row["lockScreen"] = switches.lockScreen ? "on" : "off"
    row["location"] = .string(locationStatus.rawValue)
    return row
  }
}
