/// The metrics of one name.
struct MetricFamily: Sendable {
  /// What the name's values mean.
  enum Kind: String, Sendable { case counter, gauge, histogram }

  let help: String
  let kind: Kind
  /// The one format that has it; nil for all.
  let format: MetricFormat?
  /// Labels as they are written between braces.
  var members: [(labels: String, metric: AnyMetric)] = []
}

/// A metric of any kind.
enum AnyMetric: Sendable {
  case counter(Counter)
  case gauge(Gauge)
  case histogram(Histogram, scale: Double)
  /// What is read at each look.
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
