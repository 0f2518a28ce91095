import Foundation
import TestSupport
import Testing

/// Tests of the administration commands on a running gateway.
///
/// The commands use its admin API, and their changes take effect immediately.
@Suite struct RunningAdministrationTests {
  private let app = "com.example.app"

  private func administer(
    _ scenario: Scenario, _ gateway: GatewayProgram, _ words: String...
  ) async throws -> [String] {
    let program = try scenario.belfry(words + ["--data", gateway.data])
    let status = try await program.end()
    try #require(status == 0, "belfry \(words): \(program.errors)")
    return program.lines
  }

  private func send(
    _ scenario: Scenario, _ gateway: GatewayProgram, to token: String, options: [String] = []
  ) async throws -> JSONLine {
    let program = try scenario.belfry(
      ["send", token, "--topic", app, "--title", "Hi", "--gateway", gateway.file] + options)
    _ = try await program.end()
    return try #require(program.lines.first.flatMap { JSONLine($0) })
  }

  @Test
  func `a key signs once it was added, and no more once it was revoked`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(of: gateway, topics: [app])
      let registered = try await devices.program.event("registered")
      let token = try #require(registered["token"].string)
      let file = scenario.folder.file("second.p8")
      _ = try await administer(
        scenario, gateway, "key", "add", "--id", "KEYSECOND1", "--team", gateway.teamID, "--out",
        file)
      let credentials = ["--key", file, "--key-id", "KEYSECOND1", "--team", gateway.teamID]
      let place = ["--ca", gateway.caFile]
      let options = credentials + place
      let accepted = try await send(scenario, gateway, to: token, options: options)
      #expect(accepted["status"].integer == 200, "\(accepted)")
      _ = try await devices.program.event("received")
      _ = try await administer(scenario, gateway, "key", "revoke", "KEYSECOND1")
      let refused = try await send(scenario, gateway, to: token, options: options)
      #expect(refused["reason"].string == "InvalidProviderToken", "\(refused)")
    }
  }

  @Test
  func `a push can be followed in the log from its acceptance to its delivery`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(of: gateway, topics: [app])
      let registered = try await devices.program.event("registered")
      let token = try #require(registered["token"].string)
      let follower = try scenario.belfry(["log", "--follow", "--json", "--data", gateway.data])
      // The follower doesn't report when it has started, so send pushes until it shows one.
      var sent = try await send(scenario, gateway, to: token)
      for _ in 0..<20 where follower.lines.isEmpty {
        sent = try await send(scenario, gateway, to: token)
      }
      let id = sent["apnsID"].string
      let delivered = try await follower.line(called: "the delivery") {
        $0["state"].string == "Delivered to Device" && $0["apnsID"].string == id
      }
      #expect(delivered["topic"].string == app)
      let lines = try await administer(scenario, gateway, "log", id ?? "", "--json")
      #expect(
        lines.compactMap { JSONLine($0)?["state"].string }
          == ["Received by APNs", "Sent", "Delivered to Device"])
      try await gateway.crash()
      let kept = try await administer(scenario, gateway, "log", id ?? "", "--json")
      #expect(kept == lines)
    }
  }

  @Test
  func `the log of a token that the gateway did not create is an error, unless it has lines`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(of: gateway, topics: [app])
      let token = try await devices.token()
      func log(_ token: String) async throws -> Scenario.CommandResult {
        try await scenario.belfryCommand(
          ["log", token, "--json", "--data", gateway.data], succeeding: false)
      }
      let silent = try await log(token)
      #expect(silent.status == 0 && silent.lines.isEmpty, "\(silent)")
      let unknown = token + "00"
      let missing = try await log(unknown)
      #expect(missing.status == 1 && missing.lines.isEmpty, "\(missing)")
      #expect(missing.errors.contains("no device of this gateway has the token \(unknown): "))
      _ = try await scenario.belfryCommand(
        ["send", unknown, "--topic", app, "--title", "Hi", "--gateway", gateway.file],
        succeeding: false)
      let refused = try await log(unknown)
      #expect(refused.status == 0, "\(refused)")
      #expect(refused.values.map { $0["reason"].string } == ["BadDeviceToken"])
      try await gateway.stop()
    }
  }

  @Test
  func `a log that is followed has its headings once`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(of: gateway, topics: [app])
      let token = try await devices.token()
      let follower = try scenario.belfry(["log", "--follow", "--data", gateway.data])
      // The follower doesn't report when it has started, so send pushes until it shows one.
      _ = try await send(scenario, gateway, to: token)
      for _ in 0..<20 where follower.lines.count < 2 {
        _ = try await send(scenario, gateway, to: token)
      }
      let headings = try #require(follower.lines.first).split(separator: "  ").map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      #expect(
        headings == ["AT", "STATE", "REASON", "APNS ID", "UNIQUE ID", "DEVICE", "TOPIC"],
        "\(follower.lines)")
      #expect(follower.lines.count { $0.hasPrefix("AT ") } == 1, "\(follower.lines)")
    }
  }

  @Test
  func `a log follower gets each line exactly once, even while pushes arrive as it starts`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(of: gateway, topics: [app])
      let token = try await devices.token()
      func push(_ count: Int) async throws {
        let tokens = [String](repeating: token, count: count)
        _ = try await scenario.belfryCommand(
          ["send"] + tokens + ["--topic", app, "--title", "Hi", "--gateway", gateway.file])
      }
      // A follower takes longer to start if the log has many lines.
      try await push(300)
      var followers: [RunningProgram] = []
      for _ in 0..<5 {
        async let pushed: Void = push(100)
        followers.append(
          try scenario.belfry(["log", "--follow", "--json", "--data", gateway.data]))
        try await pushed
      }
      let last = try await send(scenario, gateway, to: token)["apnsID"].string
      for follower in followers {
        _ = try await follower.line(called: "the last delivery") {
          $0["state"].string == "Delivered to Device" && $0["apnsID"].string == last
        }
      }
      let lines = try await administer(scenario, gateway, "log", "--json").sorted()
      #expect(lines.count == 3 * 801)
      for follower in followers { #expect(follower.lines.sorted() == lines) }
    }
  }

  @Test
  func `a removed topic is disallowed, a revoked device's link goes down and its tokens are dead`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(of: gateway, topics: [app])
      let registered = try await devices.program.event("registered")
      let token = try #require(registered["token"].string)
      let device = try #require(registered["device"].integer)
      let listed = try await administer(scenario, gateway, "device", "list", "--json")
      #expect(listed.compactMap { JSONLine($0)?["device"].integer } == [device])
      _ = try await administer(scenario, gateway, "device", "revoke", "\(device)")
      let refused = try await send(scenario, gateway, to: token)
      #expect(refused["status"].integer == 410)
      #expect(refused["reason"].string == "Unregistered")
      _ = try await administer(scenario, gateway, "topic", "remove", app)
      let disallowed = try await send(scenario, gateway, to: token)
      #expect(disallowed["reason"].string == "TopicDisallowed", "\(disallowed)")
    }
  }

  @Test
  func `after SIGKILL the same commands work on the folder, and a new gateway knows what they did`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      _ = try await administer(scenario, gateway, "team", "add", "--id", "TEAMAAAAAA")
      try await gateway.crash()
      let teams = try await administer(scenario, gateway, "team", "list")
      #expect(teams.contains { $0.hasPrefix("TEAMAAAAAA") })
      _ = try await administer(scenario, gateway, "topic", "add", app, "--team", "TEAMAAAAAA")
      let again = try await scenario.restart(gateway)
      let topics = try await administer(scenario, again, "topic", "list", "--json")
      #expect(topics.compactMap { JSONLine($0)?["team"].string } == ["TEAMAAAAAA"])
    }
  }
}
