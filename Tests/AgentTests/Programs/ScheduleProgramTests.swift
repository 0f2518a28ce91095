import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of `belfry notify`, `clock`, and `location` with an agent that has a manual clock.
@Suite("belfry notify later")
struct ScheduleProgramTests {
  private static let app = "org.example.alarm"

  private static func notify(_ scenario: Scenario, _ id: String, _ more: [String]) async throws {
    _ = try await scenario.belfryCommand(
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

  @Test
  func `every moment in between happens in order, over a change of the clocks`() async throws {
    try await Scenario.run { scenario in
      let agent = try await AgentProgramTests.agent(scenario, ["--clock", "manual"])
      _ = try await scenario.belfryCommand(["clock", "zone", "Europe/Paris"])
      _ = try await scenario.belfryCommand(["clock", "set", "2026-03-29T00:59:50Z"])
      try await Self.notify(scenario, "skipped", ["--matching", "hour=2 minute=30", "--repeat"])
      try await Self.notify(scenario, "soon", ["--in", "15"])
      try await Self.notify(scenario, "wall", ["--at", "2026-03-29T03:00:05"])
      try await Self.notify(scenario, "instant", ["--at", "2026-03-29T01:00:07Z"])
      try await Self.notify(
        scenario, "york", ["--at", "2026-03-28T21:00:08", "--zone", "America/New_York"])
      let next = try await scenario.belfryCommand(["notify", "next", "skipped", "--count", "3"])
      #expect(
        next.lines == ["2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z", "2026-03-31T00:30:00Z"])
      _ = try await scenario.belfryCommand(["clock", "advance", "20"])
      #expect(
        try await Self.presented(agent, 5) == [
          "skipped 2026-03-29T01:00:00.000Z", "soon 2026-03-29T01:00:05.000Z",
          "wall 2026-03-29T01:00:05.000Z", "instant 2026-03-29T01:00:07.000Z",
          "york 2026-03-29T01:00:08.000Z",
        ])
      let waiting = try await scenario.belfryCommand(["notify", "list", "--json"])
      #expect(waiting.values.map { $0["id"].string } == ["skipped"])
      // The clock is set back. Nothing becomes due, and the same times occur again.
      _ = try await scenario.belfryCommand(["clock", "set", "2026-03-29T00:00:00Z"])
      #expect(
        try await scenario.belfryCommand(["notify", "next", "skipped"]).lines
          == ["2026-03-29T01:00:00Z"])
      _ = try await scenario.belfryCommand(["notify", "cancel", "skipped"])
      _ = try await scenario.belfryCommand(["clock", "set", "2026-03-29T02:00:00Z"])
      #expect(try await agent.stop() == 0)
      #expect(!agent.lines.contains { $0.contains(#""at":"2026-03-29T00"#) })
    }
  }

  @Test
  func
    `A floating alarm rings at nine wherever the device is; a universal one does not move`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await AgentProgramTests.agent(scenario, ["--clock", "manual"])
      _ = try await scenario.belfryCommand(["clock", "zone", "US/Pacific"])
      _ = try await scenario.belfryCommand(["clock", "set", "2010-06-10T10:00:00Z"])
      try await Self.notify(scenario, "alarm", ["--at", "2010-06-10T09:00", "--every", "day"])
      try await Self.notify(scenario, "game", ["--at", "2010-06-10T21:00:00Z"])
      _ = try await scenario.belfryCommand(["clock", "zone", "America/New_York"])
      _ = try await scenario.belfryCommand(["clock", "set", "2010-06-11T14:00:00Z"])
      #expect(
        try await Self.presented(agent, 3) == [
          "alarm 2010-06-10T13:00:00.000Z", "game 2010-06-10T21:00:00.000Z",
          "alarm 2010-06-11T13:00:00.000Z",
        ])
    }
  }

  @Test
  func `a clock that goes through years over a minutely repeat leaves the agent answering`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await AgentProgramTests.agent(scenario, ["--clock", "manual"])
      try await Self.notify(scenario, "often", ["--in", "60", "--repeat"])
      let journey = try scenario.belfry(["clock", "advance", "315360000"])
      _ = try await agent.event("presented")
      for _ in 0..<3 {
        let waiting = try await scenario.belfryCommand(["notify", "list", "--json"])
        #expect(waiting.values.map { $0["id"].string } == ["often"])
      }
      #expect(journey.isRunning)
      journey.signal(SIGKILL)
      // Nothing else becomes due, so a single step covers the remaining time.
      _ = try await scenario.belfryCommand(["notify", "cancel", "often"])
      #expect(try await agent.stop() == 0)
    }
  }

  @Test
  func `--at with an offset repeats at its wall time in that offset, wherever the device is`()
    async throws
  {
    try await Scenario.run { scenario in
      _ = try await AgentProgramTests.agent(scenario, ["--clock", "manual"])
      // In Paris, the clocks change on March 29, so 09:00 there is a different instant after that date.
      _ = try await scenario.belfryCommand(["clock", "zone", "Europe/Paris"])
      _ = try await scenario.belfryCommand(["clock", "set", "2026-03-27T00:00:00Z"])
      for (id, at, times) in [
        ("z", "2026-03-28T09:00Z", ["28T09:00", "29T09:00", "30T09:00"]),
        ("india", "2026-03-28T09:00+05:30", ["28T03:30", "29T03:30", "30T03:30"]),
        ("west", "2026-03-28T22:15-03:30", ["29T01:45", "30T01:45", "31T01:45"]),
      ] {
        try await Self.notify(scenario, id, ["--at", at, "--every", "day"])
        let next = try await scenario.belfryCommand(["notify", "next", id, "--count", "3"])
        #expect(next.lines == times.map { "2026-03-\($0):00Z" })
      }
      // The day of the month also depends on the offset: a time that is on the 31st at one offset can be on the 1st at
      // another.
      try await Self.notify(
        scenario, "month", ["--at", "2026-05-31T23:00-02:00", "--every", "month"])
      #expect(
        try await scenario.belfryCommand(["notify", "next", "month", "--count", "2"]).lines
          == ["2026-06-01T01:00:00Z", "2026-08-01T01:00:00Z"])
    }
  }

  @Test
  func `--every also works with --in and --matching, and invalid combinations are refused`()
    async throws
  {
    try await Scenario.run { scenario in
      _ = try await AgentProgramTests.agent(scenario, ["--clock", "manual"])
      _ = try await scenario.belfryCommand(["clock", "set", "2026-03-28T09:00:00Z"])
      _ = try await scenario.belfryCommand(["clock", "zone", "Europe/Paris"])
      let now = try await scenario.belfryCommand(["clock", "--json"]).values.first
      #expect(now?["time"].string == "2026-03-28T09:00:00.000Z")
      #expect(now?["zone"].string == "Europe/Paris")
      try await Self.notify(scenario, "in", ["--in", "60", "--every", "day"])
      try await Self.notify(
        scenario, "monday", ["--matching", "weekday=2 hour=9", "--every", "week"])
      for (id, expected) in [
        ("in", ["2026-03-28T09:01:00Z", "2026-03-29T08:01:00Z"]),
        ("monday", ["2026-03-30T07:00:00Z", "2026-04-06T07:00:00Z"]),
      ] {
        let next = try await scenario.belfryCommand(["notify", "next", id, "--count", "2"])
        #expect(next.lines == expected)
      }
      for wrong in [
        ["--matching", "weekday=2", "--every", "day"], ["--every", "day"],
        ["--in", "60", "--every", "day", "--repeat"], ["--near", "1,1,100", "--every", "day"],
        ["--on", "exit"], ["--in", "1e300"], ["--near", "1,1,inf"],
        ["--at", "2027-01-01T00:00Z", "--zone", "../../etc/passwd"],
      ] {
        let refused = try await scenario.belfryCommand(
          ["notify", "--app", Self.app, "--title", "x"] + wrong, succeeding: false)
        #expect(refused.status == 2 && refused.errors.contains("--"), "\(wrong)")
      }
    }
  }

  @Test
  func `the soonest are kept, up to the limit`() async throws {
    try await Scenario.run { scenario in
      _ = try await AgentProgramTests.agent(
        scenario, ["--clock", "manual", "--pending-limit", "2"])
      for (id, wait) in [("c", "300"), ("a", "100"), ("d", "400"), ("b", "200")] {
        try await Self.notify(scenario, id, ["--in", wait])
      }
      let waiting = try await scenario.belfryCommand(["notify", "list", "--json"])
      #expect(waiting.values.map { $0["id"].string } == ["a", "b"])
    }
  }

  @Test
  func `An agent takes a new database of zones while it runs`() async throws {
    try await Scenario.run { scenario in
      let zones = scenario.folder.file("zones")
      try FileManager.default.createDirectory(
        atPath: zones + "/Test", withIntermediateDirectories: true)
      func put(_ zone: String) throws {
        let rules = try Data(contentsOf: URL(fileURLWithPath: "/usr/share/zoneinfo/\(zone)"))
        try rules.write(to: URL(fileURLWithPath: zones + "/Test/Town"), options: .atomic)
      }
      try put("Europe/Paris")
      let ready = scenario.folder.file("ready.json")
      let agent = try scenario.belfry(
        [
          "agent", "--data", scenario.folder.file("agent"), "--presenter", "json", "--grant", "all",
          "--ready-file", ready,
        ], environment: ["TZDIR": zones, "TZ": "Test/Town"])
      _ = try await ScratchFolder.contents(of: ready) { !agent.isRunning }
      try await Self.notify(scenario, "nine", ["--at", "2099-07-01T09:00"])
      try await Self.notify(scenario, "instant", ["--at", "2099-07-01T09:00Z"])
      for (zone, expected) in [
        ("Europe/Paris", "2099-07-01T07:00:00Z"), ("Asia/Tokyo", "2099-07-01T00:00:00Z"),
      ] {
        try put(zone)
        try await Scenario.wait("the next date in \(zone)") {
          try await scenario.belfryCommand(["notify", "next", "nine"]).lines == [expected]
        }
      }
      #expect(
        try await scenario.belfryCommand(["notify", "next", "instant"]).lines
          == ["2099-07-01T09:00:00Z"])
      #expect(try await agent.stop() == 0)
    }
  }

  @Test(.requires(.unshare, .nsenter))
  func `an interval counts the time that the machine sleeps`() async throws {
    try await Scenario.run { scenario in
      let agent = try await AgentProgramTests.agent(scenario)
      try await Self.notify(scenario, "hours", ["--in", "7000"])
      try await Self.notify(scenario, "later", ["--in", "90000"])
      let day = try await scenario.belfryCommand(["notify", "next", "later"]).output
      agent.signal(SIGKILL)
      _ = try await agent.end()
      // Simulate the same boot in a time namespace. The clock that includes sleep is two hours ahead, but the wall
      // clock is unchanged.
      let ready = scenario.folder.file("again.json")
      let woken = try scenario.start(
        [
          TestTool.unshare.required(), "-rT", "--boottime", "7200", Installation.belfry, "agent",
          "--data", scenario.folder.file("agent"), "--presenter", "json", "--grant", "all",
          "--ready-file", ready,
        ], name: "belfry agent")
      let shown = try await woken.event("presented")
      #expect(shown["id"].string == "hours")
      _ = try await ScratchFolder.contents(of: ready) { !woken.isRunning }
      // Run this command in the agent's user namespace, because the agent can't inspect processes outside that
      // namespace.
      let next = try await scenario.command([
        TestTool.nsenter.required(), "--target", String(woken.pid), "--user",
        "--preserve-credentials", Installation.belfry, "notify", "next", "later",
      ]).output
      let formatter = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
      let moved = try Date(day, strategy: formatter).timeIntervalSince(
        Date(next, strategy: formatter))
      #expect(abs(moved - 7_200) < 60, "\(day) \(next)")
      #expect(try await woken.stop() == 0)
    }
  }
}
