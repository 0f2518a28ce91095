/// The metrics that share a name.
struct MetricFamily: Sendable {
  /// The kind of the family's values.
  enum Kind: String, Sendable { case counter, gauge, histogram }

  let help: String
  let kind: Kind
  /// The only format that includes the family; nil if all formats include it.
  let format: MetricFormat?
  /// The metrics, with their labels in the form that is written between braces.
  var members: [(labels: String, metric: AnyMetric)] = []
}

/// A metric of any kind.
enum AnyMetric: Sendable {
  case counter(Counter)
  case gauge(Gauge)
  case histogram(Histogram, scale: Double)
  /// A value that is read at each scrape.
  case reading(MetricFamily.Kind, @Sendable () -> Double?)

  var kind: MetricFamily.Kind {
    switch self {
    case .counter: .counter
    case .gauge: .gauge
    case .histogram: .histogram
    case .reading(let kind, _): kind
    }
  }
}
