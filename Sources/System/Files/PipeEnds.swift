import CLinux
import Glibc

/// Makes pipes that no program inherits unless it is given an end.
public enum PipeEnds {
  /// Makes a pipe; the caller closes both ends.
  ///
  /// - Throws: `SystemFailure` when the process has no descriptors left.
  public static func make() throws(SystemFailure) -> (read: Int32, write: Int32) {
    var ends: (read: Int32, write: Int32) = (-1, -1)
    // Closed on exec from the first moment, not by a later `fcntl`: other threads start programs, too.
    let made = unsafe withUnsafeMutableBytes(of: &ends) { ends in
      unsafe pipe2(ends.assumingMemoryBound(to: Int32.self).baseAddress, O_CLOEXEC)
    }
    guard made == 0 else { throw .last("pipe2") }
    return ends
  }
}
