import Foundation
import TestSupport
import Testing

/// The programs whose notifications wait for a time, under the agent's manual clock.
@Suite(.serialized, .timeLimit(.minutes(60))) struct ScheduledExamples {
  @Test
  func
    `S0-7 S0-8 S0-11 S0-12 S0-13 S0-16 S0-18 S1-44 S1-45 S1-47 S1-49 S3-23 S3-24 the to-do reminder`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil, options: ["--clock", "manual"])
      let now = ISO8601DateFormatter().string(from: Date())
      try await scenario.tell(agent, "clock", "zone", TimeZone.current.identifier)
      try await scenario.tell(agent, "clock", "set", now)
      let app = try await scenario.example("TodoReminder", on: agent)
      _ = try await app.text("scheduled Call the plumber in 30 minutes.")
      // S0-17: at once, whatever its date; in front of the user the app gets it.
      _ = try await app.text("received Nothing is due now")
      try await scenario.tell(agent, "state", "front=none")
      try await scenario.tell(agent, "clock", "advance", "3600")
      let shown = try await agent.presented("org.example.TodoReminder")
      #expect(shown["title"].string == "Item Due")
      #expect(shown["body"].string == "Call the plumber in 30 minutes.")
      #expect(shown["badge"].integer == 1)
      #expect(shown["userInfo"]["ToDoItem"].string == "Call the plumber")
    }
  }

  @Test
  func `S3-25 S3-27 a game begins at one moment, wherever the fan is`() async throws {
    for (zone, beginning) in [
      ("America/Los_Angeles", "2010-06-10T20:59:50Z"), ("America/New_York", "2010-06-10T20:59:50Z"),
    ] {
      try await Scenario.run { scenario in
        let agent = try await scenario.agent(of: nil, options: ["--clock", "manual"])
        try await scenario.tell(agent, "clock", "zone", zone)
        try await scenario.tell(agent, "clock", "set", "2010-06-01T00:00:00Z")
        let app = try await scenario.example("BaseballGame", on: agent)
        _ = try await app.text("scheduled 1")
        try await scenario.tell(agent, "state", "front=none")
        try await scenario.tell(agent, "clock", "set", beginning)
        #expect(!agent.program.lines.contains { $0.contains(#""event":"presented""#) })
        try await scenario.tell(agent, "clock", "advance", "20")
        _ = try await agent.presented("org.example.BaseballGame")
      }
    }
  }

  @Test
  func `S0-9 S3-4 S3-26 S3-28 S1-50 an alarm rings at nine of wherever its owner is, each week`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil, options: ["--clock", "manual"])
      try await scenario.tell(agent, "clock", "zone", "America/Los_Angeles")
      try await scenario.tell(agent, "clock", "set", "2010-06-01T00:00:00Z")
      let app = try await scenario.example("AlarmClock", on: agent)
      _ = try await app.text("scheduled 1")
      try await scenario.tell(agent, "state", "front=none")
      try await scenario.tell(agent, "clock", "zone", "America/New_York")
      try await scenario.tell(agent, "clock", "set", "2010-06-10T13:00:05Z")
      let shown = try await agent.presented("org.example.AlarmClock")
      #expect(shown["at"].string?.hasPrefix("2010-06-10T13:00:00") == true)
      try await scenario.tell(agent, "clock", "set", "2010-06-17T13:00:05Z")
      _ = try await agent.presented("org.example.AlarmClock")

      let other = try await scenario.example(
        "AlarmClock", on: agent, app: "org.example.cancel", arguments: ["--cancel"])
      _ = try await other.text("left 0")
    }
  }

  @Test
  func `NSUserNotification is delivered at its date`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil, options: ["--clock", "manual"])
      try await scenario.tell(agent, "clock", "set", ISO8601DateFormatter().string(from: Date()))
      let app = try await scenario.example("MacNotification", on: agent, arguments: ["--later"])
      _ = try await app.text("scheduled 1")
      try await scenario.tell(agent, "clock", "advance", "60")
      #expect(
        try await agent.presented("org.example.MacNotification")["title"].string == "Meeting")
    }
  }
}
