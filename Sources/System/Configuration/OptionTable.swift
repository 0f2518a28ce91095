/// What a command takes: from one table come the parsing, the errors and the help.
public struct OptionTable: Sendable {
  /// One line of the table.
  public struct Entry: Sendable {
    enum Kind: Sendable, Equatable {
      case flag
      case value(name: String)
    }

    /// The name after the two hyphens.
    public let key: String
    let kind: Kind
    /// Whether it may be given more than once.
    public let isRepeatable: Bool
    /// What stands in its place where it is not given, in words.
    public let defaultText: String?
    /// What it does, in a line.
    public let help: String

    /// What its value is called, such as "FILE" or "on|off"; nil for a flag.
    public var valueName: String? {
      if case .value(let name) = kind { name } else { nil }
    }

    /// `--key VALUE`, at most once.
    ///
    /// `default` is shown, not applied.
    public static func value(
      _ key: String, _ name: String, default defaultText: String? = nil, _ help: String
    ) -> Entry {
      Entry(
        key: key, kind: .value(name: name), isRepeatable: false, defaultText: defaultText,
        help: help)
    }

    /// `--key VALUE`, any number of times.
    public static func repeatable(
      _ key: String, _ name: String, default defaultText: String? = nil, _ help: String
    ) -> Entry {
      Entry(
        key: key, kind: .value(name: name), isRepeatable: true, defaultText: defaultText,
        help: help)
    }

    /// `--key` alone.
    public static func flag(_ key: String, _ help: String) -> Entry {
      Entry(key: key, kind: .flag, isRepeatable: false, defaultText: nil, help: help)
    }
  }

  /// The words before the options, such as "belfry gateway".
  public let command: String
  /// What the command does, one or more sentences.
  public let summary: String
  /// Names of the positional arguments as shown, such as "TOKEN…".
  public let positionals: String
  /// How many positional arguments may stand.
  public let positionalCount: ClosedRange<Int>
  /// The options, in the order of the help.
  public let entries: [Entry]

  /// A table; `--help` is always understood.
  public init(
    command: String, summary: String, positionals: String = "",
    positionalCount: ClosedRange<Int> = 0...0, _ entries: [Entry]
  ) {
    self.command = command
    self.summary = summary
    self.positionals = positionals
    self.positionalCount = positionalCount
    self.entries = entries
  }

  /// The text of `--help`.
  public var help: String {
    let rows = entries.map { entry -> (String, String) in
      var left = "--\(entry.key)"
      if case .value(let name) = entry.kind { left += " \(name)" }
      var right = entry.help
      if entry.isRepeatable { right += " (repeatable)" }
      if let text = entry.defaultText { right += " [default: \(text)]" }
      return (left, right)
    }
    let width = min(36, rows.map(\.0.count).max() ?? 0)
    let words = [command, entries.isEmpty ? "" : "[options]", positionals].filter { !$0.isEmpty }
    var text = "usage: \(words.joined(separator: " "))\n\n\(summary)\n"
    if !rows.isEmpty { text += "\n" }
    for (left, right) in rows {
      let padding = String(repeating: " ", count: max(2, width - left.count + 2))
      text += "  \(left)\(padding)\(right)\n"
    }
    return text
  }

  /// An option of a table, as far as another source of values has to know it.
  public struct Option: Sendable {
    /// What stands behind the dashes.
    public let key: String
    /// Whether it has a value.
    public let hasValue: Bool
    /// Whether it may have several.
    public let isRepeatable: Bool
  }

  /// Every option, in the order of the help.
  public var options: [Option] {
    entries.map {
      Option(key: $0.key, hasValue: $0.kind != .flag, isRepeatable: $0.isRepeatable)
    }
  }

  func entry(_ key: String) -> Entry? { entries.first { $0.key == key } }
}
