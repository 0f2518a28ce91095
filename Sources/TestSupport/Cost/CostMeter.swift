import Glibc

/// A meter for the cost of a handler, in processor time of the handler's thread.
///
/// Other programs hardly affect this measure. Instruction counters would be more precise but are rarely available in
/// virtual machines.
enum CostMeter {
  /// The processor time that the calling thread has used so far, in nanoseconds.
  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Returns the nanoseconds per run: the minimum of several samples, because disturbances only increase the time.
  ///
  /// - Parameters:
  ///   - sample: The minimum length of a sample, in nanoseconds; a short run is repeated within it.
  ///   - samples: The number of samples, if a sample takes less than half a second.
  ///   - body: The code to run.
  /// - Returns: Nanoseconds of processor time.
  static func nanoseconds(sample: Int64, samples: Int, _ body: () -> Void) -> Double {
    let first = time(body)
    guard first < 500_000_000 else { return Double(first) }
    let repeats = max(1, Int(sample / max(first, 1)))
    var least = Double(first)
    for _ in 0..<samples {
      let before = now
      for _ in 0..<repeats { body() }
      least = min(least, Double(now - before) / Double(repeats))
    }
    return least
  }

  private static func time(_ body: () -> Void) -> Int64 {
    let before = now
    body()
    return now - before
  }
}
