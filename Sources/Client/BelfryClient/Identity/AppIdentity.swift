import AppWire
import Foundation

/// The identity of this process: its bundle ID and the data in its manifest.
package struct AppIdentity: Sendable {
  /// The app's ID; if nil, the agent determines it from the process.
  package var appID: String?
  /// True if an environment variable provides the app's ID: the app is not in an `.app` folder, or the folder's
  /// manifest contains no ID.
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
    func text(_ key: String) -> String? {
      let value = bundle.object(forInfoDictionaryKey: key) as? String
      return value.flatMap { BuildVariable.isContained(in: $0) ? nil : $0 }
    }
    let claimed = environment["BELFRY_APP_ID"].flatMap { $0.isEmpty ? nil : $0 }
    let declared = text("CFBundleIdentifier")
    // If the agent started this process, the agent's value for the app's ID takes precedence, because the manifest of
    // an extension contains the extension's own ID.
    let isStarted = environment["BELFRY_LAUNCH"] != nil
    // All programs of a package share the manifest in the build folder, so the environment variable takes precedence
    // there. An app's own folder contains only the app's manifest.
    let isInAppFolder = Self.isInAppFolder(bundle.bundlePath)
    appID = isInAppFolder && !isStarted ? declared ?? claimed : claimed ?? declared
    isDevelopment = claimed != nil && (declared == nil || !isInAppFolder)
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

  /// Returns true if a path is that of an `.app` folder or of a folder in one.
  private static func isInAppFolder(_ path: String) -> Bool {
    path.split(separator: "/").contains { $0.hasSuffix(".app") }
  }
}
