import Foundation
import TestSupport
import Testing

/// Tests of installed apps: the agent launches them, identifies them by their programs, and shows their notifications
/// in the user's language.
@Suite(.serialized, .timeLimit(.minutes(60))) struct InstalledExamples {
  @Test
  func
    `Opening a notification launches the app`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let id = "org.example.launch"
      let folder = try await scenario.bundle("LaunchHandling", id: id)
      try await scenario.tell(agent, "app", "install", folder)
      let app = try scenario.start(
        [folder + "/LaunchHandling"], environment: ["BELFRY_SOCKET": agent.socket])
      let token = try await scenario.token(of: app)
      try await app.stop()

      try await scenario.push(
        #"{"aps":{"alert":"Milk","badge":5},"item":"milk"}"#, to: token, topic: id, of: gateway)
      let shown = try await agent.presented(id)
      #expect(try await agent.program.event("badge")["badge"].integer == 5)
      // If the user starts the app by its icon instead, the app receives no notification.
      let byIcon = try scenario.start(
        [folder + "/LaunchHandling"], environment: ["BELFRY_SOCKET": agent.socket])
      _ = try await byIcon.text("token")
      // S0-42 part 1 of 2: nothing on iOS
      // S1-58 part 1 of 2: nothing on iOS
      #expect(!byIcon.lines.contains { $0.hasPrefix("launch push") || $0.hasPrefix("push") })
      try await byIcon.stop()

      try await scenario.tell(
        agent, "center", "open", try #require(shown["id"].string), "--app", id)
      let launched = try await agent.program.event("launched") { $0["app"].string == id }
      #expect(launched["reason"].string == "response")
      // The output of a launched app is written to the agent's standard error.
      // S0-41 part 1 of 2: a push
      // S0-44 part 1 of 2: iOS
      // S1-36 part 1 of 2: a push
      // S1-57 part 1 of 2: a push
      #expect(await agent.program.hasError("launch push milk"))
      // S1-37
      #expect(await agent.program.hasError("\npush milk"))
      #expect(await agent.program.hasError("\nactive"))
      // S2-12
      #expect(await agent.program.nextEvent("badge")["badge"].integer == 0)
    }
  }

  @Test
  func `Opening a local notification launches the app with it`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil, options: ["--grant", "ask"])
      let id = "org.example.launch"
      let folder = try await scenario.bundle("LaunchHandling", id: id)
      try await scenario.tell(agent, "app", "install", folder)
      let app = try scenario.start(
        [folder + "/LaunchHandling", "--remind"], environment: ["BELFRY_SOCKET": agent.socket])
      _ = try await agent.program.event("prompt")
      try await scenario.tell(agent, "state", "front=none")
      // After this answer, the app shows its reminder.
      try await scenario.tell(agent, "settings", id, "notifications=on")
      let shown = try await agent.presented(id)
      try await app.stop()
      try await scenario.tell(
        agent, "center", "open", try #require(shown["id"].string), "--app", id)
      // S0-41 part 2 of 2: a local notification
      // S0-43
      // S1-36 part 2 of 2: a local notification
      // S1-57 part 2 of 2: a local notification
      // S1-60 part 1 of 2: at launch
      #expect(await agent.program.hasError("launch milk badge 2"))
      #expect(await agent.program.hasError("\nactive"))
      // S1-72 part 2 of 3: at launch, a notification without a location has no region
      #expect(await agent.program.hasError("region none\n"))
    }
  }

  @Test
  func `A Mac app that is started by its icon finds the push`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let id = "org.example.mac"
      let folder = try await scenario.bundle("MacNotification", id: id)
      try await scenario.tell(agent, "app", "install", folder)
      func start() throws -> RunningProgram {
        try scenario.start(
          [folder + "/MacNotification", "--later"], environment: ["BELFRY_SOCKET": agent.socket])
      }
      let app = try start()
      let token = try await scenario.token(of: app)
      try await app.stop()
      try await scenario.push(
        #"{"aps":{"alert":"Milk"},"item":"milk"}"#, to: token, topic: id, of: gateway)
      _ = try await agent.presented(id)
      let again = try start()
      #expect(try await again.text("launched") == "launched true")
      // S0-42 part 2 of 2: the payload on the Mac
      // S0-44 part 2 of 2: the Mac
      // S1-58 part 2 of 2: the payload on the Mac
      #expect(await again.nextText("launch push") == "launch push milk")
    }
  }

  @Test
  func `A background notification launches an app that is not running`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let id = "org.example.menu"
      let folder = try await scenario.bundle(
        "MenuUpdate", id: id, manifest: ["UIBackgroundModes": ["remote-notification"]])
      try await scenario.tell(agent, "app", "install", folder)
      let app = try scenario.start(
        [folder + "/MenuUpdate"], environment: ["BELFRY_SOCKET": agent.socket])
      let token = try await scenario.token(of: app)
      try await app.stop()
      try await scenario.push(
        #"{"aps":{"content-available":1}}"#, to: token, topic: id, of: gateway,
        options: ["--type", "background"])
      // S2-1 part 2 of 2: an app that is not running is launched
      #expect(await agent.program.hasError("launched behind"))
      #expect(await agent.program.hasError("no menu"))
    }
  }

  @Test
  func `Without aps-environment in the manifest, registration fails with the reason`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let folder = try await scenario.bundle(
        "Registration", id: "org.example.bare", manifest: ["aps-environment": ""])
      try await scenario.tell(agent, "app", "install", folder)
      let app = try scenario.start(
        [folder + "/Registration"], environment: ["BELFRY_SOCKET": agent.socket])
      // S0-32, S2-23
      #expect(await app.nextText("no token")?.contains("aps-environment") == true)
    }
  }

  @Test
  func `An app cannot pose as another one`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let folder = try await scenario.bundle("Registration", id: "org.example.own")
      try await scenario.tell(agent, "app", "install", folder)
      // This is another program under an installed app's identifier.
      let other = try await scenario.example("PlainReminder", on: agent, app: "org.example.own")
      #expect(try await other.text("error 1").contains("org.example.own"))
      // This is the installed program under another identifier. Its real identity takes precedence.
      let own = try scenario.start(
        [folder + "/Registration"],
        environment: ["BELFRY_SOCKET": agent.socket, "BELFRY_APP_ID": "org.example.other"])
      _ = try await own.text("types 7")
      let apps = try await scenario.tell(agent, "app", "list", "--json")
      #expect(!apps.output.contains("org.example.other"))
    }
  }

  @Test
  func `Keys of Localizable.strings are found when the notification is shown`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let id = "org.example.words"
      let folder = try await scenario.bundle(
        "Registration", id: id, manifest: ["CFBundleDevelopmentRegion": "en"],
        languages: [
          "en": #""MSG_POSTED" = "%@ posted to %@";"#,
          "fr": #""MSG_POSTED" = "%2$@ : message de %1$@";"#,
        ])
      try await scenario.tell(agent, "app", "install", folder)
      let app = try scenario.start(
        [folder + "/Registration"], environment: ["BELFRY_SOCKET": agent.socket])
      let token = try await scenario.token(of: app)
      try await app.stop()
      let payload =
        #"{"aps":{"alert":{"loc-key":"MSG_POSTED","loc-args":["Anna","Chess"]}}}"#
      for (languages, text) in [
        ("fr-CA,en", "Chess : message de Anna"), ("ja", "Anna posted to Chess"),
      ] {
        try await scenario.tell(agent, "settings", "--languages", languages)
        try await scenario.push(payload, to: token, topic: id, of: gateway)
        // S0-52
        // S1-75 in part: keys of the payload
        #expect(await agent.nextPresented(id)["body"].string == text)
      }
    }
  }

  /// Installs an app with a service extension, to test how the extension affects the app's pushes.
  private func withExtension(
    _ body:
      @escaping @Sendable (
        AgentProgram, _ shown: @escaping @Sendable (String) async throws -> JSONLine
      )
      async throws -> Void
  ) async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let id = "org.example.pictures"
      let folder = try await scenario.bundle("Registration", id: id)
      let plugIn = folder + "/PlugIns/Picture.appex"
      try FileManager.default.createDirectory(
        atPath: plugIn, withIntermediateDirectories: true)
      try await scenario.copy(
        try await Examples.executable("PictureExtension"), to: plugIn + "/PictureExtension")
      let manifest: [String: Any] = [
        "CFBundleIdentifier": id + ".extension", "CFBundleExecutable": "PictureExtension",
        "NSExtension": ["NSExtensionPointIdentifier": "com.apple.usernotifications.service"],
      ]
      try PropertyListSerialization.data(fromPropertyList: manifest, format: .xml, options: 0)
        .write(to: URL(fileURLWithPath: plugIn + "/Info.plist"))
      try await scenario.tell(agent, "app", "install", folder)
      let app = try scenario.start(
        [folder + "/Registration"], environment: ["BELFRY_SOCKET": agent.socket])
      let token = try await scenario.token(of: app)
      try await app.stop()
      try await body(agent) { payload in
        try await scenario.push(payload, to: token, topic: id, of: gateway)
        return try await agent.presented(id, within: TestTimeout.long)
      }
    }
  }

  @Test
  func `A service extension changes a mutable alert in a process of its own`() async throws {
    try await withExtension { _, shown in
      let changed = try await shown(#"{"aps":{"alert":{"title":"Photo"},"mutable-content":1}}"#)
      #expect(changed["title"].string == "Photo [modified]")
      let other = try await shown(#"{"aps":{"alert":{"title":"Photo"}}}"#)
      #expect(other["title"].string == "Photo")
      // If the extension fails, the original notification is shown.
      let broken = try await shown(
        #"{"aps":{"alert":{"title":"Photo"},"mutable-content":1},"broken":1}"#)
      #expect(broken["title"].string == "Photo")
    }
  }

  @Test
  func `A slow service extension is warned before its time expires`() async throws {
    try await withExtension { _, shown in
      let begin = ContinuousClock.now
      let late = try await shown(
        #"{"aps":{"alert":{"title":"Photo"},"mutable-content":1},"slow":1}"#)
      #expect(late["title"].string == "Photo [modified]")
      #expect(ContinuousClock.now - begin > .seconds(20))
    }
  }
}
