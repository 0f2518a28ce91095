import CLinux
import Glibc

/// Pipes that a launched program does not inherit unless it is explicitly given one of the ends.
public enum PipeEnds {
  /// Creates a pipe.
  ///
  /// The caller must close both ends.
  ///
  /// - Throws: `SystemFailure` if the process has no free descriptors.
  public static func make() throws(SystemFailure) -> (read: Int32, write: Int32) {
    var ends: (read: Int32, write: Int32) = (-1, -1)
    // Set close-on-exec atomically, not with a later `fcntl`, because other threads also start programs.
    let made = unsafe withUnsafeMutableBytes(of: &ends) { ends in
      unsafe pipe2(ends.assumingMemoryBound(to: Int32.self).baseAddress, O_CLOEXEC)
    }
    guard made == 0 else { throw .last("pipe2") }
    return ends
  }
}
