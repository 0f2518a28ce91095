import Foundation
import TestSupport
import Testing

/// Tests of the location program, with a real agent on a device whose location a command changes.
@Suite(.serialized, .timeLimit(.minutes(60))) struct LocationExamples {
  private static let id = "org.example.nearby"
  private static let tower = "48.8585,2.2946"
  private static let away = "48.80,2.29"

  /// Runs an agent and an installed app that has a location usage description.
  private func play(
    _ arguments: [String] = [], usage: String? = "To remind you on arrival.",
    _ body: @escaping @Sendable (Scenario, AgentProgram, RunningProgram) async throws -> Void
  ) async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil, options: ["--clock", "manual"])
      try await scenario.tell(agent, "location", "set", Self.away)
      let folder = try await scenario.bundle(
        "NearbyReminder", id: Self.id,
        manifest: usage.map { ["NSLocationWhenInUseUsageDescription": $0] } ?? [:])
      try await scenario.tell(agent, "app", "install", folder)
      let app = try scenario.start(
        [folder + "/NearbyReminder"] + arguments, environment: ["BELFRY_SOCKET": agent.socket])
      try await body(scenario, agent, app)
    }
  }

  private func open(_ scenario: Scenario, _ agent: AgentProgram) async throws {
    let shown = try await agent.presented(Self.id)
    #expect(shown["body"].string == "You have arrived!")
    #expect(shown["trigger"].string == "location")
    try await scenario.tell(
      agent, "center", "open", try #require(shown["id"].string), "--app", Self.id)
  }

  @Test
  func `Arrival is shown, and told once it is opened`()
    async throws
  {
    try await play { scenario, agent, app in
      // The user first grants permission, so the app can schedule its notification.
      // S1-64 part 1 of 2: monitored with permission
      #expect(await app.nextText("location 4") == "location 4")
      #expect(await app.nextText("scheduled") == "scheduled 1")
      // S1-67
      // If the answer has not arrived yet, the app also reports the earlier status.
      #expect(app.lines.filter { $0 != "location 0" } == ["location 4", "scheduled 1"])
      try await scenario.tell(agent, "state", "front=none")
      try await scenario.tell(agent, "location", "set", Self.tower)
      let shown = await agent.nextPresented(Self.id)
      // S1-62 part 1 of 2: on arrival
      // S1-70
      // S3-17 part 3 of 3: a place
      #expect(shown["body"].string == "You have arrived!")
      #expect(shown["trigger"].string == "location")
      // S1-66 part 1 of 3: no callback before the user acts
      #expect(!app.lines.contains { $0.hasPrefix("arrived") })
      try await scenario.tell(
        agent, "center", "open", try #require(shown["id"].string), "--app", Self.id)
      // S1-66 part 2 of 3: the user acts, and access is allowed
      // S1-72 part 1 of 3: the notification has its region
      #expect(await app.nextText("arrived") == "arrived tower")
      // S1-63 part 1 of 2: once
      // S1-68 part 1 of 2: once, by default
      #expect(await app.nextText("left") == "left 0")
      try await scenario.tell(agent, "location", "set", Self.away)
      try await scenario.tell(agent, "location", "set", Self.tower)
      #expect(agent.program.lines.count { $0.contains("You have arrived!") } == 1)
    }
  }

  @Test
  func `With regionTriggersOnce off, the notification fires at each arrival`() async throws {
    try await play(["--each"]) { scenario, agent, app in
      _ = try await app.text("scheduled 1")
      for _ in 0..<2 {
        try await scenario.tell(agent, "location", "set", Self.tower)
        // In the foreground, the app receives the notification, and nothing is shown.
        // S1-63 part 2 of 2: each time
        // S1-68 part 2 of 2: each time, if the app requests it
        // S1-71 part 2 of 2: an app in the foreground
        #expect(await app.nextText("arrived") == "arrived tower")
        #expect(await app.nextText("left") == "left 1")
        try await scenario.tell(agent, "location", "set", Self.away)
      }
      #expect(!agent.program.lines.contains { $0.contains(#""event":"presented""#) })
    }
  }

  @Test
  func `An app that does not run is launched with it`() async throws {
    try await play { scenario, agent, app in
      _ = try await app.text("scheduled 1")
      try await app.stop()
      try await scenario.tell(agent, "location", "set", Self.tower)
      try await open(scenario, agent)
      // S1-71 part 1 of 2: an app that is not running
      #expect(await agent.program.hasError("launched tower"))
    }
  }

  @Test
  func `With location services off for the device, location notifications do not fire`()
    async throws
  {
    try await play { scenario, agent, app in
      _ = try await app.text("scheduled 1")
      try await scenario.tell(agent, "settings", "--location", "off")
      _ = try await app.text("location 2")
      try await scenario.tell(agent, "location", "set", Self.tower)
      try await scenario.tell(agent, "location", "set", Self.away)
      try await scenario.tell(agent, "settings", "--location", "on")
      _ = try await app.text("location 4")
      // S1-73 part 1 of 3: nothing is delivered while location services are off
      #expect(!app.lines.contains { $0.hasPrefix("arrived") })
      #expect(!agent.program.lines.contains { $0.contains(#""event":"presented""#) })
    }
  }

  @Test(arguments: [["settings", "--location", "off"], ["settings", id, "location=denied"]])
  func `An app that lost location access gets no callback for an opened location notification`(
    change: [String]
  ) async throws {
    try await play { scenario, agent, app in
      _ = try await app.text("scheduled 1")
      try await scenario.tell(agent, "state", "front=none")
      try await scenario.tell(agent, "location", "set", Self.tower)
      let shown = try await agent.presented(Self.id)
      _ = try await scenario.belfryCommand(change + ["--socket", agent.socket])
      _ = try await app.text("location 2")
      try await scenario.tell(
        agent, "center", "open", try #require(shown["id"].string), "--app", Self.id)
      // The app still opens, but it is not notified of the location. If the location callback were called, its line
      // would precede this line.
      try await agent.program.error("an app does not receive a response")
      try await app.stop()
      // S1-66 part 3 of 3: no callback without access
      // S1-73 part 3 of 3: no callback for a notification that was shown before access was turned off
      #expect(!app.lines.contains { $0.hasPrefix("arrived") })
    }
  }

  @Test
  func `Without permission nothing is watched, and with it afterwards it is`() async throws {
    try await play { scenario, agent, app in
      _ = try await app.text("location 4")
      _ = try await app.text("scheduled 1")
      try await scenario.tell(agent, "state", "front=none")
      try await scenario.tell(agent, "settings", Self.id, "location=denied")
      _ = try await app.text("location 2")
      try await scenario.tell(agent, "location", "set", Self.tower)
      try await scenario.tell(agent, "location", "set", Self.away)
      let shown = agent.program.lines.count { $0.contains("You have arrived!") }
      try await scenario.tell(agent, "settings", Self.id, "location=whenInUse")
      try await scenario.tell(agent, "location", "set", Self.tower)
      let arrived = await agent.nextPresented(Self.id)
      // S1-64 part 2 of 2: nothing without permission
      #expect(shown == 0 && arrived["body"].string == "You have arrived!")
    }
  }

  @Test
  func `Without a word on what it is for there is no question and no access`() async throws {
    try await play(usage: nil) { scenario, agent, app in
      // S1-65 part 2 of 2: without the text, the app gets no location
      #expect(await app.nextText("location") == "location 0")
      let waiting = try await scenario.tell(agent, "notify", "list", "--json")
      #expect(waiting.values.isEmpty)
      try await app.error("NSLocationWhenInUseUsageDescription")
    }
  }

  @Test
  func `A development app says by the environment what the location is for`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let app = try await scenario.example(
        "NearbyReminder", on: agent, environment: ["BELFRY_LOCATION_USAGE": "For the tower."])
      _ = try await app.text("location 4")
    }
  }
}
