/// A text format for the exposition of metrics.
public enum MetricFormat: Sendable {
  /// The Prometheus text format, version 0.0.4.
  case prometheus
  /// OpenMetrics 1.0, which has units, an end marker that makes truncation detectable, and counter families whose names
  /// do not include the `_total` suffix of their samples.
  case openMetrics

  /// The value of the Content-Type header.
  public var contentType: String {
    switch self {
    case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
    case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
    }
  }

  /// The text after the last family.
  var end: String {
    switch self {
    case .prometheus: ""
    case .openMetrics: "# EOF\n"
    }
  }

  func append(_ family: MetricFamily, named name: String, to text: inout String) {
    var samples = ""
    for member in family.members { Self.append(name, member.labels, member.metric, to: &samples) }
    if samples.isEmpty { return }
    switch self {
    case .prometheus:
      text += "# HELP \(name) \(Self.escaped(family.help, quotes: false))\n"
      text += "# TYPE \(name) \(family.kind.rawValue)\n"
    case .openMetrics:
      assert(
        family.kind != .counter || name.hasSuffix(Self.total),
        "an OpenMetrics counter's name ends in _total"
      )
      let base = family.kind == .counter ? String(name.dropLast(Self.total.count)) : name
      text += "# HELP \(base) \(Self.escaped(family.help, quotes: true))\n"
      text += "# TYPE \(base) \(family.kind.rawValue)\n"
      if let unit = Self.units.first(where: { base.hasSuffix("_" + $0) }) {
        text += "# UNIT \(base) \(unit)\n"
      }
    }
    text += samples
  }

  private static let total = "_total"
  /// The units that the Prometheus naming rules allow at the end of a family's name.
  private static let units = ["seconds", "bytes"]

  private static func append(
    _ name: String, _ labels: String, _ metric: AnyMetric, to text: inout String
  ) {
    let braces = labels.isEmpty ? "" : "{\(labels)}"
    switch metric {
    case .counter(let counter): text += "\(name)\(braces) \(counter.value)\n"
    case .gauge(let gauge): text += "\(name)\(braces) \(gauge.value)\n"
    case .reading(_, let read):
      if let value = read() { text += "\(name)\(braces) \(number(value))\n" }
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

  private static func number(_ value: Double) -> String {
    Int64(exactly: value).map { "\($0)" } ?? "\(value)"
  }

  static func escaped(_ text: String, quotes: Bool) -> String {
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
