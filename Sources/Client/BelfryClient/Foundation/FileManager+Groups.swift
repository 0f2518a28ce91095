public import Foundation

extension FileManager {
  /// The folder that the apps and extensions of a group share, made when it is missing.
  ///
  /// It is `group-containers/GROUP` in the user's data folder (`XDG_DATA_HOME`). Any of the user's
  /// programs can read it: there are no entitlements to groups on this system.
  ///
  /// - Returns: nil when the name cannot be a folder's, or the folder cannot be made.
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
