import Foundation

/// Who this process is: its bundle id and its manifest.
package struct AppIdentity: Sendable {
  /// The app's id; nil lets the agent find it by what the process is.
  package var appID: String?
  /// Whether the id was only claimed by the environment.
  package var isDevelopment: Bool
  /// The name for people.
  package var name: String?
  /// The folder with the app's resources.
  package var bundlePath: String?
  package var backgroundModes: [String]
  /// Why the app wants the location, for the person; a development app may say so by
  /// `BELFRY_LOCATION_USAGE`.
  package var locationUsage: String?

  package static let current = AppIdentity(
    bundle: .main, environment: ProcessInfo.processInfo.environment)

  package init(bundle: Bundle, environment: [String: String]) {
    func text(_ key: String) -> String? { bundle.object(forInfoDictionaryKey: key) as? String }
    let claimed = environment["BELFRY_APP_ID"].flatMap { $0.isEmpty ? nil : $0 }
    // An agent that started this process has said who it is; an extension's manifest names itself.
    let isStarted = environment["BELFRY_LAUNCH"] != nil
    appID = isStarted ? claimed ?? bundle.bundleIdentifier : bundle.bundleIdentifier ?? claimed
    isDevelopment = bundle.bundleIdentifier == nil && claimed != nil
    name = text("CFBundleDisplayName") ?? text("CFBundleName")
    bundlePath = bundle.bundlePath
    backgroundModes = bundle.object(forInfoDictionaryKey: "UIBackgroundModes") as? [String] ?? []
    locationUsage =
      text("NSLocationWhenInUseUsageDescription")
      ?? text("NSLocationAlwaysAndWhenInUseUsageDescription")
      ?? text("NSLocationUsageDescription")
      ?? (isDevelopment
        ? environment["BELFRY_LOCATION_USAGE"].flatMap { $0.isEmpty ? nil : $0 } : nil)
  }
}
