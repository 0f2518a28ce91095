import BelfryWire

/// A printer that shows objects as one JSON object per line or in aligned columns.
enum OutputTable {
  /// The first line of a table.
  enum Header {
    /// No header, so that a script can use a created object with `$(…)`.
    case none
    /// Headings for users; if the list is empty, "no …" is printed on standard error.
    case headings(of: String)
  }

  /// Prints the objects.
  ///
  /// On a terminal, the texts in the columns `shortened` are cut so that each row fits in a line.
  static func show(
    _ lines: [JSONObject], columns: [String], _ header: Header, asJSON: Bool,
    shortening shortened: [String] = []
  ) {
    if asJSON {
      for line in lines { Output.json(.object(line)) }
      return
    }
    if case .headings(let objects) = header, lines.isEmpty { Output.error("no \(objects)") }
    let width = shortened.isEmpty ? nil : RawTerminal.outputWidth
    for row in rows(lines, columns: columns, header, shortening: shortened, toWidth: width) {
      Output.line(row)
    }
  }

  /// The text between two columns.
  private static let gap = "  "
  /// The length, in characters, below which the text in a column is not cut.
  private static let shortestText = 12

  /// Returns each object's members in `columns`, aligned, with "-" for a missing member.
  ///
  /// If there are no objects, the header is omitted too. If the rows are longer than `width` characters, the texts in
  /// the columns `shortened` are cut, those in the first column first.
  static func rows(
    _ lines: [JSONObject], columns: [String], _ header: Header,
    shortening shortened: [String] = [], toWidth width: Int? = nil
  ) -> [String] {
    guard !lines.isEmpty else { return [] }
    let first: [[String]] =
      switch header {
      case .none: []
      case .headings: [columns.map(heading)]
      }
    let cells = first + lines.map { line in columns.map { cell(line[$0] ?? .null) } }
    var widths = columns.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
    guard let width else { return cells.map { aligned($0, widths) } }
    for name in shortened {
      guard let column = columns.firstIndex(of: name) else { continue }
      let excess = widths.reduce(0, +) + gap.count * (widths.count - 1) - width
      guard excess > 0 else { break }
      widths[column] = max(min(widths[column], shortestText), widths[column] - excess)
    }
    return cells.map { row in aligned(zip(row, widths).map { cut($0, to: $1) }, widths) }
  }

  private static func cut(_ text: String, to width: Int) -> String {
    text.count > width ? String(text.prefix(max(0, width - 1))) + "…" : text
  }

  /// Returns a row whose cells have at least these widths.
  fileprivate static func aligned(_ cells: [String], _ widths: [Int]) -> String {
    let padded = zip(cells, widths).map { text, width in
      text + String(repeating: " ", count: max(0, width - text.count))
    }
    return padded.joined(separator: gap).trimmingTrailingSpaces
  }

  /// Returns the heading of a member: "LAST SEEN" for `lastSeenAt`, "APNS ID" for `apnsID`.
  static func heading(_ name: String) -> String {
    let stem = name.hasSuffix("At") ? String(name.dropLast(2)) : name
    var heading = ""
    var wasLowercase = false
    for letter in stem {
      if letter.isUppercase, wasLowercase { heading += " " }
      wasLowercase = letter.isLowercase
      heading += letter.uppercased()
    }
    return heading
  }

  fileprivate static func cell(_ value: JSONValue) -> String {
    switch value {
    case .null: "-"
    case .string(let text): text.isEmpty ? "-" : printable(text)
    case .array(let elements): elements.isEmpty ? "-" : elements.map(cell).joined(separator: ",")
    case .object(let object): object.isEmpty ? "-" : printable(object.text)
    default: value.text
    }
  }

  /// Replaces control characters, because text from an app or a service must not move the terminal's cursor, begin a
  /// line, or change the direction of the text after it.
  static func printable(_ text: String) -> String {
    String(
      String.UnicodeScalarView(text.unicodeScalars.map { isControl($0) ? " " : $0 }))
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    // Control characters, and the separators of lines and paragraphs.
    case 0..<0x20, 0x7F...0x9F, 0x2028...0x2029: true
    // The marks, embeddings, overrides and isolates of the Unicode Bidirectional Algorithm.
    case 0x061C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}

/// A table whose lines arrive one at a time, such as the lines of a log that is followed.
///
/// A column becomes wider if a cell doesn't fit, but never narrower, so that most lines are aligned.
struct GrowingTable {
  private let columns: [String]
  private var widths: [Int]
  private var hasHeadings = false

  /// Creates a table whose columns have at least these widths, in characters.
  init(columns: [String], widths: [Int]) {
    assert(columns.count == widths.count, "each column has a width")
    self.columns = columns
    self.widths = widths
  }

  /// Returns the row for the next line; the headings precede the first line.
  mutating func rows(for line: JSONObject) -> [String] {
    var cells = [columns.map { OutputTable.cell(line[$0] ?? .null) }]
    if !hasHeadings { cells.insert(columns.map(OutputTable.heading), at: 0) }
    hasHeadings = true
    widths = widths.indices.map { column in
      cells.reduce(widths[column]) { max($0, $1[column].count) }
    }
    return cells.map { OutputTable.aligned($0, widths) }
  }
}

extension String {
  fileprivate var trimmingTrailingSpaces: String {
    var text = self
    while text.hasSuffix(" ") { text.removeLast() }
    return text
  }
}
