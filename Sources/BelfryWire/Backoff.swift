/// The delay before another attempt: it doubles with each failure in a row up to a limit, and is spread
/// at random, so that peers that were disconnected together do not reconnect together.
public struct Backoff: Hashable, Sendable {
  /// Nanoseconds after the first failure, at most.
  public let firstNanoseconds: Int64
  /// Nanoseconds that no delay exceeds.
  public let longestNanoseconds: Int64

  /// A series of delays; a `longest` below `first` cuts every one of them.
  public init(firstNanoseconds: Int64, longestNanoseconds: Int64) {
    assert(firstNanoseconds > 0 && longestNanoseconds >= 0, "a delay is not negative")
    self.firstNanoseconds = firstNanoseconds
    self.longestNanoseconds = longestNanoseconds
  }

  /// Nanoseconds to wait after so many failures in a row: between half and the whole of a time that
  /// has doubled with each failure but the first.
  public func nanoseconds(afterFailures failures: Int, random: UInt64) -> Int64 {
    assert(failures > 0, "there is nothing to wait for before the first failure")
    // 30 doublings of a nanosecond are a second; longer series have reached any limit in use.
    let doublings = min(max(failures - 1, 0), 30)
    let (product, overflow) = firstNanoseconds.multipliedReportingOverflow(by: 1 << doublings)
    let whole = overflow ? longestNanoseconds : min(product, longestNanoseconds)
    let half = whole / 2
    let delay = half + Int64(clamping: random % UInt64(max(half, 1)))
    assert((half...max(whole, half)).contains(delay), "a delay between half and the whole")
    return delay
  }
}
