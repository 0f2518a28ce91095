import AppWire
import System

/// A search for the file of a notification's sound (S0-1, S0-4, S1-46; client-api 3.51).
enum SoundSearch {
  /// Returns the file that an app specifies, from the app's `Library/Sounds` or, if it is not there, from the top level
  /// of the app's bundle; nil if no such file exists.
  static func file(_ name: String, of app: LocalApp, environment: [String: String]) -> String? {
    Self.file(
      name, in: folders(of: app.id, bundle: app.bundlePath, environment: environment))
  }

  /// Returns the path of the file with this name in the first folder that contains one.
  static func file(_ name: String, in folders: [String]) -> String? {
    // Accept only names, not paths: an app may use only its own files.
    guard !name.isEmpty, !name.contains("/"), !name.hasPrefix(".") else { return nil }
    return folders.map { "\($0)/\(name)" }.first(where: isFile)
  }

  /// Returns the folders in which to look for an app's sounds, in order.
  static func folders(
    of app: AppID, bundle: String?, environment: [String: String]
  ) -> [String] {
    let container = AgentPaths.dataFolders { environment[$0] }.first.map { "\($0)/\(app)" }
    var folders = container.map { ["\($0)/Library/Sounds", "\($0)/Sounds"] } ?? []
    if let bundle {
      folders += [bundle, bundle + "/Resources", bundle + "/Contents/Resources"]
    }
    return folders
  }

  /// Returns the sound theme's sound for a message (Sound Theme Specification 0.8); nil if there is no theme.
  static func systemFile(environment: [String: String]) -> String? {
    let theme = environment["BELFRY_SOUND_THEME"] ?? "freedesktop"
    for folder in AgentPaths.dataFolders({ environment[$0] }) {
      for name in ["message-new-instant", "message-new", "message", "bell"] {
        for suffix in ["oga", "ogg", "wav"] {
          let path = "\(folder)/sounds/\(theme)/stereo/\(name).\(suffix)"
          if isFile(path) { return path }
        }
      }
    }
    return nil
  }

  private static func isFile(_ path: String) -> Bool {
    FileSystem.exists(path) && !FileSystem.isDirectory(path)
  }
}
