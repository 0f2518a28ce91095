import Synchronization

/// A number that only grows.
///
/// Any thread; one atomic addition.
public final class Counter: Sendable {
  private let total = Atomic<UInt64>(0)

  init() {}

  /// Adds `amount`.
  public func add(_ amount: UInt64 = 1) { total.wrappingAdd(amount, ordering: .relaxed) }

  /// The sum so far.
  public var value: UInt64 { total.load(ordering: .relaxed) }
}

/// A number that goes up and down.
///
/// Any thread; one atomic operation.
public final class Gauge: Sendable {
  private let current = Atomic<Int64>(0)

  init() {}

  /// Sets the value.
  public func set(_ value: Int64) { current.store(value, ordering: .relaxed) }

  /// Adds `amount`, which may be negative.
  public func add(_ amount: Int64 = 1) { current.wrappingAdd(amount, ordering: .relaxed) }

  /// The value now.
  public var value: Int64 { current.load(ordering: .relaxed) }
}

/// Counts of values in buckets by size, for latencies and lengths.
///
/// Any thread; three atomic additions.
public final class Histogram: Sendable {
  /// Inclusive upper bounds of the buckets, ascending; one more bucket counts larger values.
  public let bounds: [UInt64]
  private let buckets: [Counter]
  private let sumOfValues = Counter()

  init(bounds: [UInt64]) {
    precondition(zip(bounds, bounds.dropFirst()).allSatisfy { $0 < $1 }, "bounds ascend")
    self.bounds = bounds
    buckets = (0...bounds.count).map { _ in Counter() }
  }

  /// Counts one value.
  public func observe(_ value: UInt64) {
    var low = 0
    var high = bounds.count
    while low < high {
      let middle = (low + high) / 2
      if bounds[middle] < value { low = middle + 1 } else { high = middle }
    }
    assert(low == bounds.count || value <= bounds[low], "the bucket reaches the value")
    assert(low == 0 || value > bounds[low - 1], "the bucket is the first that does")
    buckets[low].add()
    sumOfValues.add(value)
  }

  /// The number of values.
  public var count: UInt64 { buckets.reduce(0) { $0 &+ $1.value } }

  /// Their sum.
  public var sum: UInt64 { sumOfValues.value }

  func cumulative() -> [UInt64] {
    var seen: UInt64 = 0
    return buckets.map { bucket in
      seen &+= bucket.value
      return seen
    }
  }
}
