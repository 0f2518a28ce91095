package import AppWire
import Foundation
import System

/// A reader of the apps to install.
package enum AppInstaller {
  /// Reads the app at a path: a `.desktop` file, or a folder with a manifest or one desktop file.
  package static func read(_ path: String, languages: [String]) -> Result<LocalApp, AppLinkFailure>
  {
    let path = FileSystem.absolute(path)
    guard FileSystem.exists(path) else {
      return refusal("\(path) does not exist: expected a .desktop file or an app's folder")
    }
    if !FileSystem.isDirectory(path) {
      return desktop(path, folder: nil, languages: languages)
    }
    if let manifest = AppManifest.read(folder: path) { return folder(path, manifest) }
    let places = [path, path + "/share/applications"]
    let files = places.flatMap { place in
      ((try? FileSystem.list(place)) ?? []).filter { $0.hasSuffix(".desktop") }
        .map { "\(place)/\($0)" }
    }
    guard let file = files.first, files.count == 1 else {
      if let problem = AppManifest.problem(folder: path) { return refusal(problem) }
      return refusal(
        "\(path) does not contain an app: expected an Info.plist, an Info.json or exactly one .desktop file"
      )
    }
    return desktop(file, folder: path, languages: languages)
  }

  private static func refusal(_ message: String) -> Result<LocalApp, AppLinkFailure> {
    .failure(AppLinkFailure(.invalidArgument, message))
  }

  private static func folder(_ path: String, _ manifest: AppManifest)
    -> Result<LocalApp, AppLinkFailure>
  {
    guard let id = AppID(manifest.id) else {
      return refusal(
        "invalid CFBundleIdentifier '\(manifest.id)' in the manifest of \(path): "
          + (BuildVariable.isContained(in: manifest.id)
            ? "write the app's ID, such as org.example.app, because only Xcode replaces its variables"
            : "expected \(AppID.form)"))
    }
    var record = LocalApp(id: id)
    record.name = manifest.name.flatMap(DisplayName.clean)
    record.bundlePath = path
    record.backgroundModes = manifest.backgroundModes
    record.locationUsage = manifest.locationUsage.flatMap(DisplayName.cleanReason)
    var installation = LocalApp.Installation()
    installation.executable = manifest.executable
    installation.icon = manifest.icon
    installation.isScript = isScript(manifest.executable)
    installation.entitlements = manifest.entitlements
    installation.pushEnvironment = manifest.pushEnvironment
    installation.serviceExtension = manifest.serviceExtension
    installation.contentExtensions = manifest.contentExtensions
    record.installation = installation
    return .success(record)
  }

  private static func desktop(_ path: String, folder: String?, languages: [String])
    -> Result<LocalApp, AppLinkFailure>
  {
    let file = path.split(separator: "/").last.map(String.init) ?? path
    guard file.hasSuffix(".desktop") else {
      let advice =
        ProcessInspector.bundlePath(of: path).map { "install the folder \($0)" }
        ?? "expected a file such as org.example.app.desktop, or an app's folder"
      return refusal("\(path) is neither a .desktop file nor an app's folder: \(advice)")
    }
    guard let id = AppID(String(file.dropLast(8))) else {
      return refusal(
        "the name of \(path) must be the app's ID, for example org.example.app.desktop")
    }
    let bytes: [UInt8]
    do {
      bytes = try FileSystem.readRegularFile(path, limit: 1 << 20)
    } catch {
      return refusal("\(error)")
    }
    let entry = DesktopFile(String(decoding: bytes, as: UTF8.self))
    var record = LocalApp(id: id)
    record.name = entry.localized("Name", languages: languages).flatMap(DisplayName.clean)
    record.bundlePath = folder ?? resources(id)
    record.backgroundModes =
      entry["X-Belfry-BackgroundModes"]?.split(separator: ";").map(String.init) ?? []
    record.locationUsage = entry.localized("X-Belfry-LocationUsage", languages: languages)
      .flatMap(DisplayName.cleanReason)
    var installation = LocalApp.Installation()
    installation.desktopFile = path
    installation.isBusActivatable = entry["DBusActivatable"] == "true"
    installation.icon = entry["Icon"]
    installation.windowClass = entry["StartupWMClass"]
    installation.entitlements = Entitlement.claimed(inList: entry["X-Belfry-Entitlements"])
    installation.serviceExtension =
      entry["X-Belfry-ServiceExtension"].flatMap(program)
      ?? record.bundlePath.flatMap(AppManifest.serviceExtension)
    installation.contentExtensions = record.bundlePath.map(AppManifest.contentExtensions) ?? []
    let command = entry.command
    installation.executable = command.first.flatMap(program)
    installation.arguments = Array(command.dropFirst())
    installation.isScript = isScript(installation.executable)
    record.installation = installation
    return .success(record)
  }

  private static func isScript(_ path: String?) -> Bool {
    guard let path else { return false }
    return (try? FileSystem.beginning(ofRegularFile: path, count: 2)) == Array("#!".utf8)
  }

  /// Returns the path of the program that a command word refers to: the word itself if it is an absolute path,
  /// otherwise the first match in `PATH`; nil if there is no match.
  private static func program(_ word: String) -> String? {
    guard !word.hasPrefix("/") else { return word }
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
    return path.split(separator: ":").map { "\($0)/\(word)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Returns the folder with an installed app's resources: the first folder that is named after the app in one of the
  /// XDG data folders; nil if none exists.
  private static func resources(_ id: AppID) -> String? {
    let environment = ProcessInfo.processInfo.environment
    return AgentPaths.dataFolders { environment[$0] }.map { "\($0)/\(id)" }
      .first(where: FileSystem.isDirectory)
  }
}
