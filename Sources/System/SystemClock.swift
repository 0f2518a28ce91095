import CLinux
import Glibc

/// The machine's clocks.
///
/// Code that makes decisions takes the time as an argument; only code that does I/O reads these clocks.
public enum SystemClock {
  /// The time in nanoseconds, which never goes backward and does not advance while the machine is suspended.
  public static var monotonicNanoseconds: Int64 {
    let time = read(CLOCK_MONOTONIC)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }

  /// The wall clock, in milliseconds since 1970 in UTC, which steps when the clock is set.
  public static var unixMilliseconds: Int64 {
    let time = read(CLOCK_REALTIME)
    return Int64(time.tv_sec) &* 1_000 &+ Int64(time.tv_nsec) / 1_000_000
  }

  /// The time since the machine started, in milliseconds, including suspend.
  public static var elapsedMilliseconds: Int64 {
    let time = read(CLOCK_BOOTTIME)
    return Int64(time.tv_sec) &* 1_000 &+ Int64(time.tv_nsec) / 1_000_000
  }

  /// Blocks the calling thread for this time.
  ///
  /// Only a thread that waits on behalf of one caller may call this function.
  package static func sleep(milliseconds: Int64) {
    var time = timespec(
      tv_sec: Int(milliseconds / 1_000), tv_nsec: Int(milliseconds % 1_000) * 1_000_000)
    unsafe _ = nanosleep(&time, nil)
  }

  private static func read(_ clock: clockid_t) -> timespec {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return time
  }
}
