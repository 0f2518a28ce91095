import Synchronization

/// All metrics of a program, and their text for Prometheus (exposition format 0.0.4).
public final class MetricRegistry: Sendable {
  private enum Metric {
    case counter(Counter)
    case gauge(Gauge)
    case histogram(Histogram, scale: Double)

    var kind: String {
      switch self {
      case .counter: "counter"
      case .gauge: "gauge"
      case .histogram: "histogram"
      }
    }
  }

  private struct Family {
    let help: String
    let kind: String
    var members: [(labels: String, metric: Metric)] = []
  }

  private struct Families {
    var order: [String] = []
    var byName: [String: Family] = [:]
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

  /// Every metric as text, families in the order in which they were made.
  public func exposition() -> String {
    families.withLock { families in
      var text = ""
      for name in families.order {
        guard let family = families.byName[name] else { continue }
        text += "# HELP \(name) \(Self.escaped(family.help, quotes: false))\n"
        text += "# TYPE \(name) \(family.kind)\n"
        for member in family.members { Self.append(name, member.labels, member.metric, to: &text) }
      }
      return text
    }
  }

  /// The value of every counter and gauge, and of a histogram its buckets, sum and count, under the name that
  /// `exposition` has, labels included.
  public func samples() -> [(name: String, value: Double)] {
    exposition().split(separator: "\n").compactMap { line in
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
    _ name: String, _ help: String, _ labels: KeyValuePairs<String, String>, _ make: () -> Metric
  ) -> Metric {
    let labelText = labels.map { "\($0.key)=\"\(Self.escaped($0.value, quotes: true))\"" }
      .joined(separator: ",")
    return families.withLock { families in
      let fresh = make()
      if families.byName[name] == nil {
        families.order.append(name)
        families.byName[name] = Family(help: help, kind: fresh.kind)
      }
      let members = families.byName[name]?.members ?? []
      if let known = members.first(where: { $0.labels == labelText }) { return known.metric }
      guard families.byName[name]?.kind == fresh.kind else { return fresh }
      families.byName[name]?.members.append((labelText, fresh))
      return fresh
    }
  }

  private static func append(
    _ name: String, _ labels: String, _ metric: Metric, to text: inout String
  ) {
    let braces = labels.isEmpty ? "" : "{\(labels)}"
    switch metric {
    case .counter(let counter): text += "\(name)\(braces) \(counter.value)\n"
    case .gauge(let gauge): text += "\(name)\(braces) \(gauge.value)\n"
    case .histogram(let histogram, let scale):
      let prefix = labels.isEmpty ? "" : labels + ","
      let counts = histogram.cumulative()
      for (bound, count) in zip(histogram.bounds, counts) {
        text += "\(name)_bucket{\(prefix)le=\"\(Double(bound) * scale)\"} \(count)\n"
      }
      let total = counts.last ?? 0
      text += "\(name)_bucket{\(prefix)le=\"+Inf\"} \(total)\n"
      text += "\(name)_sum\(braces) \(Double(histogram.sum) * scale)\n"
      text += "\(name)_count\(braces) \(total)\n"
    }
  }

  private static func escaped(_ text: String, quotes: Bool) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\"" where quotes: result += "\\\""
      default: result.append(character)
      }
    }
    return result
  }
}
