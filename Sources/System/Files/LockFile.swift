import CLinux
import Glibc

/// A lock (flock(2)) that a process holds on a folder until it exits for any reason.
public final class LockFile: Sendable {
  private let descriptor: Int32

  /// Acquires the lock at `path`, creating the file with mode 0600; throws `.locked` immediately if another process
  /// holds it.
  public init(_ path: String) throws(SystemFailure) {
    let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
    let descriptor = unsafe belfry_open(path, flags, 0o600)
    guard descriptor >= 0 else { throw .last("open", path) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      Glibc.close(descriptor)
      throw .unusable(text: path, reason: "it is not a regular file: remove it")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let failure = errno == EWOULDBLOCK ? .locked(path: path) : SystemFailure.last("flock", path)
      Glibc.close(descriptor)
      throw failure
    }
    self.descriptor = descriptor
  }

  deinit {
    // Unlock explicitly. A program that another thread is starting has a copy of the descriptor until exec, and a lock
    // lasts as long as any copy exists, so closing only this descriptor could leave the folder locked.
    flock(descriptor, LOCK_UN)
    Glibc.close(descriptor)
  }
}
