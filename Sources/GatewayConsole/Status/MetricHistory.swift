internal import Console
internal import BelfryWire
internal import Gateway
internal import Storage
internal import Synchronization
public import System

/// The gateway's earlier metrics, for the console's plots: every sample of the last hour, and an archive of seven days.
///
/// A separate thread takes a sample every 10 seconds, so the loops do no additional work.
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
  private let archive: Mutex<MetricArchive?>

  /// Creates an empty history of `metrics`; `archive` is the path of the file with the metrics of earlier runs.
  init(of metrics: MetricRegistry, archive path: String? = nil) {
    self.metrics = metrics
    archive = Mutex(Self.openArchive(path))
  }

  /// Returns an archive in the file at `path`.
  ///
  /// If the file cannot be opened, returns an archive in memory instead: a problem with the file must not prevent the
  /// gateway from starting.
  private static func openArchive(_ path: String?) -> sending MetricArchive? {
    (try? MetricArchive(file: path)) ?? (try? MetricArchive(file: nil))
  }

  /// Creates a history, and starts to sample `metrics` and the number of undelivered notifications.
  ///
  /// `countWaiting` returns that number, or nil if it is unknown.
  /// `archive` is the path of the file that retains seven days of metrics.
  public convenience init(
    of metrics: MetricRegistry, countWaiting: @escaping @Sendable () -> Int?, archive: String
  ) throws(SystemFailure) {
    self.init(of: metrics, archive: archive)
    let thread = try LoopThread.start(name: "console-history") { [weak self] loop in
      func turn() {
        guard let self else { return loop.stop() }
        take(waiting: countWaiting(), atMilliseconds: loop.unixMilliseconds)
        loop.schedule(afterNanoseconds: Limits.sampleNanoseconds) { turn() }
      }
      turn()
    }
    self.thread.withLock { $0 = thread }
  }

  deinit { stop() }

  /// Stops taking samples, and returns once the sampling thread has exited.
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

  /// The time of the first sample, in milliseconds since 1970; nil before the first sample.
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
    let reading = reading(values, waiting: waiting, atMilliseconds: atMilliseconds)
    archive.withLock { $0?.add(reading) }
    state.withLock { state in
      state.waiting = waiting
      if state.startedMilliseconds == nil { state.startedMilliseconds = atMilliseconds }
      state.samples.append(Sample(atMilliseconds: atMilliseconds, values: values))
      if state.samples.count > Limits.samples { state.samples.removeFirst() }
      assert(state.samples.count <= Limits.samples, "the number of samples is within its limit")
    }
  }

  /// Returns the metrics in the form that the archive reads.
  private func reading(
    _ values: [String: Double], waiting: Int?, atMilliseconds: Int64
  ) -> MetricArchive.Reading {
    func sum(_ prefix: String) -> Double {
      values.reduce(0) { $1.key.hasPrefix(prefix) ? $0 + $1.value : $0 }
    }
    var reading = MetricArchive.Reading(atMilliseconds: atMilliseconds)
    reading.counters = [
      .accepted: sum("belfry_pushes_accepted_total"), .refused: sum("belfry_pushes_refused_total"),
      .delivered: sum("belfry_notifications_total{state=\"Delivered"),
      .stored: sum("belfry_notifications_total{state=\"Stored"),
      .discarded: sum("belfry_notifications_total{state=\"Discarded"),
    ]
    reading.gauges[.devices] = values["belfry_device_connections"]
    reading.gauges[.providers] = values["belfry_provider_connections"]
    reading.gauges[.waiting] = waiting.map(Double.init)
    reading.delivery = metrics.quantiles(ofHistogram: "belfry_delivery_seconds")?.snapshot
    reading.commit =
      metrics.quantiles(
        ofHistogram: "belfry_store_commit_seconds", labels: ["store": "notifications"])?.snapshot
    return reading
  }

  /// Returns the archived metrics of the last `minutes`; without `minutes`, every sample of the last hour.
  func json(minutes text: String?) throws(AdministrationFailure) -> JSONObject {
    guard let text else { return json }
    guard let minutes = Int64(text), (1...Limits.historyMinutes).contains(minutes) else {
      throw AdministrationFailure(
        .invalid, "invalid value '\(text)' for minutes",
        do: "expected a number from 1 to \(Limits.historyMinutes)")
    }
    let now = SystemClock.unixMilliseconds
    return archive.withLock { $0?.json(lastMilliseconds: minutes * 60_000, before: now) } ?? [:]
  }

  /// The samples, oldest first.
  ///
  /// The members are `at` (the times in milliseconds since 1970) and `series` (a list of values per name). A missing
  /// value is null.
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
