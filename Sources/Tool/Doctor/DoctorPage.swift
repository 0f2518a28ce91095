import BelfryWire
import System

/// The findings of `belfry doctor` as text: a line for each finding, followed by the advice, within a given width.
struct DoctorPage {
  /// The width of the page in columns, which fits most terminals.
  static let columns = 100

  private let rows: [JSONObject]
  private let width: Int

  init(_ rows: [JSONObject], width: Int = Self.columns) {
    self.rows = rows
    self.width = width
  }

  var lines: [String] {
    // A longer name has a line of its own, so it does not widen the column.
    let counts = rows.map { text($0, "feature").count }
    let feature = counts.filter { $0 <= Self.featureColumnsMax }.max() ?? 0
    let indent = Self.stateColumns + feature + 2
    return rows.flatMap { row in
      let head =
        padded(state(row), to: Self.stateColumns) + padded(text(row, "feature"), to: feature + 2)
      var lines = WrappedText.lines(text(row, "detail"), columns: width - indent)
      let advice = text(row, "do")
      if !advice.isEmpty {
        lines += WrappedText.lines(advice, columns: width - indent - 2).enumerated().map {
          ($0.offset == 0 ? "→ " : "  ") + $0.element
        }
      }
      if lines.isEmpty { lines = [""] }
      // If the name of a feature is too long for its column, put it on a line of its own.
      let first = head.count > indent ? [head] : [head + lines.removeFirst()]
      return first + lines.map { String(repeating: " ", count: indent) + $0 }
    }
  }

  /// The width of the state column, which contains words such as "optional", including the spaces that follow.
  private static let stateColumns = 11
  private static let featureColumnsMax = 32

  /// Returns the displayed state; a missing optional part isn't an error.
  private func state(_ row: JSONObject) -> String {
    let state = text(row, "state")
    return state == "missing" && row["optional"]?.boolValue == true ? "optional" : state
  }

  private func text(_ row: JSONObject, _ key: String) -> String {
    OutputTable.printable(row[key]?.stringValue ?? "")
  }

  private func padded(_ text: String, to count: Int) -> String {
    text + String(repeating: " ", count: max(1, count - text.count))
  }
}
