import Glibc

/// The growth of the cost per byte with the size of the input, in processor time of this thread, so that other programs
/// of a busy machine hardly matter.
public enum CostGrowth {
  /// The highest factor by which the cost per byte may grow: allocations and caches cost something, while quadratic
  /// work costs 16 times as much at the first step already.
  public static let most = 3.0
  /// The size that serves as the reference for the cost per byte.
  static let smallBytes = 4 << 10
  /// The sizes to compare, in this order: work that grows too fast is found at the first, without taking hours at the
  /// last.
  static let largeBytes = [64 << 10, 1 << 20]
  /// Nanoseconds per byte that are ignored, so that noise in a cheap function does not count as growth.
  static let floorNanoseconds = 20.0

  /// Returns the greatest ratio of the cost per byte in a large input to that in a small one.
  ///
  /// `make` returns an input of about the given size; `body` is measured.
  public static func ratio<Input>(
    make: (_ bytes: Int) throws -> Input, _ body: (Input) throws -> Void
  ) rethrows -> Double {
    var ratio = 0.0
    let small = try make(smallBytes)
    for bytes in largeBytes {
      let large = try make(bytes)
      var least = Double.infinity
      for _ in 0..<3 {
        let before = try nanoseconds(of: 16) { try body(small) } / Double(smallBytes)
        let after = try nanoseconds(of: 1) { try body(large) } / Double(bytes)
        least = min(least, after / max(before, floorNanoseconds))
        if least <= most { break }
      }
      ratio = max(ratio, least)
      if ratio > most { return ratio }
    }
    return ratio
  }

  private static func nanoseconds(of times: Int, _ body: () throws -> Void) rethrows -> Double {
    let before = now
    for _ in 0..<times { try body() }
    return Double(now - before) / Double(times)
  }

  private static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Returns a text of exactly this size whose normalization takes time quadratic in its length: combining marks of two
  /// alternating classes, which have to be sorted.
  public static func combiningMarks(_ bytes: Int) -> String {
    String(repeating: "x", count: bytes % 4)
      + String(repeating: "\u{301}\u{316}", count: bytes / 4)
  }
}
