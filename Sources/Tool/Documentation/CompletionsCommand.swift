import System

/// `belfry completions`: prints shell completion scripts, which are generated from the commands' option tables.
enum CompletionsCommand {
  static let table = OptionTable(
    command: "belfry completions",
    summary: """
      Prints a script that completes commands, options and values in a shell. To install the script for the
      current user, run the command for your shell:

      belfry completions bash > ~/.local/share/bash-completion/completions/belfry

      belfry completions zsh > "${fpath[1]}/_belfry"

      belfry completions fish > ~/.config/fish/completions/belfry.fish
      """,
    positionals: "bash|zsh|fish", positionalCount: 1...1, [])

  static func run(_ arguments: [String]) -> Int32 {
    table.run(arguments) { options in
      let words = CompletionWords.all
      switch options.positionals[0] {
      case "bash": Output.text(BashCompletion.script(words))
      case "zsh": Output.text(ZshCompletion.script(words))
      case "fish": Output.text(FishCompletion.script(words))
      case let other:
        Output.error("no completions for '\(other)'", do: "use bash, zsh or fish")
        return 2
      }
      return 0
    }
  }
}

/// The words that are possible at a position on a command line, which is after `belfry`, after a command, or after one
/// of its verbs.
struct CompletionWords {
  /// An option at that position.
  struct Option {
    let key: String
    let help: String
    /// True if the option is followed by a value.
    let takesValue: Bool
    /// The literal words that are valid values.
    let choices: [String]
    /// True if the value is the path of a file or folder.
    let isPath: Bool
  }

  /// The preceding words, such as "belfry device run".
  let path: String
  /// The possible next words, each with a line of help.
  var verbs: [(name: String, help: String)] = []
  var options: [Option] = []
  /// True if the arguments are paths of files.
  var takesFiles = false

  /// All positions, starting with `belfry`.
  static var all: [CompletionWords] {
    var places = ["belfry": CompletionWords(path: "belfry")]
    var order = ["belfry"]
    for command in Tool.commands {
      places["belfry"]?.verbs.append((command.name, command.summary))
      for table in command.tables() {
        var path = "belfry"
        for word in table.command.split(separator: " ").dropFirst() {
          let parent = path
          path += " \(word)"
          if places[path] == nil {
            places[path] = CompletionWords(path: path)
            order.append(path)
            if parent != "belfry" {
              places[parent]?.verbs.removeAll { $0.name == word }
              places[parent]?.verbs.append((String(word), firstSentence(table.summary)))
            }
          }
        }
        places[path]?.add(table)
      }
    }
    return order.compactMap { places[$0] }
  }

  private mutating func add(_ table: OptionTable) {
    options = table.entries.map { entry in
      let name = entry.valueName ?? ""
      return Option(
        key: entry.key, help: entry.help, takesValue: entry.valueName != nil,
        choices: Self.choices(name), isPath: Self.isPath(name))
    }
    options.append(
      Option(
        key: "help", help: "print a description of the command and its options", takesValue: false,
        choices: [], isPath: false))
    takesFiles = Self.isPath(table.positionals)
    verbs += Self.choices(table.positionals).filter { word in !verbs.contains { $0.name == word } }
      .map { ($0, "") }
  }

  /// Returns the literal values in an option value's name, such as `on` and `off` in `on|off`.
  private static func choices(_ name: String) -> [String] {
    guard name.contains("|"), !name.contains("=") else { return [] }
    return name.split(whereSeparator: { "|[] ".contains($0) }).map(String.init).filter { word in
      word.allSatisfy { $0.isLowercase && $0.isASCII || $0.isNumber || $0 == "-" }
        && word.contains { $0.isLetter || $0.isNumber }
    }
  }

  private static func isPath(_ name: String) -> Bool {
    ["FILE", "DIR", "PATH"].contains { name.contains($0) }
  }

  /// Returns the first sentence of a summary on one line, without its period.
  static func firstSentence(_ text: String) -> String {
    let line = text.split(separator: "\n").joined(separator: " ")
    guard let end = line.firstRange(of: ". ") else {
      return line.hasSuffix(".") ? String(line.dropLast()) : line
    }
    return String(line[..<end.lowerBound])
  }
}
