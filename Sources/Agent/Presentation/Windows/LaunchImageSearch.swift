import System

/// Where the image that a notification names for the launch of its app lies (S3-22).
enum LaunchImageSearch {
  /// The file at the top level of the app's bundle, with the extension of a picture where the name has none; nil when
  /// there is none.
  static func file(_ name: String, of app: LocalApp) -> String? {
    // A name, not a path: an app names files of its own.
    guard let bundle = app.bundlePath, !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")),
      !name.hasPrefix(".")
    else { return nil }
    let folders = [bundle, bundle + "/Resources", bundle + "/Contents/Resources"]
    let paths = folders.flatMap { folder in
      ["", ".png", ".jpg"].map { "\(folder)/\(name)\($0)" }
    }
    return paths.first { FileSystem.exists($0) && !FileSystem.isDirectory($0) }
  }
}
