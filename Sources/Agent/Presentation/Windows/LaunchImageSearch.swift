import System

/// A search for the image that a notification specifies for the launch of its app (S3-22).
enum LaunchImageSearch {
  /// Returns the image file with this name from the app's bundle, or from the bundle's resource folder; nil if no such
  /// file exists.
  ///
  /// The name can omit the filename extension.
  static func file(_ name: String, of app: LocalApp) -> String? {
    // Accept only names, not paths: an app may use only its own files.
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
