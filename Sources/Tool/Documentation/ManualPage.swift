import System

/// A manual page of a command.
struct ManualPage {
  /// The filename without the section, such as "belfry-device-run".
  let name: String
  let roff: String
  /// The text for a terminal without `man`: the command's help.
  let text: String

  /// All pages: the overview, the pages for commands with verbs, and a page for each option table.
  static var all: [ManualPage] {
    var pages = [overview]
    for command in Tool.commands {
      let tables = command.tables()
      let name = "belfry-\(command.name)"
      if !tables.contains(where: { pageName($0) == name }) { pages.append(nounPage(command)) }
      pages += tables.map { page(of: $0, command: command) }
    }
    return pages
  }

  private static func pageName(_ table: OptionTable) -> String {
    table.command.split(separator: " ").joined(separator: "-")
  }

  static let exitStatus =
    "0: success; 1: failure; 2: incorrect usage. Errors are printed to standard error."

  /// The environment variables of all commands, with descriptions.
  static let variables = [
    ("XDG_STATE_HOME", "the folder for data (default: ~/.local/state)"),
    ("XDG_RUNTIME_DIR", "the folder that contains the agent's socket"),
    ("BELFRY_SOCKET", "the agent's socket"),
    ("BELFRY_GATEWAY", "the data folder of the gateway that commands use"),
    ("BELFRY_APP_ID", "the ID of an app under development"),
    ("BELFRY_LOCATION_USAGE", "the reason that an app under development needs the location"),
    ("BELFRY_AGENT", "off: apps do not start an agent"),
    ("BELFRY_SOUND_THEME", "the sound theme that contains the default sound"),
    ("BELFRY_RECEIVED", "the file that contains the pushes that test devices receive"),
  ]

  // MARK: - Pages

  private static var overview: ManualPage {
    var roff = head("belfry", "Apple's notification system on Linux, self-hosted")
    roff += ".SH SYNOPSIS\n.B belfry\n.I COMMAND\n[\\fIOPTION\\fR]\(escaped("…"))\n.SH COMMANDS\n"
    for command in Tool.commands {
      roff += ".TP\n.BR belfry\\-\(escaped(command.name)) (1)\n\(line(command.summary))\n"
    }
    roff += """
      .SH EXIT STATUS
      \(exitStatus)
      .SH ENVIRONMENT

      """
    for (name, meaning) in variables { roff += ".TP\n.B \(name)\n\(line(meaning))\n" }
    return ManualPage(
      name: "belfry", roff: roff, text: Tool.help(columns: Output.helpColumns) + "\n")
  }

  private static func nounPage(_ command: Tool.Command) -> ManualPage {
    let name = "belfry-\(command.name)"
    var roff = head(name, command.summary)
    roff += ".SH SYNOPSIS\n"
    let tables = command.tables()
    for (index, table) in tables.enumerated() {
      roff += (index > 0 ? ".br\n" : "") + synopsis(table)
    }
    roff += ".SH SEE ALSO\n"
    roff += tables.map { ".BR \(escaped(pageName($0))) (1)\n" }.joined()
    return ManualPage(
      name: name, roff: roff,
      text: tables.map { $0.help(columns: Output.helpColumns) }.joined(separator: "\n"))
  }

  private static func page(of table: OptionTable, command: Tool.Command) -> ManualPage {
    let name = pageName(table)
    let isWhole = table.command == "belfry \(command.name)"
    var roff = head(
      name, isWhole ? command.summary : CompletionWords.firstSentence(table.summary))
    roff += ".SH SYNOPSIS\n" + synopsis(table)
    roff += ".SH DESCRIPTION\n"
    for paragraph in table.summary.split(separator: "\n\n", omittingEmptySubsequences: true) {
      roff += ".PP\n\(line(String(paragraph)))\n"
    }
    roff += ".SH OPTIONS\n"
    for entry in table.entries {
      roff += ".TP\n\\fB\\-\\-\(escaped(entry.key))\\fR"
      if let value = entry.valueName { roff += " \\fI\(escaped(value))\\fR" }
      var help = entry.help
      if entry.isRepeatable { help += " (repeatable)" }
      if let text = entry.defaultText { help += " [default: \(text)]" }
      roff += "\n\(line(help))\n"
    }
    roff += ".TP\n\\fB\\-\\-help\\fR\nprint a description of the command and its options\n"
    roff += ".SH SEE ALSO\n.BR belfry (1)\n"
    return ManualPage(name: name, roff: roff, text: table.help(columns: Output.helpColumns))
  }

  // MARK: - roff

  private static func head(_ name: String, _ summary: String) -> String {
    """
    .TH \(name.uppercased()) 1 "" "belfry \(Version.current)" "Belfry"
    .SH NAME
    \(escaped(name)) \\- \(line(summary))

    """
  }

  private static func synopsis(_ table: OptionTable) -> String {
    var text = ".B \(escaped(table.command))\n"
    for option in table.requiredOptions { text += "\(line(option))\n" }
    if !table.entries.isEmpty { text += "[\\fIoptions\\fR]\n" }
    if !table.positionals.isEmpty { text += "\(line(table.positionals))\n" }
    return text
  }

  /// Returns the text as a single line that can't be mistaken for a roff request.
  private static func line(_ text: String) -> String {
    "\\&" + escaped(text.split(whereSeparator: \.isNewline).joined(separator: " "))
  }

  /// Returns the number in hexadecimal with at least four digits, as groff_char(7) requires.
  private static func hexadecimal(_ number: UInt32) -> String {
    let digits = String(number, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

  private static func escaped(_ text: String) -> String {
    text.map { character in
      switch character {
      case "\\": "\\e"
      case "-": "\\-"
      case "'": "\\(aq"
      case "^": "\\(ha"
      case "~": "\\(ti"
      case "`": "\\(ga"
      // Plain troff reads one byte per character.
      default:
        character.isASCII
          ? String(character)
          : character.unicodeScalars.map { "\\[u\(hexadecimal($0.value))]" }.joined()
      }
    }.joined()
  }
}
