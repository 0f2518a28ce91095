import Glibc
import TestSupport
import Testing

/// Tests that the gateway is notified when an app is removed, even if the agent exits before the gateway is reachable
/// again.
@Suite struct CancelledRegistrationTests {
  private let id = "org.example.burger"

  @Test(arguments: [SIGTERM, SIGKILL])
  func `an app removed while the gateway is away has no token after the agent's restart`(
    signal: Int32
  ) async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let (app, token) = try await scenario.app(id, on: agent)
      func push(_ text: String, to token: String, of gateway: GatewayProgram) async throws
        -> JSONLine
      {
        let sent = try await scenario.belfryCommand(
          ["send", token, "--topic", id, "--body", text, "--gateway", gateway.file],
          succeeding: false)
        return try #require(sent.values.first)
      }
      try await app.stop()
      try await gateway.stop()
      _ = try await agent.program.event("link") { $0["state"].string == "down" }
      _ = try await scenario.belfryCommand(["app", "remove", id, "--socket", agent.socket])
      agent.program.signal(signal)
      try await agent.program.end()

      let back = try await scenario.restart(gateway)
      // Until the gateway is notified, it accepts and stores pushes for the app.
      _ = try await push("for the former installation", to: token, of: back)
      let again = try await scenario.agent(of: back)
      _ = try await again.program.event("link") { $0["state"].string == "up" }
      // The gateway reads messages in order. Once the new app has a token, the cancellation has arrived.
      let (_, new) = try await scenario.app(id, on: again)
      #expect(new != token)
      let refused = try await push("for nobody", to: token, of: back)
      #expect(refused["status"].integer == 410, "\(refused)")
      #expect(try await push("for the new one", to: new, of: back)["status"].integer == 200)
      let shown = try await again.program.event("presented")
      #expect(shown["body"].string == "for the new one")
    }
  }
}
