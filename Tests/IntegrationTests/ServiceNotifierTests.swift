import TestSupport
import Testing

/// The gateway as a service of systemd's; a script stands for systemd, which does not run where tests do.
@Suite(.timeLimit(.minutes(10)), .requires(.python)) struct ServiceNotifierTests {
  @Test func `the service manager is told of the start, of each turn and of the stop`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway(wrapper: [
        TestTool.python.required(), Installation.root + "/Tests/Clients/service-manager",
      ])
      _ = try await gateway.program.text("READY=1")
      for _ in 0..<3 { _ = try await gateway.program.text("WATCHDOG=1") }
      #expect(try await gateway.program.stop() == 0)
      _ = try await gateway.program.text("STOPPING=1")
    }
  }
}
