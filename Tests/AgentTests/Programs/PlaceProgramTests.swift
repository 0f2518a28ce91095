import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of `belfry notify --near` and `belfry location`, with an agent and a running app.
@Suite("belfry notify at a place")
struct PlaceProgramTests {
  private static let app = "org.example.alarm"
  private static let tower = ["--near", "48.8584,2.2945,150"]

  private static func notify(_ scenario: Scenario, _ id: String, _ more: [String]) async throws {
    _ = try await scenario.belfryCommand(
      ["notify", "--app", app, "--title", id, "--id", id] + more)
  }

  @Test
  func
    `A place that is entered or left brings its notification, once or each time`()
    async throws
  {
    try await Scenario.run { scenario in
      var agent = try await AgentProgramTests.agent(scenario, ["--clock", "manual"])
      _ = try await scenario.belfryCommand(["location", "set", "48.80,2.29"])
      try await Self.notify(scenario, "arrive", Self.tower + ["--on", "entry"])
      try await Self.notify(scenario, "leave", Self.tower + ["--on", "exit", "--repeat"])
      let waiting = try await scenario.belfryCommand(["notify", "list", "--json"])
      #expect(Set(waiting.values.compactMap { $0["id"].string }) == ["arrive", "leave"])
      _ = try await scenario.belfryCommand(["location", "set", "48.8585,2.2946"])
      let first = try await agent.event("presented")
      #expect(first["id"].string == "arrive" && first["trigger"].string == "location")
      _ = try await scenario.belfryCommand(["location", "set", "-33.86,151.21"])
      // S1-62 part 2 of 2: on leaving
      #expect(await agent.nextEvent("presented")["id"].string == "leave")
      agent.signal(SIGKILL)
      _ = try await agent.end()
      agent = try await AgentProgramTests.agent(scenario, ["--clock", "manual"])
      // The agent stores the device's position. After a restart, entering and leaving the region therefore counts as a
      // single exit.
      _ = try await scenario.belfryCommand(["location", "set", "48.8585,2.2946"])
      _ = try await scenario.belfryCommand(["location", "set", "0,0"])
      let again = try await agent.event("updated", orEvent: "presented")
      #expect(again["id"].string == "leave")
      // With location switched off for the whole device, no app is notified (S1-73).
      _ = try await scenario.belfryCommand(["settings", "--location", "off"])
      let refused = try await scenario.belfryCommand(
        ["notify", "--app", Self.app, "--title", "x"] + Self.tower, succeeding: false)
      #expect(refused.status == 1 && refused.errors.contains("--location on"))
      _ = try await scenario.belfryCommand(["notify", "cancel", "leave"])
      #expect(try await scenario.belfryCommand(["notify", "list"]).lines.isEmpty)
    }
  }

  @Test
  func
    `A background app gets only the response to its alert; a foreground app is asked first`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await AgentProgramTests.agent(scenario, ["--clock", "manual"])
      let app = try scenario.belfry([
        "app", "run", Self.app, "--authorize", "alert", "--state", "background",
      ])
      _ = try await app.event("authorized")
      try await Self.notify(scenario, "You have arrived!", Self.tower + ["--repeat"])
      _ = try await scenario.belfryCommand(["location", "set", "48.8585,2.2946"])
      let shown = try await agent.event("presented")
      #expect(shown["title"].string == "You have arrived!")
      _ = try await scenario.belfryCommand(["center", "open", "You have arrived!"])
      let response = try await app.event("response")
      #expect(response["notification"]["id"].string == "You have arrived!")
      // The app isn't notified before the user makes a choice.
      #expect(!app.lines.contains { $0.contains("willPresent") })
      app.tell(#"{"do":"state","state":"foreground"}"#)
      _ = try await app.event("state")
      _ = try await scenario.belfryCommand(["location", "set", "0,0"])
      _ = try await scenario.belfryCommand(["location", "set", "48.8585,2.2946"])
      let question = try await app.event("willPresent")
      #expect(question["notification"]["title"].string == "You have arrived!")
      app.tell(#"{"do":"present","id":\#(question["id"].string ?? "0"),"options":[]}"#)
      #expect(try await agent.event("suppressed")["reason"].string == "foreground")
    }
  }

  @Test
  func `Location triggers do not fire while location is off for the app or the device`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await AgentProgramTests.agent(scenario, ["--clock", "manual"])
      try await Self.notify(scenario, "arrive", Self.tower + ["--repeat"])
      for (off, on) in [
        (["--location", "off"], ["--location", "on"]),
        ([Self.app, "location=denied"], [Self.app, "location=whenInUse"]),
      ] {
        _ = try await scenario.belfryCommand(["settings"] + off)
        _ = try await scenario.belfryCommand(["location", "set", "48.8585,2.2946"])
        _ = try await scenario.belfryCommand(["location", "set", "0,0"])
        _ = try await scenario.belfryCommand(["settings"] + on)
        #expect(!agent.lines.contains { $0.contains("presented") })
      }
      _ = try await scenario.belfryCommand(["location", "set", "48.8585,2.2946"])
      #expect(try await agent.event("presented")["id"].string == "arrive")
    }
  }
}

extension RunningProgram {
  /// Returns the next line whose event is either `one` or `other`.
  fileprivate func event(_ one: String, orEvent other: String) async throws -> JSONLine {
    try await line(called: "'\(one)' or '\(other)'") {
      $0["event"].string == one || $0["event"].string == other
    }
  }
}
