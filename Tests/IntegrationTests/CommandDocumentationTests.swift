import Foundation
import System
import TestSupport
import Testing

@testable import Tool

/// Tests of completions and manual pages, which are generated from the same tables as the commands' help.
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
        [groff, "-man", "-ww", "-z", "-Tutf8"] + files.map { folder + "/" + $0 })
      #expect(answer.errors.isEmpty, "\(answer.errors)")
    }
  }

  @Test func `A page is printed by its command's words, and a wrong word has a suggestion`()
    async throws
  {
    try await Scenario.run { scenario in
      let page = try await scenario.belfryCommand(["man", "device", "run"])
      #expect(page.lines.first?.hasPrefix(".TH BELFRY-DEVICE-RUN 1 ") == true)
      _ = try await scenario.belfryCommand(["man", "gateway", "check-config"])
      let wrong = try await scenario.belfryCommand(["man", "agnet"], succeeding: false)
      #expect(wrong.status == 2 && wrong.errors.contains("belfry-agent"))
      let shell = try await scenario.belfryCommand(["completions", "csh"], succeeding: false)
      #expect(shell.status == 2)
    }
  }

  @Test(.requires(.man), arguments: [true, false])
  func `On a terminal a page is shown as text, with man and without it`(hasMan: Bool) async throws {
    try await Scenario.run { scenario in
      let command = "\(hasMan ? "" : "PATH=/nonexistent ")\(Installation.belfry) man device invite"
      let page = try await scenario.command(
        ["script", "--quiet", "--return", "--command", command, "/dev/null"],
        environment: ["MANPAGER": "cat", "TERM": "dumb"])
      #expect(page.output.contains("belfry") && page.output.contains("0600"), "\(page.output)")
      #expect(page.output.contains("BELFRY-DEVICE-INVITE(1)") == hasMan, "\(page.output)")
      #expect(!page.output.contains(".TH") && !page.output.contains("\\-"), "\(page.output)")
      let source = try await scenario.command(
        [
          "script", "--quiet", "--return", "--command",
          "\(Installation.belfry) man --format roff device invite", "/dev/null",
        ])
      #expect(source.output.hasPrefix(".TH BELFRY-DEVICE-INVITE 1 "), "\(source.output)")
    }
  }

  @Test func `The reference in docs/commands is what the option tables say`() async throws {
    try await Scenario.run { scenario in
      let folder = scenario.folder.file("commands")
      _ = try await scenario.belfryCommand(["man", "--format", "markdown", "--out", folder])
      let committed = Installation.root + "/docs/commands"
      let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      #expect(try FileManager.default.contentsOfDirectory(atPath: committed).sorted() == names)
      #expect(names.count == Tool.commands.count + 1)
      for name in names {
        let isCurrent = FileManager.default.contentsEqual(
          atPath: "\(folder)/\(name)", andPath: "\(committed)/\(name)")
        #expect(
          isCurrent,
          "docs/commands/\(name): run .build/debug/belfry man --format markdown --out docs/commands"
        )
      }
      let printed = try await scenario.belfryCommand(["man", "--format", "markdown", "device"])
      #expect(printed.lines.contains("## belfry device invite"))
    }
  }

  /// Completes a line in a real bash and returns the suggested words.
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
      // Bash doesn't suggest options of other commands.
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

  @Test func `A failed write is an error, but a reader that closes the pipe early is not`()
    async throws
  {
    try await Scenario.run { scenario in
      for words in ["--help", "--version", "man", "completions bash", "agent --help"] {
        let full = try await scenario.command(
          ["/bin/sh", "-c", "\(Installation.belfry) \(words) > /dev/full"], succeeding: false)
        #expect(full.status == 1, "\(words)")
        #expect(full.errors.contains("cannot write the output (No space"), "\(full.errors)")
        let closed = try await scenario.command(
          ["/bin/sh", "-c", "\(Installation.belfry) \(words) >&-"], succeeding: false)
        #expect(closed.status == 1, "\(words)")
      }
      let head = try await scenario.command(
        ["/bin/sh", "-c", "trap '' PIPE; \(Installation.belfry) completions bash | head -1"])
      #expect(head.errors.isEmpty && head.lines.count == 1)
    }
  }

  @Test(arguments: [
    ["notify", "list"], ["notify", "next"], ["notify", "cancel"], ["center", "open"],
    ["center", "action"], ["center", "dismiss"], ["clock", "set"], ["clock", "zone"],
    ["gateway", "status"], ["gateway", "check-config"],
  ])
  func `A verb has help of its own`(words: [String]) async throws {
    try await Scenario.run { scenario in
      let help = try await scenario.belfryCommand(words + ["--help"])
      #expect(help.lines.first?.hasPrefix("usage: belfry \(words.joined(separator: " "))") == true)
      #expect(try await scenario.belfryCommand(["help"] + words).output == help.output)
    }
  }

  @Test func `The help covers every command, and a wrong word gets advice`() async throws {
    try await Scenario.run { scenario in
      let help = try await scenario.belfryCommand(["--help"]).output
      #expect(help.contains("--version"))
      #expect(help.contains("show its status or check its configuration"))
      let gateway = try await scenario.belfryCommand(["gateway", "--help"]).output
      #expect(gateway.contains("gateway status") && gateway.contains("gateway check-config"))
      let wrong = try await scenario.belfryCommand(["gateway", "stat"], succeeding: false)
      #expect(wrong.status == 2 && wrong.errors.contains("did you mean 'status'?"))
      let bare = try await scenario.belfryCommand(["status"], succeeding: false)
      #expect(bare.errors.contains("did you mean 'belfry gateway status'"), "\(bare.errors)")
      for id in ["nope", "../../x"] {
        for verb in ["pause", "status"] {
          let campaign = try await scenario.belfryCommand(
            ["campaign", verb, id], succeeding: false)
          let error = "invalid campaign ID '\(id)': 'belfry campaign list' lists the campaigns"
          #expect(campaign.status == 2 && campaign.errors.contains(error))
        }
      }
      let registry = scenario.folder.file("registry")
      try FileManager.default.createDirectory(
        atPath: registry, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      try String(repeating: "a", count: 64).write(
        toFile: registry + "/admin-token", atomically: true, encoding: .utf8)
      let unknown = try await scenario.belfryCommand(
        ["campaign", "status", "000000000000", "--data", registry],
        succeeding: false)
      #expect(
        unknown.status == 1
          && unknown.errors.contains("'belfry campaign list' lists the campaigns"))
    }
  }

  @Test(arguments: ["", "HOME=relative"])
  func `Without a HOME, a command reports it and fails unless its folders are specified`(
    home: String
  ) async throws {
    try await Scenario.run { scenario in
      let environment = "env -u HOME -u XDG_STATE_HOME -u XDG_RUNTIME_DIR -u BELFRY_SOCKET \(home)"
      for words in ["gateway --provider-port 0", "agent", "team list", "provider"] {
        let answer = try await scenario.command(
          ["/bin/sh", "-c", "exec \(environment) \(Installation.belfry) \(words)"],
          succeeding: false)
        #expect(
          answer.status == 1 && answer.errors.contains("belfry: HOME is "), "\(answer.errors)")
      }
      // The command needs no home folder if its folders are specified.
      let data = scenario.folder.file("agent")
      let ready = scenario.folder.file("ready")
      let agent = try scenario.start([
        "/bin/sh", "-c",
        "exec \(environment) \(Installation.belfry) agent --data \(data) --socket \(data).sock "
          + "--ready-file \(ready) --presenter json",
      ])
      _ = try await ScratchFolder.contents(of: ready) { !agent.isRunning }
      #expect(try await agent.stop() == 0, "\(agent.errors)")
      // The folders of the test gateway and its devices are in the temporary folder.
      let run = try await scenario.command(
        [
          "/bin/sh", "-c",
          "exec \(environment) \(Installation.belfry) test-gateway --app com.example.app -- true",
        ], environment: ["TMPDIR": scenario.folder.path], succeeding: false)
      #expect(run.status == 0, "\(run.errors)")
    }
  }

  @Test func `The help of every command fits a terminal with 80 columns`() {
    for table in Tool.commands.flatMap({ $0.tables() }) {
      let help = table.help(columns: 80)
      let words = { (text: String) in text.split(whereSeparator: \.isWhitespace) }
      #expect(words(help) == words(table.help))
      // A long word is whole.
      #expect(
        help.split(separator: "\n").allSatisfy {
          $0.count <= 80 || !$0.drop(while: { $0 == " " }).contains(" ")
        }, "\(help)")
    }
    #expect(AppCommand.help(columns: 80).split(separator: "\n").allSatisfy { $0.count <= 80 })
    #expect(AppCommand.help(columns: nil).hasPrefix("usage: belfry app run APP_ID [OPTION]…    "))
    let lines = Tool.help(columns: 80).split(separator: "\n")
    #expect(
      lines.allSatisfy { $0.count <= 80 || $0.hasSuffix("\(DocumentationFolder.path ?? "").") })
  }

  @Test func `Help that is printed to a terminal is wrapped to its width`() async throws {
    let (columns, lines) = (60, 24)
    try await Scenario.run { scenario in
      let answer = try await scenario.command([
        "/usr/bin/script", "-qec",
        "stty cols \(columns) rows \(lines); \(Installation.belfry) settings --help", "/dev/null",
      ])
      #expect(answer.lines.count > 10, "\(answer.output)")
      #expect(
        answer.lines.allSatisfy { $0.filter { $0 != "\r" }.count <= columns }, "\(answer.output)")
    }
  }

  @Test func `The help names the folder of the documents`() async throws {
    try await Scenario.run { scenario in
      let last = try #require(try await scenario.belfryCommand(["--help"]).lines.last)
      let folder = try #require(last.firstMatch(of: /.* are in (.*)\.$/)).1
      #expect(FileSystem.exists(folder + "/provider.md"), "\(last)")
    }
  }

  @Test func `The version has the commit`() async throws {
    try await Scenario.run { scenario in
      let version = try await scenario.belfryCommand(["--version"]).output
      #expect(version.hasPrefix("belfry \(Version.current)"))
      // A copy of the source without its repository has no commit.
      let isRepository = FileSystem.exists(Installation.root + "/.git")
      #expect((version.firstMatch(of: /^belfry [0-9.]+ \([0-9a-f]{10}\)$/) != nil) == isRepository)
    }
  }
}
