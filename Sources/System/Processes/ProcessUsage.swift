import Glibc

/// What this process takes of its machine, as /proc says.
public enum ProcessUsage {
  /// Bytes of its memory that are in RAM; nil where /proc does not say.
  public static var residentBytes: Int? {
    fields(of: "/proc/self/statm").dropFirst().first.flatMap { Int($0) }.map {
      $0 * Int(getpagesize())
    }
  }

  /// Its open descriptors; nil where /proc does not say.
  public static var openDescriptors: Int? {
    let path = "/proc/self/fd"
    // Linux 6.2 and later have the number as the folder's size; to list half a million takes its time.
    if let count = FileSystem.byteCount(of: path), count > 0 { return count }
    guard let folder = unsafe opendir(path) else { return nil }
    defer { unsafe closedir(folder) }
    var count = 0
    while unsafe readdir(folder) != nil { count += 1 }
    // Without ".", ".." and the descriptor of the look itself.
    return count - 3
  }

  /// Seconds that it ran on a processor, of all threads.
  public static var processorSeconds: Double { seconds(of: CLOCK_PROCESS_CPUTIME_ID) }

  /// When it started, in seconds since 1970; nil where /proc does not say.
  public static var startedSeconds: Double? {
    guard let text = try? FileSystem.read("/proc/self/stat", limit: 4_096),
      // The program's name stands in parentheses and may have blanks and parentheses.
      let name = text.lastIndex(of: UInt8(ascii: ")"))
    else { return nil }
    let fields = String(decoding: text[(name + 1)...], as: UTF8.self).split(separator: " ")
    guard fields.count > startIndex, let ticks = Double(fields[startIndex]) else { return nil }
    // What /proc/stat would say, which units with ProcSubset=pid do not see.
    let boot = seconds(of: CLOCK_REALTIME) - seconds(of: CLOCK_BOOTTIME)
    return boot + ticks / Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
  }

  /// proc(5)'s field 22 of `stat`, counted from the first after the name.
  private static let startIndex = 19

  private static func seconds(of clock: clockid_t) -> Double {
    var time = timespec()
    let result = unsafe clock_gettime(clock, &time)
    assert(result == 0, "the kernel has the clock")
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private static func fields(of path: String) -> [Substring] {
    guard let text = try? FileSystem.read(path, limit: 4_096) else { return [] }
    return String(decoding: text, as: UTF8.self).split(separator: " ")
  }
}
