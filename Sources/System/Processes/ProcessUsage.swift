import CLinux
import Glibc

/// The resource usage of this process, read from /proc and the clocks.
public enum ProcessUsage {
  /// The bytes of this process's memory that reside in RAM; nil if /proc is not available.
  public static var residentBytes: Int? {
    fields(of: "/proc/self/statm").dropFirst().first.flatMap { Int($0) }.map {
      $0 * Int(getpagesize())
    }
  }

  /// The number of open descriptors in this process; nil if /proc is not available.
  public static var openDescriptors: Int? {
    let path = "/proc/self/fd"
    // Avoid listing half a million entries, which takes time. Since Linux 6.2, the folder's size is the number of
    // descriptors.
    if let count = FileSystem.byteCount(of: path), count > 0 { return count }
    guard let folder = unsafe opendir(path) else { return nil }
    defer { unsafe closedir(folder) }
    var count = 0
    while unsafe readdir(folder) != nil { count += 1 }
    // Subtract ".", "..", and the descriptor of the folder itself.
    return count - 3
  }

  /// The processor time used by all threads, in seconds.
  public static var processorSeconds: Double { seconds(of: CLOCK_PROCESS_CPUTIME_ID) }

  /// The time at which this process started, in seconds since 1970; nil if /proc is not available.
  public static var startedSeconds: Double? {
    guard let text = try? FileSystem.read("/proc/self/stat", limit: 4_096),
      // The program's name is in parentheses, and can itself contain spaces and parentheses.
      let name = text.lastIndex(of: UInt8(ascii: ")"))
    else { return nil }
    let fields = String(decoding: text[(name + 1)...], as: UTF8.self).split(separator: " ")
    guard fields.count > startIndex, let ticks = Double(fields[startIndex]) else { return nil }
    // Compute this from the clocks, because units with ProcSubset=pid cannot read /proc/stat.
    let boot = seconds(of: CLOCK_REALTIME) - seconds(of: CLOCK_BOOTTIME)
    return boot + ticks / Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
  }

  /// The start time: field 22 of `stat` in proc(5), counted from the first field after the name.
  private static let startIndex = 19

  private static func seconds(of clock: clockid_t) -> Double {
    var time = timespec()
    let result = unsafe clock_gettime(clock, &time)
    assert(result == 0, "the kernel supports the clock")
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private static func fields(of path: String) -> [Substring] {
    guard let text = try? FileSystem.read(path, limit: 4_096) else { return [] }
    return String(decoding: text, as: UTF8.self).split(separator: " ")
  }
}
