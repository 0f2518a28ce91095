import Glibc

/// The limit on the processor time that the handling of one input may take.
enum TimeBound {
  /// The processor time, in nanoseconds, for an input of up to 4 KB in an instrumented build with checks: 100 ms.
  ///
  /// The limit applies to the thread's own time, so the load from other programs does not count.
  private static let nanoseconds: Int64 = 100_000_000
  /// The additional processor time, in nanoseconds, for each further byte: three times what the slowest parser needs
  /// per byte of a 4 KB input.
  ///
  /// The time for a large input may grow only linearly with its size.
  private static let nanosecondsPerByte: Int64 = 3_000
  private static let smallBytes = 4_096

  /// Traps if `body` repeatedly takes too long for an input of `bytes` bytes.
  ///
  /// `body` is repeated, because its first run can include initialization that happens only once.
  static func check(bytes: Int, _ body: () -> Void) {
    let nanoseconds = nanoseconds + Int64(max(0, bytes - smallBytes)) * nanosecondsPerByte
    guard time(body) > nanoseconds, time(body) > nanoseconds else { return }
    let least = min(time(body), time(body))
    guard least > nanoseconds else { return }
    print(
      "belfry-fuzz: \(bytes) bytes of input took \(least / 1_000_000) ms; the limit is \(nanoseconds / 1_000_000) ms"
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
