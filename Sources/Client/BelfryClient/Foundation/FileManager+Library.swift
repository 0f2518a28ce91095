public import Foundation

extension FileManager {
  /// The app's library, in which the agent looks for sounds in `Sounds`; made when it is missing.
  ///
  /// It is `APP_ID/Library` in the user's data folder (`XDG_DATA_HOME`). Foundation on Linux names no folder for
  /// `.libraryDirectory`, and a method of ours under its name would be ambiguous.
  ///
  /// Nil when the app has no id, or the folder cannot be made.
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

  /// The user's data folder.
  var userDataFolder: URL {
    let named = ProcessInfo.processInfo.environment["XDG_DATA_HOME"]
    return named.flatMap { $0.hasPrefix("/") ? URL(fileURLWithPath: $0, isDirectory: true) : nil }
      ?? homeDirectoryForCurrentUser.appendingPathComponent(".local/share", isDirectory: true)
  }
}
