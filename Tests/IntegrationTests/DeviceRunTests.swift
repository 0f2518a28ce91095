import Foundation
import TestSupport
import Testing
import Transport

/// Tests of `belfry device run` as a program, with a minimal gateway (`docs/virtual-devices.md`).
@Suite struct DeviceRunTests {
  @Test
  func `Devices hold a connection, get pushes over it, and keep their tokens after a restart`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try LinkGatewayThread()
      let arguments = try Self.arguments(
        scenario, gateway, ["--count", "3", "--app", "com.example.app:alert,voip"])
      let program = try scenario.belfry(arguments)
      var tokens: Set<String> = []
      for _ in 0..<6 {
        let line = try await program.event("registered")
        #expect(line["topic"].string == "com.example.app")
        #expect(["alert", "voip"].contains(line["type"].string))
        tokens.insert(try #require(line["token"].string))
      }
      #expect(tokens.count == 6)
      let second = try await scenario.belfryCommand(arguments, succeeding: false)
      #expect(
        second.errors.contains(
          " contains the identities of virtual devices that are already running: to run more devices, "
            + "choose another --data;"), "\(second)")
      let sent = Int64(Date().timeIntervalSince1970 * 1e6)
      let payload = #"{"aps":{"alert":"é 🎉"},"n":1.50,"belfry-sent-micros":\#(sent)}"#
      #expect(gateway.with { Self.deliver(payload, 9, to: 2, of: $0) })
      let received = try await program.event("received")
      #expect(received["device"].integer == 2)
      #expect(received["topic"].string == "com.example.app")
      #expect(received["type"].string == "alert")
      #expect(received["priority"].integer == 10)
      #expect(received["stored"].boolean == true)
      #expect(received["apnsID"].string == "00000000-0000-0001-0000-000000000009")
      let bytes = try #require(Data(base64Encoded: received["payload"].string ?? ""))
      #expect(bytes == Data(payload.utf8))
      let latency = try #require(received["latencyMicros"].integer)
      #expect((0..<20_000_000).contains(latency))
      program.tell(#"{"do":"exit"}"#)
      #expect(try await program.end() == 0)
      #expect(gateway.with { $0.settled } == [9])

      let again = try scenario.belfry(arguments)
      for _ in 0..<6 {
        let line = try await again.event("registered")
        #expect(tokens.contains(line["token"].string ?? ""))
      }
      #expect(gateway.with { $0.enrolled } == 3)
      #expect(try await again.stop() == 0)
    }
  }

  @Test func `orders from stdin change the devices`() async throws {
    try await Scenario.run { scenario in
      let gateway = try LinkGatewayThread()
      let program = try scenario.belfry(
        Self.arguments(
          scenario, gateway, ["--app", "com.example.app", "--app", "com.example.refused"]))
      _ = try await program.event("registered")
      let refused = try await program.event("refused")
      #expect(refused["reason"].string == "unknown app")
      program.tell("not an order")
      program.tell(#"{"do":"sleep"}"#)
      let asleep = try await program.event("state")
      #expect(asleep["asleep"].boolean == true)
      program.tell(#"{"do":"power","restricted":true}"#)
      let restricted = try await program.event("state")
      #expect(restricted["powerRestricted"].boolean == true)
      program.tell(#"{"do":"disable","topic":"com.example.app"}"#)
      _ = try await program.event("disabled")
      let state = gateway.with { $0.links.first { $0.isReady }?.state }
      #expect(state == [.asleep, .powerRestricted])
      let opened = gateway.with { $0.opened }
      program.tell(#"{"do":"enable","topic":"com.example.app"}"#)
      _ = try await program.event("enabled")
      #expect(gateway.with { Self.deliver(#"{"aps":{"alert":"wake"}}"#, 3, to: 1, of: $0) })
      let received = try await program.event("received")
      // S3-15
      #expect(received["device"].integer == 1 && gateway.with { $0.opened } == opened)
      #expect(
        gateway.with { $0.links.first { $0.isReady }?.state } == [.asleep, .powerRestricted],
        "the device did not wake up to fetch it")
      program.tell(#"{"do":"unregister","topic":"com.example.app"}"#)
      _ = try await program.event("unregistered")
      program.tell(#"{"do":"register","topic":"com.example.app"}"#)
      _ = try await program.event("registered")
      program.tell(#"{"do":"offline"}"#)
      _ = try await program.event("link") { $0["state"].string == "down" }
      program.tell(#"{"do":"online"}"#)
      _ = try await program.event("link") { $0["state"].string == "up" }
      program.closeInput()
      #expect(program.isRunning)
      #expect(try await program.stop() == 0)
      #expect(program.errors.contains("invalid command not an order: "))
    }
  }

  @Test func `a command from stdin for an unknown device or app is reported and changes nothing`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try LinkGatewayThread()
      let program = try scenario.belfry(
        Self.arguments(scenario, gateway, ["--app", "com.example.app:alert,voip"]))
      for _ in 0..<2 { _ = try await program.event("registered") }
      let number = #""device" must be a device's number, or its position in the run"#
      let app = #"{"do":"unregister","topic":"com.example.app""#
      let commands: [(String, String)] = [
        (#"{"do":"offline","device":"x"}"#, number),
        (#"{"do":"offline","device":-1}"#, number),
        (#"{"do":"power","restricted":"no"}"#, #""restricted" must be true or false"#),
        (app + #","type":5}"#, #""type" must be a kind of token"#),
        (
          app + #","device":99}"#,
          "no device 99 in this run: use 1 to 1, or a number that 'belfry device list' shows"
        ),
        (
          #"{"do":"unregister","topic":"com.nope"}"#,
          "no device of this run has the app com.nope: use com.example.app"
        ),
        (
          app + #","type":"mdm","device":1}"#,
          "device 1 does not have the app com.example.app with the type mdm: "
            + "use com.example.app with the type alert or com.example.app with the type voip"
        ),
      ]
      for (command, _) in commands { program.tell(command) }
      program.tell(#"{"do":"disable","topic":"com.example.app","type":"voip","device":1}"#)
      let disabled = try await program.event("disabled")
      #expect(disabled["type"].string == "voip")
      let wrong = ["down", "unregistered", "powerRestricted"]
      let changes = program.lines.filter { line in
        wrong.contains { line.contains("\"\($0)\"") } && !line.contains("enrolled")
      }
      #expect(changes.isEmpty, "\(changes)")
      #expect(try await program.stop() == 0)
      for (command, message) in commands {
        #expect(program.errors.contains(message), "\(command): \(program.errors)")
      }
    }
  }

  @Test func `the summary counts received pushes`() async throws {
    try await Scenario.run { scenario in
      let gateway = try LinkGatewayThread()
      let program = try scenario.belfry(
        Self.arguments(scenario, gateway, ["--app", "com.example.app", "--summary"]))
      _ = try await program.event("registered")
      let sent = Int64(Date().timeIntervalSince1970 * 1e6)
      for number in 1...50 {
        #expect(
          gateway.with {
            Self.deliver(#"{"belfry-sent-micros":\#(sent)}"#, UInt64(number), to: 1, of: $0)
          })
      }
      while gateway.with({ $0.settled.count }) < 50 { await Task.yield() }
      program.tell(#"{"do":"exit"}"#)
      let summary = try await program.event("summary")
      #expect(summary["devices"].integer == 1)
      #expect(summary["up"].integer == 1)
      #expect(summary["received"].integer == 50)
      #expect(summary["stored"].integer == 50)
      #expect(summary["latencyCount"].integer == 50)
      let median = try #require(summary["latencyMicrosP50"].integer)
      let most = try #require(summary["latencyMicrosMax"].integer)
      #expect(median <= most)
      #expect(try await program.end() == 0)
      #expect(!program.lines.contains { $0.contains("\"received\"") && !$0.contains("summary") })
    }
  }

  @Test func `a device that does not trust the gateway's CA gets instructions`() async throws {
    try await Scenario.run { scenario in
      let gateway = try LinkGatewayThread()
      let arguments = try Self.arguments(scenario, gateway, ["--app", "com.example.app"])
      try Data(CertificateAuthority.forTests().certificatePEM).write(
        to: URL(fileURLWithPath: scenario.folder.file("ca.pem")))
      let program = try scenario.belfry(arguments)
      _ = try await program.event("link") { $0["state"].string == "down" }
      #expect(try await program.stop() == 0)
      #expect(
        program.errors.contains("the devices do not trust the CA"), "\(program.errors)")
      #expect(program.errors.contains("devices.jsonl"), "\(program.errors)")
      #expect(!program.errors.contains("trust the CA that signed it"), "\(program.errors)")
    }
  }

  @Test func `failures and wrong usage are reported with the right exit status`() async throws {
    try await Scenario.run { scenario in
      let gateway = try LinkGatewayThread()
      let wrong = try scenario.belfry(
        Self.arguments(scenario, gateway, ["--app", "com.example.app"], code: "wrong"))
      #expect(try await wrong.end() == 1)
      #expect(wrong.errors.components(separatedBy: "wrong code").count == 2, "\(wrong.errors)")
      #expect(!wrong.errors.contains("not connected to the gateway yet"), "\(wrong.errors)")
      let badType = try scenario.belfry(
        Self.arguments(scenario, gateway, ["--app", "com.example.app:nonsense"]))
      #expect(try await badType.end() == 2)
      let noFile = try scenario.belfry([
        "device", "run", "--gateway", scenario.folder.file("none.json"),
      ])
      #expect(try await noFile.end() == 1)
      #expect(
        noFile.errors.contains("check --gateway, or start the gateway with 'belfry gateway'"))
      // Nothing is listening on this port.
      let unreachable = try scenario.belfry([
        "device", "run", "--gateway", "127.0.0.1:9", "--ca", scenario.folder.file("ca.pem"),
        "--enroll", "code", "--data", scenario.folder.file("unreachable"), "--app",
        "com.example.app",
      ])
      _ = try await unreachable.event("link") { $0["state"].string == "down" }
      #expect(try await unreachable.stop() == 0)
      #expect(unreachable.errors.contains("not connected to the gateway yet: "))
      #expect(!unreachable.errors.contains("yet: not connected"), "\(unreachable.errors)")
      let noVerb = try scenario.belfry(["device"])
      #expect(try await noVerb.end() == 2)
    }
  }

  private static func arguments(
    _ scenario: Scenario, _ gateway: LinkGatewayThread, _ more: [String], code: String = "letmein"
  ) throws -> [String] {
    let ca = scenario.folder.file("ca.pem")
    try Data(gateway.authorityPEM).write(to: URL(fileURLWithPath: ca))
    return [
      "device", "run", "--gateway", "127.0.0.1:\(gateway.port)", "--ca", ca, "--enroll", code,
      "--data", scenario.folder.file("devices"),
    ] + more
  }

  private static func deliver(
    _ payload: String, _ number: UInt64, to device: UInt64, of gateway: LinkGateway
  ) -> Bool {
    gateway.links.first { $0.device == device && $0.isReady }?.deliver(
      number, handle: 1, payload: Array(payload.utf8), fromStorage: true) == true
  }
}
