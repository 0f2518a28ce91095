import Foundation
import Glibc
import TestSupport
import Testing

private let bundleID = "com.example.app"

extension Scenario {
  /// Sends an alert with this text through `belfry send`, and returns the answer for the only token.
  func push(
    _ text: String, to token: String, topic: String = bundleID, through gateway: GatewayProgram,
    options: [String] = []
  ) async throws -> JSONLine {
    let result = try await belfryCommand(
      ["send", token, "--topic", topic, "--body", text, "--gateway", gateway.file] + options,
      succeeding: false)
    guard let line = result.values.first else {
      throw ProgramFailure.unreadable("belfry send printed nothing: \(result.errors)")
    }
    return line
  }
}

@Suite(.timeLimit(.minutes(60))) struct StoreAndForwardTests {
  @Test
  func `A push to an offline device is stored and delivered when the device reconnects`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(of: gateway, topics: [bundleID])
      let token = try await devices.token()
      try await devices.goOffline()
      #expect(
        try await scenario.push("while away", to: token, through: gateway)["status"].integer == 200)
      devices.goOnline()
      let received = try await devices.received()
      #expect(payload(received).contains("while away"))
      #expect(received["stored"].boolean == true)
    }
  }

  @Test
  func `A push without an expiration is kept 30 days for an offline device`() async throws {
    try await Scenario.run { scenario in
      var gateway = try await scenario.gateway()
      let devices = try scenario.devices(of: gateway, topics: [bundleID])
      let token = try await devices.token()
      try await devices.program.stop()
      for (days, isDelivered) in [(29, true), (31, false)] {
        let answer = try await scenario.push("days \(days)", to: token, through: gateway)
        #expect(answer["status"].integer == 200)
        try await gateway.stop()
        // Change the store as if everything in it had been stored `days` days earlier.
        let ends = try StoredExpirations.bringForward(
          bySeconds: 86_400 * Int64(days), inStore: gateway.data + "/notifications.sqlite")
        let left = Double(try #require(ends.first)) - Date().timeIntervalSince1970
        #expect(ends.count == 1 && abs(left - 30 * 86_400) < 4_320, "\(ends)")
        gateway = try await scenario.restart(gateway)
        let back = try scenario.devices(of: gateway, topics: [bundleID])
        #expect(try await back.token() == token)
        if !isDelivered {
          let marker = try await scenario.push("marker", to: token, through: gateway)
          #expect(marker["status"].integer == 200)
        }
        let text = (try? await back.received()).map(payload) ?? ""
        // S3-10 part 3 of 3: delivered days late, but not after the expiration
        #expect(text.contains(isDelivered ? "days 29" : "marker"), "\(text)")
        try await back.program.stop()
      }
    }
  }

  @Test func `accepted pushes survive a kill of the gateway`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(of: gateway, topics: [bundleID])
      let token = try await devices.token()
      try await devices.program.stop()
      #expect(
        try await scenario.push("survivor", to: token, through: gateway)["status"].integer == 200)
      try await gateway.crash()
      let again = try await scenario.restart(gateway)
      let back = try scenario.devices(of: again, topics: [bundleID])
      #expect(try await back.token() == token)
      #expect(payload(try await back.received()).contains("survivor"))
    }
  }

  @Test func `devices reconnect to a gateway that was restarted`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(
        of: gateway, topics: [bundleID], options: ["--count", "5"])
      var tokens: [String] = []
      for _ in 0..<5 { tokens.append(try await devices.token()) }
      #expect(try await gateway.stop() == 0)
      let again = try await scenario.restart(gateway)
      for (index, token) in tokens.enumerated() {
        let answer = try await scenario.push("again \(index)", to: token, through: again)
        #expect(answer["status"].integer == 200)
      }
      for index in 0..<5 {
        _ = try await devices.received { payload($0).contains("again \(index)") }
      }
    }
  }

  @Test func `devices reconnect to a gateway that crashed`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(of: gateway, topics: [bundleID])
      let token = try await devices.token()
      try await gateway.crash()
      let again = try await scenario.restart(gateway)
      #expect(try await scenario.push("back", to: token, through: again)["status"].integer == 200)
      #expect(payload(try await devices.received()).contains("back"))
    }
  }

  @Test func `two apps of a device get theirs in the order of acceptance`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let topics = ["com.example.one", "com.example.two"]
      let devices = try scenario.devices(of: gateway, topics: topics)
      var tokens: [String: String] = [:]
      for topic in topics { tokens[topic] = try await devices.token(topic: topic) }
      try await devices.goOffline()
      for topic in topics.reversed() {
        let token = try #require(tokens[topic])
        let answer = try await scenario.push(
          "for \(topic)", to: token, topic: topic, through: gateway)
        #expect(answer["status"].integer == 200)
      }
      devices.goOnline()
      let first = try await devices.received()
      let second = try await devices.received()
      #expect(first["topic"].string == topics[1])
      #expect(second["topic"].string == topics[0])
    }
  }

  @Test func `the newest of several is kept and one to be tried once is not`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(of: gateway, topics: [bundleID])
      let token = try await devices.token()
      try await devices.goOffline()
      for text in ["first", "second"] {
        #expect(try await scenario.push(text, to: token, through: gateway)["status"].integer == 200)
      }
      let once = try await scenario.push(
        "once", to: token, through: gateway, options: ["--expiration", "0"])
      #expect(once["status"].integer == 200)
      devices.goOnline()
      // S3-7
      #expect(payload(try await devices.received()).contains("second"))
      // Another push arrives after all stored pushes.
      _ = try await scenario.push("last", to: token, through: gateway)
      #expect(payload(try await devices.received()).contains("last"))
    }
  }

  @Test
  func `A token belongs to one device, and each of two agents gets its own`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let one = try await scenario.agent("one", of: gateway)
      let two = try await scenario.agent("two", of: gateway)
      let first = try await scenario.app("org.example.one", on: one)
      let second = try await scenario.app("org.example.one", on: two)
      // S4-11
      #expect(first.token != second.token)
      for (agent, token, text) in [(one, first.token, "to one"), (two, second.token, "to two")] {
        let answer = try await scenario.push(
          text, to: token, topic: "org.example.one", through: gateway)
        #expect(answer["status"].integer == 200)
        #expect(await agent.program.nextEvent("presented")["body"].string == text)
      }
      #expect(!one.program.untaken.contains { $0["event"].string == "presented" })
      #expect(!two.program.untaken.contains { $0["event"].string == "presented" })
    }
  }

  @Test func `an agent shows a push with numbers that no type can hold, and logs them`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let (_, token) = try await scenario.app("org.example.one", on: agent)
      let file = scenario.folder.file("payload.json")
      for (index, payload) in [
        #"{"aps":{"alert":"0","badge":1e400}}"#, #"{"aps":{"alert":"1"},"own":[1e400,-1E+999]}"#,
        #"{"aps":{"alert":"2","badge":1e308},"own":1e308}"#,
      ].enumerated() {
        try Data(payload.utf8).write(to: URL(fileURLWithPath: file))
        let result = try await scenario.belfryCommand([
          "send", token, "--topic", "org.example.one", "--payload", file, "--gateway", gateway.file,
        ])
        #expect(result.values.first?["status"].integer == 200)
        #expect(await agent.program.nextEvent("presented")["body"].string == "\(index)")
      }
      try await agent.program.stop()
      let lines = agent.program.errors.split(separator: "\n")
      #expect(lines.count { $0.contains("ignoring values of a push") } >= 2, "\(lines)")
    }
  }

  @Test func `an agent that was away shows what was stored`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let (program, token) = try await scenario.app("org.example.one", on: agent)
      try await program.stop()
      try await agent.program.stop()
      let answer = try await scenario.push(
        "stored", to: token, topic: "org.example.one", through: gateway)
      #expect(answer["status"].integer == 200)
      let back = try await scenario.agent(of: gateway)
      #expect(try await back.program.event("presented")["body"].string == "stored")
    }
  }

  @Test func `registering again returns the same token and after unregistering a new one`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(of: gateway, topics: [bundleID])
      let token = try await devices.token()
      devices.program.tell(#"{"do":"unregister","topic":"\#(bundleID)"}"#)
      _ = try await devices.program.event("unregistered")
      let gone = try await scenario.push("late", to: token, through: gateway)
      #expect(gone["status"].integer == 410)
      #expect(gone["reason"].string == "Unregistered")
      let moment = try #require(gone["timestamp"].integer)
      #expect(abs(Double(moment) / 1_000 - Date.now.timeIntervalSince1970) < 60)
      try await devices.program.stop()
      let back = try scenario.devices(of: gateway, topics: [bundleID])
      let new = try await back.token()
      #expect(new != token)
      #expect(try await scenario.push("now", to: new, through: gateway)["status"].integer == 200)
      try await back.program.stop()
      let third = try scenario.devices(of: gateway, topics: [bundleID])
      #expect(try await third.token() == new)
    }
  }
}
