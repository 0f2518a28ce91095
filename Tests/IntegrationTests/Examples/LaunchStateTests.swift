import Foundation
import TestSupport
import Testing

/// Tests of the state that an app can read when its delegate is first called, and of how the system's prompt affects
/// the app.
@Suite(.serialized, .timeLimit(.minutes(60))) struct LaunchStateTests {
  private static let id = "org.example.LaunchState"

  @Test
  func `Badge, registration, types and language are there at the first call`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let app = try await scenario.example("LaunchState", on: agent, arguments: ["--register"])
      #expect(try await app.text("first").hasPrefix("first badge 0 registered false types 0"))
      let token = try await scenario.token(of: app)
      try await scenario.tell(agent, "settings", "--languages", "fr,en")
      try await scenario.tell(agent, "state", "front=none")
      try await scenario.push(
        #"{"aps":{"alert":"Milk","badge":5}}"#, to: token, topic: Self.id, of: gateway)
      _ = try await agent.presented(Self.id)
      try await app.stop()
      for _ in 0..<3 {
        let again = try await scenario.example("LaunchState", on: agent)
        #expect(
          try await again.text("first") == "first badge 5 registered true types 5 language fr")
        try await again.stop()
      }
      let opened = try await scenario.example("LaunchState", on: agent, arguments: ["--open"])
      _ = try await opened.text("launched")
      opened.tell("badge")
      #expect(try await opened.text("badge") == "badge 4")
    }
  }

  /// Returns the number of times that the app has printed `word`.
  private func count(_ word: String, _ app: RunningProgram) -> Int {
    app.lines.count { $0 == word }
  }

  @Test
  func `A question of didFinishLaunching covers the app once, until its answer`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil, options: ["--grant", "ask"])
      let app = try await scenario.example("LaunchState", on: agent, arguments: ["--ask"])
      _ = try await app.text("active")
      _ = try await agent.program.event("prompt")
      // S4-10 part 1 of 2: inactive while the prompt is open
      #expect(await app.nextText("resigned") == "resigned")
      app.tell("state")
      #expect(await app.nextText("state") == "state 1")
      #expect(count("active", app) == 1)
      try await scenario.tell(agent, "settings", Self.id, "notifications=on")
      // S4-10 part 2 of 2: the app is active again and is notified of this
      #expect(await app.nextText("active") == "active")
      // S2-8
      #expect(await app.nextText("granted") == "granted true")
      let settings = try await scenario.tell(agent, "settings", Self.id, "--json")
      #expect(settings.values.first?["authorization"].string == "authorized")
      // A second request shows no prompt, so nothing covers the app.
      app.tell("ask")
      // S2-9 part 1 of 2: without a prompt
      #expect(await app.nextText("granted") == "granted true")
      try await scenario.tell(agent, "settings", Self.id, "notifications=off")
      app.tell("ask")
      // S2-9 part 2 of 2: the current settings
      #expect(await app.nextText("granted") == "granted false")
      try await scenario.tell(agent, "settings", Self.id, "notifications=on")
      app.tell("ask")
      #expect(await app.nextText("granted") == "granted true")
      #expect(!agent.program.untaken.contains { $0["event"].string == "prompt" })
      app.tell("badge")
      _ = try await app.text("badge")
      #expect(count("resigned", app) == 1)
      #expect(count("active", app) == 2)
    }
  }

  @Test
  func `An app that registers whenever it becomes active becomes so once a time`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway, options: ["--grant", "ask"])
      let app = try await scenario.example(
        "LaunchState", on: agent, arguments: ["--register-when-active"])
      _ = try await app.text("resigned")
      _ = try await agent.program.event("prompt")
      try await scenario.tell(agent, "settings", Self.id, "notifications=on")
      _ = try await app.text("token")
      app.tell("ask")
      _ = try await app.text("granted")
      #expect(count("active", app) == 2)
      #expect(count("resigned", app) == 1)
    }
  }

  @Test
  func `Without an agent, the launch continues after a moment and the app logs the reason`()
    async throws
  {
    try await Scenario.run { scenario in
      let app = try scenario.start(
        [try await Examples.executable("LaunchState"), "--register-when-active"],
        environment: [
          "BELFRY_SOCKET": scenario.folder.file("nobody.sock"), "BELFRY_APP_ID": Self.id,
        ])
      #expect(try await app.text("first").hasPrefix("first badge 0 registered false"))
      _ = try await app.text("active")
      try await app.error("the app launches without notifications: no agent at")
      for _ in 0..<2 {
        app.tell("ask")
        #expect(try await app.text("granted") == "granted false")
      }
      #expect(count("active", app) == 1)
      #expect(count("resigned", app) == 0)
    }
  }

  @Test
  func `An app registers the types that its switches choose, and gets its pushes after the prompt`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway, options: ["--grant", "ask"])
      let id = "org.example.switches"
      let folder = try await scenario.bundle("SwitchClient", id: id)
      try await scenario.tell(agent, "app", "install", folder)
      func start() throws -> RunningProgram {
        try scenario.start([folder + "/SwitchClient"], environment: ["BELFRY_SOCKET": agent.socket])
      }
      let app = try start()
      #expect(try await app.text("switches") == "switches 0")
      _ = try await app.text("active")
      app.tell("on")
      #expect(try await app.text("text") == "text nothing to register")
      // Registering without a type showed no prompt.
      #expect(agent.program.untaken.allSatisfy { $0["event"].string != "prompt" })

      app.tell("11 13")
      #expect(try await app.text("chosen") == "chosen 5")
      app.tell("on")
      #expect(try await app.text("text") == "text registering")
      _ = try await agent.program.event("prompt")
      _ = try await app.text("resigned")
      try await scenario.tell(agent, "settings", id, "notifications=on")
      let token = try await scenario.token(of: app)
      #expect(try await app.text("switches 5") == "switches 5")
      try await scenario.push(
        #"{"aps":{"alert":"Milk"},"item":"milk"}"#, to: token, topic: id, of: gateway)
      // S4-24
      #expect(await app.nextText("text push") == "text push milk")
      #expect(count("active", app) == 2)
      #expect(count("resigned", app) == 1)
      try await app.stop()

      try await scenario.push(
        #"{"aps":{"alert":"Bread"},"item":"bread"}"#, to: token, topic: id, of: gateway)
      let shown = try await agent.presented(id)
      try await scenario.tell(
        agent, "center", "open", try #require(shown["id"].string), "--app", id)
      try await agent.program.error("switches 5\n")
      // S4-21 part 1 of 2: the payload in the posted notification
      #expect(await agent.program.hasError("launch options bread\n"))
      // S4-21 part 2 of 2: the callback of a running app
      #expect(await agent.program.hasError("text push bread\n"))
    }
  }
}
