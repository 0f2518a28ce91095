import Foundation
import TestSupport
import Testing

/// The programs of the documents on local notifications, run against a real agent.
@Suite(.serialized, .timeLimit(.minutes(60))) struct LocalExamples {
  @Test
  func `S0-22 S0-23 S1-51 S3-33 a chat goes on in the background and presents at once`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let app = try await scenario.example("BackgroundChat", on: agent)
      _ = try await app.text("types 7")
      try await scenario.tell(agent, "state", "front=none")
      _ = try await app.text("background")
      _ = try await app.text("presented")
      let shown = try await agent.presented("org.example.BackgroundChat")
      #expect(shown["body"].string == "Anna: are you there?")
      #expect(shown["sound"].string == "alarmsound.caf")
      #expect(shown["badge"].integer == 1)
      _ = try await app.text("done")
      try await scenario.tell(agent, "state", "front=org.example.BackgroundChat")
      _ = try await app.text("foreground")
    }
  }

  @Test
  func
    `S1-12 S1-22 S1-23 S1-24 S1-25 S1-26 S1-29 S1-30 S1-32 S1-33 S1-35 S1-40 S1-41 S1-56 an invitation is accepted without opening the app`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let id = "org.example.Invitation"
      let app = try await scenario.example("Invitation", on: agent)
      let token = try await scenario.token(of: app)
      try await scenario.tell(agent, "state", "front=none")
      try await scenario.push(
        #"{"aps":{"alert":"Dinner?","category":"INVITE_CATEGORY"},"invitation":7}"#, to: token,
        topic: id, of: gateway)
      let shown = try await agent.presented(id)
      #expect(shown["actions"].array.map { $0["title"].string } == ["Accept", "Maybe", "Decline"])
      #expect(shown["actions"][2]["destructive"].boolean == true)
      try await scenario.tell(
        agent, "center", "action", try #require(shown["id"].string), "ACCEPT_IDENTIFIER", "--app",
        id)
      #expect(try await app.text("ACCEPT") == "ACCEPT_IDENTIFIER 7")

      // S1-33: a category that the app did not register has no buttons.
      try await scenario.push(
        #"{"aps":{"alert":"Dinner?","category":"UNKNOWN"}}"#, to: token, topic: id, of: gateway)
      #expect(try await agent.presented(id)["actions"].array.isEmpty)
      try await app.stop()

      let local = try await scenario.example("Invitation", on: agent, arguments: ["--invite"])
      _ = try await local.text("types 7")
    }
  }

  @Test
  func `S0-46 S0-48 S1-60 S2-12 a running app gets the notification and lowers the badge`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let app = try await scenario.example("LaunchHandling", on: agent, arguments: ["--remind"])
      _ = try await app.text("launched")
      #expect(try await app.text("running") == "running milk badge 2")
      let badge = try await agent.program.event("badge")
      #expect(badge["badge"].integer == 2)
    }
  }

  @Test
  func
    `S0-10 S0-19 S0-20 S0-21 S1-43 S1-50 S3-2 S3-3 S3-16 S3-19 S3-29 the older calls, one by one`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let id = "org.example.LocalTour"
      let app = try await scenario.example("LocalTour", on: agent)
      #expect(try await app.text("settings") == "settings 7")
      #expect(try await app.text("two") == "two Daily Once")
      #expect(try await app.text("left") == "left Daily")
      #expect(try await app.text("replaced") == "replaced Once")
      #expect(try await app.text("none") == "none ")

      try await scenario.tell(agent, "state", "front=none")
      let shown = try await agent.presented(id)
      #expect(shown["title"].string == "Title")
      #expect(shown["body"].string == "Body")
      #expect(shown["badge"].integer == 5)
      #expect(shown["sound"].string == "default")
      #expect(try await agent.presented(id)["badge"] == .null)
      _ = try await app.text("presented")
      try await scenario.tell(agent, "state", "front=\(id)")
      #expect(try await app.text("badge") == "badge 5")
      let removed = try await agent.program.event("removed")
      #expect(removed["id"] == shown["id"])
      _ = try await agent.program.event("badge") { $0["badge"].integer == 0 }
      _ = try await app.text("cancelled")
    }
  }

  @Test
  func `S0-26 S0-49 S1-1 S1-14 S1-59 a Mac app registers in one call and gets a push in front`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let app = try await scenario.example("MacNotification", on: agent)
      let token = try await scenario.token(of: app)
      try await scenario.push(
        #"{"aps":{"alert":"hi"},"item":"milk"}"#, to: token, topic: "org.example.MacNotification",
        of: gateway)
      #expect(try await app.text("push") == "push milk")
    }
  }

  @Test
  func `S1-42 S1-52 S1-53 S1-54 a Mac app's notification`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let app = try await scenario.example("MacNotification", on: agent)
      _ = try await app.text("permission true")
      let shown = try await agent.presented("org.example.MacNotification")
      #expect(shown["title"].string == "Meeting")
      #expect(shown["body"].string == "In ten minutes")
      #expect(shown["actions"].array.map { $0["title"].string } == ["Snooze"])
      _ = try await app.text("delivered Meeting")
      let id = try #require(shown["id"].string)
      try await scenario.tell(
        agent, "center", "action", id, "belfry.action", "--app", "org.example.MacNotification")
      #expect(try await app.text("activated") == "activated 2")

      // S1-52: in front it is not shown unless the app wants it.
      let quiet = try await scenario.example(
        "MacNotification", on: agent, app: "org.example.quiet", arguments: ["--quiet"])
      _ = try await quiet.text("delivered Meeting")
      _ = try await agent.program.event("suppressed") { $0["app"].string == "org.example.quiet" }
    }
  }

  @Test
  func `S0-53 S0-54 S0-55 S1-75 the language of the agent's settings, and its change`() async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      try await scenario.tell(agent, "settings", "--languages", "fr-CA,en")
      let app = try await scenario.example("LanguagePreference", on: agent)
      #expect(try await app.text("language") == "language fr-CA")
      try await scenario.tell(agent, "settings", "--languages", "ja,en")
      #expect(try await app.text("language") == "language ja")
    }
  }

  @Test
  func `A plain tool uses the notification center, and an error says that no agent is there`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let tool = try await scenario.example("PlainReminder", on: agent, arguments: ["Stretch"])
      #expect(try await tool.text("permission") == "permission true")
      #expect(try await agent.presented("org.example.PlainReminder")["title"].string == "Stretch")
      #expect(try await tool.text("delivered") == "delivered Stretch true")
      #expect(try await tool.end() == 0)

      try await agent.program.stop()
      let alone = try await scenario.example("PlainReminder", on: agent)
      let error = try await alone.text("error 1")
      #expect(error.contains(agent.socket))
      #expect(try await alone.end() == 0)
    }
  }
}
