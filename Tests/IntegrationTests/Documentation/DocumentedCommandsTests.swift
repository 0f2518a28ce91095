import Foundation
import System
import TestSupport
import Testing

@testable import Tool

/// Tests that `belfry` accepts every command line in the documents.
///
/// `FirstFiveMinutesTests` and `DocumentedPagesTests` run the lines.
@Suite struct DocumentedCommandsTests {
  /// The paths of the pages at the top level of the repository, and of every page in `docs`.
  private static let pages: [String] = {
    let docs = FileManager.default.enumerator(atPath: Installation.root + "/docs")
    let names = (docs?.allObjects as? [String]) ?? []
    return ["README.md", "CONTRIBUTING.md", "SECURITY.md", "Tests/Fixtures/releases/README.md"]
      + names.filter { $0.hasSuffix(".md") }.sorted().map { "docs/" + $0 }
  }()

  /// Parses the `words` of a command line with the table of its command; returns an error message, or nil if the words
  /// are valid.
  ///
  /// An excerpt within a sentence can be an incomplete line, so missing parts aren't an error.
  private func fault(in words: [String], isExcerpt: Bool) -> String? {
    let words = words.map { $0.trimmingCharacters(in: CharacterSet(charactersIn: "[]…")) }
      .filter { !$0.isEmpty }
    let line = words.joined(separator: " ")
    guard words.count > 1, words[1] != "COMMAND", !["--help", "--version"].contains(words[1]) else {
      return nil
    }
    let tables = Tool.commands.flatMap { $0.tables() }
    let found = tables.filter { table in
      let command = table.command.split(separator: " ").map(String.init)
      return words.starts(with: command)
    }.max { $0.command.count < $1.command.count }
    guard let found else {
      // A noun without a verb matches the noun with any of its verbs.
      return isExcerpt && tables.contains { $0.command.hasPrefix(line + " ") }
        ? nil : "there is no command for: \(line)"
    }
    do throws(CommandLineOptions.Problem) {
      let count = found.command.split(separator: " ").count
      _ = try CommandLineOptions(words.dropFirst(count), by: found)
      return nil
    } catch {
      switch error {
      case .missingArgument where isExcerpt, .missingValue where isExcerpt: return nil
      default: return "\(line): \(error)"
      }
    }
  }

  /// Returns the command lines of `belfry` in shell text.
  private func commands(_ text: String) -> [[String]] {
    ShellText(text).commands.compactMap { words in
      guard let start = words.firstIndex(where: { $0 == "belfry" || $0.hasSuffix("/belfry") }),
        words[..<start].allSatisfy({ Self.leading.contains($0) || $0.contains("=") })
      else { return nil }
      return Array(words[start...])
    }
  }

  /// The words that can precede a command: a prompt, shell keywords, and programs that start other programs.
  private static let leading: Set = [
    "$", "#", "!", "if", "until", "while", "do", "then", "else", "sudo", "exec", "time",
  ]

  /// Returns the shell blocks of a page, and the excerpts in its sentences.
  private func parts(of page: String) throws -> (blocks: [String], excerpts: [String]) {
    let page = try MarkdownPage(page)
    return (page.blocks.filter(\.isForShell).map(\.text), page.excerpts)
  }

  @Test(arguments: pages)
  func `Commands and options of a page are there`(page: String) throws {
    let (blocks, excerpts) = try parts(of: page)
    for words in blocks.flatMap(commands) {
      let fault = fault(in: words, isExcerpt: false)
      #expect(fault == nil)
    }
    for excerpt in excerpts where excerpt.hasPrefix("belfry ") {
      for words in commands(excerpt) {
        let fault = fault(in: words, isExcerpt: true)
        #expect(fault == nil)
      }
    }
  }

  @Test(arguments: pages)
  func `Targets of make and scripts that a page names are there`(page: String) throws {
    let (blocks, excerpts) = try parts(of: page)
    let makefile = try String(contentsOfFile: Installation.root + "/Makefile", encoding: .utf8)
    let targets = Set(
      makefile.matches(of: /(?m)^([a-z][a-z -]*):/).flatMap { $0.output.1.split(separator: " ") })
    for words in (blocks + excerpts).flatMap({ ShellText($0).commands }) {
      guard let first = words.first else { continue }
      if first == "make", words.count > 1, page != "docs/examples.md" {
        for target in words.dropFirst() where target.wholeMatch(of: /[a-z][a-z-]*/) != nil {
          #expect(targets.contains(Substring(target)), "\(words)")
        }
      } else if first.hasPrefix("scripts/") {
        #expect(FileSystem.exists("\(Installation.root)/\(first)"), "\(words)")
      }
    }
  }

