import Foundation
import Testing

/// Tests that docs/examples.md agrees with the existing programs and tests.
@Suite struct ExamplesPageTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private func names(in folder: String, suffix: String = "") throws -> Set<String> {
    let found = try FileManager.default.contentsOfDirectory(
      atPath: Self.root.appendingPathComponent(folder).path)
    return Set(found.filter { $0.hasSuffix(suffix) }.map { String($0.dropLast(suffix.count)) })
  }

  @Test
  func `The page names every program, and each in the row of a test that runs it`() throws {
    let page = try String(
      contentsOf: Self.root.appendingPathComponent("docs/examples.md"), encoding: .utf8)
    let tests = try names(in: "Tests/IntegrationTests/Examples", suffix: ".swift")
    let programs = try names(in: "Examples/Sources")
    var named: Set = ["Narration"]
    for line in page.split(separator: "\n") where line.hasPrefix("| ") {
      let words = Set(line.matches(of: /`(\w+)`/).map { String($0.1) })
      let files = words.intersection(tests)
      for program in words.intersection(programs) {
        named.insert(program)
        let runs = try files.contains { file in
          let path = "Tests/IntegrationTests/Examples/\(file).swift"
          return try String(
            contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8
          ).contains("\"\(program)\"")
        }
        #expect(runs, "no test in the row runs \(program)")
      }
    }
    #expect(named == programs)
  }
}
