import System

/// A page of the command reference in Markdown, with a section for each verb of the command.
struct MarkdownPage {
  /// The name of the index, which the repository's host displays for the folder.
  static let indexName = "README"

  /// The filename without its suffix, such as "device".
  let name: String
  let text: String

  /// The index and the pages of all commands.
  static var all: [MarkdownPage] { [index] + Tool.commands.map(page) }

  private static var index: MarkdownPage {
    var text = """
      # Commands

      Each command of `belfry` has a page, generated from the same tables as `--help` and the manual pages.
      `belfry man --format markdown --out docs/commands` writes these pages.

      """
    for group in Tool.Group.allCases {
      text += "\n## \(group.rawValue)\n\n| Command | Purpose |\n| --- | --- |\n"
      for command in Tool.commands where command.group == group {
        text += "| [`belfry \(command.name)`](\(command.name).md) | \(cell(command.summary)) |\n"
      }
    }
    text += "\n## Exit status\n\n\(prose(ManualPage.exitStatus))\n"
    text += "\n## Environment\n\n| Variable | Meaning |\n| --- | --- |\n"
    for (name, meaning) in ManualPage.variables { text += "| `\(name)` | \(cell(meaning)) |\n" }
    return MarkdownPage(name: indexName, text: text)
  }

  private static func page(of command: Tool.Command) -> MarkdownPage {
    let tables = command.tables()
    let title = "belfry \(command.name)"
    var text = "# \(title)\n\n\(prose(sentence(command.summary)))\n"
    if tables.count > 1 {
      text += "\n"
      for table in tables {
        text += "- [`\(table.command)`](#\(anchor(table.command, under: title)))\n"
      }
    }
    for table in tables {
      if tables.count > 1 { text += "\n## \(heading(table.command, under: title))\n" }
      text += section(table)
    }
    return MarkdownPage(name: command.name, text: text)
  }

  /// Returns the heading of the section for a table; the page's own title is not repeated.
  private static func heading(_ command: String, under title: String) -> String {
    command == title ? "\(command) [options]" : command
  }

  private static func anchor(_ command: String, under title: String) -> String {
    heading(command, under: title).filter { $0.isLetter || $0.isNumber || " -".contains($0) }
      .replacing(" ", with: "-")
  }

  private static func section(_ table: OptionTable) -> String {
    var text = "\n```text\n\(table.usage)\n```\n"
    for paragraph in table.summary.split(separator: "\n\n") {
      let lines = paragraph.split(whereSeparator: \.isNewline)
      text += "\n\(prose(lines.joined(separator: " ")))\n"
    }
    guard !table.entries.isEmpty else { return text }
    text += "\n| Option | Default | Meaning |\n| --- | --- | --- |\n"
    for entry in table.entries {
      let option = "--\(entry.key)" + (entry.valueName.map { " \($0)" } ?? "")
      let help = entry.help + (entry.isRepeatable ? " (repeatable)" : "")
      text += "| `\(option.replacing("|", with: "\\|"))` "
      text += "| \(entry.defaultText.map(cell) ?? "") | \(cell(help)) |\n"
    }
    return text
  }

  private static func sentence(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst() + (text.hasSuffix(".") ? "" : ".")
  }

  /// Returns text for use in a table cell, with vertical bars escaped.
  private static func cell(_ text: String) -> String {
    prose(text).replacing("|", with: "\\|")
  }

  /// Returns the text with commands formatted as code and with Markdown's special characters escaped.
  private static func prose(_ text: String) -> String {
    // The commands to format are between single quotation marks.
    var result = ""
    var rest = text[...]
    while let match = rest.firstMatch(of: /'(belfry [^'`]*)'/) {
      result += escaped(rest[..<match.range.lowerBound]) + "`\(match.output.1)`"
      rest = rest[match.range.upperBound...]
    }
    return result + escaped(rest)
  }

  private static func escaped(_ text: Substring) -> String {
    text.map { "\\`*[]<>".contains($0) ? "\\\($0)" : String($0) }.joined()
  }
}
