import Foundation
import Testing

/// Holds docs/conformance.md to what it says.
@Suite struct ConformanceTableTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private func rows() throws -> [[String]] {
    let text = try String(
      contentsOf: Self.root.appendingPathComponent("docs/conformance.md"), encoding: .utf8)
    return text.split(separator: "\n").filter { $0.hasPrefix("| S") && $0.contains("-") }
      .map { line in
        line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      }
      .filter { $0.count == 4 }
  }

  @Test
  func `The table has all 212 statements in order`() throws {
    let counts = [56, 75, 23, 34, 24]
    let numbers = counts.enumerated().flatMap { set, count in
      (1...count).map { "S\(set)-\($0)" }
    }
    #expect(try rows().map { $0[0] } == numbers)
  }

  @Test
  func `What is said to hold has a test that bears its number`() throws {
    for row in try rows() where row[1] == "holds" {
      let tests = row[3].split(separator: ",").map {
        $0.trimmingCharacters(in: CharacterSet(charactersIn: " `"))
      }
      #expect(!tests.isEmpty, "\(row[0]) names no test")
      for test in tests {
        let file = Self.root.appendingPathComponent("Tests/\(test).swift")
        let text = try? String(contentsOf: file, encoding: .utf8)
        let number = try Regex("\\b\(row[0])\\b")
        #expect(text?.contains(number) == true, "\(test) does not show \(row[0])")
      }
    }
  }
}
