import TestSupport
import Testing

/// Tests of silent connections alongside active ones.
@Suite(.timeLimit(.minutes(60)), .requires(.python, .prlimit)) struct ConnectionBoundTests {
  private func idle(
    _ scenario: Scenario, _ gateway: GatewayProgram, on listener: String, _ count: Int,
    first: String = ""
  ) async throws -> RunningProgram {
    let client = try scenario.start(
      [
        TestTool.python.required(), Installation.root + "/Tests/Clients/idle-client", gateway.file,
        listener, String(count), first,
      ], name: "idle-client")
    _ = try await client.event("idle")
    return client
  }

  private func open(_ client: RunningProgram) async throws -> Int {
    client.tell("count")
    return try await client.event("idle")["open"].integer ?? -1
  }

  /// Sends a push repeatedly until it is answered, because the gateway closes a connection to make room only if the
  /// connection is at least two seconds old.
  private func push(
    _ scenario: Scenario, to token: String, _ gateway: GatewayProgram
  ) async throws {
    try await Scenario.wait("a response to a push") {
      try await scenario.push("fresh", to: token, through: gateway)["status"].integer == 200
    }
  }

  private func metric(
    _ name: String, _ scenario: Scenario, _ gateway: GatewayProgram
  ) async throws -> Int {
    let metrics = try await scenario.command([
      TestTool.curl.required(), "-s", "http://127.0.0.1:\(gateway.port("console"))/metrics",
    ])
    let values = metrics.lines.filter { $0.hasPrefix(name) }
      .compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
    return values.reduce(0, +)
  }

  /// Checks that 1,500 silent connections don't use up the process's 1,024 descriptors.
  @Test(arguments: ["provider", "binary", "feedback", "device"])
  func `connections that say nothing leave room for others on every port`(
    listener: String
  ) async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway(
        wrapper: [TestTool.prlimit.required(), "--nofile=1024:1024"])
      let devices = try scenario.devices(of: gateway, topics: ["com.example.app"])
      let token = try await devices.token()
      // These are the first bytes of a TLS record that is never completed.
      _ = try await idle(scenario, gateway, on: listener, 1_500, first: "1603010200")
      try await push(scenario, to: token, gateway)
      #expect(payload(try await devices.received()).contains("fresh"))
      let more = try scenario.devices("more", of: gateway, topics: ["com.example.other"])
      #expect(try await more.token().isEmpty == false)
      #expect(try await metric("belfry_connections_ended_unproven_total ", scenario, gateway) > 0)
      #expect(!gateway.program.errors.contains("Too many open files"))
    }
  }

  /// With 1,024 descriptors, the gateway allows 600 connections that have not proven themselves, and half of that
  /// number from one address.
  @Test func `clients that only complete a handshake cannot exceed the share of their address`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway(
        wrapper: [TestTool.prlimit.required(), "--nofile=1024:1024"])
      let devices = try scenario.devices(of: gateway, topics: ["com.example.app"])
      let token = try await devices.token()
      let client = try await idle(scenario, gateway, on: "provider", 700, first: "tls")
      let held = try await open(client)
      #expect(held <= 300, "\(held) of 700 are open")
      let excess =
        try await metric("belfry_connections_refused_total{bound=\"address\"}", scenario, gateway)
        + metric("belfry_connections_evicted_total ", scenario, gateway)
        // On a busy machine, the time limit of the first connections expires before the last ones connect.
        + metric("belfry_connections_ended_unproven_total ", scenario, gateway)
      #expect(excess >= 400)
      // The connections occupy the share of the address until their time limit expires.
      try await push(scenario, to: token, gateway)
      #expect(payload(try await devices.received()).contains("fresh"))
    }
  }

  @Test func `the limit of descriptors is raised as far as the process may`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway(
        wrapper: [TestTool.prlimit.required(), "--nofile=256:"])
      let pid = try #require(gateway.ready["pid"].integer)
      let limits = try await scenario.command(["/bin/cat", "/proc/\(pid)/limits"])
      let line = try #require(limits.lines.first { $0.hasPrefix("Max open files") })
      let values = line.split(separator: " ").compactMap { Int($0) }
      #expect(values.count == 2 && values[0] == values[1] && values[0] > 256, "\(line)")
    }
  }

  @Test func `the console answers beside 500 that say nothing to it`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let client = try await idle(scenario, gateway, on: "console", 500, first: "474554")
      for path in ["healthz", "readyz", "metrics"] {
        let answer = try await scenario.command([
          TestTool.curl.required(), "-sf", "--max-time", "20",
          "http://127.0.0.1:\(gateway.port("console"))/\(path)",
        ])
        #expect(answer.status == 0, "\(path)")
      }
      #expect(try await open(client) <= 128)
    }
  }

  /// Checks that both record layers carry the same notifications.
  ///
  /// A metric shows which layer carried them.
  @Test(arguments: ["own", "openssl"])
  func `the record layer that was chosen is the one that is used`(layer: String) async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway(options: ["--record-layer", layer])
      let devices = try scenario.devices(of: gateway, topics: ["com.example.app"])
      let token = try await devices.token()
      let answer = try await scenario.push("hello", to: token, through: gateway)
      #expect(answer["status"].integer == 200, "\(answer)")
      #expect(payload(try await devices.received()).contains("hello"))
      let other = layer == "own" ? "openssl" : "own"
      let counter = "belfry_device_connections_total{records="
      #expect(try await metric(counter + "\"\(layer)\"}", scenario, gateway) >= 2)
      #expect(try await metric(counter + "\"\(other)\"}", scenario, gateway) == 0)
    }
  }
}
