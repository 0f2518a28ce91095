import TestSupport
import Testing

/// Tests of how a gateway treats a provider that repeatedly causes errors on one connection (apns-protocol 1.11).
@Suite(.timeLimit(.minutes(60)), .requires(.python)) struct ProviderErrorTests {
  private func err(
    _ scenario: Scenario, _ gateway: GatewayProgram, _ reason: String, token: String, count: Int,
    good: Int = 0
  ) async throws -> JSONLine {
    let result = try await scenario.command(
      [
        TestTool.python.required(), Installation.root + "/Tests/Clients/erring-client",
        gateway.file, reason, "com.example.app", token, String(count), String(good),
      ], within: TestTimeout.long)
    return try #require(result.values.last, "\(result.errors)")
  }

  @Test(arguments: [
    ("BadDeviceToken", 250, "too many BadDeviceToken"), ("BadPath", 1_000, "too many errors"),
  ])
  func `too many errors lower the limit of streams, then end the connection with a reason`(
    reason: String, bound: Int, why: String
  ) async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(of: gateway, topics: ["com.example.app"])
      let token = try await devices.token()
      let line = try await err(scenario, gateway, reason, token: token, count: 5_000)
      #expect(line["ended"].boolean == true, "\(line)")
      #expect(line["code"].integer == 11, "ENHANCE_YOUR_CALM: \(line)")
      #expect(line["why"].string == #"{"reason":"\#(why)"}"#, "\(line)")
      // The gateway forgives some errors over time, and answers every request until the connection ends.
      #expect((bound...2 * bound).contains(line["answers"][reason].integer ?? 0), "\(line)")
      let streams = (0..<100).compactMap { line["streams"][$0].integer }
      #expect(streams.starts(with: [1, 1_000, 500, 250]), "\(streams)")
      #expect(streams.last == 7, "\(streams)")
      #expect(gateway.program.errors.contains(why))
      let metrics = try await scenario.command([
        TestTool.curl.required(), "-s", "http://127.0.0.1:\(gateway.port("console"))/metrics",
      ])
      #expect(
        metrics.lines.contains {
          $0.hasPrefix("belfry_provider_connections_ended_total") && $0.hasSuffix(" 1")
        })
      // Another connection, and therefore another provider, is served as usual.
      let answer = try await scenario.push("after", to: token, through: gateway)
      #expect(answer["status"].integer == 200)
    }
  }

  @Test func `a provider that is right as often as wrong is served on and on`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(of: gateway, topics: ["com.example.app"])
      let token = try await devices.token()
      let line = try await err(
        scenario, gateway, "BadDeviceToken", token: token, count: 600, good: 1)
      #expect(line["ended"].boolean == false, "\(line)")
      #expect(line["answers"]["BadDeviceToken"].integer == 600)
      #expect(line["answers"]["200"].integer == 601)
    }
  }

  @Test func `the bounds are options, and 0 is any number`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway(
        options: ["--connection-errors", "0", "--connection-bad-tokens", "20"])
      let devices = try scenario.devices(of: gateway, topics: ["com.example.app"])
      let token = try await devices.token()
      let paths = try await err(scenario, gateway, "BadPath", token: token, count: 1_500)
      #expect(paths["ended"].boolean == false, "\(paths)")
      let tokens = try await err(scenario, gateway, "BadDeviceToken", token: token, count: 100)
      #expect(tokens["ended"].boolean == true, "\(tokens)")
      #expect((20...40).contains(tokens["answers"]["BadDeviceToken"].integer ?? 0), "\(tokens)")
    }
  }
}
