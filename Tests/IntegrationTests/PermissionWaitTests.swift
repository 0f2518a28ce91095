import Foundation
import TestSupport
import Testing

/// Tests of `belfry notify` while it waits for the user's permission, and the wait ends without an answer.
@Suite struct PermissionWaitTests {
  @Test(arguments: [SIGINT, SIGTERM])
  func `An interrupted wait for permission names the notification that still waits`(signal: Int32)
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil, options: ["--grant", "ask"])
      let waiting = try scenario.belfry(["notify", "Tea", "--id", "tea", "--socket", agent.socket])
      try await Scenario.wait("the question") {
        waiting.errors.contains("is waiting for permission")
      }
      waiting.signal(signal)
      #expect(try await waiting.end() == 128 + signal)
      #expect(
        waiting.errors.contains("interrupted: the notification 'tea' still waits for permission"),
        "\(waiting.errors)")
    }
  }

  @Test func `A question without permission in time is withdrawn, and not asked later`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil, options: ["--grant", "ask"])
      let socket = ["--socket", agent.socket]
      let late = try await scenario.belfryCommand(
        ["notify", "Deploy?", "--action", "yes=Deploy", "--timeout", "1"] + socket,
        succeeding: false)
      #expect(late.status == 1 && late.lines.isEmpty)
      #expect(
        late.errors.contains("within 1 s, so the notification was withdrawn"), "\(late.errors)")
      #expect(!late.errors.contains("still waits"), "\(late.errors)")
      _ = try await scenario.belfryCommand(
        ["settings", "belfry.shell", "notifications=on"] + socket)
      for list in [["center", "--json"], ["notify", "list", "--json"]] {
        let left = try await scenario.belfryCommand(list + socket)
        #expect(left.lines.isEmpty, "\(list): \(left.output)")
      }
    }
  }

  @Test func `A command whose agent exits says to run it again`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil, options: ["--grant", "ask"])
      let waiting = try scenario.belfry(["notify", "Tea", "--socket", agent.socket])
      try await Scenario.wait("the question") {
        waiting.errors.contains("is waiting for permission")
      }
      agent.program.signal(SIGKILL)
      #expect(try await waiting.end() == 1)
      #expect(waiting.errors.contains(": run the command again"), "\(waiting.errors)")
      _ = try await agent.program.end()
    }
  }
}
