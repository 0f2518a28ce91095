import Foundation

/// The identity of this process: its bundle ID and the data in its manifest.
package struct AppIdentity: Sendable {
  /// The app's ID; if nil, the agent determines it from the process.
  package var appID: String?
  /// True if the bundle has no ID and an environment variable provides the app's ID.
  package var isDevelopment: Bool
  /// The display name of the app.
  package var name: String?
  /// The directory that contains the app's resources.
  package var bundlePath: String?
  package var backgroundModes: [String]
  /// The reason that the app uses the location, as shown to the user.
  ///
  /// A development app can set it with `BELFRY_LOCATION_USAGE`.
  package var locationUsage: String?

  package static let current = AppIdentity(
    bundle: .main, environment: ProcessInfo.processInfo.environment)

  package init(bundle: Bundle, environment: [String: String]) {
    func text(_ key: String) -> String? { bundle.object(forInfoDictionaryKey: key) as? String }
    let claimed = environment["BELFRY_APP_ID"].flatMap { $0.isEmpty ? nil : $0 }
    // If the agent started this process, the agent's value for the app's ID takes precedence, because the manifest of
    // an extension contains the extension's own ID.
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
