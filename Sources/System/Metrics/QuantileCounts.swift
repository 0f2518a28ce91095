import Synchronization

/// Counts of values in buckets narrow enough for percentiles: each bucket's width is at most 1/32 (3 %) of its values.
///
/// Values below 32 are exact. The counts can be updated from any thread; each observation is a single atomic addition.
public final class QuantileCounts: Sendable {
  private static let step = 32
  /// The number of bits in the largest value that is counted separately, which is 18 minutes in nanoseconds.
  ///
  /// Larger values are counted as this value.
  private static let bits = 40
  private let buckets: [Counter]

  init() { buckets = (0..<((Self.bits - 4) * Self.step)).map { _ in Counter() } }

  func observe(_ value: UInt64) { buckets[Self.bucket(of: value)].add() }

  static func bucket(of value: UInt64) -> Int {
    let value = min(value, 1 << UInt64(bits) - 1)
    guard value >= UInt64(step) else { return Int(value) }
    let exponent = 63 - value.leadingZeroBitCount
    let part = Int(value >> UInt64(exponent - 5)) - step
    return (exponent - 4) * step + part
  }

  /// Returns the largest value in a bucket.
  static func largest(in bucket: Int) -> UInt64 {
    guard bucket >= step else { return UInt64(bucket) }
    let exponent = bucket / step + 4
    let part = UInt64(bucket % step)
    return (UInt64(step) + part + 1) << UInt64(exponent - 5) - 1
  }

  /// A copy of the counts at one point in time.
  public struct Snapshot: Sendable {
    fileprivate let counts: [UInt64]

    /// Returns the largest value in the bucket that contains the percentile `share` (0 to 1) of the values since
    /// `earlier`.
    ///
    /// Returns nil if no values were counted in this period.
    public func percentile(_ share: Double, since earlier: Snapshot?) -> UInt64? {
      var total: UInt64 = 0
      let recent = counts.indices.map { index in
        let count = counts[index] &- (earlier?.counts[index] ?? 0)
        total &+= count
        return count
      }
      guard total > 0 else { return nil }
      let rank = max(1, (Double(total) * share).rounded(.up))
      var seen: UInt64 = 0
      for (index, count) in recent.enumerated() {
        seen &+= count
        if Double(seen) >= rank { return QuantileCounts.largest(in: index) }
      }
      return nil
    }
  }

  /// The counts so far.
  public var snapshot: Snapshot { Snapshot(counts: buckets.map(\.value)) }
}
