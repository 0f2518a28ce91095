import CLinux
import Glibc

/// The relationships between a process, its parent, and its descendants.
public enum ProcessTree {
  /// Instructs the kernel to send `signal` to this process when its parent exits.
  ///
  /// Returns false if the parent has already exited. The kernel watches the thread that started this process, which is
  /// the main thread for processes that Belfry's commands start.
  public static func endWithParent(_ parent: Int32, signal: Int32) -> Bool {
    assert((1...64).contains(signal), "the signal number is valid: \(signal)")
    // The parent can exit before the call, so check the parent afterward.
    return belfry_set_parent_death_signal(signal) == 0 && getppid() == parent
  }

  /// Makes this process the parent of orphaned descendants, so that no descendant is lost.
  public static func adoptOrphans() throws(SystemFailure) {
    guard belfry_adopt_orphans() == 0 else { throw .last("prctl") }
  }

  /// Kills and reaps every descendant.
  ///
  /// Use this method in a process that has adopted orphans and in which only one thread starts and reaps processes.
  public static func killDescendants() {
    while true {
      // The children of a reaped process become children of this process; they are handled in the next round.
      for child in children() {
        assert(child > 1, "a child is neither process 1 nor a process group")
        kill(child, SIGKILL)
      }
      var status: Int32 = 0
      guard unsafe waitpid(-1, &status, 0) >= 0 || errno == EINTR else { return }
    }
  }

  /// The processes whose parent is this process.
  private static func children() -> [Int32] {
    guard let names = try? FileSystem.list("/proc") else { return [] }
    return names.compactMap { name in
      guard let pid = Int32(name), parent(of: pid) == getpid() else { return nil }
      return pid
    }
  }

  /// The maximum number of bytes in `/proc/PID/stat`, which has about 50 numbers and a name of 16 bytes.
  private static let statusBytesMax = 4_096

  private static func parent(of pid: Int32) -> Int32? {
    // This fails if the process has exited.
    guard let bytes = try? FileSystem.read("/proc/\(pid)/stat", limit: statusBytesMax),
      let name = bytes.lastIndex(of: UInt8(ascii: ")"))
    else { return nil }
    // The name can contain any characters; the state and the parent follow it.
    let fields = bytes[(name + 1)...].split(separator: 0x20)
    guard fields.count > 1 else { return nil }
    return Int32(String(decoding: fields[1], as: UTF8.self))
  }
}
