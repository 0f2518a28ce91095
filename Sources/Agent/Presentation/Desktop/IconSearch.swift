import System

/// Where an app's icon lies: servers such as dunst draw a file, and look for no theme's names.
enum IconSearch {
  /// The sizes of the theme's folders that fit a notification, the best first.
  private static let sizes = ["64x64", "48x48", "128x128", "96x96", "256x256", "32x32", "scalable"]

  /// The file of a themed icon's name in the theme that every icon of an app is in (Icon Theme
  /// Specification 0.13: hicolor), or among the pixmaps; the name itself without one, and what is a
  /// path already.
  static func path(of name: String, environment: [String: String]) -> String {
    // A name, not a path: an app names icons of the machine's.
    guard !name.isEmpty, !name.contains("/") else { return name }
    for folder in dataFolders(environment) {
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

  private static func dataFolders(_ environment: [String: String]) -> [String] {
    let home = environment["XDG_DATA_HOME"] ?? environment["HOME"].map { $0 + "/.local/share" }
    let rest = environment["XDG_DATA_DIRS"] ?? "/usr/local/share:/usr/share"
    return (home.map { [$0] } ?? []) + rest.split(separator: ":").map(String.init)
  }
}
