import AppWire
import BelfryWire
import Foundation
import System

/// The manifest of an app's folder: `Info.plist` (XML, binary, or old style) or `Info.json`, with Apple's keys.
package struct AppManifest: Hashable {
  var id: String
  var name: String?
  var executable: String?
  var icon: String?
  var backgroundModes: [String] = []
  var locationUsage: String?
  var entitlements: Set<Entitlement> = []
  var pushEnvironment: String?
  var serviceExtension: String?
  var contentExtensions: [ContentExtension] = []

  /// Reads a folder's manifest; returns nil if the folder has no manifest with an ID.
  static func read(folder: String) -> AppManifest? {
    list(folder).flatMap { AppManifest($0, folder: folder) }
  }

  private static let propertyLists = [
    "Info.plist", "Contents/Info.plist", "Resources/Info.plist",
  ]

  /// Returns the reason that a folder's manifest cannot be used; nil if the folder has no manifest.
  ///
  /// Call this only if `read` has returned nil.
  static func problem(folder: String) -> String? {
    guard
      let name = (propertyLists + ["Info.json"]).first(where: {
        FileSystem.exists("\(folder)/\($0)")
      })
    else { return nil }
    let path = "\(folder)/\(name)"
    guard list(folder) == nil else {
      return "\(path) has no CFBundleIdentifier: add one, such as org.example.app"
    }
    do {
      _ = try FileSystem.readRegularFile(path, limit: 1 << 20)
    } catch {
      return "\(error)"
    }
    return name.hasSuffix(".json")
      ? "\(path) is not a JSON object: correct the file"
      : "\(path) is not a property list: correct the file, which 'xmllint' can check"
  }

  /// Returns the content of a folder's manifest; nil if the folder has no manifest that can be read.
  static func list(_ folder: String) -> [String: Any]? {
    for name in propertyLists {
      guard let bytes = try? FileSystem.readRegularFile("\(folder)/\(name)", limit: 1 << 20),
        let list = PropertyListFile.dictionary(Data(bytes))
      else { continue }
      return list
    }
    guard let bytes = try? FileSystem.readRegularFile("\(folder)/Info.json", limit: 1 << 20),
      !CombiningRuns.areLong(inList: bytes),
      let list = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
    else { return nil }
    return list
  }

  /// Returns the path of the program for the app's notification service extension (`PlugIns/*.appex`).
  package static func serviceExtension(in folder: String) -> String? {
    extensions(.service, in: folder).first?.program
  }

  /// Returns the app's notification content extensions.
  package static func contentExtensions(in folder: String) -> [ContentExtension] {
    extensions(.content, in: folder).map { found in
      let attributes = found.about["NSExtensionAttributes"] as? [String: Any] ?? [:]
      let category = attributes["UNNotificationExtensionCategory"]
      return ContentExtension(
        executable: found.program,
        categories: category as? [String] ?? (category as? String).map { [$0] } ?? [],
        hidesDefaultContent: attributes["UNNotificationExtensionDefaultContentHidden"] as? Bool
          ?? false)
    }
  }

  /// Returns the app's extensions of one kind, ordered by folder name.
  private static func extensions(_ point: AppExtension.Point, in folder: String) -> [AppExtension] {
    AppExtension.folders(in: folder).compactMap { try? AppExtension(folder: $0) }
      .filter { $0.point == point }
  }

  private init?(_ list: [String: Any], folder: String) {
    guard let id = list["CFBundleIdentifier"] as? String else { return nil }
    self.id = id
    name = ["CFBundleDisplayName", "CFBundleName"].lazy.compactMap { list[$0] as? String }
      .first { !BuildVariable.isContained(in: $0) }
    if let program = list["CFBundleExecutable"] as? String {
      executable =
        ["", "Contents/MacOS/", "Contents/Linux/", "bin/"].map { "\(folder)/\($0)\(program)" }
        .first(where: FileSystem.exists) ?? "\(folder)/\(program)"
    }
    if let icon = list["CFBundleIconFile"] as? String { self.icon = "\(folder)/\(icon)" }
    backgroundModes = list["UIBackgroundModes"] as? [String] ?? []
    locationUsage =
      list["NSLocationWhenInUseUsageDescription"] as? String
      ?? list["NSLocationAlwaysAndWhenInUseUsageDescription"] as? String
      ?? list["NSLocationUsageDescription"] as? String
    entitlements = Entitlement.claimed(in: list)
    pushEnvironment = list[Entitlement.pushes.rawValue] as? String
    serviceExtension = Self.serviceExtension(in: folder)
    contentExtensions = Self.contentExtensions(in: folder)
  }
}
