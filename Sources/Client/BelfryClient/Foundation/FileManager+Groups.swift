public import Foundation

extension FileManager {
  /// Returns the directory that the apps and extensions of a group share, creating it if it is missing.
  ///
  /// The directory is `group-containers/GROUP` in the user's data directory (`XDG_DATA_HOME`). All of the user's
  /// programs can read it, because there are no group entitlements on this system.
  ///
  /// - Returns: The directory; nil if the identifier is not a valid directory name, or if the directory cannot be
  ///   created.
  public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? {
    guard !groupIdentifier.isEmpty, !groupIdentifier.hasPrefix("."),
      !groupIdentifier.contains(where: { $0 == "/" || $0 == "\0" })
    else { return nil }
    let folder = userDataFolder.appendingPathComponent("group-containers", isDirectory: true)
      .appendingPathComponent(groupIdentifier, isDirectory: true)
    do {
      try createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch { return nil }
    return folder
  }
}
