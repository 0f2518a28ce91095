import Foundation
import TestSupport
import Testing

/// Runs `Tests/Conformance/run-vectors` against the gateway of this build, once for all cases.
private actor Vectors {
  static let shared = Vectors()
  private var run: Task<[String: String?], any Error>?

  /// Returns, for each case, the reason why it failed, or `nil` if it passed.
  func results() async throws -> [String: String?] {
    let task =
      run
      ?? Task {
        // The run takes two minutes and mostly waits, so it doesn't count as a running test.
        try await Scenario.run(needsPlace: false) { scenario in
          let result = try await scenario.command(
            [
              TestTool.python.required(), Installation.root + "/Tests/Conformance/run-vectors",
              Installation.belfry,
            ], succeeding: false, within: .seconds(1_800))
          var results: [String: String?] = [:]
          for line in result.values {
            if let id = line["id"].string { results[id] = .some(line["why"].string) }
          }
          guard !results.isEmpty else {
            throw ProgramFailure.unreadable("no case was run: \(result.errors)")
          }
          return results
        }
      }
    run = task
    return try await task.value
  }
}

@Suite(.timeLimit(.minutes(60))) struct ConformanceTests {
  private static func lines(_ name: String) -> [String] {
    let file = Installation.root + "/Tests/Conformance/" + name
    let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }

  private static let expected = Set(lines("expected-to-pass.txt"))
  private static let vectors = lines("vectors.jsonl").compactMap { JSONLine($0)?["id"].string }
  private static let own = lines("own.jsonl").compactMap { line in
    JSONLine(line).flatMap { line in
      line["id"].string.map { Own(id: $0, what: line["what"].string ?? "") }
    }
  }

  /// An additional case of the same kind as the vectors.
  struct Own: Sendable, CustomTestStringConvertible {
    let id: String
    let what: String

    var testDescription: String { "\(id) \(what)" }
  }

  /// Runs one test per case; the case's identifier is the name of the test.
  ///
  /// If a case is not expected to pass yet, its test reports the gateway's actual behavior. Once the case passes,
  /// `run-vectors --learn` adds it to the list.
  @Test(.requires(.python), arguments: vectors)
  func `a case of Apple's service is answered as Apple answers it`(_ id: String) async throws {
    let result = try await Vectors.shared.results()[id]
    let why = try #require(result, "the case \(id) was not run")
    guard !Self.expected.contains(id) else {
      #expect(why == nil, "\(id): \(why ?? "")")
      return
    }
    withKnownIssue("\(id) is not expected to pass yet", isIntermittent: true) {
      #expect(why == nil, "\(id): \(why ?? "")")
    }
  }

  /// Runs the additional cases, each of which must pass.
  @Test(.requires(.python), arguments: own)
  func `a case of our own is answered as it says`(_ own: Own) async throws {
    let result = try await Vectors.shared.results()[own.id]
    let why = try #require(result, "the case \(own.id) was not run")
    #expect(why == nil, "\(own): \(why ?? "")")
  }

  @Test(.requires(.python))
  func `An unknown command or an invalid JSON payload ends the binary connection with a status`()
    async throws
  {
    for id in ["L15", "Y06"] {
      let why = try #require(try await Vectors.shared.results()[id])
      // S3-8
      #expect(why == nil, "\(id): \(why ?? "")")
    }
  }

  @Test func `every expected case is one of the vectors`() {
    #expect(Self.expected.isSubset(of: Set(Self.vectors)))
    #expect(Self.vectors.count == 120)
  }
}
