import BelfryWire

/// How the lines of an answer look to a person: columns without a header, so that `cut` and `awk`
/// find them.
enum AdministrationTable {
  static func show(_ lines: [JSONObject], columns: [String], json: Bool) {
    if json {
      for line in lines { Output.line(line.text) }
      return
    }
    for row in rows(lines, columns: columns) { Output.line(row) }
  }

  /// Each line's members under `columns`, aligned; "-" where there is none.
  static func rows(_ lines: [JSONObject], columns: [String]) -> [String] {
    let cells = lines.map { line in columns.map { line[$0].map(text) ?? "-" } }
    let widths = columns.indices.map { column in
      cells.map { $0[column].count }.max() ?? 0
    }
    return cells.map { row in
      let padded = row.enumerated().map { column, cell in
        column == row.count - 1
          ? cell : cell + String(repeating: " ", count: widths[column] - cell.count)
      }
      return padded.joined(separator: "  ")
    }
  }

  private static func text(_ value: JSONValue) -> String {
    switch value {
    case .string(let text): text
    case .array(let values): values.map(text).joined(separator: ",")
    default: value.text
    }
  }
}
