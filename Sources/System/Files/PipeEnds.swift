import CLinux
import Glibc

/// Pipes that no program inherits unless it is given one of the ends.
public enum PipeEnds {
  /// Creates a pipe.
  ///
  /// The caller closes both ends.
  ///
  /// - Throws: `SystemFailure` if the process has no descriptors left.
  public static func make() throws(SystemFailure) -> (read: Int32, write: Int32) {
    var ends: (read: Int32, write: Int32) = (-1, -1)
    // Set close-on-exec atomically, not with a later `fcntl`, because other threads start programs, too.
    let made = unsafe withUnsafeMutableBytes(of: &ends) { ends in
      unsafe pipe2(ends.assumingMemoryBound(to: Int32.self).baseAddress, O_CLOEXEC)
    }
    guard made == 0 else { throw .last("pipe2") }
    return ends
  }
}