  @Test func `The pages have command lines, and a wrong one is noticed`() throws {
    var count = 0
    for page in Self.pages {
      let (blocks, excerpts) = try parts(of: page)
      count += (blocks + excerpts).flatMap(commands).count
    }
    #expect(count > 150, "\(count)")
    func faults(_ text: String) -> [String] {
      commands(text).compactMap { fault(in: $0, isExcerpt: false) }
    }
    #expect(faults("belfry send T --topic a --title 'b c' > out 2>&1 &").isEmpty)
    #expect(faults("X=$(belfry key jwt) belfry log \"$X\" | head -3; belfry gateway").isEmpty)
    for wrong in [
      "belfry send T --topci a", "belfry sned T", "A=1 belfry gateway --host",
      "true && belfry agnet",
      "X=\"$(belfry key jwt --topic X)\"",
      "belfry test-gateway --app a -- sh -c 'belfry log --flow'",
      "belfry gateway \\\n  --hsot 127.0.0.1", "belfry device list more", "# x\n$ belfry backup",
    ] {
      #expect(faults(wrong).count == 1, "\(wrong)")
    }
  }
}

/// Shell text, parsed into simple commands.
private struct ShellText {
  /// The words of each command, without quotation marks.
  ///
  /// Text within `$(…)` and within the quotes of `sh -c` is also parsed as commands.
  private(set) var commands: [[String]] = []
  private var words: [String] = []
  private var word: String?
  private var isTarget = false

  init(_ text: String) {
    read(Array(text))
    endCommand()
  }

  private mutating func endWord() {
    guard let ended = word else { return }
    word = nil
    // The target of a redirection isn't an argument.
    if isTarget { isTarget = false } else { words.append(ended) }
  }

  private mutating func endCommand() {
    endWord()
    if let place = words.firstIndex(of: "-c"), place > 0, words[place - 1] == "sh",
      place + 1 < words.count
    {
      commands += ShellText(words[place + 1]).commands
    }
    if !words.isEmpty { commands.append(words) }
    words = []
  }

  private mutating func read(_ text: [Character]) {
    var index = 0
    func next(_ offset: Int = 1) -> Character? {
      index + offset < text.count ? text[index + offset] : nil
    }
    while index < text.count {
      let character = text[index]
      switch character {
      case "\\":
        if let escaped = next(), escaped != "\n" { word = (word ?? "") + String(escaped) }
        index += 1
      case "'":
        let end = text[(index + 1)...].firstIndex(of: "'") ?? text.count
        // An apostrophe in a sentence isn't a quotation mark.
        if word != nil, end == text.count { break }
        word = (word ?? "") + String(text[(index + 1)..<end])
        index = end
      case "\"":
        let end = endOfQuote(text, index + 1)
        let quoted = Array(text[(index + 1)..<end])
        word = (word ?? "") + String(quoted).replacing("\\\"", with: "\"")
        substitutions(in: quoted)
        index = end
      case "$" where next() == "(":
        let end = endOfSubstitution(text, index + 2)
        commands += ShellText(String(text[(index + 2)..<end])).commands
        word = (word ?? "") + "$()"
        index = end
      case "#" where word == nil:
        index = (text[index...].firstIndex(of: "\n") ?? text.count) - 1
      case ">", "<":
        if word?.allSatisfy(\.isNumber) == true { word = nil }
        endWord()
        isTarget = true
        while next() == ">" || next() == "&" { index += 1 }
      case " ", "\t": endWord()
      case "|" where word != nil && next().map { $0 != " " && $0 != "|" } == true:
        // The bar separates the values of a choice, as in a synopsis.
        word?.append(character)
      case "\n", ";", "&", "|", "(", ")": endCommand()
      default: word = (word ?? "") + String(character)
      }
      index += 1
    }
  }

  private mutating func substitutions(in quoted: [Character]) {
    var index = 0
    while index + 1 < quoted.count {
      if quoted[index] == "$", quoted[index + 1] == "(" {
        let end = endOfSubstitution(quoted, index + 2)
        commands += ShellText(String(quoted[(index + 2)..<end])).commands
        index = end
      }
      index += 1
    }
  }

  private func endOfQuote(_ text: [Character], _ start: Int) -> Int {
    var index = start
    while index < text.count, text[index] != "\"" {
      if text[index] == "$", index + 1 < text.count, text[index + 1] == "(" {
        index = endOfSubstitution(text, index + 2)
      } else if text[index] == "\\" {
        index += 1
      }
      index += 1
    }
    return min(index, text.count)
  }

  private func endOfSubstitution(_ text: [Character], _ start: Int) -> Int {
    var (index, depth) = (start, 1)
    while index < text.count {
      if text[index] == "(" { depth += 1 }
      if text[index] == ")" {
        depth -= 1
        if depth == 0 { return index }
      }
      index += 1
    }
    return text.count
  }
}
