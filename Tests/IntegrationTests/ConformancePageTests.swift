import Foundation
import TestSupport
import Testing

/// Tests of `scripts/conformance`, which writes docs/conformance.md and reports invalid tags and rows.
@Suite(.timeLimit(.minutes(60))) struct ConformancePageTests {
  /// Runs the script on a folder that contains two statements and one test with the given body; also returns the
  /// generated page.
  private func check(
    _ body: String, test: String = "@Test func `It works`()", rest: String = "",
    rows: String = "S0-1\t\tA\tone\nS0-2\t\tB\ttwo\n", mutants: String? = nil,
    change: (URL) throws -> Void = { _ in }
  ) async throws -> (status: Int32, output: String, page: String) {
    try await Scenario.run { scenario in
      let root = URL(fileURLWithPath: scenario.folder.file("repository"))
      let page = root.appendingPathComponent("docs/conformance.md")
      for (file, text) in [
        (
          "docs/conformance.md",
          "<!-- scripts/conformance: counts -->\n<!-- end -->\n"
            + "<!-- scripts/conformance: statements -->\n<!-- end -->\n"
        ),
        ("docs/conformance/statements.tsv", "number\tstate\twhat it says\twhat was built\n" + rows),
        (
          "Tests/SomeTests/SomeTests.swift",
          "struct SomeTests {\n\(test) {\n\(body)\n}\n\(rest)\n}\n"
        ),
        ("Sources/TestSupport/Nothing.swift", ""),
      ] + (mutants.map { [("docs/conformance/mutants.tsv", $0)] } ?? []) {
        let place = root.appendingPathComponent(file)
        try FileManager.default.createDirectory(
          at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: place, atomically: true, encoding: .utf8)
      }
      let script = [
        "/usr/bin/env", "python3", Installation.root + "/scripts/conformance", "--root", root.path,
      ]
      _ = try await scenario.command(script, succeeding: false)
      try change(page)
      let result = try await scenario.command(script + ["--check"], succeeding: false)
      return (result.status, result.output, try String(contentsOf: page, encoding: .utf8))
    }
  }

  @Test
  func `Each row has its state and its tests`() async throws {
    let both = try await check("// S0-1\n#expect(a == b)\n// S0-2 in part: half\n#expect(b == c)")
    #expect(both.status == 0, "\(both.output)")
    let link = "[SomeTests](../Tests/SomeTests/SomeTests.swift): It works"
    #expect(both.page.contains("| S0-1 | shown | A | one | \(link) |"))
    #expect(both.page.contains("| S0-2 | in part | B | two | \(link) (in part: half) |"))
    #expect(both.page.contains("| shown | 1 |"))
    let parts = try await check(
      "// S0-1 part 1 of 2: this\n// S0-2 part 1 of 2: this\n#expect(a)\n"
        + "// S0-1 part 2 of 2: that\n#expect(b)")
    #expect(parts.page.contains("| S0-1 | shown |") && parts.page.contains("| S0-2 | in part |"))
    let none = try await check("#expect(a)", rows: "S0-1\tadvice\tA\tone\nS0-2\tprovider\tB\ttwo\n")
    #expect(none.page.contains("| S0-1 | advice | A | one | – |"))
    #expect(none.page.contains("| S0-2 | not shown | B | two | – |"))
  }

  @Test
  func `Once mutants were run, a statement is shown only if one makes its expectation fail`()
    async throws
  {
    let place = "Tests/SomeTests/SomeTests.swift\tIt works"
    let result = try await check(
      "// S0-1\n#expect(a == b)\n// S0-2\n#expect(b == c)",
      mutants: "# on 0123456789ab\nS0-1\t\(place)\tkilled\tA.swift\t== becomes !=\ta == b\n"
        + "S0-2\t\(place)\tsurvived\t\t\t\n")
    #expect(result.status == 0, "\(result.output)")
    #expect(result.page.contains("| S0-1 | shown |") && result.page.contains("| S0-2 | in part |"))
    #expect(result.page.contains("It works (no mutant makes it fail) |"))
    let never = try await check("// S0-1\n#expect(a == b)", mutants: "# on 0123456789ab\n")
    #expect(never.page.contains("| S0-1 | in part |"))
  }

  @Test
  func `A tagged call of a helper counts only if the helper has an expectation`() async throws {
    let helper = "func look() throws { try #require(a) }\nfunc wait() throws { try a() }"
    #expect(try await check("// S0-1\ntry look()", rest: helper).status == 0)
    #expect(try await check("// S0-1\ntry wait()", rest: helper).status == 1)
    #expect(try await check("try look()\n// S0-1\n", rest: helper).status == 1)
  }

  @Test(arguments: [
    ("// S0-1", "no expectation follows"),
    ("// S0-1\nlet a = b", "no expectation follows"),
    ("#expect(a)\n// S0-1", "no expectation follows"),
    ("// S0-1\nlet a = 1\n// S0-2\n#expect(a)", "no expectation follows the tag S0-1"),
    ("// S0-1\n// #expect(a)", "no expectation follows"),
    ("// S0-1\n/* #expect(a) */", "no expectation follows"),
    ("// S0-1\nlet a = \"\\(f(\"#expect(b)\"))\"", "no expectation follows"),
    ("// S0-1\n#expect(true)", "no expectation follows"),
    ("// S0-1: because\n#expect(a)", "is not a tag"),
    ("// S0-1 in part\n#expect(a)", "is not a tag"),
    ("// S0-1 part 3 of 2: what\n#expect(a)", "invalid part: 3 of 2"),
    ("#expect(a)  // S0-1", "a tag must be on its own line"),
    ("// S0-3\n#expect(a)", "S0-3 has no row"),
  ])
  func `A tag that shows nothing is refused`(_ body: String, _ complaint: String) async throws {
    let result = try await check(body)
    #expect(result.status == 1)
    #expect(result.output.contains(complaint), "\(result.output)")
  }

  @Test
  func `Tags outside enabled tests, numbers in test names and invalid rows are rejected`()
    async throws
  {
    let body = "// S0-1\n#expect(a)"
    let helper = try await check(body, test: "func it()")
    #expect(helper.output.contains("a tag must be in the body of a test"))
    let disabled = try await check(body, test: "@Test(.disabled(\"later\")) func it()")
    #expect(disabled.output.contains("is disabled"))
    let named = try await check("#expect(a)", test: "@Test func `S0-1 it works`()")
    #expect(named.output.contains("a number in a test's name is not a tag"))
    let advised = try await check(body, rows: "S0-1\tadvice\tA\tone\nS0-2\t\tB\ttwo\n")
    #expect(advised.output.contains("S0-1 is “advice”"))
    let missing = try await check(body, rows: "S0-1\t\tA\tone\nS0-3\t\tC\tthree\n")
    #expect(missing.output.contains("S0-3 does not follow S0-1"))
    let wordless = try await check(body, rows: "S0-1\t\t\tone\nS0-2\t\tB\ttwo\n")
    #expect(wordless.output.contains("number, state, statement, implementation"))
    for result in [helper, disabled, named, advised, missing, wordless] {
      #expect(result.status == 1)
    }
  }

  @Test
  func `A page that was changed by hand is stale`() async throws {
    let result = try await check("// S0-1\n#expect(a)") { page in
      let text = try String(contentsOf: page, encoding: .utf8)
      try text.replacing("not shown | B", with: "shown | B").write(
        to: page, atomically: true, encoding: .utf8)
    }
    #expect(result.status == 1)
    #expect(result.output.contains("outdated"), "\(result.output)")
  }

  @Test
  func `The page says what the tags say, of all 212 statements`() async throws {
    let page = try String(
      contentsOfFile: Installation.root + "/docs/conformance.md", encoding: .utf8)
    let numbers = page.matches(of: #/\n\| (S\d-\d+) \|/#).map { String($0.1) }
    let counts = [56, 75, 23, 34, 24]
    #expect(
      numbers
        == counts.enumerated().flatMap { document, count in
          (1...count).map { "S\(document)-\($0)" }
        })
    let result = try await Scenario.run { scenario in
      try await scenario.command(
        ["/usr/bin/env", "python3", Installation.root + "/scripts/conformance", "--check"],
        succeeding: false)
    }
    #expect(result.status == 0, "\(result.output)")
  }
}
