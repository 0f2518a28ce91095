internal import BelfryWire
internal import Storage
internal import Synchronization
public import System

/// The gateway's metrics over the last hour, for the console's plots.
///
/// A separate thread takes a sample every 10 seconds; the loops only add to counters, as usual.
public final class MetricHistory: Sendable {
  private struct State {
    var samples: [Sample] = []
    var waiting: Int?
    var startedMilliseconds: Int64?
  }

  /// The values of the plotted metrics at one point in time.
  struct Sample {
    let atMilliseconds: Int64
    let values: [String: Double]
  }

  private let metrics: MetricRegistry
  private let state = Mutex(State())
  private let thread = Mutex<LoopThread?>(nil)

  /// Creates a history of `metrics` without samples.
  init(of metrics: MetricRegistry) { self.metrics = metrics }

  /// Begins to sample `metrics` and the number of notifications in the store at `path`.
  public convenience init(
    of metrics: MetricRegistry, notificationStore path: String
  ) throws(SystemFailure) {
    self.init(of: metrics)
    let thread = try LoopThread.start(name: "console-history") { [weak self] loop in
      let counter = StoredNotificationCounter(path: path)
      func turn() {
        guard let self else { return loop.stop() }
        take(waiting: counter.count(), atMilliseconds: loop.unixMilliseconds)
        loop.schedule(afterNanoseconds: Limits.sampleNanoseconds) { turn() }
      }
      turn()
    }
    self.thread.withLock { $0 = thread }
  }

  deinit { stop() }

  /// Stops taking samples, and returns once the sampling thread has ended.
  public func stop() {
    let thread = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    thread?.stop()
    thread?.join()
  }

  /// The number of queued notifications at the last sample; nil if unknown.
  var waiting: Int? { state.withLock { $0.waiting } }

  /// The time of the first sample, in milliseconds since 1970; nil before that.
  var startedMilliseconds: Int64? { state.withLock { $0.startedMilliseconds } }

  /// Returns the oldest sample at or after this time, if any.
  func sample(sinceMilliseconds moment: Int64) -> Sample? {
    state.withLock { state in state.samples.first { $0.atMilliseconds >= moment } }
  }

  /// Takes a sample of the plotted metrics.
  func take(waiting: Int?, atMilliseconds: Int64) {
    var values: [String: Double] = [:]
    for sample in metrics.samples(ofFamilies: Self.isFamilyPlotted)
    where Self.isPlotted(sample.name) {
      values[sample.name] = sample.value
    }
    values["waiting"] = waiting.map(Double.init)
    state.withLock { state in
      state.waiting = waiting
      if state.startedMilliseconds == nil { state.startedMilliseconds = atMilliseconds }
      state.samples.append(Sample(atMilliseconds: atMilliseconds, values: values))
      if state.samples.count > Limits.samples { state.samples.removeFirst() }
      assert(state.samples.count <= Limits.samples, "an hour is kept")
    }
  }

  /// The samples, oldest first: `at` in milliseconds since 1970, and a list of values for each name, with null for
  /// missing values.
  var json: JSONObject {
    let samples = state.withLock { $0.samples }
    let names = Set(samples.flatMap(\.values.keys)).sorted()
    let series = names.map { name in
      (
        name,
        JSONValue.array(
          samples.map { sample in sample.values[name].map(JSONValue.double) ?? .null })
      )
    }
    return [
      "at": .array(samples.map { .integer($0.atMilliseconds) }),
      "series": .object(JSONObject(series)),
    ]
  }

  private static func isPlotted(_ name: String) -> Bool {
    plotted.contains { name.hasPrefix($0) }
  }

  private static func isFamilyPlotted(_ family: String) -> Bool {
    plotted.contains { $0.hasPrefix(family) || family.hasPrefix($0) }
  }

  private static let plotted = [
    "belfry_pushes_accepted_total", "belfry_pushes_refused_total", "belfry_notifications_total",
    "belfry_device_connections", "belfry_provider_connections",
    "belfry_store_commit_seconds_bucket{store=\"notifications\"",
    "belfry_delivery_seconds_bucket",
  ]
}
