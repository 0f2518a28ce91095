import CLinux
import Glibc

/// Holds a folder for one process: flock(2), so that it goes with the process, however it ends.
public final class LockFile: Sendable {
  private let descriptor: Int32

  /// Takes the lock at `path`, made with mode 0600, or throws `.locked` at once.
  public init(_ path: String) throws(SystemFailure) {
    let descriptor = unsafe belfry_open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .last("open", path) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let failure = errno == EWOULDBLOCK ? .locked(path: path) : SystemFailure.last("flock", path)
      Glibc.close(descriptor)
      throw failure
    }
    self.descriptor = descriptor
  }

  deinit { Glibc.close(descriptor) }
}
