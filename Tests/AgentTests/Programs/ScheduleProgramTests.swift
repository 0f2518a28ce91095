import Foundation
import TestSupport
import Testing

/// `belfry notify`, `clock` and `location` against an agent with a manual clock.
@Suite("belfry notify later")
struct ScheduleProgramTests {
  private static let app = "org.example.alarm"

  private static func notify(_ stage: Stage, _ id: String, _ more: [String]) async throws {
    _ = try await stage.belfryCommand(
      ["notify", "--app", app, "--title", id, "--id", id] + more)
  }

  private static func presented(_ agent: RunningProgram, _ count: Int) async throws -> [String] {
    var lines: [String] = []
    for _ in 0..<count {
      let line = try await agent.event("presented")
      lines.append("\(line["id"].string ?? "") \(line["at"].string ?? "")")
    }
    return lines
  }

  @Test("every moment in between happens in order, over a change of the clocks")
  func clock() async throws {
    try await Stage.play { stage in
      let agent = try await AgentProgramTests.agent(stage, ["--clock", "manual"])
      _ = try await stage.belfryCommand(["clock", "zone", "Europe/Paris"])
      _ = try await stage.belfryCommand(["clock", "set", "2026-03-29T00:59:50Z"])
      try await Self.notify(stage, "skipped", ["--matching", "hour=2 minute=30", "--repeat"])
      try await Self.notify(stage, "soon", ["--in", "15"])
      try await Self.notify(stage, "wall", ["--at", "2026-03-29T03:00:05"])
      try await Self.notify(stage, "instant", ["--at", "2026-03-29T01:00:07Z"])
      try await Self.notify(
        stage, "york", ["--at", "2026-03-28T21:00:08", "--zone", "America/New_York"])
      let next = try await stage.belfryCommand(["notify", "next", "skipped", "--count", "3"])
      #expect(
        next.lines == ["2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z", "2026-03-31T00:30:00Z"])
      _ = try await stage.belfryCommand(["clock", "advance", "20"])
      #expect(
        try await Self.presented(agent, 5) == [
          "skipped 2026-03-29T01:00:00.000Z", "soon 2026-03-29T01:00:05.000Z",
          "wall 2026-03-29T01:00:05.000Z", "instant 2026-03-29T01:00:07.000Z",
          "york 2026-03-29T01:00:08.000Z",
        ])
      let waiting = try await stage.belfryCommand(["notify", "list", "--json"])
      #expect(waiting.values.map { $0["id"].string } == ["skipped"])
      // Set back: nothing fires, and the moments come again.
      _ = try await stage.belfryCommand(["clock", "set", "2026-03-29T00:00:00Z"])
      #expect(
        try await stage.belfryCommand(["notify", "next", "skipped"]).lines
          == ["2026-03-29T01:00:00Z"])
      _ = try await stage.belfryCommand(["notify", "cancel", "skipped"])
      _ = try await stage.belfryCommand(["clock", "set", "2026-03-29T02:00:00Z"])
      #expect(try await agent.stop() == 0)
      #expect(!agent.lines.contains { $0.contains(#""at":"2026-03-29T00"#) })
    }
  }

  @Test(
    "S3-26 a floating alarm rings at nine wherever the device is; a universal one does not move")
  func zones() async throws {
    try await Stage.play { stage in
      let agent = try await AgentProgramTests.agent(stage, ["--clock", "manual"])
      _ = try await stage.belfryCommand(["clock", "zone", "US/Pacific"])
      _ = try await stage.belfryCommand(["clock", "set", "2010-06-10T10:00:00Z"])
      try await Self.notify(stage, "alarm", ["--at", "2010-06-10T09:00", "--every", "day"])
      try await Self.notify(stage, "game", ["--at", "2010-06-10T21:00:00Z"])
      _ = try await stage.belfryCommand(["clock", "zone", "America/New_York"])
      _ = try await stage.belfryCommand(["clock", "set", "2010-06-11T14:00:00Z"])
      #expect(
        try await Self.presented(agent, 3) == [
          "alarm 2010-06-10T13:00:00.000Z", "game 2010-06-10T21:00:00.000Z",
          "alarm 2010-06-11T13:00:00.000Z",
        ])
    }
  }

  @Test("--every goes with --in and --matching, too")
  func every() async throws {
    try await Stage.play { stage in
      _ = try await AgentProgramTests.agent(stage, ["--clock", "manual"])
      _ = try await stage.belfryCommand(["clock", "set", "2026-03-28T09:00:00Z"])
      _ = try await stage.belfryCommand(["clock", "zone", "Europe/Paris"])
      let now = try await stage.belfryCommand(["clock", "--json"]).values.first
      #expect(now?["time"].string == "2026-03-28T09:00:00.000Z")
      #expect(now?["zone"].string == "Europe/Paris")
      try await Self.notify(stage, "in", ["--in", "60", "--every", "day"])
      try await Self.notify(stage, "monday", ["--matching", "weekday=2 hour=9", "--every", "week"])
      for (id, expected) in [
        ("in", ["2026-03-28T09:01:00Z", "2026-03-29T08:01:00Z"]),
        ("monday", ["2026-03-30T07:00:00Z", "2026-04-06T07:00:00Z"]),
      ] {
        let next = try await stage.belfryCommand(["notify", "next", id, "--count", "2"])
        #expect(next.lines == expected)
      }
      for wrong in [
        ["--matching", "weekday=2", "--every", "day"], ["--every", "day"],
        ["--in", "60", "--every", "day", "--repeat"], ["--near", "1,1,100", "--every", "day"],
      ] {
        let refused = try await stage.belfryCommand(
          ["notify", "--app", Self.app, "--title", "x"] + wrong, succeeding: false)
        #expect(refused.status == 2 && refused.errors.contains("--"), "\(wrong)")
      }
    }
  }

  @Test("the soonest are kept, up to the limit")
  func limit() async throws {
    try await Stage.play { stage in
      _ = try await AgentProgramTests.agent(
        stage, ["--clock", "manual", "--pending-limit", "2"])
      for (id, wait) in [("c", "300"), ("a", "100"), ("d", "400"), ("b", "200")] {
        try await Self.notify(stage, id, ["--in", wait])
      }
      let waiting = try await stage.belfryCommand(["notify", "list", "--json"])
      #expect(waiting.values.map { $0["id"].string } == ["a", "b"])
    }
  }

  @Test("S1-62, S1-68 a place that is entered or left brings its notification, once or each time")
  func places() async throws {
    try await Stage.play { stage in
      var agent = try await AgentProgramTests.agent(stage, ["--clock", "manual"])
      _ = try await stage.belfryCommand(["location", "set", "48.80,2.29"])
      let tower = ["--near", "48.8584,2.2945,150"]
      try await Self.notify(stage, "arrive", tower + ["--on", "entry"])
      try await Self.notify(stage, "leave", tower + ["--on", "exit", "--repeat"])
      let waiting = try await stage.belfryCommand(["notify", "list", "--json"])
      #expect(Set(waiting.values.compactMap { $0["id"].string }) == ["arrive", "leave"])
      _ = try await stage.belfryCommand(["location", "set", "48.8585,2.2946"])
      let first = try await agent.event("presented")
      #expect(first["id"].string == "arrive" && first["trigger"].string == "location")
      _ = try await stage.belfryCommand(["location", "set", "-33.86,151.21"])
      #expect(try await agent.event("presented")["id"].string == "leave")
      agent.signal(SIGKILL)
      _ = try await agent.end()
      agent = try await AgentProgramTests.agent(stage, ["--clock", "manual"])
      // Where the device was is kept: coming back and leaving again counts once.
      _ = try await stage.belfryCommand(["location", "set", "48.8585,2.2946"])
      _ = try await stage.belfryCommand(["location", "set", "0,0"])
      let again = try await agent.event("updated", orEvent: "presented")
      #expect(again["id"].string == "leave")
      // Switched off for the whole device, nothing is told (S1-73).
      _ = try await stage.belfryCommand(["settings", "--location", "off"])
      let refused = try await stage.belfryCommand(
        ["notify", "--app", Self.app, "--title", "x"] + tower, succeeding: false)
      #expect(refused.status == 1 && refused.errors.contains("--location on"))
      _ = try await stage.belfryCommand(["notify", "cancel", "leave"])
      #expect(try await stage.belfryCommand(["notify", "list"]).lines.isEmpty)
    }
  }
}

extension RunningProgram {
  /// The next line of one of two events.
  fileprivate func event(_ one: String, orEvent other: String) async throws -> JSONLine {
    try await line(called: "'\(one)' or '\(other)'") {
      $0["event"].string == one || $0["event"].string == other
    }
  }
}
