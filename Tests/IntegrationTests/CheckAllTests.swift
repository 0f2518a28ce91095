import Foundation
import TestSupport
import Testing

/// Tests of `scripts/check-all` in a separate repository, whose Makefile determines which checks pass.
@Suite(.timeLimit(.minutes(60))) struct CheckAllTests {
  private struct Repository {
    let scenario: Scenario
    let root: URL

    /// Creates a repository whose Makefile passes every target except `failing`.
    init(_ scenario: Scenario, failing: String) async throws {
      self.scenario = scenario
      root = URL(fileURLWithPath: scenario.folder.file("repository"))
      for folder in ["scripts", "docs"] {
        try FileManager.default.createDirectory(
          at: root.appendingPathComponent(folder), withIntermediateDirectories: true)
      }
      try FileManager.default.copyItem(
        atPath: Installation.root + "/scripts/check-all", toPath: file("scripts/check-all"))
      try "/.build/\n/ran\n".write(toFile: file(".gitignore"), atomically: true, encoding: .utf8)
      try write(failing: failing)
      try await git("init", "-q")
      try await commit()
    }

    func file(_ name: String) -> String { root.appendingPathComponent(name).path }

    func write(failing: String) throws {
      let makefile = "Makefile: ;\n%:\n\t@echo $@ >>ran; test $@ != \(failing)\n"
      try makefile.write(toFile: file("Makefile"), atomically: true, encoding: .utf8)
    }

    func git(_ words: String...) async throws {
      _ = try await scenario.command(
        ["/usr/bin/env", "git", "-C", root.path, "-c", "user.name=A", "-c", "user.email=a@b.c"]
          + words)
    }

    func commit() async throws {
      try await git("add", "-A")
      try await git("commit", "-q", "--allow-empty", "-m", "A commit")
    }

    func checkAll(_ options: String...) async throws -> (status: Int32, output: String) {
      let result = try await scenario.command(
        ["/usr/bin/env", "python3", file("scripts/check-all")] + options, succeeding: false)
      return (result.status, result.output + result.errors)
    }

    /// Returns the targets that ran since the last call.
    func ran() throws -> [String] {
      let text = (try? String(contentsOfFile: file("ran"), encoding: .utf8)) ?? ""
      try? FileManager.default.removeItem(atPath: file("ran"))
      return text.split(separator: "\n").map(String.init)
    }
  }

  @Test
  func
    `A run continues with the checks that have not passed on this commit, and records each result`()
    async throws
  {
    try await Scenario.run { scenario in
      let repository = try await Repository(scenario, failing: "fuzz")
      let first = try await repository.checkAll("--only", "lint", "oracle", "fuzz")
      #expect(
        first.status == 1 && first.output.contains("fuzz               failed"), "\(first.output)")
      #expect(try repository.ran() == ["lint", "oracle", "fuzz"])
      let record = try String(contentsOfFile: repository.file("docs/checks.tsv"), encoding: .utf8)
      #expect(record.contains("oracle\tpassed\t") && record.contains("fuzz\tfailed\t"))

      // A commit that contains only the record leaves the results of the previous commit valid.
      try await repository.commit()
      _ = try await repository.checkAll("--only", "lint", "oracle", "fuzz")
      #expect(try repository.ran() == ["fuzz"])

      // A change in the project makes all checks due.
      try repository.write(failing: "nothing")
      try await repository.commit()
      let third = try await repository.checkAll("--only", "lint", "oracle", "fuzz")
      #expect(third.status == 0, "\(third.output)")
      #expect(try repository.ran() == ["lint", "oracle", "fuzz"])
    }
  }

  @Test
  func `A commit may be released once every check has passed on it`() async throws {
    try await Scenario.run { scenario in
      let repository = try await Repository(scenario, failing: "nothing")
      _ = try await repository.checkAll("--skip", "mutate")
      let lacking = try await repository.checkAll("--release")
      #expect(lacking.status == 1 && lacking.output == "mutate: never run", "\(lacking.output)")
      _ = try await repository.checkAll()
      #expect(try await repository.checkAll("--release").status == 0)
      try repository.write(failing: "fuzz")
      try await repository.commit()
      let stale = try await repository.checkAll("--release")
      #expect(stale.status == 1 && stale.output.contains("fuzz: passed on "), "\(stale.output)")
    }
  }

  @Test
  func `A tree with uncommitted changes is refused, since the record names the commit`()
    async throws
  {
    try await Scenario.run { scenario in
      let repository = try await Repository(scenario, failing: "nothing")
      try repository.write(failing: "fuzz")
      let result = try await repository.checkAll()
      #expect(result.status == 1 && result.output.contains("uncommitted changes"), "\(result)")
      #expect(try repository.ran() == [])
    }
  }
}
