import AppWire
public import Foundation

extension FileManager {
  /// The app's library directory, created if it is missing.
  ///
  /// The directory is `APP_ID/Library` in the user's data directory (`XDG_DATA_HOME`). The agent looks for sounds in
  /// the library's `Sounds` directory.
  ///
  /// Foundation on Linux returns no directory for `.libraryDirectory`, and a method with Foundation's name would be
  /// ambiguous.
  ///
  /// The property is nil if the app has no ID, or if the directory cannot be created.
  public var appLibraryDirectory: URL? { libraryDirectory(of: AppIdentity.current.appID) }

  package func libraryDirectory(of app: String?) -> URL? {
    guard let app else { return nil }
    let folder = userDataFolder.appendingPathComponent(app, isDirectory: true)
      .appendingPathComponent("Library", isDirectory: true)
    do {
      try createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch { return nil }
    return folder
  }

  /// The user's data directory, which the agent determines in the same way.
  package var userDataFolder: URL { Self.userDataFolder(ProcessInfo.processInfo.environment) }

  /// Returns the user's data directory: `XDG_DATA_HOME`, or `.local/share` in `HOME`.
  ///
  /// Foundation takes the home directory from the password database, regardless of `HOME`.
  package static func userDataFolder(_ environment: [String: String]) -> URL {
    AgentPaths.dataHome { environment[$0] }.map { URL(fileURLWithPath: $0, isDirectory: true) }
      ?? FileManager.default.homeDirectoryForCurrentUser
      .appendingPathComponent(".local/share", isDirectory: true)
  }
}
