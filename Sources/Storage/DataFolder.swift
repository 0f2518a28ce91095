internal import System

/// A folder that one process has for itself: made with mode 0700, held by a lock that ends with the
/// process, however it ends.
///
/// Root's process takes another user's folder with that user's rights alone (`FolderOwner`): with root's, the user
/// could lead it to files that are not the user's.
public final class DataFolder: Sendable {
  /// Its absolute path.
  public let path: String
  private let lock: LockFile

  /// Makes the folder where it is missing, and takes it.
  ///
  /// Throws `.busy` while another process has it.
  public init(_ path: String) throws(StorageFailure) {
    self.path = FileSystem.absolute(path)
    do throws(SystemFailure) {
      if let owner = try FolderOwner(of: self.path) {
        throw .unusable(
          text: self.path,
          reason: "it is user \(owner.user)'s, and this process root's: run it as that user")
      }
      try FileSystem.makeDirectories(self.path)
      lock = try LockFile(self.path + "/lock")
      try FileSystem.removeUnfinished(in: self.path)
    } catch {
      if case .locked = error { throw .busy(path: self.path) }
      throw .system(error)
    }
  }

  /// The path of a file in it.
  public func file(_ name: String) -> String { "\(path)/\(name)" }
}
