import Synchronization

/// All metrics of a program, which are written in a `MetricFormat`.
public final class MetricRegistry: Sendable {
  private struct Families {
    var order: [String] = []
    var byName: [String: MetricFamily] = [:]
  }

  private let families = Mutex(Families())

  /// Creates a registry without metrics.
  public init() {}

  /// Returns the counter with this name and these labels, creating it on first use.
  public func counter(
    _ name: String, help: String, labels: KeyValuePairs<String, String> = [:]
  ) -> Counter {
    let found = metric(name, help, labels) { .counter(Counter()) }
    guard case .counter(let counter) = found else { return Counter() }
    return counter
  }

  /// Returns the gauge with this name and these labels, creating it on first use.
  public func gauge(
    _ name: String, help: String, labels: KeyValuePairs<String, String> = [:]
  ) -> Gauge {
    let found = metric(name, help, labels) { .gauge(Gauge()) }
    guard case .gauge(let gauge) = found else { return Gauge() }
    return gauge
  }

  /// Returns the histogram with this name and these labels, creating it on first use.
  ///
  /// Values are integers; `scale` converts them to the unit in the name. For example, 1e-9 converts nanoseconds to
  /// seconds. If `hasQuantiles` is true, the values are also counted in narrow buckets, which are not part of the
  /// exposition.
  public func histogram(
    _ name: String, help: String, labels: KeyValuePairs<String, String> = [:], bounds: [UInt64],
    scale: Double = 1, hasQuantiles: Bool = false
  ) -> Histogram {
    let found = metric(name, help, labels) {
      .histogram(Histogram(bounds: bounds.sorted(), hasQuantiles: hasQuantiles), scale: scale)
    }
    guard case .histogram(let histogram, _) = found else {
      return Histogram(bounds: bounds.sorted())
    }
    return histogram
  }

  /// Returns the narrow buckets of a histogram; nil if the histogram does not exist or has no narrow buckets.
  public func quantiles(
    ofHistogram name: String, labels: KeyValuePairs<String, String> = [:]
  ) -> QuantileCounts? {
    let labelText = Self.text(of: labels)
    return families.withLock { families in
      let found = families.byName[name]?.members.first { $0.labels == labelText }
      guard case .histogram(let histogram, _)? = found?.metric else { return nil }
      return histogram.quantiles
    }
  }

  private static func text(of labels: KeyValuePairs<String, String>) -> String {
    labels.map { "\($0.key)=\"\(MetricFormat.escaped($0.value, quotes: true))\"" }
      .joined(separator: ",")
  }

  /// Exposes the result of `read` at each scrape as a gauge, which is omitted while the result is nil.
  ///
  /// `read` is called from any thread, and must not create metrics.
  public func gauge(
    _ name: String, help: String, labels: KeyValuePairs<String, String> = [:],
    read: @escaping @Sendable () -> Double?
  ) { _ = metric(name, help, labels) { .reading(.gauge, read) } }

  /// Exposes the result of `read` at each scrape as a counter, which must never decrease.
  ///
  /// `read` is called from any thread and must not create metrics. If `format` is given, the name is included only in
  /// that format. Specify a format for a name that the format's readers expect and that another format does not allow.
  public func counter(
    _ name: String, help: String, labels: KeyValuePairs<String, String> = [:],
    in format: MetricFormat? = nil, read: @escaping @Sendable () -> Double?
  ) { _ = metric(name, help, labels, format) { .reading(.counter, read) } }

  /// Returns all metrics as text; families appear in order of creation.
  public func exposition(_ format: MetricFormat = .prometheus) -> String {
    exposition(format) { _ in true }
  }

  private func exposition(_ format: MetricFormat, of isWanted: (String) -> Bool) -> String {
    let known = families.withLock { families in
      families.order.compactMap { name in families.byName[name].map { (name, $0) } }
    }
    // Read the values without holding the lock, because reading can take a while.
    var text = ""
    for (name, family) in known where isWanted(name) {
      guard family.format == nil || family.format == format else { continue }
      format.append(family, named: name, to: &text)
    }
    return text + format.end
  }

  /// Returns the value of every counter and gauge, and the buckets, sum, and count of every histogram, under the names
  /// that `exposition` uses, including labels.
  ///
  /// `isWanted` selects families by name; other families are not read.
  public func samples(
    ofFamilies isWanted: (String) -> Bool = { _ in true }
  ) -> [(name: String, value: Double)] {
    exposition(.prometheus, of: isWanted).split(separator: "\n").compactMap { line in
      guard line.first != "#" else { return nil }
      let end = line.lastIndex(of: " ")
      assert(end != nil, "a sample has a name and a value")
      guard let space = end, let value = Double(line[line.index(after: space)...]) else {
        return nil
      }
      return (String(line[..<space]), value)
    }
  }

  /// Returns the metric with this name and these labels, creating it on first use.
  ///
  /// If the name is already used for another kind of metric, the new metric is counted but not exposed.
  private func metric(
    _ name: String, _ help: String, _ labels: KeyValuePairs<String, String>,
    _ format: MetricFormat? = nil, _ make: () -> AnyMetric
  ) -> AnyMetric {
    let labelText = Self.text(of: labels)
    return families.withLock { families in
      let fresh = make()
      if families.byName[name] == nil {
        families.order.append(name)
        families.byName[name] = MetricFamily(
          help: help, kind: fresh.kind, format: format)
      }
      let members = families.byName[name]?.members ?? []
      if let known = members.first(where: { $0.labels == labelText }) { return known.metric }
      guard families.byName[name]?.kind == fresh.kind else { return fresh }
      families.byName[name]?.members.append((labelText, fresh))
      return fresh
    }
  }
}
