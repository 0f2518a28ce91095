import Testing

@testable import System

@Suite struct QuantileCountsTests {
  @Test
  func
    `a bucket is at most 3 percent wide, and every value is in the bucket that ends at or after it`()
  {
    var value: UInt64 = 1
    while value < 1 << 40 {
      for near in [value - 1, value, value + value / 3] {
        let bucket = QuantileCounts.bucket(of: near)
        let largest = QuantileCounts.largest(in: bucket)
        #expect(near <= largest && Double(largest - near) <= Double(near) / 32)
        #expect(bucket == 0 || QuantileCounts.largest(in: bucket - 1) < near)
      }
      value *= 2
    }
    let last = QuantileCounts.bucket(of: 1 << 40 - 1)
    #expect(QuantileCounts.bucket(of: .max) == last)
  }

  @Test
  func `percentiles are those of the values since a snapshot`() {
    let histogram = Histogram(bounds: [10], hasQuantiles: true)
    guard let counts = histogram.quantiles else { return }
    #expect(counts.snapshot.percentile(0.5, since: nil) == nil)
    for _ in 0..<1_000 { histogram.observe(9_999) }
    let before = counts.snapshot
    #expect(counts.snapshot.percentile(0.5, since: before) == nil)
    for value in UInt64(1)...20 { histogram.observe(value) }
    let after = counts.snapshot
    #expect(after.percentile(0.5, since: before) == 10)
    #expect(after.percentile(0.99, since: before) == 20)
    #expect(after.percentile(0, since: before) == 1)
    #expect(Histogram(bounds: [10]).quantiles == nil)
  }
}
