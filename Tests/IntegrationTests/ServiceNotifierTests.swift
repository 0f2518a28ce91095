import System
import TestSupport
import Testing

/// Tests of services under systemd.
///
/// A script acts as systemd, because systemd doesn't run in test environments.
@Suite(.timeLimit(.minutes(60)), .requires(.python)) struct ServiceNotifierTests {
  @Test func `the service manager gets the start, watchdog and stop notifications`()
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

  private func manager() throws -> [String] {
    [try TestTool.python.required(), Installation.root + "/Tests/Clients/service-manager"]
  }

  @Test func `so it is by the registry of an app's maker`() async throws {
    try await Scenario.run { scenario in
      let provider = try scenario.start(
        try manager() + [
          Installation.belfry, "provider", "--port", "0", "--data",
          scenario.folder.file("registry"),
        ])
      _ = try await provider.text("READY=1")
      for _ in 0..<3 { _ = try await provider.text("WATCHDOG=1") }
      #expect(try await provider.stop() == 0)
      _ = try await provider.text("STOPPING=1")
    }
  }

  @Test func `the first app that connects starts the agent, which leaves the socket to systemd`()
    async throws
  {
    try await Scenario.run { scenario in
      // The default socket of apps and commands.
      let socket = scenario.folder.file("agent.sock")
      let service = try scenario.start(
        try manager() + ["--listen", socket, Installation.belfry, "agent", "--gateway", "none"])
      _ = try await service.text("LISTENING=1")
      let state = try await scenario.belfryCommand(["state", "--json"])
      #expect(state.values.first?["locked"].string != nil, "\(state.output)")
      _ = try await service.text("READY=1")
      #expect(try await service.stop() == 0, "\(service.errors)")
      #expect(FileSystem.exists(socket))
    }
  }

  @Test func `a socket where no app connects is refused`() async throws {
    try await Scenario.run { scenario in
      let socket = scenario.folder.file("other.sock")
      let service = try scenario.start(
        try manager() + ["--listen", socket, Installation.belfry, "agent", "--gateway", "none"])
      _ = try await service.text("LISTENING=1")
      let knock = try Socket.connect(unixPath: socket)
      defer { Socket.close(knock) }
      #expect(try await service.end() == 1)
      #expect(service.errors.contains("agent.sock, where apps connect"), "\(service.errors)")
    }
  }
}
