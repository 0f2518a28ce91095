internal import System

/// A writer's metrics, whose names begin with `belfry_store_`.
struct CommitMetrics: Sendable {
  private let operations: Counter
  private let failures: Counter
  private let seconds: Histogram

  init(_ registry: MetricRegistry, store: String) {
    operations = registry.counter(
      "belfry_store_operations_total", help: "Operations committed to disk.",
      labels: ["store": store])
    failures = registry.counter(
      "belfry_store_failures_total", help: "Commits that failed.", labels: ["store": store])
    seconds = registry.histogram(
      "belfry_store_commit_seconds", help: "Durations of commits, including the sync to disk.",
      labels: ["store": store], bounds: Self.bounds, scale: 1e-9,
      hasQuantiles: true)
  }

  func committed(operations count: Int, since start: Int64) {
    operations.add(UInt64(count))
    observe(since: start)
  }

  func failed(since start: Int64) {
    failures.add()
    observe(since: start)
  }

  private func observe(since start: Int64) {
    seconds.observe(UInt64(max(0, SystemClock.monotonicNanoseconds - start)))
  }

  /// The bounds of the histogram's buckets in nanoseconds: from 0.1 ms (a store in memory) to 10 s (a failing disk).
  private static let bounds: [UInt64] = [
    100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000,
    100_000_000, 250_000_000, 1_000_000_000, 10_000_000_000,
  ]
}
