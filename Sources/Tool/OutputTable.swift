import BelfryWire

/// The output of objects, as one JSON object per line or as aligned columns.
enum OutputTable {
  /// Prints the objects.
  ///
  /// Lists have a header. A created object has none, so that a script can use it with `$(…)`.
  static func show(_ lines: [JSONObject], columns: [String], hasHeader: Bool, asJSON: Bool) {
    if asJSON {
      for line in lines { Output.json(.object(line)) }
    } else {
      for row in rows(lines, columns: columns, hasHeader: hasHeader) { Output.line(row) }
    }
  }

  /// Returns each object's members under `columns`, aligned, with "-" for a missing member.
  ///
  /// Without objects, there is no header either.
  static func rows(_ lines: [JSONObject], columns: [String], hasHeader: Bool) -> [String] {
    guard !lines.isEmpty else { return [] }
    let cells =
      (hasHeader ? [columns] : []) + lines.map { line in columns.map { cell(line[$0] ?? .null) } }
    let widths = columns.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
    return cells.map { row in
      let padded = zip(row, widths).map { text, width in
        text + String(repeating: " ", count: width - text.count)
      }
      return padded.joined(separator: "  ").trimmingTrailingSpaces
    }
  }

  private static func cell(_ value: JSONValue) -> String {
    switch value {
    case .null: "-"
    case .string(let text): text.isEmpty ? "-" : printable(text)
    case .array(let elements): elements.isEmpty ? "-" : elements.map(cell).joined(separator: ",")
    case .object(let object): object.isEmpty ? "-" : printable(object.text)
    default: value.text
    }
  }

  /// Replaces control characters, because an app's text must not move the terminal's cursor.
  static func printable(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) ? " " : $0 }))
  }
}

extension String {
  fileprivate var trimmingTrailingSpaces: String {
    var text = self
    while text.hasSuffix(" ") { text.removeLast() }
    return text
  }
}
