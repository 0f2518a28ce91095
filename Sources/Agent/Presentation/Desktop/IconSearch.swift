import AppWire
import System

/// A search for the file of an app's icon.
///
/// The search is needed because servers such as dunst draw files but do not look up theme names.
enum IconSearch {
  /// The sizes of the theme's folders that fit a notification, best first.
  private static let sizes = ["64x64", "48x48", "128x128", "96x96", "256x256", "32x32", "scalable"]

  /// Returns the file for a themed icon's name, from hicolor, the theme that contains every app's icon (Icon Theme
  /// Specification 0.13), or from the folder of pixmaps.
  ///
  /// Returns the name itself if no file exists or if the name is already a path.
  static func path(of name: String, environment: [String: String]) -> String {
    // Look up only names, not paths: a name refers to an icon that is installed on the machine.
    guard !name.isEmpty, !name.contains("/") else { return name }
    for folder in AgentPaths.dataFolders({ environment[$0] }) {
      for size in sizes {
        for suffix in ["png", "svg"] {
          let path = "\(folder)/icons/hicolor/\(size)/apps/\(name).\(suffix)"
          if FileSystem.exists(path) { return path }
        }
      }
      for path in ["\(folder)/pixmaps/\(name).png", "\(folder)/pixmaps/\(name).svg"]
      where FileSystem.exists(path) {
        return path
      }
    }
    return name
  }
}
