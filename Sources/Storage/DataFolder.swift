internal import System

/// A folder that one process has for itself: made with mode 0700, held by a lock that ends with the
/// process, however it ends.
///
/// What root makes in a folder of another user is that user's once root's process is done with it: a service that does not
/// run as root could not start any more.
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
      try FileSystem.makeDirectories(self.path)
      lock = try LockFile(self.path + "/lock")
      try FileSystem.removeUnfinished(in: self.path)
    } catch {
      if case .locked = error { throw .busy(path: self.path) }
      throw .system(error)
    }
  }

  deinit { try? FileSystem.giveToOwner(filesIn: path) }

  /// The path of a file in it.
  public func file(_ name: String) -> String { "\(path)/\(name)" }
}
