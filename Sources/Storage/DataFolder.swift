internal import System

/// A folder that one process uses exclusively.
///
/// The folder is created with mode 0700, and locked until the process exits for any reason. A root process accesses
/// another user's folder only with that user's privileges (`FolderOwner`). If the process kept root's privileges, that
/// user could redirect it to other users' files.
public final class DataFolder: Sendable {
  /// The absolute path of the folder.
  public let path: String
  private let lock: LockFile

  /// Creates the folder if it is missing, and locks it.
  ///
  /// Throws `.busy` while another process holds the lock.
  public init(_ path: String) throws(StorageFailure) {
    self.path = FileSystem.absolute(path)
    do throws(SystemFailure) {
      if let owner = try FolderOwner(of: self.path) {
        throw .unusable(
          text: self.path,
          reason:
            "it belongs to user \(owner.user), but this process runs as root: run it as that user")
      }
      try FileSystem.makeDirectories(self.path)
      lock = try LockFile(self.path + "/lock")
      try FileSystem.removeUnfinished(in: self.path)
    } catch {
      if case .locked = error { throw .busy(path: self.path) }
      throw .system(error)
    }
  }

  /// Returns the path of a file in the folder.
  public func file(_ name: String) -> String { "\(path)/\(name)" }
}
