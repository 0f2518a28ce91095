/// The options of a command.
///
/// Parsing, error messages, and help are all derived from this table.
public struct OptionTable: Sendable {
  /// A row of the table.
  public struct Entry: Sendable {
    enum Kind: Sendable, Equatable {
      case flag
      case value(name: String)
    }

    /// The option's name, without the two hyphens.
    public let key: String
    /// Another name that the command line accepts for the option, but that the help doesn't show.
    let alias: String?
    let kind: Kind
    /// True if the option can be given more than once.
    public let isRepeatable: Bool
    /// True if the command requires the option; the usage line then shows it.
    public let isRequired: Bool
    /// The description of the default that applies if the option is omitted.
    public let defaultText: String?
    /// A one-line description of the option.
    public let help: String
    /// The name of an option of other commands; an error about that name suggests this option.
    var counterpart: String?

    /// The name of the option's value, such as "FILE" or "on|off"; nil for a flag.
    public var valueName: String? {
      if case .value(let name) = kind { name } else { nil }
    }

    /// The unit of the option's value, such as "seconds", if the value's name is a unit.
    var unit: String? {
      switch valueName {
      case "SECONDS": "seconds"
      case "MS": "milliseconds"
      case "BYTES": "bytes"
      default: nil
      }
    }

    /// Returns an option `--key VALUE` that can be given only once.
    ///
    /// `default` is shown in the help, but not applied. The command itself checks that a required option is given.
    /// If the user gives the option `counterpart`, which other commands have, the error suggests this option.
    public static func value(
      _ key: String, _ name: String, alias: String? = nil, insteadOf counterpart: String? = nil,
      isRequired: Bool = false, default defaultText: String? = nil, _ help: String
    ) -> Entry {
      Entry(
        key: key, alias: alias, kind: .value(name: name), isRepeatable: false,
        isRequired: isRequired, defaultText: defaultText, help: help, counterpart: counterpart)
    }

    /// Returns an option `--key VALUE` that can be given more than once.
    public static func repeatable(
      _ key: String, _ name: String, alias: String? = nil, isRequired: Bool = false,
      default defaultText: String? = nil, _ help: String
    ) -> Entry {
      Entry(
        key: key, alias: alias, kind: .value(name: name), isRepeatable: true,
        isRequired: isRequired, defaultText: defaultText, help: help)
    }

    /// Returns a flag `--key` without a value.
    public static func flag(_ key: String, _ help: String) -> Entry {
      Entry(
        key: key, alias: nil, kind: .flag, isRepeatable: false, isRequired: false,
        defaultText: nil, help: help)
    }
  }

  /// The words before the options, such as "belfry gateway".
  public let command: String
  /// A description of the command, in one or more sentences.
  public let summary: String
  /// The displayed names of the positional arguments, such as "TOKEN…".
  public let positionals: String
  /// The allowed number of positional arguments.
  public let positionalCount: ClosedRange<Int>
  /// The advice in the error for a surplus positional argument.
  public let surplusAdvice: String
  /// The advice in that error if the first argument is a verb, by verb.
  public let verbAdvice: [String: String]
  /// The options, in help order.
  public let entries: [Entry]

  /// Creates a table of options; `--help` is always supported.
  public init(
    command: String, summary: String, positionals: String = "",
    positionalCount: ClosedRange<Int> = 0...0, surplusAdvice: String = "see --help",
    verbAdvice: [String: String] = [:], _ entries: [Entry]
  ) {
    assert(
      entries.allSatisfy { !$0.isRequired || $0.defaultText == nil },
      "a required option has no default")
    self.command = command
    self.summary = summary
    self.positionals = positionals
    self.positionalCount = positionalCount
    self.surplusAdvice = surplusAdvice
    self.verbAdvice = verbAdvice
    self.entries = entries
  }

  /// The required options with the names of their values, such as "--app APP_ID".
  public var requiredOptions: [String] {
    entries.filter(\.isRequired).map { "--\($0.key) \($0.valueName ?? "")" }
  }

  /// The command's usage: its words, the required options, and the positional arguments.
  public var usage: String {
    ([command] + requiredOptions + [entries.isEmpty ? "" : "[options]", positionals])
      .filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// The text of `--help`, in which lines are not wrapped.
  public var help: String { help(columns: nil) }

  /// Returns the text of `--help`, wrapped to `columns` characters per line; nil does not wrap it.
  public func help(columns: Int?) -> String {
    let rows = entries.map { entry -> (String, String) in
      var left = "--\(entry.key)"
      if case .value(let name) = entry.kind { left += " \(name)" }
      var right = entry.help
      if entry.isRepeatable { right += " (repeatable)" }
      if let text = entry.defaultText { right += " [default: \(text)]" }
      return (left, right)
    }
    let width = min(Self.nameColumnsMax, rows.map(\.0.count).max() ?? 0)
    // On a narrow terminal, the descriptions are below the options.
    let hasTwoColumns = columns.map { $0 - width - 4 >= Self.descriptionColumnsMin } ?? true
    let indent = hasTwoColumns ? width + 4 : 6
    let usage = WrappedText.text(self.usage, after: "usage: ", indent: 7, columns: columns)
    let summary = columns.map { WrappedText.paragraphs(self.summary, columns: $0) } ?? self.summary
    var text = "\(usage)\n\n\(summary)\n"
    if !rows.isEmpty { text += "\n" }
    for (left, right) in rows {
      let padding = String(repeating: " ", count: max(2, width - left.count + 2))
      text += WrappedText.text(
        right, after: "  \(left)\(padding)", indent: indent, columns: columns)
      text += "\n"
    }
    return text
  }

  /// The maximum width, in characters, of the column that contains the options in the help.
  private static let nameColumnsMax = 36
  /// The minimum width, in characters, of the column that contains the descriptions in the help.
  private static let descriptionColumnsMin = 24

  /// The properties of an option that are needed to read its values from other sources.
  public struct Option: Sendable {
    /// The option's name, without the two hyphens.
    public let key: String
    /// True if the option has a value.
    public let hasValue: Bool
    /// True if the option can have several values.
    public let isRepeatable: Bool
  }

  /// All options, in help order.
  public var options: [Option] {
    entries.map {
      Option(key: $0.key, hasValue: $0.kind != .flag, isRepeatable: $0.isRepeatable)
    }
  }

  func entry(_ name: String) -> Entry? { entries.first { $0.key == name || $0.alias == name } }

  /// Returns true if one of the displayed names of the positional arguments, such as "TOKEN…", is `name` in upper case.
  func hasPositional(_ name: String) -> Bool {
    positionals.split { !$0.isLetter && $0 != "-" }.contains { $0 == name.uppercased() }
  }

  /// Returns the option that the user meant with an argument that has only one hyphen, such as `-in` or `-in=4m`.
  func entry(withOneHyphen argument: String) -> Entry? {
    guard argument.hasPrefix("-"), !argument.hasPrefix("--") else { return nil }
    return entry(String(argument.dropFirst().prefix { $0 != "=" }))
  }
}
