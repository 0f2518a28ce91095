import Glibc

/// The bound on the time of one input.
enum TimeBound {
  /// 100 ms of a thread's processor time for an input of up to 4 KB, instrumented and checked as it is: other programs
  /// of the machine do not count.
  private static let nanoseconds: Int64 = 100_000_000
  /// Nanoseconds for each further byte: three times what the slowest parser needs for a byte of 4 KB.
  ///
  /// The time of a large input may grow with its size, and no faster.
  private static let nanosecondsPerByte: Int64 = 3_000
  private static let smallBytes = 4_096

  /// Traps when `body` needs longer for an input of so many bytes, and does so again: what is made once is not the
  /// input's doing.
  static func check(bytes: Int, _ body: () -> Void) {
    let nanoseconds = nanoseconds + Int64(max(0, bytes - smallBytes)) * nanosecondsPerByte
    guard time(body) > nanoseconds, time(body) > nanoseconds else { return }
    let least = min(time(body), time(body))
    guard least > nanoseconds else { return }
    print(
      "belfry-fuzz: an input of \(bytes) bytes needs \(least / 1_000_000) ms, and may need \(nanoseconds / 1_000_000)"
    )
    fatalError("slow input")
  }

  private static func time(_ body: () -> Void) -> Int64 {
    let before = now
    body()
    return now - before
  }

  private static var now: Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
