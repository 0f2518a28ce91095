import Glibc

/// What a byte of input costs as the input grows, in processor time of this thread, so that other programs of a busy
/// machine hardly count.
public enum CostGrowth {
  /// How many times as much a byte may cost at the upper end: allocations and caches cost something, work that
  /// grows with the square of the input costs 16 times as much at the first step alone.
  public static let most = 3.0
  /// The size that a byte's cost is compared with.
  static let smallBytes = 4 << 10
  /// Sizes to compare, in this order: work that grows too fast is found at the first, without hours at the last.
  static let largeBytes = [64 << 10, 1 << 20]
  /// Nanoseconds for each byte that count as nothing, so that noise of a cheap function is no growth.
  static let floorNanoseconds = 20.0

  /// The greatest ratio of the cost of a byte in a large input to that in a small one.
  ///
  /// `make` returns an input of about so many bytes; `body` is what is measured.
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

  /// A text of so many bytes whose normalization takes time that grows with the square of its length: combining
  /// marks of two classes in turn, which have to be sorted.
  public static func combiningMarks(_ bytes: Int) -> String {
    String(repeating: "\u{301}\u{316}", count: bytes / 4)
  }
}
