import Foundation
import TestSupport
import Testing

/// Tests of the programs whose notifications are scheduled, under the agent's manual clock.
@Suite(.serialized, .timeLimit(.minutes(60))) struct ScheduledExamples {
  @Test
  func
    `The to-do reminder`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil, options: ["--clock", "manual"])
      let id = "org.example.todo"
      let folder = try await scenario.bundle(
        "TodoReminder", id: id, manifest: ["CFBundleDevelopmentRegion": "en"],
        languages: [
          "en": #""Item Due" = "Item Due";"#,
          "fr": #"""
          "%@ in %i minutes." = "%@ dans %i minutes."; "Item Due" = "À faire";
          "View Details" = "Détails";
          """#,
        ])
      try await scenario.tell(agent, "app", "install", folder)
      try await scenario.tell(agent, "settings", "--languages", "fr,en")
      let now = Date()
      try await scenario.tell(agent, "clock", "zone", TimeZone.current.identifier)
      try await scenario.tell(agent, "clock", "set", ISO8601DateFormatter().string(from: now))
      let app = try scenario.start(
        [folder + "/TodoReminder"], environment: ["BELFRY_SOCKET": agent.socket])
      #expect(try await app.text("scheduled") == "scheduled Call the plumber dans 30 minutes.")
      // S0-18 part 1 of 2: the action's title
      // S1-49 part 1 of 2: the action's title
      #expect(await app.nextText("action") == "action Détails")
      // The app is in the foreground, so it receives the notification that it presents immediately, although the
      // notification's date is tomorrow.
      // S0-17
      #expect(await app.nextText("received") == "received Nothing is due now")
      let waiting = try await scenario.tell(agent, "notify", "list", "--app", id, "--json")
      #expect(waiting.values.count == 1)
      try await app.stop()
      func hasBadge() -> Bool {
        agent.program.lines.contains { $0.contains(#""event":"badge""#) && $0.contains(id) }
      }
      // The item is due in one hour, and its notification half an hour earlier. The clock first stops before the
      // notification's date, and then moves past it.
      try await scenario.tell(agent, "clock", "advance", "1200")
      let hadBadgeBefore = hasBadge()
      try await scenario.tell(agent, "clock", "advance", "2400")
      let shown = await agent.nextPresented(id)
      let due = ((now.timeIntervalSince1970 + 3_600) / 60).rounded(.down) * 60 - 1_800
      // The app started slightly later than `now`, perhaps in the next minute.
      let moments = [due, due + 60].map { moment in
        String(ISO8601DateFormatter().string(from: Date(timeIntervalSince1970: moment)).dropLast())
      }
      // S0-8, S0-16, S3-24
      // S1-42 part 1 of 2: iOS
      // S1-44 part 1 of 3: the date
      let at = try #require(shown["at"].string)
      #expect(moments.contains { at.hasPrefix($0) }, "\(at) \(moments)")
      // S3-31
      // S3-17 part 2 of 3: a reminder
      #expect(shown["body"].string == "Call the plumber dans 30 minutes.")
      // S1-45
      #expect(shown["title"].string == "À faire")
      let badge = try await agent.program.event("badge") { $0["app"].string == id }
      // S0-12
      #expect(!hadBadgeBefore && badge["badge"].integer == 1 && badge["at"].string == at)
      // S0-18 part 2 of 2: date, body, sound, badge and the app's own data
      // S1-49 part 2 of 2: the same properties, and the title
      #expect(shown["sound"].string == "default" && shown["badge"].integer == 1)
      #expect(shown["userInfo"]["ToDoItem"].string == "Call the plumber")
    }
  }

  @Test
  func `A game begins at one moment, wherever the fan is`() async throws {
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
        let shown = await agent.nextPresented("org.example.BaseballGame")
        // S3-25
        // S3-27 part 1 of 2: a game
        #expect(shown["at"].string?.hasPrefix("2010-06-10T21:00:00") == true)
      }
    }
  }

  @Test
  func `An alarm rings at nine of wherever its owner is, each week`()
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
      let shown = await agent.nextPresented("org.example.AlarmClock")
      // S0-9, S3-26
      // S1-44 part 2 of 3: the zone
      // S3-17 part 1 of 3: an alarm clock
      // S3-27 part 2 of 2: an alarm
      #expect(shown["at"].string?.hasPrefix("2010-06-10T13:00:00") == true)
      try await scenario.tell(agent, "clock", "set", "2010-06-17T13:00:05Z")
      let again = await agent.nextPresented("org.example.AlarmClock")
      // S0-10 part 1 of 2: the app sets a weekly repeat interval
      // S1-44 part 3 of 3: the recurrence
      // S3-4 part 2 of 2: a local notification is scheduled, and repeats
      // S3-16 part 1 of 2: scheduled by the app, and repeated
      // S3-28
      #expect(again["at"].string?.hasPrefix("2010-06-17T13:00:00") == true)

      let other = try await scenario.example(
        "AlarmClock", on: agent, app: "org.example.cancel", arguments: ["--cancel"])
      // S0-19
      // S3-16 part 2 of 2: cancelled
      #expect(await other.nextText("left 0") == "left 0")
      let waiting = try await scenario.tell(
        agent, "notify", "list", "--app", "org.example.cancel", "--json")
      #expect(waiting.values.isEmpty)
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
