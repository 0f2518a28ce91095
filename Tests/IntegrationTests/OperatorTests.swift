import Foundation
import Glibc
import TestSupport
import Testing

private let app = "com.example.app"

/// Tests of common problems that operators have in the first minutes: revoked keys, refused pushes, and wrong ports.
@Suite(.timeLimit(.minutes(60))) struct OperatorTests {
  private func run(
    _ scenario: Scenario, _ gateway: GatewayProgram, _ words: [String], succeeding: Bool = true
  ) async throws -> Scenario.CommandResult {
    try await scenario.belfryCommand(words + ["--data", gateway.data], succeeding: succeeding)
  }

  private func described(_ gateway: GatewayProgram) throws -> JSONLine {
    try #require(JSONLine(String(contentsOfFile: gateway.file, encoding: .utf8)))
  }

  @Test func `after a key was revoked the default key is one that lives`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(of: gateway, topics: [app])
      let token = try await devices.token()
      // If there is only one team, `--team` can be omitted.
      let added = try await run(scenario, gateway, ["key", "add", "--json"])
      let key = try #require(added.values.first?["id"].string)
      #expect(added.values.first?["team"].string == gateway.teamID)
      #expect(try described(gateway)["keyID"].string == gateway.keyID)
      _ = try await run(scenario, gateway, ["key", "revoke", gateway.keyID])
      #expect(try described(gateway)["keyID"].string == key)
      #expect(try described(gateway)["keyFile"].string == gateway.data + "/AuthKey_\(key).p8")
      let signed = try await run(scenario, gateway, ["key", "jwt", "--json"])
      #expect(signed.values.first?["key"].string == key)
      func send() async throws -> Int? {
        try await scenario.belfryCommand(
          ["send", token, "--topic", app, "--body", "hello", "--gateway", gateway.file],
          succeeding: false
        ).values.first?["status"].integer
      }
      #expect(try await send() == 200)
      try await gateway.stop()
      let again = try await scenario.restart(gateway)
      #expect(again.keyID == key)
      #expect(try await send() == 200)
    }
  }

  @Test func `with two teams, adding a key or a topic requires the team's name`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let added = try await run(scenario, gateway, ["team", "add", "Second", "--json"])
      let second = try #require(added.values.first?["id"].string)
      for words in [["key", "add"], ["topic", "add", "com.example.second"]] {
        let refused = try await run(scenario, gateway, words, succeeding: false)
        #expect(refused.status == 2)
        #expect(refused.errors.contains(second) && refused.errors.contains(gateway.teamID))
        let named = try await run(scenario, gateway, words + ["--team", second, "--json"])
        #expect(named.values.first?["team"].string == second)
      }
    }
  }

  @Test func `adding a fault prints its effect and the pushes that it applies to`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let all = try await run(scenario, gateway, ["fault", "add", "--reason", "Shutdown"])
      #expect(all.output == "added fault 1: --reason Shutdown, for all pushes")
      let some = try await run(
        scenario, gateway, ["fault", "add", "--delay", "20", "--topic", app])
      #expect(some.output == "added fault 2: --delay 20, for --topic \(app)")
      let json = try await run(scenario, gateway, ["fault", "add", "--close", "--json"])
      #expect(json.values.first?["close"].boolean == true)
      let cleared = try await run(scenario, gateway, ["fault", "clear"])
      #expect(cleared.lines.count == 3)
    }
  }

  @Test func `the log has refused pushes, with their reasons`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway(options: ["--loops", "2"])
      let devices = try scenario.devices(of: gateway, topics: [app])
      let token = try await devices.token()
      let follower = try scenario.belfry(["log", "--follow", "--json", "--data", gateway.data])
      func refused(_ to: String, _ topic: String) async throws -> (id: String, reason: String) {
        let line = try #require(
          try await scenario.belfryCommand(
            ["send", to, "--topic", topic, "--body", "hello", "--gateway", gateway.file],
            succeeding: false
          ).values.first)
        return (try #require(line["apnsID"].string), try #require(line["reason"].string))
      }
      func check(_ push: (id: String, reason: String), _ reason: String, _ query: String)
        async throws
      {
        #expect(push.reason == reason)
        for words in [[], [query], [push.id]] {
          let log = try await run(scenario, gateway, ["log", "--json"] + words)
          // A client retries some of the pushes with the same identifier.
          let lines = log.values.filter {
            $0["apnsID"].string == push.id && $0["state"].string == "Refused"
          }
          #expect(!lines.isEmpty, "\(words): \(log.output)")
          #expect(lines.first?["reason"].string == reason)
          #expect(lines.first?["uniqueID"] == .null)
          #expect(lines.first?["pushType"].string == "alert")
        }
      }
      try await check(try await refused("00ff", app), "BadDeviceToken", "00ff")
      try await check(try await refused(token, "com.example.none"), "TopicDisallowed", token)
      let fault = ["fault", "add", "--reason", "TooManyRequests"]
      _ = try await run(scenario, gateway, fault)
      let many = try await refused(token, app)
      try await check(many, "TooManyRequests", token)
      _ = try await run(scenario, gateway, ["fault", "clear"])
      devices.program.tell(#"{"do":"unregister","topic":"\#(app)"}"#)
      var gone = try await scenario.belfryCommand(
        ["send", token, "--topic", app, "--body", "x", "--gateway", gateway.file], succeeding: false
      )
      while gone.values.first?["status"].integer != 410 {
        gone = try await scenario.belfryCommand(
          ["send", token, "--topic", app, "--body", "x", "--gateway", gateway.file],
          succeeding: false)
      }
      let id = try #require(gone.values.first?["apnsID"].string)
      try await check((id, "Unregistered"), "Unregistered", token)
      // The follower doesn't report when it has started, so send pushes until it shows one.
      var ids: [String] = []
      while !follower.lines.contains(where: { line in ids.contains { line.contains($0) } }) {
        try #require(follower.isRunning)
        ids.append(try await refused("00ff", app).id)
      }
      let table = try await run(scenario, gateway, ["log", id])
      #expect(table.output.contains("Refused") && table.output.contains("Unregistered"))
    }
  }

  @Test func `a device that has not connected since the gateway started is listed as such`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(of: gateway, topics: [app])
      _ = try await devices.token()
      let notice = "not since the gateway started"
      let before = try await run(scenario, gateway, ["device", "list"])
      #expect(!before.output.contains(notice), "\(before.output)")
      try await devices.program.stop()
      try await gateway.stop()
      // A stopped gateway does not know which devices are connected.
      let stopped = try await run(scenario, gateway, ["device", "list"])
      #expect(!stopped.output.contains(notice), "\(stopped.output)")
      let again = try await scenario.restart(gateway)
      let table = try await run(scenario, again, ["device", "list"])
      #expect(table.output.contains(notice), "\(table.output)")
      let json = try await run(scenario, again, ["device", "list", "--json"])
      #expect(json.values.first?["lastSeenAt"].string == nil, "\(json.output)")
    }
  }

  @Test func `On a terminal, a device is revoked only after a confirmation that names it`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(of: gateway, topics: [app])
      _ = try await devices.token()
      let list = ["device", "list", "--json"]
      let device = try #require(try await run(scenario, gateway, list).values.first)
      let number = try #require(device["device"].integer)
      let name = try #require(device["name"].string)
      let line = "\(Installation.belfry) device revoke \(number) --data \(gateway.data)"
      for (answer, isRevoked) in [("n", false), ("y", true)] {
        let revocation = try scenario.start(["/usr/bin/script", "-qec", line, "/dev/null"])
        _ = try await revocation.output(called: "the question") { lines in
          lines.contains { $0.contains("revoke the device \(number) (\(name)) permanently?") }
        }
        revocation.tell(answer)
        let status = try await revocation.end()
        #expect((status == 0) == isRevoked, "\(revocation.lines)")
        let after = try await run(scenario, gateway, list).values.first
        #expect((after?["revokedAt"].string != nil) == isRevoked)
      }
    }
  }

  @Test func `a revoked device gets instructions for enrolling again`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(of: gateway, topics: [app])
      _ = try await devices.token()
      let list = try await run(scenario, gateway, ["device", "list", "--json"])
      let agent = try await scenario.agent(of: gateway)
      let first = try #require(list.values.first?["device"].integer)
      _ = try await agent.program.event("link") { $0["state"].string == "up" }
      let before = try await run(scenario, gateway, ["device", "list", "--json"])
      #expect(before.values.allSatisfy { $0["up"].boolean == true }, "\(before.output)")
      #expect(before.values.allSatisfy { $0["lastSeenAt"].string != nil })
      _ = try await run(scenario, gateway, ["device", "revoke", "\(first)"])
      #expect(try await devices.program.end() == 1)
      #expect(devices.program.errors.contains("has revoked a device: to enroll it again"))
      #expect(devices.program.errors.contains("devices.jsonl"))
      // The gateway.json that the devices use contains the code.
      #expect(!devices.program.errors.contains("--enroll"), "\(devices.program.errors)")
      let valid = try await run(scenario, gateway, ["device", "list", "--valid", "--json"])
      #expect(valid.values.count == 1 && valid.values.first?["device"].integer != first)
      #expect(
        gateway.program.errors.contains("an administrator revoked a device id=\(first)"),
        "\(gateway.program.errors)")
      let all = try await run(scenario, gateway, ["device", "list", "--json"])
      let away = try #require(all.values.first { $0["device"].integer == first })
      #expect(away["up"].boolean == false)
      #expect(away["lastSeenAt"].string != nil)
      let second = try #require(
        all.values.compactMap { $0["device"].integer }.first { $0 != first })
      _ = try await run(scenario, gateway, ["device", "revoke", "\(second)"])
      _ = try await agent.program.event("link") { $0["state"].string == "down" }
      // The log, the doctor and the page of troubleshooting have the same remedy. A new invitation is not sufficient.
      let remedy = "to enroll again, stop the agent, remove \(agent.data)/identity, and run"
      #expect(
        agent.program.errors.contains("has revoked this device: \(remedy)"),
        "\(agent.program.errors)")
      let doctor = try await scenario.belfryCommand(["doctor", "--json", "--socket", agent.socket])
      let row = try #require(doctor.values.first { $0["feature"].string == "gateway" })
      #expect(row["do"].string?.hasPrefix(remedy) == true, "\(row)")
    }
  }

  @Test func `a wrong port is named as such`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      func send(to listener: String) async throws -> String {
        try await scenario.belfryCommand(
          [
            "send", "00ff", "--topic", app, "--body", "x", "--gateway",
            "\(gateway.host):\(gateway.port(listener))", "--ca", gateway.caFile, "--key",
            gateway.keyFile, "--key-id", gateway.keyID, "--team", gateway.teamID,
          ], succeeding: false
        ).errors
      }
      #expect(try await send(to: "device").contains("use its provider port"))
      #expect(try await send(to: "binary").contains("use its provider port"))
      let device = try scenario.belfry([
        "device", "run", "--data", scenario.folder.file("d"), "--app", app, "--gateway",
        "\(gateway.host):\(gateway.port("provider"))", "--ca", gateway.caFile, "--enroll",
        gateway.enrollmentCode,
      ])
      let down = try await device.event("link")
      #expect(down["reason"].string?.contains("check the port") == true, "\(down)")
    }
  }
}
