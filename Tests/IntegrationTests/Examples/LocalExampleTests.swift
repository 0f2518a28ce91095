import Foundation
import TestSupport
import Testing

/// Tests of the example programs from the documents on local notifications, with a real agent.
@Suite(.serialized, .timeLimit(.minutes(60))) struct LocalExamples {
  @Test
  func `A chat app keeps running in the background and presents notifications immediately`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let app = try await scenario.example("BackgroundChat", on: agent)
      _ = try await app.text("types 7")
      try await scenario.tell(agent, "state", "front=none")
      _ = try await app.text("background")
      let time = await app.nextText("time")
      _ = try await app.text("presented")
      let shown = await agent.nextPresented("org.example.BackgroundChat")
      // S0-22 in part: limited time, and immediate presentation; a process that the user started is never stopped
      #expect(time == "time limited")
      // S0-23 part 1 of 3: the loop, the sound and the badge
      // S1-51 part 1 of 2: the notification is presented immediately
      #expect(shown["body"].string == "Anna: are you there?")
      #expect(shown["sound"].string == "alarmsound.caf")
      #expect(shown["badge"].integer == 1)
      _ = try await app.text("done")
      try await scenario.tell(
        agent, "center", "open", try #require(shown["id"].string), "--app",
        "org.example.BackgroundChat")
      // S3-33 part 1 of 2: the notification is presented immediately, and the user opens it
      #expect(await app.nextText("foreground") == "foreground")
    }
  }

  @Test
  func `A background task keeps the app awake until its time expires, then the app is suspended`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway, options: ["--clock", "manual"])
      let id = "org.example.saving"
      let folder = try await scenario.bundle(
        "MenuUpdate", id: id, manifest: ["UIBackgroundModes": ["remote-notification"]])
      try await scenario.tell(agent, "app", "install", folder)
      let app = try scenario.start(
        [folder + "/MenuUpdate"], environment: ["BELFRY_SOCKET": agent.socket])
      let token = try await scenario.token(of: app)
      try await app.stop()
      func state() async throws -> String? {
        try await scenario.tell(agent, "app", "list", "--json").values
          .first { $0["app"].string == id }?["state"].string
      }
      try await scenario.push(
        #"{"aps":{"content-available":1},"save":true}"#, to: token, topic: id, of: gateway,
        options: ["--type", "background"])
      // S0-23 part 2 of 3: a task begins, and the app can read the remaining time
      #expect(await agent.program.hasError("saving true limited\n"))
      // The fetch is over, but the task keeps the app awake.
      try await scenario.tell(agent, "clock", "advance", "20")
      #expect(try await state() == "background")
      try await scenario.tell(agent, "clock", "advance", "9")
      #expect(await agent.program.hasError("the time ends\n"))
      try? await Scenario.wait("the end of the app's task") {
        try await scenario.tell(agent, "clock", "advance", "1")
        return try await state() == "suspended"
      }
      try await scenario.tell(agent, "clock", "advance", "60")
      // S0-23 part 3 of 3: an app whose handler ended its task is suspended, not terminated
      #expect(try await state() == "suspended")
    }
  }

  @Test(arguments: [("ACCEPT_IDENTIFIER", false), ("MAYBE_IDENTIFIER", true)])
  func `An action starts a stopped app in the background, or in the foreground if it says so`(
    action: String, isForeground: Bool
  ) async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let id = "org.example.invited"
      let folder = try await scenario.bundle("Invitation", id: id)
      try await scenario.tell(agent, "app", "install", folder)
      let app = try scenario.start(
        [folder + "/Invitation"], environment: ["BELFRY_SOCKET": agent.socket])
      let token = try await scenario.token(of: app)
      try await app.stop()
      try await scenario.push(
        #"{"aps":{"alert":"Dinner?","category":"INVITE_CATEGORY"},"invitation":9}"#, to: token,
        topic: id, of: gateway)
      let shown = try await agent.presented(id)
      try await scenario.tell(
        agent, "center", "action", try #require(shown["id"].string), action, "--app", id)
      try await agent.program.error("\(action) 9 of INVITE_CATEGORY\n")
      let state = try await scenario.tell(agent, "app", "list", "--json").values
        .first { $0["app"].string == id }?["state"].string
      // S1-24 part 4 of 5: activationMode of an app that is not running
      #expect(agent.program.errors.contains("active\n") == isForeground)
      // An app in the background may be suspended once it has handled the response.
      let expected = isForeground ? ["foreground"] : ["background", "suspended"]
      #expect(expected.contains(state ?? ""))
    }
  }

  @Test(arguments: [("LATER", false), ("SHOW", true)])
  func `An action starts a Mac app in the background, or in the foreground if it says so`(
    action: String, isForeground: Bool
  ) async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil, options: ["--grant", "ask"])
      let id = "org.example.planner"
      let folder = try await scenario.bundle("MacNotification", id: id)
      try await scenario.tell(agent, "app", "install", folder)
      let app = try scenario.start(
        [folder + "/MacNotification", "--actions"], environment: ["BELFRY_SOCKET": agent.socket])
      _ = try await agent.program.event("prompt")
      try await scenario.tell(agent, "state", "front=none")
      // After this answer, the app shows its notification.
      try await scenario.tell(agent, "settings", id, "notifications=on")
      #expect(try await app.text("planned") == "planned true")
      _ = try await agent.presented(id)
      try await app.stop()
      try await scenario.tell(agent, "center", "action", "planning", action, "--app", id)
      // This is the last line that the app prints at launch.
      try await agent.program.error("permission true\n")
      // S1-24 part 5 of 5: activationMode of a Mac app
      #expect(agent.program.errors.contains("active\n") == isForeground)
    }
  }

  @Test
  func
    `An invitation is accepted without opening the app`()
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
        #"{"aps":{"alert":"Dinner?","category":"INVITE_CATEGORY","badge":3,"sound":"default"},"#
          + #""invitation":7}"#, to: token, topic: id, of: gateway)
      let shown = try await agent.presented(id)
      let actions = shown["actions"]
      // S1-23, S1-26, S1-32
      // S1-33 part 1 of 2: a category of the app's own
      #expect(actions.array.map { $0["title"].string } == ["Accept", "Maybe", "Decline"])
      // S1-55
      #expect(
        shown["body"].string == "Dinner?" && shown["badge"].integer == 3
          && shown["sound"].string == "default")
      // S1-25 part 1 of 2: its appearance
      #expect(actions[0]["id"].string == "ACCEPT_IDENTIFIER")
      #expect(actions[0]["destructive"].boolean == false)
      #expect(actions[0]["authenticationRequired"].boolean == false)
      // S1-24 part 1 of 5: identifier, title, destructive, authenticationRequired
      #expect(actions[2]["id"].string == "DECLINE_IDENTIFIER")
      #expect(actions[2]["destructive"].boolean == true)
      #expect(actions[2]["authenticationRequired"].boolean == true)
      let number = try #require(shown["id"].string)
      func choose(_ action: String) async throws {
        try await scenario.tell(agent, "center", "action", number, action, "--app", id)
      }
      try await choose("ACCEPT_IDENTIFIER")
      // S1-22
      // S1-12 part 1 of 2: a push
      // S1-40 part 1 of 2: a push
      // S1-56 part 1 of 2: a push
      #expect(await app.nextText("ACCEPT") == "ACCEPT_IDENTIFIER 7 of INVITE_CATEGORY")

      // A category that the app didn't register has no buttons.
      try await scenario.push(
        #"{"aps":{"alert":"Dinner?","category":"UNKNOWN"}}"#, to: token, topic: id, of: gateway)
      // S1-33 part 2 of 2: an unknown category
      #expect(try await agent.presented(id)["actions"].array.isEmpty)
    }
  }

  /// The invitation app in the background, with functions that send it an invitation and choose an action.
  private struct Invited: Sendable {
    let app: RunningProgram
    let agent: AgentProgram
    let choose: @Sendable (_ action: String, _ invitation: Int) async throws -> Void
  }

  private func invite(_ scenario: Scenario, arguments: [String] = []) async throws -> Invited {
    let gateway = try await scenario.gateway()
    let agent = try await scenario.agent(of: gateway)
    let id = "org.example.Invitation"
    let app = try await scenario.example("Invitation", on: agent, arguments: arguments)
    let token = try await scenario.token(of: app)
    try await scenario.tell(agent, "state", "front=none")
    _ = try await app.text("behind")
    return Invited(app: app, agent: agent) { action, invitation in
      try await scenario.push(
        #"{"aps":{"alert":"Dinner?","category":"INVITE_CATEGORY"},"invitation":\#(invitation)}"#,
        to: token, topic: id, of: gateway)
      let shown = try await agent.presented(id)
      try await scenario.tell(
        agent, "center", "action", try #require(shown["id"].string), action, "--app", id)
    }
  }

  @Test
  func `An action brings its app to the front where it says so`() async throws {
    try await Scenario.run { scenario in
      let invited = try await invite(scenario)
      let before = invited.app.lines.count { $0 == "active" }
      try await invited.choose("ACCEPT_IDENTIFIER", 7)
      _ = try await invited.app.text("ACCEPT")
      // S1-25 part 2 of 2: handled in the background
      #expect(invited.app.lines.count { $0 == "active" } == before)
      try await invited.choose("MAYBE_IDENTIFIER", 8)
      // S1-24 part 2 of 5: activationMode of a running app
      let lines = try? await invited.app.output(called: "the app in the foreground") { lines in
        lines.count { $0 == "active" } > before
      }
      #expect(lines?.count { $0 == "active" } == before + 1)
      #expect(await invited.app.nextText("MAYBE") == "MAYBE_IDENTIFIER 8 of INVITE_CATEGORY")
    }
  }

  @Test
  func `An action that wants authentication waits until the screen is unlocked`() async throws {
    try await Scenario.run { scenario in
      let invited = try await invite(scenario)
      try await scenario.tell(invited.agent, "state", "locked=on")
      try await invited.choose("DECLINE_IDENTIFIER", 7)
      try await invited.choose("ACCEPT_IDENTIFIER", 8)
      _ = try await invited.app.text("ACCEPT")
      #expect(!invited.app.lines.contains { $0.hasPrefix("DECLINE") })
      try await scenario.tell(invited.agent, "state", "locked=off")
      // S1-24 part 3 of 5: authenticationRequired
      #expect(await invited.app.nextText("DECLINE") == "DECLINE_IDENTIFIER 7 of INVITE_CATEGORY")
    }
  }

  @Test
  func `An action is delivered again to the next instance until its completion handler is called`()
    async throws
  {
    try await Scenario.run { scenario in
      let invited = try await invite(scenario, arguments: ["--never"])
      try await invited.choose("ACCEPT_IDENTIFIER", 7)
      _ = try await invited.app.text("ACCEPT")
      try await invited.app.stop()
      let next = try await scenario.example("Invitation", on: invited.agent)
      // S1-41
      #expect(await next.nextText("ACCEPT") == "ACCEPT_IDENTIFIER 7 of INVITE_CATEGORY")
      // The app prints these lines after it has called the completion handler.
      try await scenario.tell(invited.agent, "state", "front=none")
      _ = try await next.text("behind")
      try await next.stop()
      let last = try await scenario.example("Invitation", on: invited.agent)
      _ = try await last.text("token")
      try await scenario.tell(invited.agent, "state", "front=none")
      _ = try await last.text("behind")
      try await invited.choose("ACCEPT_IDENTIFIER", 8)
      #expect(await last.nextText("ACCEPT") == "ACCEPT_IDENTIFIER 8 of INVITE_CATEGORY")
    }
  }

  @Test
  func `A scheduled invitation has its category's actions, and an action reaches the app`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil, options: ["--clock", "manual"])
      try await scenario.tell(agent, "clock", "set", ISO8601DateFormatter().string(from: Date()))
      let id = "org.example.Invitation"
      let app = try await scenario.example("Invitation", on: agent, arguments: ["--invite"])
      _ = try await app.text("invited")
      try await scenario.tell(agent, "state", "front=none")
      try await scenario.tell(agent, "clock", "advance", "120")
      let shown = try await agent.presented(id)
      // S1-35
      #expect(
        shown["actions"].array.map { $0["id"].string } == [
          "ACCEPT_IDENTIFIER", "MAYBE_IDENTIFIER", "DECLINE_IDENTIFIER",
        ])
      try await scenario.tell(
        agent, "center", "action", try #require(shown["id"].string), "ACCEPT_IDENTIFIER", "--app",
        id)
      // S1-12 part 2 of 2: a local notification
      // S1-40 part 2 of 2: a local notification
      // S1-56 part 2 of 2: a local notification
      #expect(await app.nextText("ACCEPT") == "ACCEPT_IDENTIFIER 42 of INVITE_CATEGORY")
    }
  }

  @Test
  func `A running app gets the notification and lowers the badge`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let app = try await scenario.example("LaunchHandling", on: agent, arguments: ["--remind"])
      _ = try await app.text("launched")
      // S0-48
      // S1-38 part 1 of 2: a local notification
      // S1-59 part 1 of 3: a local notification
      // S1-60 part 2 of 2: while the app is running
      #expect(await app.nextText("running") == "running milk badge 2")
      // S1-72 part 3 of 3: while the app is running
      #expect(await app.nextText("region") == "region none")
      let badge = try await agent.program.event("badge")
      // S0-46 part 1 of 2: reduced by one
      #expect(badge["badge"].integer == 2)
      // S3-32
      #expect(!agent.program.lines.contains { $0.contains(#""event":"presented""#) })
      // A notification that was never shown isn't withdrawn.
      _ = try await agent.program.event("suppressed") { $0["reason"].string == "foreground" }
      #expect(!agent.program.lines.contains { $0.contains(#""event":"removed""#) })
    }
  }

  @Test
  func `In front the app takes a push by its fetch form, nothing is shown, and the badge goes`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let id = "org.example.LaunchHandling"
      let app = try await scenario.example("LaunchHandling", on: agent)
      let token = try await scenario.token(of: app)
      try await scenario.tell(agent, "state", "front=none")
      try await scenario.push(
        #"{"aps":{"alert":"Milk","badge":5}}"#, to: token, topic: id, of: gateway)
      _ = try await agent.presented(id)
      #expect(try await agent.program.event("badge")["badge"].integer == 5)
      try await scenario.tell(agent, "state", "front=\(id)")
      try await scenario.push(
        #"{"aps":{"alert":"Bread","badge":6},"item":"bread"}"#, to: token, topic: id, of: gateway)
      // S1-38 part 2 of 2: a push
      // S1-59 part 2 of 3: a push
      // S2-20 in part: an alert in the foreground
      #expect(await app.nextText("push bread") == "push bread")
      // S1-61
      #expect(await agent.program.nextEvent("badge")["badge"].integer == 0)
      #expect(!agent.program.lines.contains { $0.contains("Bread") })
    }
  }

  @Test
  func
    `The older calls, one by one`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let id = "org.example.LocalTour"
      let app = try await scenario.example("LocalTour", on: agent)
      #expect(try await app.text("settings") == "settings 7")
      // S3-29
      #expect(await app.nextText("two") == "two Daily Once")
      #expect(await app.nextText("left") == "left Daily")
      #expect(await app.nextText("replaced") == "replaced Once")
      // S0-20
      #expect(await app.nextText("none") == "none ")
      #expect(
        try await scenario.tell(agent, "notify", "list", "--app", id, "--json").values.isEmpty)

      try await scenario.tell(agent, "state", "front=none")
      let shown = try await agent.presented(id)
      #expect(shown["title"].string == "Title")
      #expect(shown["body"].string == "Body")
      #expect(shown["badge"].integer == 5)
      #expect(shown["sound"].string == "default")
      // S1-48
      #expect(shown["actions"].array.isEmpty && shown["category"].string == "")
      let quiet = try await agent.presented(id)
      #expect(quiet["badge"] == .null)
      _ = try await app.text("presented")
      try await scenario.tell(agent, "state", "front=\(id)")
      // S3-19 part 1 of 2: a badge of 0 leaves the number unchanged
      #expect(await app.nextText("badge") == "badge 5")
      _ = try await app.text("one cancelled")
      let removed = try await agent.program.event("removed")
      let left = try await scenario.tell(agent, "center", "--json").values.map { $0["id"] }
      // S0-21 part 1 of 2: only the cancelled notification
      // S1-50 part 1 of 2: one
      #expect(removed["id"] == shown["id"] && left == [quiet["id"]])
      app.tell("cancel all")
      // S0-21 part 2 of 2: all
      // S1-50 part 2 of 2: all
      #expect(await agent.program.nextEvent("removed")["id"] == quiet["id"])
      // S0-46 part 2 of 2: the badge is removed with 0
      // S3-19 part 2 of 2: the app's own setter clears the badge
      #expect(
        await agent.program.nextEvent("badge") { $0["badge"].integer == 0 }["app"].string == id)
    }
  }

  @Test
  func `A Mac app registers in one call and gets a push in front`()
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
      // S0-51 in part: a running Mac app gets the payload; one that is not running also gets alerts and sounds
      // S1-59 part 3 of 3: a Mac app
      #expect(await app.nextText("push") == "push milk")
    }
  }

  @Test
  func `A Mac app that does not run has what it registered for`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let id = "org.example.MacNotification"
      let app = try await scenario.example(
        "MacNotification", on: agent, arguments: ["--push-only", "--badge-only"])
      let token = try await scenario.token(of: app)
      try await app.stop()
      try await scenario.push(
        #"{"aps":{"alert":"hi","sound":"default","badge":3}}"#, to: token, topic: id, of: gateway)
      let badge = await agent.program.nextEvent("badge") { $0["app"].string == id }
      let reason = await agent.program.nextEvent("suppressed") { $0["app"].string == id }
      try await scenario.tell(agent, "notify", "--app", "org.example.marker", "--title", "mark")
      _ = try await agent.presented("org.example.marker")
      func count(_ event: String) -> Int {
        agent.program.lines.compactMap { JSONLine($0) }
          .count { $0["event"].string == event && $0["app"].string == id }
      }
      // S0-51 in part: an app that registered for the badge gets its badge
      #expect(badge["badge"].integer == 3 && reason["reason"].string == "switchedOff")
      #expect(count("presented") == 0 && count("sound") == 0 && count("badge") == 1)
      // An app that registered for more types gets all of them, as on OS X 10.8 and later.
      let more = try await scenario.example(
        "MacNotification", on: agent, arguments: ["--push-only"])
      _ = try await scenario.token(of: more)
      try await more.stop()
      try await scenario.push(
        #"{"aps":{"alert":"hi","sound":"default","badge":4}}"#, to: token, topic: id, of: gateway)
      _ = try await agent.presented(id)
      _ = try await agent.program.event("sound") { $0["app"].string == id }
      #expect(
        await agent.program.nextEvent("badge") { $0["app"].string == id }["badge"].integer == 4)
    }
  }

  @Test
  func `A Mac app's notification`() async throws {
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
      // S1-42 part 2 of 2: the Mac's classes and their delegate
      #expect(await app.nextText("activated") == "activated 2")

      // In the foreground, the notification isn't shown unless the app requests this.
      let quiet = try await scenario.example(
        "MacNotification", on: agent, app: "org.example.quiet", arguments: ["--quiet"])
      _ = try await quiet.text("delivered Meeting")
      let suppressed = try await agent.program.event("suppressed") {
        $0["app"].string == "org.example.quiet"
      }
      // S1-52 part 1 of 2: the delegate decides not to show the notification
      #expect(suppressed["reason"].string == "foreground")
      #expect(await quiet.nextText("presented") == "presented [false]")
      let alone = try await scenario.example(
        "MacNotification", on: agent, app: "org.example.alone", arguments: ["--no-delegate"])
      _ = try await alone.text("permission")
      let silent = try await agent.program.event("suppressed") {
        $0["app"].string == "org.example.alone"
      }
      try await scenario.tell(agent, "notify", "--app", "org.example.marker", "--title", "mark")
      _ = try await agent.presented("org.example.marker")
      // S1-52 part 2 of 2: there is no delegate to decide
      #expect(silent["reason"].string == "foreground")
      #expect(
        !agent.program.lines.compactMap { JSONLine($0) }.contains {
          $0["event"].string == "presented" && $0["app"].string == "org.example.alone"
        })
    }
  }

  @Test
  func `An app of the menu bar is not in front, and its notifications are shown`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let app = try await scenario.example(
        "MacNotification", on: agent, arguments: ["--quiet", "--accessory"])
      _ = try await app.text("permission true")
      let shown = try await agent.presented("org.example.MacNotification")
      #expect(shown["title"].string == "Meeting")
    }
  }

  @Test
  func `The language of the agent's settings, and its change`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      try await scenario.tell(agent, "settings", "--languages", "fr-CA,en")
      let app = try await scenario.example("LanguagePreference", on: agent)
      #expect(try await app.text("language") == "language fr-CA")
      try await scenario.tell(agent, "settings", "--languages", "ja,en")
      // S0-55
      #expect(await app.nextText("language") == "language ja")
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
