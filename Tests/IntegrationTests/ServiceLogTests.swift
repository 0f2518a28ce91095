import Foundation
import TestSupport
import Testing

/// What services write to standard error, by `--log-format`.
@Suite(.timeLimit(.minutes(60))) struct ServiceLogTests {
  /// The lines of a gateway from its start to its end.
  private func lines(
    _ scenario: Scenario, _ options: [String], _ environment: [String: String] = [:]
  )
    async throws -> [String]
  {
    let gateway = try await scenario.gateway(options: options, environment: environment)
    try await gateway.stop()
    return gateway.program.errors.split(separator: "\n").map(String.init)
  }

  @Test func `In JSON each line is an object, the ready line too`() async throws {
    try await Scenario.run { scenario in
      let lines = try await lines(scenario, ["--log-format", "json"])
      let values = lines.compactMap { JSONLine($0) }
      #expect(values.count == lines.count)
      let ready = values.first { $0["message"].string == "ready" }
      #expect(ready?["level"].string == "info" && ready?["subsystem"].string == "gateway")
      #expect(ready?["provider"].string?.isEmpty == false)
    }
  }

  @Test func `In logfmt each line begins with its time`() async throws {
    try await Scenario.run { scenario in
      let lines = try await lines(scenario, ["--log-format", "logfmt"])
      #expect(!lines.isEmpty && lines.allSatisfy { $0.hasPrefix("time=20") })
      #expect(
        lines.contains { $0.contains(" level=info subsystem=gateway message=ready provider=") })
    }
  }

  @Test(arguments: [[:], ["JOURNAL_STREAM": "1:2"]] as [[String: String]])
  func `Where standard error is no journal's, lines are text`(environment: [String: String])
    async throws
  {
    try await Scenario.run { scenario in
      let lines = try await lines(scenario, [], environment)
      #expect(lines.contains { $0.contains(" info gateway: ready provider=") })
    }
  }

  @Test func `A form that there is not is refused`() async throws {
    try await Scenario.run { scenario in
      for command in ["gateway", "agent", "provider"] {
        let answer = try await scenario.belfryCommand(
          [command, "--log-format", "xml"], succeeding: false)
        #expect(answer.status == 2)
        #expect(answer.errors.contains("text or logfmt or json or journal"), "\(answer.errors)")
      }
    }
  }
}
