internal import BelfryWire
internal import Storage
internal import Synchronization
public import System

/// What the gateway's metrics were in the last hour, for the console's plots.
///
/// A thread of its own takes a sample every ten seconds: the loops only add to counters, as always.
public final class MetricHistory: Sendable {
  private struct State {
    var samples: [Sample] = []
    var waiting: Int?
    var startedMilliseconds: Int64?
  }

  /// The plotted metrics at a moment.
  struct Sample {
    let atMilliseconds: Int64
    let values: [String: Double]
  }

  private let metrics: MetricRegistry
  private let state = Mutex(State())
  private let thread = Mutex<LoopThread?>(nil)

  /// A history of `metrics` without a sample.
  init(of metrics: MetricRegistry) { self.metrics = metrics }

  /// Begins to sample `metrics`, and how many notifications the store in the file `path` keeps.
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

  /// Takes no more samples.
  public func stop() {
    let thread = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    thread?.stop()
    thread?.join()
  }

  /// The notifications that waited for devices at the last sample; nil where that is not known.
  var waiting: Int? { state.withLock { $0.waiting } }

  /// When the first sample was taken, in milliseconds since 1970; nil before.
  var startedMilliseconds: Int64? { state.withLock { $0.startedMilliseconds } }

  /// The oldest sample since then; nil where there is none.
  func sample(sinceMilliseconds moment: Int64) -> Sample? {
    state.withLock { state in state.samples.first { $0.atMilliseconds >= moment } }
  }

  /// Takes a sample.
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

  /// The samples, oldest first: `at` in milliseconds since 1970, and a list for each name, null where there was no
  /// such value.
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
  ]
}
