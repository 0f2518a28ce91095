import Foundation
import TestSupport
import Testing

/// Tests of an app's rights before the user is prompted, after the answer, and after a later change.
@Suite(.serialized, .timeLimit(.minutes(60))) struct PermissionExamples {
  /// Returns the number of lines of this event that the agent has printed for an app.
  private func count(_ event: String, of app: String, _ agent: AgentProgram) -> Int {
    agent.program.lines.compactMap { JSONLine($0) }
      .count { $0["event"].string == event && $0["app"].string == app }
  }

  /// Sends a push to another app of the device.
  ///
  /// Once this push is shown, all earlier pushes have been processed.
  private func marker(_ scenario: Scenario, _ gateway: GatewayProgram, _ agent: AgentProgram)
    async throws
    -> @Sendable () async throws -> Void
  {
    let id = "org.example.marker"
    let (_, token) = try await scenario.app(id, on: agent)
    return {
      try await scenario.push(#"{"aps":{"alert":"mark"}}"#, to: token, topic: id, of: gateway)
      _ = try await agent.presented(id)
    }
  }

  @Test
  func `The first registration asks and waits for the answer, later ones report what was chosen`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil, options: ["--grant", "ask"])
      let id = "org.example.Registration"
      let app = try await scenario.example("Registration", on: agent)
      let prompt = try await agent.program.event("prompt")
      #expect(prompt["app"].string == id)
      // S1-9 part 1 of 2: the first callback waits for the user
      #expect(!app.lines.contains { $0.hasPrefix("types") })
      try await scenario.tell(agent, "settings", id, "notifications=on")
      // S1-8
      #expect(await app.nextText("types") == "types 7")
      try await app.stop()

      try await scenario.tell(agent, "settings", id, "alert=off")
      let again = try await scenario.example("Registration", on: agent)
      // S1-9 part 2 of 2: a later callback reports the current settings
      // S1-10
      #expect(await again.nextText("types") == "types 3")
      // S1-43
      #expect(await again.nextText("accepts") == "accepts 3")
      // S1-7
      #expect(count("prompt", of: id, agent) == 1)
    }
  }

  @Test
  func `A type that is switched off is not performed, the others are, without the app`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let id = "org.example.types"
      let (app, token) = try await scenario.app(id, on: agent)
      try await app.stop()
      let mark = try await marker(scenario, gateway, agent)
      func performed(_ number: Int) async throws -> Set<String> {
        // Changing a setting might print lines; wait until they have been read.
        try await mark()
        let before = agent.program.lines.count
        try await scenario.push(
          #"{"aps":{"alert":"\#(number)","sound":"ding.caf","badge":\#(number)}}"#,
          to: token, topic: id, of: gateway)
        try await mark()
        let lines = agent.program.lines.dropFirst(before).compactMap { JSONLine($0) }
        return Set(
          lines.filter { $0["app"].string == id }.compactMap { $0["event"].string }
            .filter { ["presented", "sound", "badge"].contains($0) })
      }
      // S0-40, S2-3, S3-1, S3-2, S4-19
      #expect(try await performed(1) == ["presented", "sound", "badge"])
      // S0-1 part 3 of 3: a push specifies it
      #expect(
        await agent.program.nextEvent("sound") { $0["app"].string == id }["sound"].string
          == "ding.caf")
      for (number, (type, rest)) in [
        ("alert", ["sound", "badge"]), ("sound", ["presented", "badge"]),
        ("badge", ["presented", "sound"]),
      ].enumerated() {
        try await scenario.tell(agent, "settings", id, "\(type)=off")
        // S0-30, S1-3
        #expect(try await performed(2 + number) == Set(rest), "without \(type)")
        try await scenario.tell(agent, "settings", id, "\(type)=on")
      }
    }
  }

  @Test
  func `An app's notifications are shown only once it has requested permission`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let id = "org.example.asks"
      let app = try scenario.belfry([
        "app", "run", id, "--register", "--socket", agent.socket, "--state", "background",
      ])
      let token = try #require(try await app.event("registered")["token"].string)
      let mark = try await marker(scenario, gateway, agent)
      try await scenario.push(#"{"aps":{"alert":"early"}}"#, to: token, topic: id, of: gateway)
      try await mark()
      // S1-2 part 1 of 3: nothing is shown without registration
      // S2-10 part 1 of 2: nothing without permission
      #expect(count("presented", of: id, agent) == 0)
      try await app.stop()
      let asking = try scenario.belfry([
        "app", "run", id, "--authorize", "alert", "--socket", agent.socket, "--state", "background",
      ])
      _ = try await asking.event("authorized")
      try await scenario.push(#"{"aps":{"alert":"late"}}"#, to: token, topic: id, of: gateway)
      // S1-2 part 2 of 3: shown after registration
      // S2-10 part 2 of 2: shown with permission
      #expect(await agent.nextPresented(id)["body"].string == "late")
    }
  }

  @Test
  func `An app that registers no types is silent, one that never registers is asked about`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway, options: ["--grant", "ask"])
      let silent = "org.example.silent"
      let app = try await scenario.example(
        "Registration", on: agent, app: silent, arguments: ["--types", "0", "--remind"])
      // In the foreground, the app receives its own notification.
      #expect(try await app.text("received") == "received Buy milk")
      _ = try await agent.program.event("suppressed") { $0["app"].string == silent }
      try await scenario.tell(agent, "state", "front=none")
      _ = try await app.text("reminded")
      let reason = await agent.program.nextEvent("suppressed") { $0["app"].string == silent }
      // S1-5 part 3 of 3: in the background, nothing is shown or played, and the user is not asked
      #expect(reason["reason"].string == "notAuthorized")
      #expect(
        count("presented", of: silent, agent) + count("sound", of: silent, agent)
          + count("prompt", of: silent, agent) == 0)

      // An app from before iOS 8 registers no types for its own notifications (S0-16), so the user is prompted.
      let old = "org.example.old"
      let older = try await scenario.example(
        "Registration", on: agent, app: old, arguments: ["--nothing"])
      _ = try await older.text("reminded")
      try await scenario.tell(agent, "state", "front=none")
      let prompt = await agent.program.nextEvent("prompt")
      // S1-2 part 3 of 3: nothing is shown before the answer
      #expect(prompt["app"].string == old && count("presented", of: old, agent) == 0)
    }
  }

  @Test
  func `A Mac app requests permission and registers in one call; the user changes its types later`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway, options: ["--grant", "ask"])
      let id = "org.example.MacNotification"
      let app = try await scenario.example("MacNotification", on: agent, arguments: ["--push-only"])
      let prompt = try await agent.program.event("prompt")
      #expect(prompt["app"].string == id)
      try await scenario.tell(agent, "settings", id, "notifications=on")
      // S1-14
      // S0-26 part 2 of 2: NSApplication
      #expect(await app.nextText("token ")?.count == 70)
      #expect(await app.nextText("enabled") == "enabled 7")
      try await app.stop()
      try await scenario.tell(agent, "settings", id, "alert=off")
      let again = try await scenario.example(
        "MacNotification", on: agent, arguments: ["--push-only"])
      // S0-29 part 2 of 2: NSApplication
      // S1-53
      #expect(await again.nextText("enabled") == "enabled 3")
    }
  }

  @Test
  func `A local notification and a push of the same words look the same, without their app`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let id = "org.example.same"
      let (app, token) = try await scenario.app(id, on: agent)
      try await app.stop()
      try await scenario.push(
        #"{"aps":{"alert":{"title":"T","subtitle":"S","body":"B"},"badge":2,"sound":"default"}}"#,
        to: token, topic: id, of: gateway)
      let push = try await agent.presented(id)
      try await scenario.tell(
        agent, "notify", "--app", id, "--title", "T", "--subtitle", "S", "--body", "B", "--badge",
        "2", "--sound", "default")
      let local = await agent.nextPresented(id)
      #expect(push["trigger"].string == "push" && local["trigger"].string == "now")
      for key in [
        "title", "subtitle", "body", "badge", "sound", "category", "actions", "thread",
        "interruptionLevel",
      ] {
        // S3-3
        #expect(push[key] == local[key], "\(key)")
      }
      // A push that was shown isn't delivered again, even after the agent restarts. The same applies to a local
      // notification.
      agent.program.signal(SIGKILL)
      try await agent.program.end()
      let again = try await scenario.agent(of: gateway)
      try await scenario.push(#"{"aps":{"alert":"next"}}"#, to: token, topic: id, of: gateway)
      // S3-4 part 1 of 2: a push from a server is delivered once
      #expect(await again.nextPresented(id)["body"].string == "next")
      #expect(
        again.program.lines.compactMap { JSONLine($0) }.count { $0["event"].string == "presented" }
          == 1)
    }
  }

  @Test
  func `Nothing reaches an app before its server has the token`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let id = "org.example.later"
      let (_, other) = try await scenario.app("org.example.other", on: agent)
      let app = try scenario.belfry([
        "app", "run", id, "--authorize", "alert", "--socket", agent.socket, "--state", "background",
      ])
      _ = try await app.event("authorized")
      let early = try await scenario.belfryCommand(
        ["app", "token", id, "--socket", agent.socket], succeeding: false)
      let foreign = try await scenario.belfryCommand(
        ["send", other, "--topic", id, "--body", "early", "--gateway", gateway.file],
        succeeding: false)
      // S4-8 part 1 of 2: an app without its own token has no address
      #expect(early.status == 1 && early.lines.isEmpty)
      #expect(foreign.values.first?["status"].integer == 400)
      try await app.stop()
      let (_, token) = try await scenario.app(id, on: agent)
      try await scenario.push(#"{"aps":{"alert":"now"}}"#, to: token, topic: id, of: gateway)
      #expect(await agent.nextPresented(id)["body"].string == "now")
      #expect(count("presented", of: id, agent) == 1)
    }
  }

  @Test
  func `Two apps that do not run are reached by one connection, and started for nothing`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let apps = ["org.example.one", "org.example.two"]
      var tokens: [String] = []
      for id in apps {
        let (app, token) = try await scenario.app(id, on: agent)
        tokens.append(token)
        try await app.stop()
      }
      for (id, token) in zip(apps, tokens) {
        try await scenario.push(#"{"aps":{"alert":"news"}}"#, to: token, topic: id, of: gateway)
        // S3-5 part 1 of 2: the user is alerted
        #expect(await agent.nextPresented(id)["body"].string == "news")
      }
      let devices = try await scenario.belfryCommand(
        ["device", "list", "--json", "--data", gateway.data])
      // S3-5 part 2 of 2: one connection for all apps, none of which has to run
      #expect(devices.values.count == 1 && devices.values.first?["up"].boolean == true)
      #expect(
        try await scenario.tell(agent, "app", "list", "--json").values
          .allSatisfy { $0["state"].string == "notRunning" })
      #expect(!agent.program.lines.contains { $0.contains(#""event":"launched""#) })
    }
  }

  @Test
  func `An alert is shown on the lock screen unless the user turned that off for the app`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let id = "org.example.locked"
      let (_, token) = try await scenario.app(id, on: agent)
      try await scenario.tell(agent, "state", "locked=on")
      try await scenario.push(#"{"aps":{"alert":"seen"}}"#, to: token, topic: id, of: gateway)
      // S4-22
      #expect(await agent.nextPresented(id)["body"].string == "seen")
      try await scenario.tell(agent, "settings", id, "lockScreen=off")
      try await scenario.push(#"{"aps":{"alert":"hidden"}}"#, to: token, topic: id, of: gateway)
      let suppressed = try await agent.program.event("suppressed") { $0["app"].string == id }
      #expect(suppressed["reason"].string == "locked")
    }
  }
}
