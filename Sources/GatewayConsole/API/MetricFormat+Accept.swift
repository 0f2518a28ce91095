internal import Console
import System

extension MetricFormat {
  /// Creates the format that an `Accept` field prefers.
  ///
  /// OpenMetrics is chosen only if the field lists it, so that clients of Prometheus' text format continue to receive
  /// that format.
  init(accept: String?) {
    var openMetrics = 0.0
    var text = 0.0
    for range in (accept ?? "").split(separator: ",") {
      let parts = range.split(separator: ";").map { $0.trimmed.lowercased() }
      let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap {
        Double($0.dropFirst(2))
      }
      let version = parts.dropFirst().first { $0.hasPrefix("version=") }?.dropFirst(8)
      switch parts.first {
      case "application/openmetrics-text":
        guard ["1.0.0", "0.0.1"].contains(version ?? "1.0.0") else { continue }
        openMetrics = max(openMetrics, quality ?? 1)
      case "text/plain": text = max(text, quality ?? 1)
      default: continue
      }
    }
    self = openMetrics > 0 && openMetrics >= text ? .openMetrics : .prometheus
  }
}

extension Substring {
  /// The string without surrounding spaces and tabs.
  fileprivate var trimmed: Substring {
    let isBlank = { (character: Character) in character == " " || character == "\t" }
    let start = drop(while: isBlank)
    return start.lastIndex { !isBlank($0) }.map { start[...$0] } ?? ""
  }
}
