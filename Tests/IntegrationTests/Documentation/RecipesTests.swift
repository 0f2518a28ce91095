import Foundation
import TestSupport
import Testing

/// Tests that run the shell lines and the Python file of the pages in `docs/recipes` unchanged.
@Suite struct RecipesTests {
  /// Returns the blocks of a page in one language, in order.
  private func blocks(of page: String, _ language: String) throws -> [String] {
    let blocks = try MarkdownPage("docs/recipes/\(page).md").blocks
    let texts = blocks.filter { $0.language == language }.map(\.text)
    try #require(!texts.isEmpty)
    return texts
  }

  @Test func `Each page of the list is there, and each with shell lines is run here`() throws {
    let pages = try FileManager.default.contentsOfDirectory(
      atPath: Installation.root + "/docs/recipes")
    #expect(
      pages.map { String($0.prefix { $0 != "." }) }.sorted()
        == ["README", "ci", "coming-from-pushy", "script-app", "tests"])
    // The lines on these two pages need a hosted runner or containers, so the pages have no shell blocks.
    for page in ["README", "ci"] {
      #expect(
        try MarkdownPage("docs/recipes/\(page).md").blocks.allSatisfy { !$0.isForShell }, "\(page)")
    }
  }

  @Test func `The script of an app is valid, and answers the lines that wait for an answer`()
    async throws
  {
    let script = try blocks(of: "script-app", "bash").joined(separator: "\n")
    for event in ["willPresent", "received", "response"] {
      #expect(script.contains("\(event))"), "\(event)")
    }
    try await Scenario.run { scenario in
      let file = scenario.folder.file("burger")
      try script.write(toFile: file, atomically: true, encoding: .utf8)
      _ = try await scenario.command(["/bin/bash", "-n", file])
    }
  }

  @Test(.requires(.python)) func `Recipes for tests of a sender`() async throws {
    let python = try TestTool.python.required()
    try await Scenario.run { scenario in
      let home = try await DocumentationHome(scenario)
      _ = try await scenario.script("bin/python3", "exec \(python) \"$@\"")
      try blocks(of: "tests", "python").joined(separator: "\n\n")
        .write(toFile: home.file("push_tests.py"), atomically: true, encoding: .utf8)
      // The run stops with an error at the first line that fails.
      let answer = try await home.run(blocks(of: "tests", "sh").joined(separator: "\n"))
      #expect(answer.errors.contains(#/Ran [0-9]+ tests/#), "\(answer.errors)")
      #expect(answer.output.contains(#""status":410"#), "\(answer.output)")
      #expect(answer.output.contains("TooManyRequests"), "\(answer.output)")
      #expect(answer.output.contains(#""collapseID":"greeting""#), "\(answer.output)")
    }
  }

  @Test(.requires(.curl)) func `The admin API in place of a mock server's handlers`() async throws {
    try await Scenario.run { scenario in
      let home = try await DocumentationHome(scenario)
      let answer = try await home.run(
        blocks(of: "coming-from-pushy", "sh").joined(separator: "\n"))
      let push = answer.values.first { $0["status"].integer == 410 }
      #expect(push?["timestamp"].integer == 1_700_000_000_000, "\(answer.output)")
      #expect(answer.output.contains(#""state":"Refused""#), "\(answer.output)")
    }
  }
}
