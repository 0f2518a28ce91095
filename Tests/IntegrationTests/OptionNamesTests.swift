import System
import TestSupport
import Testing

@testable import Tool

/// Tests that one table gives an option the same name everywhere: on the command line, in the help, in the manual, in
/// three shells, in the file, and in the environment.
@Suite struct OptionNamesTests {
  private static let tables = Tool.commands.flatMap { $0.tables() }

  private func keys<Output>(
    _ text: String, _ pattern: Regex<Output>, _ key: (Output) -> Substring
  ) -> [String] { text.matches(of: pattern).map { String(key($0.output)) } }

  /// Returns the lines of a script, from the line that contains `start` to the next line that contains `end`.
  private func part(of script: String, from start: String, to end: String) -> String {
    let lines = script.split(separator: "\n", omittingEmptySubsequences: false)
    guard let first = lines.firstIndex(where: { $0.contains(start) }) else { return "" }
    let rest = lines[first...]
    let last = rest.firstIndex { $0.contains(end) } ?? rest.endIndex
    return rest[...min(last, rest.endIndex - 1)].joined(separator: "\n")
  }

  @Test
  func `Help, manual and the completions of three shells name the same options, in one order`() {
    let (zsh, fish, bash) = (
      ZshCompletion.script(CompletionWords.all), FishCompletion.script(CompletionWords.all),
      BashCompletion.script(CompletionWords.all)
    )
    var count = 0
    for table in Self.tables {
      let wanted = table.options.map(\.key)
      count += wanted.count
      let name = table.command.replacing(" ", with: "-")
      #expect(keys(table.help, /(?m)^ {2}--([a-z0-9-]+)/) { $0.1 } == wanted, "\(name): help")
      let page = ManualPage.all.first { $0.name == name }?.roff ?? ""
      let shown = keys(page, /(?m)^\\fB\\-\\-([a-z0-9\\-]+)\\fR/) { $0.1 }
        .map { $0.replacing("\\-", with: "-") }
      #expect(shown.filter { $0 != "help" } == wanted, "\(name): manual")
      let inZsh = part(of: zsh, from: "    \"\(table.command)\")", to: ";;")
      #expect(
        keys(inZsh, /'\*--([a-z0-9-]+)[=\[]/) { $0.1 }.filter { $0 != "help" } == wanted,
        "\(name): zsh")
      let inFish = fish.split(separator: "\n").filter {
        $0.contains("'__belfry_at \\'\(table.command)\\''")
      }.joined(separator: "\n")
      #expect(
        keys(inFish, #/ -l ([a-z0-9-]+) /#) { $0.1 }.filter { $0 != "help" } == wanted,
        "\(name): fish")
      let lines = bash.split(separator: "\n")
      let place = lines.firstIndex(of: "      \"\(table.command)\")")
      let inBash = place.map { String(lines[$0 + 1]) } ?? ""
      #expect(
        keys(inBash, /--([a-z0-9-]+)/) { $0.1 }.filter { $0 != "help" } == wanted,
        "\(name): bash")
    }
    #expect(count > 200)
  }

  private static let typedOnly: Set = ["config", "check-config", "recover"]

  @Test
  func `Each gateway option can be set by its environment variable, and unknown ones are reported`()
    throws
  {
    let options = GatewayCommand.table.options.filter { !Self.typedOnly.contains($0.key) }
    let variables = options.map {
      "BELFRY_GATEWAY_" + $0.key.uppercased().replacing("-", with: "_")
    }
    let layers = try LayeredOptions(
      [], by: GatewayCommand.table, prefix: GatewaySettings.variablePrefix,
      environment: { variables.contains($0) ? "x" : nil },
      names: variables + ["BELFRY_GATEWAY_PROVIDER_PROT"])
    for option in options { #expect(layers.options.values(option.key) == ["x"], "\(option.key)") }
    #expect(layers.warnings.count == 1)
    #expect(layers.warnings.first?.contains("BELFRY_GATEWAY_PROVIDER_PORT") == true)
  }

  @Test
  func `Each gateway option can be set by its name in the file, and unknown ones are refused`()
    throws
  {
    let folder = try ScratchFolder()
    let options = GatewayCommand.table.options.filter { !Self.typedOnly.contains($0.key) }
    let file = folder.file("gateway.yaml")
    func layers(_ lines: [String]) throws -> LayeredOptions {
      try FileSystem.write(Array(lines.joined(separator: "\n").utf8), to: file, mode: 0o600)
      return try LayeredOptions(
        ["--config", file], by: GatewayCommand.table, prefix: GatewaySettings.variablePrefix,
        environment: { _ in nil }, names: [])
    }
    let good = try layers(options.map { "\($0.key): x" })
    try good.requireFaultless()
    for option in options { #expect(good.options.values(option.key) == ["x"], "\(option.key)") }
    #expect(throws: LayeredOptions.Failure.self) {
      try layers(["provider-prot: 1"]).requireFaultless()
    }
    for key in Self.typedOnly {
      #expect(throws: LayeredOptions.Failure.self, "\(key)") {
        try layers(["\(key): x"]).requireFaultless()
      }
    }
  }
}
