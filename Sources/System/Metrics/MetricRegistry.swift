import Synchronization

/// All metrics of a program, which are written in a `MetricFormat`.
public final class MetricRegistry: Sendable {
  private struct Families {
    var order: [String] = []
    var byName: [String: MetricFamily] = [:]
  }

  private let families = Mutex(Families())

  /// A registry without metrics.
  public init() {}

  /// The counter of this name and these labels, made when first asked for.
  public func counter(
    _ name: String, help: String, labels: KeyValuePairs<String, String> = [:]
  ) -> Counter {
    let found = metric(name, help, labels) { .counter(Counter()) }
    guard case .counter(let counter) = found else { return Counter() }
    return counter
  }

  /// The gauge of this name and these labels, made when first asked for.
  public func gauge(
    _ name: String, help: String, labels: KeyValuePairs<String, String> = [:]
  ) -> Gauge {
    let found = metric(name, help, labels) { .gauge(Gauge()) }
    guard case .gauge(let gauge) = found else { return Gauge() }
    return gauge
  }

  /// The histogram of this name and these labels, made when first asked for.
  ///
  /// Values are whole numbers; `scale` turns them into the unit of the name (nanoseconds to
  /// seconds: 1e-9).
  public func histogram(
    _ name: String, help: String, labels: KeyValuePairs<String, String> = [:], bounds: [UInt64],
    scale: Double = 1
  ) -> Histogram {
    let found = metric(name, help, labels) {
      .histogram(Histogram(bounds: bounds.sorted()), scale: scale)
    }
    guard case .histogram(let histogram, _) = found else {
      return Histogram(bounds: bounds.sorted())
    }
    return histogram
  }

  /// Exposes what `read` returns at each look, as a gauge; nothing while it returns nil.
  ///
  /// `read` is called from any thread, and makes no metric.
  public func gauge(
    _ name: String, help: String, labels: KeyValuePairs<String, String> = [:],
    read: @escaping @Sendable () -> Double?
  ) { _ = metric(name, help, labels) { .reading(.gauge, read) } }

  /// Exposes what `read` returns at each look, as a counter: it never falls.
  ///
  /// `read` is called from any thread, and makes no metric. With `format` the name is in that text alone: one that
  /// readers of it know, and that another text cannot have.
  public func counter(
    _ name: String, help: String, labels: KeyValuePairs<String, String> = [:],
    in format: MetricFormat? = nil, read: @escaping @Sendable () -> Double?
  ) { _ = metric(name, help, labels, format) { .reading(.counter, read) } }

  /// Every metric as text, families in the order in which they were made.
  public func exposition(_ format: MetricFormat = .prometheus) -> String {
    exposition(format) { _ in true }
  }

  private func exposition(_ format: MetricFormat, of isWanted: (String) -> Bool) -> String {
    let known = families.withLock { families in
      families.order.compactMap { name in families.byName[name].map { (name, $0) } }
    }
    // What is read at each look is read without the lock: reading it may take a while.
    var text = ""
    for (name, family) in known where isWanted(name) {
      guard family.format == nil || family.format == format else { continue }
      format.append(family, named: name, to: &text)
    }
    return text + format.end
  }

  /// The value of every counter and gauge, and of a histogram its buckets, sum and count, under the name that
  /// `exposition` has, labels included.
  ///
  /// With `isWanted` those of some families, by their names; the others are not read.
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

  /// A name of another kind keeps its first kind; the newcomer then counts unseen.
  private func metric(
    _ name: String, _ help: String, _ labels: KeyValuePairs<String, String>,
    _ format: MetricFormat? = nil, _ make: () -> AnyMetric
  ) -> AnyMetric {
    let labelText = labels.map { "\($0.key)=\"\(MetricFormat.escaped($0.value, quotes: true))\"" }
      .joined(separator: ",")
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
