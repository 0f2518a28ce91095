import Foundation
import TestSupport
import Testing

/// Tests that send strings with combining marks to running services and limit the services' processor time.
///
/// Swift's comparison of strings would take minutes for a single string of this size.
@Suite(.timeLimit(.minutes(60)), .requires(.python)) struct CombiningMarksTests {
  /// The limit, in milliseconds of processor time, for all requests of a test.
  ///
  /// A debug build needs a tenth of this time.
  private let processorMillisecondsMax = 20_000

  private func send(
    _ scenario: Scenario, _ verb: String, _ place: String, _ pid: Int
  ) async throws -> JSONLine {
    let result = try await scenario.command(
      [
        TestTool.python.required(), Installation.root + "/Tests/Clients/marks-client", verb, place,
        "\(pid)",
      ], within: TestTimeout.long)
    return try #require(result.values.last, "\(result.errors)")
  }

  @Test
  func `a console answers others beside eight bodies of combining marks, and ends`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let pid = try #require(gateway.ready["pid"].integer)
      let line = try await send(scenario, "session", "\(gateway.port("console"))", pid)
      #expect(line["ready"].integer == 200, "\(line)")
      let statuses = line["statuses"].array.compactMap(\.integer)
      #expect(
        statuses.count == 8 && statuses.allSatisfy { [400, 401, 429].contains($0) }, "\(line)")
      #expect(try #require(line["milliseconds"].integer) < processorMillisecondsMax, "\(line)")
      gateway.program.signal(SIGTERM)
      try await gateway.program.end()
    }
  }

  @Test
  func `an agent answers apps beside frames of combining marks`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let pid = try #require(agent.ready["pid"].integer)
      let line = try await send(scenario, "agent", agent.socket, pid)
      #expect(line["greeted"].boolean == true, "\(line)")
      #expect(line["answered"].integer == line["asked"].integer, "\(line)")
      #expect(try #require(line["milliseconds"].integer) < processorMillisecondsMax, "\(line)")
      #expect(agent.program.isRunning)
    }
  }
}
