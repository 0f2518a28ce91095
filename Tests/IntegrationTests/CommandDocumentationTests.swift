import Foundation
import System
import TestSupport
import Testing

@testable import Tool

/// Completions and manual pages: made of the same tables as the commands' own help.
@Suite struct CommandDocumentationTests {
  private static let shells = ["bash", "zsh", "fish"]

  @Test func `Every command names its tables, and a table's words are its own command's`() {
    for command in Tool.commands {
      let tables = command.tables()
      #expect(!tables.isEmpty, "\(command.name)")
      for table in tables {
        let words = table.command.split(separator: " ")
        #expect(words.count > 1 && words[0] == "belfry" && words[1] == command.name)
      }
    }
  }

  @Test func `Every command, verb and option is in every shell's completions`() {
    let scripts = [
      "bash": BashCompletion.script(CompletionWords.all),
      "zsh": ZshCompletion.script(CompletionWords.all),
      "fish": FishCompletion.script(CompletionWords.all),
    ]
    for table in Tool.commands.flatMap({ $0.tables() }) {
      for shell in Self.shells {
        let script = scripts[shell] ?? ""
        #expect(script.contains(table.command), "\(shell): \(table.command)")
        for entry in table.entries {
          let option = shell == "fish" ? " -l \(entry.key) " : "--\(entry.key)"
          #expect(script.contains(option), "\(shell): \(table.command) \(option)")
        }
      }
    }
  }

  @Test func `Every command and option has its place in a page, which its list of pages names`() {
    let pages = ManualPage.all
    #expect(Set(pages.map(\.name)).count == pages.count)
    let overview = pages.first?.roff ?? ""
    func roff(_ text: String) -> String { text.replacingOccurrences(of: "-", with: "\\-") }
    for command in Tool.commands {
      #expect(overview.contains("belfry\\-\(roff(command.name)) (1)"), "\(command.name)")
      #expect(pages.contains { $0.name == "belfry-\(command.name)" })
      for table in command.tables() {
        let name = table.command.replacingOccurrences(of: " ", with: "-")
        let page = pages.first { $0.name == name }?.roff ?? ""
        for entry in table.entries {
          #expect(page.contains("\\-\\-\(roff(entry.key))\\fR"), "\(name) \(entry.key)")
        }
      }
    }
  }

  @Test func `groff has nothing to say against any page`() async throws {
    try await Scenario.run { scenario in
      guard let groff = try? await scenario.command(["/bin/sh", "-c", "command -v groff"]).output
      else { return }
      let folder = scenario.folder.file("man")
      _ = try await scenario.belfryCommand(["man", "--out", folder])
      let files = try FileManager.default.contentsOfDirectory(atPath: folder)
      #expect(files.count == ManualPage.all.count)
      let answer = try await scenario.command(
        [groff, "-man", "-ww", "-z", "-Tutf8", "-Kutf8"] + files.map { folder + "/" + $0 })
      #expect(answer.errors.isEmpty, "\(answer.errors)")
    }
  }

  @Test func `A page is printed by its command's words, and a wrong word has a suggestion`()
    async throws
  {
    try await Scenario.run { scenario in
      let page = try await scenario.belfryCommand(["man", "device", "run"])
      #expect(page.lines.first?.hasPrefix(".TH BELFRY-DEVICE-RUN 1 ") == true)
      let wrong = try await scenario.belfryCommand(["man", "agnet"], succeeding: false)
      #expect(wrong.status == 2 && wrong.errors.contains("belfry-agent"))
      let shell = try await scenario.belfryCommand(["completions", "csh"], succeeding: false)
      #expect(shell.status == 2)
    }
  }

  /// Completes a line in a real bash; the words that it offers.
  private func complete(_ scenario: Scenario, _ words: [String]) async throws -> [String] {
    let script = scenario.folder.file("completion")
    if !FileSystem.exists(script) {
      let text = try await scenario.belfryCommand(["completions", "bash"]).output
      try text.write(toFile: script, atomically: true, encoding: .utf8)
    }
    return try await scenario.command(
      [
        "/bin/bash", "-c",
        #"source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _belfry; printf '%s\n' "${COMPREPLY[@]}""#,
        script,
      ] + words
    ).lines
  }

  @Test func `bash completes commands, verbs, options, their values, and files`() async throws {
    try await Scenario.run { scenario in
      #expect(try await complete(scenario, ["belfry", "gate"]) == ["gateway"])
      #expect(try await complete(scenario, ["belfry", "device", "inv"]) == ["invite"])
      #expect(try await complete(scenario, ["belfry", "agent", "--pres"]) == ["--presenter"])
      #expect(
        try await complete(scenario, ["belfry", "agent", "--presenter", ""])
          == ["desktop", "terminal", "json"])
      #expect(
        try await complete(scenario, ["belfry", "gateway", "--environment", "=", "pro"])
          == ["production"])
      #expect(try await complete(scenario, ["belfry", "center", "act"]) == ["action"])
      #expect(try await complete(scenario, ["belfry", "completions", "f"]) == ["fish"])
      let file = scenario.folder.file("some file")
      try Data().write(to: URL(fileURLWithPath: file))
      let start = scenario.folder.file("some")
      #expect(try await complete(scenario, ["belfry", "agent", "--ca", start]) == [file])
      // Options of another command are not offered.
      #expect(try await complete(scenario, ["belfry", "agent", "--feedback"]) == [""])
    }
  }

  @Test func `Each shell that is installed takes its script`() async throws {
    try await Scenario.run { scenario in
      for shell in Self.shells {
        let found = try await scenario.command(
          ["/bin/sh", "-c", "command -v \(shell)"], succeeding: false)
        guard found.status == 0 else { continue }
        let file = scenario.folder.file(shell)
        let script = try await scenario.belfryCommand(["completions", shell]).output
        try script.write(toFile: file, atomically: true, encoding: .utf8)
        let answer = try await scenario.command([found.output, "-n", file])
        #expect(answer.errors.isEmpty, "\(shell): \(answer.errors)")
      }
    }
  }

  @Test func `The version has the commit`() async throws {
    try await Scenario.run { scenario in
      let version = try await scenario.belfryCommand(["--version"]).output
      #expect(version.hasPrefix("belfry \(Version.current)"))
      // A copy of the source without its repository has none.
      let isRepository = FileSystem.exists(Installation.root + "/.git")
      #expect((version.firstMatch(of: /^belfry [0-9.]+ \([0-9a-f]{10}\)$/) != nil) == isRepository)
    }
  }
}
