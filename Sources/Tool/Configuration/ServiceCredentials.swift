import System

/// The files that a service manager passes to a single service (systemd.exec(5), "Credentials"), such as keys,
/// certificates, and tokens.
enum ServiceCredentials {
  /// Returns the path of a credential, or nil if this process has no credential with that name.
  static func file(
    _ name: String, environment: (String) -> String? = StateFolders.variable
  ) -> String? {
    guard let folder = environment("CREDENTIALS_DIRECTORY") else { return nil }
    let file = "\(folder)/\(name)"
    return FileSystem.exists(file) ? file : nil
  }
}
