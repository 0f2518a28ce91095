import TestSupport
import Testing

/// Tests of the output and the warnings of `belfry notify` that depend on the agent's state.
@Suite struct NotifyWarningTests {
  private func notify(
    _ scenario: Scenario, _ agent: AgentProgram, _ words: String...
  ) async throws -> Scenario.CommandResult {
    try await scenario.belfryCommand(["notify"] + words + ["--socket", agent.socket])
  }

  @Test func `Cancelling all covers every app unless one is named, and prints the number`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      for app in ["org.example.one", "org.example.one", "org.example.two", "belfry.shell"] {
        _ = try await notify(scenario, agent, "Tea", "--in=1h", "--app", app)
      }
      let one = try await notify(scenario, agent, "cancel", "--all", "--app", "org.example.one")
      #expect(one.lines == ["cancelled 2 notifications"])
      let others = try await notify(scenario, agent, "cancel", "--all")
      #expect(others.lines == ["cancelled 2 notifications"])
      #expect(try await notify(scenario, agent, "list", "--json").lines.isEmpty)
    }
  }

  @Test func `A notification whose app has no alerts gets a warning`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      #expect(try await notify(scenario, agent, "Tea").errors.isEmpty)
      _ = try await scenario.belfryCommand([
        "settings", "belfry.shell", "alert=off", "--socket", agent.socket,
      ])
      let answer = try await notify(scenario, agent, "Tea")
      #expect(answer.lines.count == 1)
      #expect(answer.errors.contains("belfry settings belfry.shell alert=on"), "\(answer.errors)")
      let badge = try await notify(scenario, agent, "--badge=1")
      #expect(badge.errors.isEmpty, "\(badge.errors)")
    }
  }
}
