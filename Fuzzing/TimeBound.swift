import Glibc

/// The bound on the time of one input.
enum TimeBound {
  /// 100 ms of a thread's processor time, instrumented and checked as it is: other programs of the machine do
  /// not count.
  static let nanoseconds: Int64 = 100_000_000

  /// Traps when `body` needs longer, and does so again: what is made once is not the input's doing.
  static func check(_ body: () -> Void) {
    guard time(body) > nanoseconds, time(body) > nanoseconds else { return }
    let least = min(time(body), time(body))
    guard least > nanoseconds else { return }
    print(
      "belfry-fuzz: an input needs \(least / 1_000_000) ms, and may need \(nanoseconds / 1_000_000)"
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
