/// The delay before the next attempt.
///
/// The delay doubles with each consecutive failure, up to a limit. It is randomized so that peers that lost their
/// connections together do not reconnect together.
public struct Backoff: Hashable, Sendable {
  /// The longest delay after the first failure, in nanoseconds.
  public let firstNanoseconds: Int64
  /// The longest delay after any failure, in nanoseconds.
  public let longestNanoseconds: Int64

  /// Creates a series of delays.
  ///
  /// If `longestNanoseconds` is less than `firstNanoseconds`, `longestNanoseconds` also limits the first delay.
  public init(firstNanoseconds: Int64, longestNanoseconds: Int64) {
    assert(
      firstNanoseconds > 0 && longestNanoseconds >= 0,
      "the first delay is positive and the longest is not negative")
    self.firstNanoseconds = firstNanoseconds
    self.longestNanoseconds = longestNanoseconds
  }

  /// Returns the delay, in nanoseconds, after this many consecutive failures.
  ///
  /// The delay is chosen at random between 50% and 100% of a duration that doubles with each failure after the first.
  public func nanoseconds(afterFailures failures: Int, random: UInt64) -> Int64 {
    assert(failures > 0, "at least one failure has occurred")
    // 2^30 times the first delay exceeds every limit in use, so further doubling has no effect.
    let doublings = min(max(failures - 1, 0), 30)
    let (product, overflow) = firstNanoseconds.multipliedReportingOverflow(by: 1 << doublings)
    let whole = overflow ? longestNanoseconds : min(product, longestNanoseconds)
    let half = whole / 2
    let delay = half + Int64(clamping: random % UInt64(max(half, 1)))
    assert(
      (half...max(whole, half)).contains(delay), "the delay is between half of and the whole time")
    return delay
  }
}
