import Foundation
import TestSupport
import Testing

/// Tests of a gateway folder that lost its control store, contains an older copy of the store, or was created by an
/// earlier release.
///
/// No device receives another device's data.
@Suite(.timeLimit(.minutes(60)), .requires(.python)) struct RestoredFolderTests {
  private let app = "com.example.app"
  // The reason of the CLOSE frame (docs/device-link.md section 5).
  private let unknownDevice = 20

  /// Connects a device and returns its token.
  private func run(
    _ scenario: Scenario, _ gateway: GatewayProgram, _ file: String
  ) async throws -> (RunningProgram, token: String) {
    let program = try scenario.linkClient(gateway, ["run", file, app])
    return (program, try #require(try await program.event("registered")["token"].string))
  }

  private func end(_ program: RunningProgram) async throws {
    program.signal(SIGKILL)
    try await program.end()
  }

  private func notice(_ scenario: Scenario, _ gateway: GatewayProgram) async throws -> String {
    try await scenario.command([
      TestTool.curl.required(), "-s", "http://127.0.0.1:\(gateway.port("console"))/readyz",
    ]).output
  }

  private let databases = ["control.sqlite", "control.sqlite-wal", "control.sqlite-shm"]

  /// Returns a device that has enrolled and registered, and for which a push is waiting.
  private func deviceWithPush(
    _ scenario: Scenario, _ gateway: GatewayProgram, _ name: String
  ) async throws -> (file: String, number: Int?, token: String) {
    let identity = try await scenario.enrolled(gateway, name)
    let (program, token) = try await run(scenario, gateway, identity.file)
    try await end(program)
    let answer = try await scenario.push("for \(name) alone", to: token, through: gateway)
    #expect(answer["status"].integer == 200)
    return (identity.file, identity.device.integer, token)
  }

  /// Checks that a device that enrolls after the restore receives its own number, token, and pushes.
  private func checkNewDevice(
    _ scenario: Scenario, _ gateway: GatewayProgram,
    isNot lost: (file: String, number: Int?, token: String)
  ) async throws {
    let new = try await scenario.enrolled(gateway, "new")
    #expect(new.device.integer != lost.number)
    let (program, token) = try await run(scenario, gateway, new.file)
    #expect(token != lost.token)
    let refused = try await scenario.push("too late", to: lost.token, through: gateway)
    #expect(refused["status"].integer == 400, "\(refused)")
    let answer = try await scenario.push("for the new one", to: token, through: gateway)
    #expect(answer["status"].integer == 200)
    let received = try await program.event("received")
    #expect(received["payload"].string?.contains("for the new one") == true, "\(received)")
    let old = try scenario.linkClient(gateway, ["connect", lost.file])
    #expect(try await old.event("ended")["reason"].integer == unknownDevice)
  }

  @Test(.requires(.curl))
  func `a gateway that lost its control store does not reuse device numbers or tokens`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let lost = try await deviceWithPush(scenario, gateway, "lost")
      try await gateway.stop()
      for name in databases {
        try? FileManager.default.removeItem(atPath: gateway.data + "/" + name)
      }
      let restored = try await scenario.restart(gateway, options: ["--recover"])
      #expect(restored.program.errors.contains("the data folder was restored"))
      #expect(try await notice(scenario, restored).contains("notice: control.sqlite is new"))
      try await checkNewDevice(scenario, restored, isNot: lost)
    }
  }

  @Test(.requires(.curl))
  func `a gateway with an older control store does not reuse device numbers or tokens`()
    async throws
  {
    try await Scenario.run { scenario in
      let first = try await scenario.gateway()
      let kept = try await scenario.enrolled(first, "kept")
      try await first.stop()
      let copy = scenario.folder.file("copy.sqlite")
      try FileManager.default.copyItem(atPath: first.data + "/control.sqlite", toPath: copy)
      let second = try await scenario.restart(first)
      #expect(try await notice(scenario, second) == "ready")
      let lost = try await deviceWithPush(scenario, second, "lost")
      try await second.stop()
      for name in databases {
        try? FileManager.default.removeItem(atPath: first.data + "/" + name)
      }
      try FileManager.default.copyItem(atPath: copy, toPath: first.data + "/control.sqlite")
      let restored = try await scenario.restart(second)
      #expect(try await notice(scenario, restored).contains("restored"))
      try await checkNewDevice(scenario, restored, isNot: lost)
      let (program, _) = try await run(scenario, restored, kept.file)
      try await end(program)
    }
  }

  @Test
  func `a device that the gateway does not know enrolls again automatically`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(of: gateway, topics: [app])
      let token = try await devices.token()
      try await gateway.stop()
      for name in databases {
        try? FileManager.default.removeItem(atPath: gateway.data + "/" + name)
      }
      let restored = try await scenario.restart(gateway, options: ["--recover"])
      try await devices.program.stop()
      // The enrollment code is from the new store, and the devices keep their identities.
      let again = try scenario.devices(of: restored, topics: [app])
      let new = try await again.token()
      #expect(new != token)
      let answer = try await scenario.push("hello", to: new, through: restored)
      #expect(answer["status"].integer == 200)
      _ = try await again.received()
    }
  }

  @Test(.requires(.curl, .systemPython))
  func `a gateway continues with the devices, tokens and stored pushes of an earlier release`()
    async throws
  {
    try await Scenario.run { scenario in
      _ = try await scenario.command([
        "tar", "xzf", Installation.root + "/Tests/Fixtures/former-gateway.tar.gz", "-C",
        scenario.folder.path,
      ])
      // Stored notifications expire, so extend their expiration.
      _ = try await scenario.command([
        TestTool.systemPython.required(), "-c",
        """
        import sqlite3, sys, time
        with sqlite3.connect(sys.argv[1]) as store:
            store.execute("UPDATE notification SET expiration = ?", [int(time.time()) + 86_400])
        """, scenario.folder.file("gateway/notifications.sqlite"),
      ])
      let gateway = try await scenario.gateway()
      #expect(try await notice(scenario, gateway) == "ready")
      let former = try String(contentsOfFile: scenario.folder.file("token"), encoding: .utf8)
        .trimmingCharacters(in: .whitespacesAndNewlines)
      let (program, token) = try await run(scenario, gateway, scenario.folder.file("device.pem"))
      #expect(token == former)
      let stored = try await program.event("received")
      #expect(stored["payload"].string?.contains("kept by the former release") == true)
      let answer = try await scenario.push("hello", to: former, through: gateway)
      #expect(answer["status"].integer == 200)
      let received = try await program.event("received")
      #expect(received["payload"].string?.contains("hello") == true)
      let new = try await scenario.enrolled(gateway, "new")
      #expect(try #require(new.device.integer) > 1)
      try await end(program)
      try await gateway.stop()
      let again = try await scenario.restart(gateway)
      #expect(try await notice(scenario, again) == "ready")
      let (_, same) = try await run(scenario, again, scenario.folder.file("device.pem"))
      #expect(same == former)
    }
  }
}
