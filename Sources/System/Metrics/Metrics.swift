import Synchronization

/// A value that only increases.
///
/// A counter can be used from any thread; each update is a single atomic addition.
public final class Counter: Sendable {
  private let total = Atomic<UInt64>(0)

  init() {}

  /// Adds `amount` to the counter.
  public func add(_ amount: UInt64 = 1) { total.wrappingAdd(amount, ordering: .relaxed) }

  /// The sum so far.
  public var value: UInt64 { total.load(ordering: .relaxed) }
}

/// A value that can increase and decrease.
///
/// A gauge can be used from any thread; each update is a single atomic operation.
public final class Gauge: Sendable {
  private let current = Atomic<Int64>(0)

  init() {}

  /// Sets the gauge to `value`.
  public func set(_ value: Int64) { current.store(value, ordering: .relaxed) }

  /// Adds `amount`, which can be negative.
  public func add(_ amount: Int64 = 1) { current.wrappingAdd(amount, ordering: .relaxed) }

  /// The current value of the gauge.
  public var value: Int64 { current.load(ordering: .relaxed) }
}

/// Counts of values in buckets by size, for example for latencies and lengths.
///
/// A histogram can be used from any thread; each observation takes two atomic additions, or three with quantiles.
public final class Histogram: Sendable {
  /// The inclusive upper bounds of the buckets, in ascending order; an additional bucket counts larger values.
  public let bounds: [UInt64]
  private let buckets: [Counter]
  private let sumOfValues = Counter()
  /// The same values in narrow buckets, for percentiles; nil if percentiles are not required.
  public let quantiles: QuantileCounts?

  init(bounds: [UInt64], hasQuantiles: Bool = false) {
    quantiles = hasQuantiles ? QuantileCounts() : nil
    precondition(
      zip(bounds, bounds.dropFirst()).allSatisfy { $0 < $1 }, "bounds are in ascending order")
    self.bounds = bounds
    buckets = (0...bounds.count).map { _ in Counter() }
  }

  /// Counts a value in its bucket.
  public func observe(_ value: UInt64) {
    var low = 0
    var high = bounds.count
    while low < high {
      let middle = (low + high) / 2
      if bounds[middle] < value { low = middle + 1 } else { high = middle }
    }
    assert(low == bounds.count || value <= bounds[low], "the value is within the bucket's bound")
    assert(low == 0 || value > bounds[low - 1], "the value exceeds the previous bucket's bound")
    buckets[low].add()
    sumOfValues.add(value)
    quantiles?.observe(value)
  }

  /// The number of values.
  public var count: UInt64 { buckets.reduce(0) { $0 &+ $1.value } }

  /// The sum of the values.
  public var sum: UInt64 { sumOfValues.value }

  func cumulative() -> [UInt64] {
    var seen: UInt64 = 0
    return buckets.map { bucket in
      seen &+= bucket.value
      return seen
    }
  }
}
