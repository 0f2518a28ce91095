import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of commands and apps with an agent that is running but doesn't answer.
@Suite struct SilentAgentTests {
  @Test func `A command ends and says so, whatever it asks for`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      agent.program.signal(SIGSTOP)
      let commands = [
        ["notify", "Tea", "--timeout", "2"], ["notify", "list"], ["doctor"], ["settings"],
        ["app", "list"], ["app", "token", "com.example.app"], ["center"], ["clock"],
        ["subscribe", "backups", "--timeout", "2"],
      ]
      let running = try commands.map {
        try scenario.belfry($0 + ["--socket", agent.socket])
      }
      for (command, program) in zip(commands, running) {
        #expect(try await program.end() == 1, "\(command)")
        #expect(
          program.errors.contains("belfry: the agent at "), "\(command): \(program.errors)")
        #expect(program.errors.contains(#"find its process with 'pgrep -af "belfry agent"'"#))
      }
    }
  }

  /// A flood of requests for lists delays only the process that sends the requests.
  @Test(.requires(.python))
  func `It is served beside another process that floods the agent with requests for lists`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let result = try await scenario.command(
        [
          TestTool.python.required(), Installation.root + "/Tests/Clients/list-flood", agent.socket,
        ], within: TestTimeout.long)
      // The client waits for up to 10 s. If processes did not take turns, an answer would take longer.
      let slowest = try #require(result.values.last?["slowest"].integer, "\(result.errors)")
      #expect(slowest < 5_000)
      #expect(agent.program.isRunning)
    }
  }

  @Test func `It is served again once the agent runs on`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let app = try scenario.belfry([
        "app", "run", "com.example.app", "--authorize", "alert", "--socket", agent.socket,
      ])
      _ = try await app.event("authorized")
      agent.program.signal(SIGSTOP)
      let late = try await scenario.belfryCommand(
        ["app", "list", "--socket", agent.socket], succeeding: false)
      #expect(late.status == 1)
      agent.program.signal(SIGCONT)
      let apps = try await scenario.belfryCommand(["app", "list", "--socket", agent.socket])
      #expect(apps.output.contains("com.example.app"))
    }
  }
}
