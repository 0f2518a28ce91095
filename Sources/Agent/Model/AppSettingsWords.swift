import BelfryWire
import AppWire

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
    switch name {
    case "notifications":
      guard let isOn = AppSwitches.isOn(word) else {
        throw AppLinkFailure(
          .invalidArgument, "invalid value '\(word)' for \(name): expected on or off")
      }
      decideAuthorization(isAllowed: isOn)
    case "location":
      guard let status = LocationStatus(rawValue: word) else {
        let words = LocationStatus.allCases.map(\.rawValue).joined(separator: ", ")
        throw AppLinkFailure(
          .invalidArgument, "invalid value '\(word)' for \(name): expected \(words)")
      }
      locationStatus = status
    default:
      if let option = AuthorizationOption(rawValue: name), !requested.contains(option) {
        throw AppLinkFailure(
          .invalidArgument, "\(id) never requested \(name), so it has no such setting")
      }
      guard switches.turn(name, to: word) else {
        if AppSwitches.isSwitch(name) {
          throw AppLinkFailure(
            .invalidArgument, "invalid value '\(word)' for \(name): expected on or off")
        }
        if let words = AppSwitches.words(of: name) {
          throw AppLinkFailure(
            .invalidArgument, "invalid value '\(word)' for \(name): expected \(words)")
        }
        throw AppLinkFailure(
          .invalidArgument,
          "unknown setting '\(name)': use notifications, alert, sound, badge, center, lockScreen, criticalAlert, "
            + "timeSensitive, style, previews or location")
      }
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
