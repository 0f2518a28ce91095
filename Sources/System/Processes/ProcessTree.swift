import CLinux
import Glibc

/// What ties a process to its parent and to its descendants.
public enum ProcessTree {
  /// Has this process sent `signal` when its parent ends; false when that has ended already.
  ///
  /// The kernel watches the thread that started this process: a main thread, for what our commands start.
  public static func endWithParent(_ parent: Int32, signal: Int32) -> Bool {
    assert((1...64).contains(signal), "\(signal) is no signal")
    // The parent may end before the call, so it is looked at afterwards.
    return belfry_set_parent_death_signal(signal) == 0 && getppid() == parent
  }

  /// Makes descendants whose parent ends children of this process, so that none of them is lost.
  public static func adoptOrphans() throws(SystemFailure) {
    guard belfry_adopt_orphans() == 0 else { throw .last("prctl") }
  }

  /// Kills every descendant and reaps it; for a process that has adopted orphans, and has one thread that
  /// starts and reaps.
  public static func killDescendants() {
    while true {
      // What is reaped leaves its own children to this process: they are in the next round.
      for child in children() {
        assert(child > 1, "kill(2) would take 0 and -1 for groups, and 1 is the system's")
        kill(child, SIGKILL)
      }
      var status: Int32 = 0
      guard unsafe waitpid(-1, &status, 0) >= 0 || errno == EINTR else { return }
    }
  }

  /// The processes whose parent is this one.
  private static func children() -> [Int32] {
    guard let names = try? FileSystem.list("/proc") else { return [] }
    return names.compactMap { name in
      guard let pid = Int32(name), parent(of: pid) == getpid() else { return nil }
      return pid
    }
  }

  /// Bytes of `/proc/PID/stat`, which has some 50 numbers and a name of 16 bytes.
  private static let statusBytesMax = 4_096

  private static func parent(of pid: Int32) -> Int32? {
    // It is gone where this fails.
    guard let bytes = try? FileSystem.read("/proc/\(pid)/stat", limit: statusBytesMax),
      let name = bytes.lastIndex(of: UInt8(ascii: ")"))
    else { return nil }
    // After the name, which may hold anything: the state, then the parent.
    let fields = bytes[(name + 1)...].split(separator: 0x20)
    guard fields.count > 1 else { return nil }
    return Int32(String(decoding: fields[1], as: UTF8.self))
  }
}
