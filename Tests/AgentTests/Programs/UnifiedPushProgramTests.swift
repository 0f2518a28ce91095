import BelfryWire
import Foundation
import Glibc
import PushWire
import System
import TestSupport
import Testing

@testable import Agent

/// Tests of the UnifiedPush distributor in `belfry agent`, with a minimal gateway and an app on a test's own bus.
@Suite("belfry agent as a UnifiedPush distributor", .serialized)
struct UnifiedPushProgramTests {
  private static let tooth = "org.example.Tooth"

  /// Runs a test with a bus, a gateway, and the environment of an agent on that bus.
  private func run(
    origin: String = "https://push.example.org",
    _ body: (Scenario, ServiceScenario, LinkGatewayThread, [String: String]) async throws -> Void
  ) async throws {
    try await Scenario.run { scenario in
      let address = try await scenario.bus()
      let gateway = try LinkGatewayThread()
      gateway.with {
        $0.settings.environment = .sandbox
        $0.settings.webPushOrigin = origin
      }
      try await body(
        scenario, try ServiceScenario(address), gateway, ["DBUS_SESSION_BUS_ADDRESS": address])
    }
  }

  /// Waits until the distributor's name has an owner.
  private func awaitName(_ bus: ServiceScenario, _ app: TestConnector) throws {
    var owner = ""
    try app.bus.followOwner(of: UnifiedPushService.name) { owner = $0 }
    #expect(bus.run { !owner.isEmpty })
  }

  @Test(.requires(.dbus))
  func `Registrations and messages survive a kill of the agent`() async throws {
    try await run { scenario, bus, gateway, environment in
      let agent = try await AgentProgramTests.agent(
        scenario, gateway: gateway, environment: environment)
      let app = try TestConnector(bus, name: Self.tooth)
      try awaitName(bus, app)
      app.register()
      #expect(bus.run { !app.endpoints.isEmpty })
      #expect(app.outcome == ["REGISTRATION_SUCCEEDED", nil])
      #expect(app.endpoints.first?.endpoint.hasPrefix("https://push.example.org/push/") == true)
      // A message that the app does not acknowledge is acknowledged to the gateway, because it is on the disk.
      app.behavior = .refuses
      let handle = UInt32(TokenKind.webPush.rawValue)
      #expect(gateway.with { $0.links.last?.deliver(1, handle: handle, payload: [7]) } == true)
      #expect(bus.run { !app.messages.isEmpty })
      #expect(bus.run { gateway.with { $0.settled == [1] } })
      let list = try await scenario.belfryCommand(["unifiedpush", "list", "--json"])
      let row = try #require(JSONLine(list.output))
      #expect(row["service"].string == Self.tooth && row["waiting"].integer == 1)
      #expect(row["endpoint"].string == app.endpoints.first?.endpoint)
      agent.signal(SIGKILL)
      _ = try await agent.end()
      app.behavior = .acknowledges
      _ = try await AgentProgramTests.agent(
        scenario, gateway: gateway, environment: environment)
      #expect(bus.run { app.messages.count == 2 })
      #expect(app.messages[0] == app.messages[1])
      #expect(app.messages[0].id == "00000000-0000-0002-0000-000000000001")
      app.register()
      #expect(bus.run { app.endpoints.count == 2 })
      #expect(app.endpoints[0] == app.endpoints[1])
      let test = try await scenario.belfryCommand(["unifiedpush", "test"])
      #expect(test.lines.count == 6)
      _ = try await scenario.belfryCommand(["unifiedpush", "remove", "t"])
      #expect(bus.run { app.unregistered == ["t"] })
      let doctor = try await scenario.belfryCommand(["doctor"], succeeding: false)
      #expect(doctor.output.contains(/ok +UnifiedPush +0 registrations/))
    }
  }

  @Test(.requires(.dbus))
  func `Without a Web Push service, the log names the gateway's option`() async throws {
    try await run(origin: "") { scenario, bus, gateway, environment in
      let agent = try await AgentProgramTests.agent(
        scenario, gateway: gateway, environment: environment)
      let app = try TestConnector(bus, name: Self.tooth)
      try awaitName(bus, app)
      #expect(try await agent.event("link")["state"].string == "up")
      app.register()
      #expect(bus.run { !app.results.isEmpty })
      #expect(app.outcome == ["REGISTRATION_FAILED", "ACTION_REQUIRED"])
      #expect(agent.errors.contains("--web-push-port"))
      let test = try await scenario.belfryCommand(["unifiedpush", "test"], succeeding: false)
      #expect(test.status == 1 && test.errors.contains("--web-push-port"))
    }
  }

  @Test(.requires(.dbus))
  func `The distributor can be turned off`() async throws {
    try await run { scenario, bus, gateway, environment in
      _ = try await AgentProgramTests.agent(
        scenario, ["--unifiedpush", "off"], gateway: gateway, environment: environment)
      let app = try TestConnector(bus, name: Self.tooth)
      app.register()
      #expect(bus.run { !app.failures.isEmpty })
      #expect(app.failures.first?.name == "org.freedesktop.DBus.Error.NameHasNoOwner")
    }
  }
}
