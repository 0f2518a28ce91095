import Foundation
import System
import TestSupport
import Testing
import Transport

/// Tests of rotations with real devices, which keep the same command line throughout (docs/operations/rotate.md).
@Suite(.timeLimit(.minutes(60))) struct RotationTests {
  fileprivate static let topic = "com.example.app"

  /// The clients of a gateway, with a copy of its first `ca.pem`.
  private struct Clients {
    let scenario: Scenario
    let gateway: GatewayProgram
    let copy: String

    init(_ scenario: Scenario, _ gateway: GatewayProgram) throws {
      self.scenario = scenario
      self.gateway = gateway
      copy = scenario.folder.file("copy.pem")
      try FileSystem.write(FileSystem.read(gateway.caFile, limit: 65_536), to: copy)
    }

    func device(_ name: String) throws -> DevicesProgram {
      try scenario.devices(
        name, of: gateway, topics: [RotationTests.topic],
        joining: [
          "--gateway", "\(gateway.host):\(gateway.port("device"))", "--ca", copy, "--enroll",
          gateway.enrollmentCode,
        ])
    }

    /// Sends a push from a provider that trusts `ca`, and returns the status.
    func send(_ text: String, to token: String, trusting ca: String? = nil) async throws -> Int? {
      let result = try await scenario.belfryCommand(
        [
          "send", token, "--topic", RotationTests.topic, "--body", text, "--gateway",
          "\(gateway.host):\(gateway.port("provider"))", "--ca", ca ?? copy, "--key",
          gateway.keyFile, "--key-id", gateway.keyID, "--team", gateway.teamID,
        ], succeeding: false)
      return result.lines.first.flatMap { JSONLine($0) }?["status"].integer
    }

    func run(_ words: String...) async throws -> Scenario.CommandResult {
      try await scenario.belfryCommand(words + ["--data", gateway.data], succeeding: false)
    }

    func lines(_ words: String...) async throws -> [JSONLine] {
      try await scenario.belfryCommand(words + ["--json", "--data", gateway.data]).lines
        .compactMap { JSONLine($0) }
    }

    /// Waits until `count` devices have presented a certificate of the new authority.
    func wait(forDevices count: Int) async throws {
      try await Scenario.wait("\(count) devices with a certificate of the new authority") {
        try await lines("ca", "list").last?["devices"].integer == count
      }
    }
  }

  private func end(_ devices: DevicesProgram) async throws {
    devices.program.tell(#"{"do":"exit"}"#)
    #expect(try await devices.program.end() == 0)
  }

  @Test func `authority and token key are rotated under devices, and none of them is lost`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let clients = try Clients(scenario, gateway)
      var here = try clients.device("here")
      let firstToken = try await here.token()
      var away = try clients.device("away")
      let awayToken = try await away.token()
      try await end(away)

      let both = try await clients.lines("ca", "rotate")
      #expect(both.map { $0["signs"].string } == ["server", "devices, providers"])
      let keys = try await clients.lines("token-key", "rotate")
      #expect(keys.map { $0["seals"].boolean } == [true, false])
      let former = try #require(keys.last?["id"].string)
      try await clients.wait(forDevices: 1)
      // The copy of the previous ca.pem and the previous token are still valid.
      #expect(try await clients.send("during", to: firstToken) == 200)
      #expect(try await clients.send("during", to: firstToken, trusting: gateway.caFile) == 200)
      _ = try await here.received()
      let early = try await clients.run("ca", "finish")
      #expect(early.status == 1 && early.errors.contains("1 of 2 devices"), "\(early)")
      let tooEarly = try await clients.run("token-key", "retire", former)
      #expect(
        tooEarly.status == 1 && tooEarly.errors.contains("invalidates"), "\(tooEarly)")
      let status = try await clients.lines("gateway", "status").first
      #expect(status?["nextAuthorityEndsAt"].string != nil)

      // Simulate a crash in the middle of the rotation, with a device that is offline throughout.
      try await gateway.crash()
      _ = try await scenario.restart(gateway)
      away = try clients.device("away")
      try await clients.wait(forDevices: 2)
      let finished = try await clients.lines("ca", "finish")
      #expect(finished.count == 1 && finished.first?["devices"].integer == 2)
      #expect(try await clients.send("after", to: awayToken, trusting: gateway.caFile) == 200)
      _ = try await away.received()
      // A provider that didn't receive the new ca.pem no longer trusts the gateway.
      #expect(try await clients.send("after", to: awayToken) == nil)

      // Both devices restart with the files that they received initially.
      try await end(here)
      try await end(away)
      here = try clients.device("here")
      away = try clients.device("away")
      let token = try await here.token()
      _ = try await away.token()
      #expect(token != firstToken)
      #expect(try await clients.send("again", to: firstToken, trusting: gateway.caFile) == 200)
      _ = try await here.received()
      try await Scenario.wait("the old key to have no tokens") {
        try await clients.lines("token-key", "list").last?["tokens"].integer == 0
      }
      #expect(try await clients.lines("token-key", "retire", former).count == 1)
      #expect(try await clients.send("dead", to: firstToken, trusting: gateway.caFile) == 400)
      #expect(try await clients.send("live", to: token, trusting: gateway.caFile) == 200)
    }
  }

  @Test func `a forced rotation locks out an offline device, which can enroll again`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let clients = try Clients(scenario, gateway)
      let device = try clients.device("device")
      _ = try await device.token()
      let number = try #require(
        try await clients.lines("device", "list").first?["device"].integer)
      try await end(device)
      _ = try await clients.lines("ca", "rotate")
      let refused = try await clients.run("ca", "finish")
      #expect(refused.status == 1 && refused.errors.contains("(\(number)"), "\(refused)")
      #expect(refused.errors.contains("'belfry device revoke DEVICE'"), "\(refused)")
      let finished = try await clients.lines("ca", "finish", "--force")
      #expect(finished.map { $0["devices"].integer } == [0])
      #expect(finished.map { $0["lockedOut"].integer } == [1])

      let lost = try clients.device("device")
      _ = try await lost.program.event("link") { $0["state"].string == "down" }
      #expect(try await lost.program.stop() == 0)
      #expect(lost.program.errors.contains("do not trust the CA"), "\(lost.program.errors)")
      let back = try scenario.devices("device", of: gateway, topics: [Self.topic])
      _ = try await back.token()
      let listed = try await clients.lines("ca", "list")
      #expect(listed.map { $0["devices"].integer } == [1])
    }
  }

  @Test func `a revoked device gets no new certificate, and holds nothing up`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let clients = try Clients(scenario, gateway)
      let device = try clients.device("device")
      _ = try await device.token()
      let number = try #require(try await clients.lines("device", "list").first?["device"])
      #expect(try await clients.run("device", "revoke", "\(number.integer ?? 0)").status == 0)
      try await device.program.end()
      _ = try await clients.lines("ca", "rotate")
      // The device reconnects with its certificate and is refused.
      let again = try clients.device("device")
      #expect(try await again.program.end() == 1)
      let finished = try await clients.lines("ca", "finish")
      #expect(finished.map { $0["devices"].integer } == [0])
    }
  }

  @Test func `the deploy hook of the page puts another certificate there, which is shown at once`()
    async throws
  {
    try await Scenario.run { scenario in
      let page = try FileSystem.read(
        Installation.root + "/docs/operations/rotate.md", limit: 1 << 20)
      let target = scenario.folder.file("tls")
      let hook = try #require(
        String(decoding: page, as: UTF8.self).components(separatedBy: "```sh\n").dropFirst().first?
          .components(separatedBy: "```").first
      )
      .replacingOccurrences(of: "-o belfry -g belfry ", with: "")
      .replacingOccurrences(of: "/var/lib/belfry/tls", with: target)
      let lineage = scenario.folder.file("lineage")
      let now = SystemClock.unixMilliseconds / 1_000
      let authority = try CertificateAuthority.make(
        commonName: "Public", nameConstraints: .init(hostNames: ["push.example.org"]), now: now)
      func deploy(days: Int) async throws {
        let issued = try authority.issueServer(
          names: ["push.example.org"], addresses: [], now: now, days: days)
        try FileSystem.makeDirectories(lineage)
        try FileSystem.write(issued.certificateChainPEM, to: lineage + "/fullchain.pem")
        try FileSystem.write(issued.privateKeyPEM, to: lineage + "/privkey.pem")
        _ = try await scenario.command(
          ["/bin/sh", "-c", hook], environment: ["RENEWED_LINEAGE": lineage])
      }
      try await deploy(days: 30)
      #expect(try FileSystem.mode(of: target + "/privkey.pem") == 0o600)
      let gateway = try await scenario.gateway(options: [
        "--server-certificate", target + "/fullchain.pem", "--server-key", target + "/privkey.pem",
      ])
      let clients = try Clients(scenario, gateway)
      func end() async throws -> String? {
        try await clients.lines("gateway", "status").first?["ownCertificateEndsAt"].string
      }
      let first = try await end()
      try await deploy(days: 90)
      try await Scenario.wait("the new certificate") { try await end() != first }
    }
  }

  @Test func `a stopped gateway is rotated too, and a second rotation waits for the first`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let clients = try Clients(scenario, gateway)
      try await gateway.stop()
      #expect(try await clients.lines("ca", "rotate").count == 2)
      #expect(try await clients.run("ca", "rotate").status == 1)
      #expect(try await clients.lines("ca", "finish").count == 1)
      #expect(try await clients.run("ca", "finish").status == 1)
      #expect(try await clients.run("token-key", "retire", "00000000").status == 1)
      let sealing = try #require(
        try await clients.lines("token-key", "list").first?["id"].string)
      #expect(try await clients.run("token-key", "retire", sealing, "--force").status == 1)
      _ = try await scenario.restart(gateway)
      let device = try scenario.devices(of: gateway, topics: [Self.topic])
      _ = try await device.token()
    }
  }
}
