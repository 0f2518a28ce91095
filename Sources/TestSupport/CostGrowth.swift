import Glibc

/// A measure of how the cost per byte grows with the size of the input.
///
/// Costs are measured in processor time of the current thread, so other programs on a busy machine hardly affect them.
public enum CostGrowth {
  /// The maximum factor by which the cost per byte can grow.
  ///
  /// Allocations and caches cause some growth. Quadratic work already costs 16 times as much at the first step.
  public static let most = 3.0
  /// The size in bytes of the input whose cost per byte is the reference.
  static let smallBytes = 4 << 10
  /// The sizes to compare, in bytes and in ascending order.
  ///
  /// Work that grows too fast fails at the first size, before it could take hours at the last size.
  static let largeBytes = [64 << 10, 1 << 20]
  /// The minimum reference cost, in nanoseconds per byte, so that noise in a cheap function does not count as growth.
  static let floorNanoseconds = 20.0

  /// Returns the highest ratio of the cost per byte for a large input to that for a small input.
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

  /// Returns text of exactly `bytes` bytes whose normalization takes quadratic time.
  ///
  /// The text consists of combining marks of two alternating classes, which normalization has to sort.
  public static func combiningMarks(_ bytes: Int) -> String {
    String(repeating: "x", count: bytes % 4)
      + String(repeating: "\u{301}\u{316}", count: bytes / 4)
  }
}
