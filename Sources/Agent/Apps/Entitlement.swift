/// An entitlement that an installed app's manifest must claim before the app can use a feature.
///
/// The keys are Apple's. A development app, which has no manifest, has every entitlement.
package enum Entitlement: String, Hashable, Sendable, CaseIterable {
  /// Remote notifications: `development` or `production`.
  case pushes = "aps-environment"
  /// Sounds that override mute and Focus.
  case criticalAlerts = "com.apple.developer.usernotifications.critical-alerts"
  /// Notifications that override Focus.
  case timeSensitive = "com.apple.developer.usernotifications.time-sensitive"

  /// The name of the entitlement in a `.desktop` file's `X-Belfry-Entitlements`.
  var word: String {
    switch self {
    case .pushes: "aps-environment"
    case .criticalAlerts: "critical-alerts"
    case .timeSensitive: "time-sensitive"
    }
  }

  /// Returns the entitlements that a manifest claims.
  static func claimed(in manifest: [String: Any]) -> Set<Entitlement> {
    Set(
      allCases.filter { entitlement in
        switch entitlement {
        case .pushes:
          let environment = manifest[entitlement.rawValue] as? String
          return environment == "development" || environment == "production"
        case .criticalAlerts, .timeSensitive:
          return manifest[entitlement.rawValue] as? Bool == true
        }
      })
  }

  /// Returns the entitlements that a desktop file claims.
  ///
  /// A file without the key claims remote and time-sensitive notifications.
  package static func claimed(inList list: String?) -> Set<Entitlement> {
    guard let list else { return [.pushes, .timeSensitive] }
    let words = list.split(separator: ";").map { $0.trimming(while: \.isWhitespace) }
    return Set(allCases.filter { words.contains($0.word) || words.contains($0.rawValue) })
  }
}

extension Substring {
  fileprivate func trimming(while matches: (Character) -> Bool) -> String {
    var text = drop(while: matches)
    while let last = text.last, matches(last) { text.removeLast() }
    return String(text)
  }
}
