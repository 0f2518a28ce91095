import BelfryWire
import Foundation
import Gateway
import System
import TestSupport
import Testing

@testable import Tool

/// Tests of what `belfry doctor` reports about an agent and a gateway.
@Suite struct DoctorTests {
  @Test func `It agrees with belfry state, and calls optional what is`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let socket = ["--socket", agent.socket]
      _ = try await scenario.belfryCommand(["state", "battery=low", "metered=on"] + socket)
      let state = try #require(
        try await scenario.belfryCommand(["state", "--json"] + socket).values.first)
      let rows = try await scenario.belfryCommand(["doctor", "--json"] + socket).values
      for (name, feature) in [
        ("battery", "battery"), ("metered", "metered network"), ("locked", "lock screen"),
        ("powerSaver", "power profile"),
      ] {
        let value = try #require(state[name].string)
        let row = try #require(rows.first { $0["feature"].string == feature })
        #expect(row["detail"].string?.hasPrefix("\(value), ") == true, "\(row)")
        #expect(row["optional"].boolean == true)
      }
      #expect(rows.first { $0["feature"].string == "agent" }?["optional"].boolean == false)

      #expect(rows.first { $0["feature"].string == "records" }?["detail"].string == "intact")
      #expect(rows.first { $0["feature"].string == "focus" }?["state"].string == "ok")
      _ = try await scenario.belfryCommand(["state", "focus=on"] + socket)
      let silenced = try await scenario.belfryCommand(["doctor", "--json"] + socket).values
        .first { $0["feature"].string == "focus" }
      #expect(silenced?["state"].string == "attention", "\(String(describing: silenced))")
      #expect(silenced?["detail"].string?.contains("notifications are silenced") == true)
      #expect(silenced?["do"].string == "belfry state focus=off")

      let page = try await scenario.belfryCommand(["doctor"] + socket)
      // Only a line with a path can be longer.
      #expect(page.lines.allSatisfy { $0.count <= 100 || $0.contains("/") }, "\(page.output)")
      #expect(page.lines.contains { $0.hasPrefix("optional   gateway ") }, "\(page.output)")
      #expect(!page.lines.contains { $0.hasPrefix("missing") }, "\(page.output)")
    }
  }

  @Test func `Doctor and subscribe name a gateway with a port offset on this machine`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let folder = scenario.folder.file("belfry/gateway-4710")
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
      for name in ["control.sqlite", "gateway.json"] {
        try "{}".write(toFile: "\(folder)/\(name)", atomically: false, encoding: .utf8)
      }
      let page = try await scenario.belfryCommand(["doctor", "--socket", agent.socket])
      let words = page.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(words.contains("start the agent with --gateway \(folder)/gateway.json"), "\(words)")
      let file = scenario.folder.file("belfry/gateway/gateway.json")
      #expect(GatewayFolder(path: FileSystem.parent(of: file)).offsetFolders == [folder])
      #expect(DeviceGateway.example(insteadOf: file) == "\(folder)/gateway.json")
    }
  }

  @Test func `A machine without a sound output is reported once a sound could not be played`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(
        of: nil, presenters: ["terminal"],
        environment: ["PULSE_SERVER": "unix:/dev/null", "ALSA_CONFIG_PATH": "/dev/null"])
      let socket = ["--socket", agent.socket]
      func sounds() async throws -> JSONLine? {
        try await scenario.belfryCommand(["doctor", "--json"] + socket).values
          .first { $0["feature"].string == "sounds" }
      }
      #expect(try await sounds()?["state"].string == "ok")
      _ = try await scenario.belfryCommand(["notify", "Tea", "--sound", "default"] + socket)
      try await Scenario.wait("the player's error") {
        agent.program.errors.contains("no sound output")
      }
      let row = try #require(try await sounds())
      #expect(row["state"].string == "missing", "\(row)")
      #expect(row["detail"].string == "no sound output")
      #expect(row["do"].string == "start PulseAudio or PipeWire, or configure an ALSA device")
    }
  }

  @Test func `Without an agent, it gives the remedy once`() async throws {
    try await Scenario.run { scenario in
      let answer = try await scenario.belfryCommand(["doctor"], succeeding: false)
      #expect(answer.status == 1)
      let text = (answer.lines + [answer.errors]).joined(separator: " ")
      #expect(text.components(separatedBy: "belfry agent'").count == 2, "\(text)")
      #expect(text.contains("no agent at"), "\(text)")
      #expect(text.contains("run 'belfry doctor --gateway'"), "\(text)")
    }
  }

  @Test func `Of a gateway it says what runs, and what does not any more`() async throws {
    try await Scenario.run { scenario in
      let nowhere = try await scenario.belfryCommand(["doctor", "--gateway"], succeeding: false)
      #expect(nowhere.status == 1 && nowhere.output.contains("does not contain a gateway.json"))

      let gateway = try await scenario.gateway()
      let doctor = ["doctor", "--gateway", "--data", gateway.data, "--json"]
      func states(_ answer: Scenario.CommandResult) -> [String: String] {
        var states: [String: String] = [:]
        for row in answer.values {
          states[row["feature"].string ?? ""] = row["state"].string
        }
        return states
      }
      let log = gateway.program.errors
      let running = try await scenario.belfryCommand(doctor)
      #expect(
        states(running).filter { $0.value != "ok" } == ["reach": "attention"], "\(running.output)")

      let disk = running.values.first { $0["feature"].string == "disk" }?["detail"].string ?? ""
      #expect(disk.contains(#/^[0-9.]+ [MGT]B free in /#), "\(disk)")

      let modes: [(String, Int)] = [("ca-key.pem", 0o644), ("", 0o755)]
      for (name, mode) in modes {
        try FileManager.default.setAttributes(
          [.posixPermissions: mode], ofItemAtPath: gateway.data + "/" + name)
      }
      let exposed = try await scenario.belfryCommand(doctor)
      #expect(states(exposed)["secret files"] == "attention", "\(exposed.output)")
      #expect(
        exposed.output.contains("other users may be able to read ca-key.pem\""), "\(exposed.output)"
      )
      // Run the command in an environment like that of a service.
      let bare = try await scenario.command(
        ["/usr/bin/env", "-i", Installation.belfry] + doctor, succeeding: false)
      #expect(states(bare)["process"] == "ok", "\(bare)")
      let data = ["--data", gateway.data]
      _ = try await scenario.belfryCommand(["team", "add", "Kiosks", "--id", "TEAMKIOSK1"] + data)
      _ = try await scenario.belfryCommand(
        ["key", "add", "--id", "KEYKIOSK01", "--team", "TEAMKIOSK1"] + data)
      _ = try await scenario.belfryCommand(["key", "revoke", gateway.keyID] + data)
      // Another team still has a valid key.
      let revoked = try await scenario.belfryCommand(doctor)
      #expect(states(revoked)["provider key"] == "ok", "\(revoked.output)")
      #expect(revoked.output.contains("created at its first start"), "\(revoked.output)")
      _ = try await scenario.belfryCommand(["key", "revoke", "KEYKIOSK01"] + data)
      let keyless = try await scenario.belfryCommand(doctor, succeeding: false)
      #expect(keyless.status == 1 && states(keyless)["provider key"] == "missing")
      #expect(
        keyless.output.contains("belfry key add --team \(gateway.teamID)"), "\(keyless.output)")
      try await gateway.crash()
      // The check logs nothing, but the revocation is logged.
      let lines = gateway.program.errors.dropFirst(log.count)
      #expect(!lines.contains("onnection") && !lines.contains("TLS"), "\(lines)")
      let stopped = try await scenario.belfryCommand(doctor, succeeding: false)
      #expect(stopped.status == 1)
      let missing = states(stopped).filter { $0.value == "missing" }.keys
      #expect(missing.contains("process") && missing.contains("provider port"))
      #expect(!missing.contains("server certificate"))
    }
  }

  @Test func `The ports of a stopped gateway that another program uses are reported`() async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      try await gateway.crash()
      _ = try await scenario.gateway("other", on: gateway, options: [])
      let rows = try await scenario.belfryCommand(
        ["doctor", "--gateway", "--data", gateway.data, "--json"], succeeding: false
      ).values
      for name in ["provider", "device", "binary", "feedback", "console"] {
        let row = try #require(rows.first { $0["feature"].string == "\(name) port" })
        #expect(row["state"].string == "missing", "\(row)")
        #expect(row["detail"].string?.hasSuffix(", in use by another program") == true, "\(row)")
      }
    }
  }

  @Test func `Each port for providers is checked, and the status lists all of them`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway(options: [
        "--provider-port", "\(ReservedPorts.next())",
      ])
      let addresses = gateway.ready["ports"]["providers"].array.compactMap(\.integer)
        .map { "127.0.0.1:\($0)" }
      #expect(addresses.count == 2)
      let rows = try await scenario.belfryCommand(
        ["doctor", "--gateway", "--data", gateway.data, "--json"], succeeding: false
      ).values.filter { $0["feature"].string == "provider port" }
      #expect(rows.compactMap { $0["detail"].string } == addresses.map { $0 + ", listening" })
      let status = try await scenario.belfryCommand([
        "gateway", "status", "--data", gateway.data, "--json",
      ]).values
      let told = status.flatMap { $0["providerAddresses"].array }.compactMap(\.string)
      #expect(told == addresses)
    }
  }

  @Test func `The doctor reports that a gateway is reachable from other machines`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway(options: ["--host", "0.0.0.0"])
      let rows = try await scenario.belfryCommand([
        "doctor", "--gateway", "--data", gateway.data, "--json",
      ]).values
      let reach = rows.first { $0["feature"].string == "reach" }
      #expect(reach?["state"].string == "ok", "\(rows)")
      #expect(reach?["detail"].string == "0.0.0.0: other machines too")
    }
  }

  @Test func `An app that the gateway does not list is named by its error, the doctor and the log`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway(options: ["--apps", "listed"])
      let agent = try await scenario.agent(of: gateway)
      _ = try await agent.program.event("link") { $0["state"].string == "up" }
      let id = "com.example.unlisted"
      func register() throws -> RunningProgram {
        try scenario.belfry([
          "app", "run", id, "--authorize", "alert", "--register", "--socket", agent.socket,
        ])
      }
      func findings() async throws -> [JSONLine] {
        try await scenario.belfryCommand(["doctor", "--json", "--socket", agent.socket]).values
          .filter { $0["feature"].string == "app \(id)" }
      }
      let app = try register()
      let message = try await app.event("registrationFailed")["message"].string
      let problem = "the gateway does not list the app \(id)"
      let advice =
        "run 'belfry topic add \(id)' on the gateway's machine, with --team ID if the gateway has several teams, "
        + "then restart the app"
      #expect(message == "\(problem): \(advice)")
      let found = try await findings()
      #expect(found.map { $0["detail"].string } == [problem], "\(found)")
      #expect(found.first?["state"].string == "attention" && found.first?["do"].string == advice)
      let lines = gateway.program.errors.split(separator: "\n").filter { $0.contains(id) }
      #expect(lines.count == 1 && lines.first?.contains("app that is not listed") == true)
      #expect(lines.first?.contains("device=") == true, "\(lines)")
      try await app.stop()
      _ = try await scenario.belfryCommand(["topic", "add", id, "--data", gateway.data])
      _ = try await register().event("registered")
      #expect(try await findings().map { $0["detail"].string } == ["can show notifications"])
    }
  }

  @Test
  func `A long word is whole, so that a path can be copied, and a long name has a line of its own`()
  {
    let page = DoctorPage(
      [
        ["feature": "a", "state": "ok", "detail": .string(String(repeating: "q", count: 90))],
        [
          "feature": .string(String(repeating: "n", count: 40)), "state": "missing",
          "optional": true, "detail": "two words", "do": "one \u{1B}[31m two three four",
        ],
      ], width: 60)
    #expect(
      page.lines.allSatisfy { $0.count <= 60 || $0.hasSuffix(String(repeating: "q", count: 90)) },
      "\(page.lines)")
    #expect(page.lines.allSatisfy { !$0.contains("\u{1B}") }, "\(page.lines)")
    // The long name does not widen the column of the other names.
    #expect(page.lines.contains { $0.hasPrefix("ok         a  qqq") }, "\(page.lines)")
    #expect(page.lines.contains { $0.hasPrefix("optional   nnn") })
    #expect(page.lines.contains { $0.hasSuffix(" two words") })
    #expect(DoctorPage([]).lines.isEmpty)
  }
}
