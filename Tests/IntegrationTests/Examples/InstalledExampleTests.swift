import Foundation
import TestSupport
import Testing

/// Apps that are installed: launched by the agent, known by what they are, in the user's language.
@Suite(.serialized, .timeLimit(.minutes(60))) struct InstalledExamples {
  @Test
  func
    `S0-41 S0-43 S0-44 S3-1 S3-31 S1-36 S1-37 S1-57 S1-71 S4-21 opening a notification launches the app`()
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
        #"{"aps":{"alert":"Milk"},"item":"milk"}"#, to: token, topic: id, of: gateway)
      let shown = try await agent.presented(id)
      try await scenario.tell(
        agent, "center", "open", try #require(shown["id"].string), "--app", id)
      _ = try await agent.program.event("launched") { $0["app"].string == id }
      // What a launched app prints goes to the agent's error output.
      try await agent.program.error("launch push milk")
      try await agent.program.error("\npush milk")
    }
  }

  @Test
  func `S0-42 S0-44 S1-58 a Mac app that is started by its icon finds the push`() async throws {
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
      #expect(try await again.text("launch push") == "launch push milk")
    }
  }

  @Test
  func `S2-1 S2-16 a background notification launches an app that is not running`() async throws {
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
      try await agent.program.error("launched behind")
      try await agent.program.error("no menu")
    }
  }

  @Test
  func `S0-32 S2-23 without aps-environment in the manifest there is no token, and why`()
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
      #expect(try await app.text("no token").contains("aps-environment"))
    }
  }

  @Test
  func `An app cannot pose as another one`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let folder = try await scenario.bundle("Registration", id: "org.example.own")
      try await scenario.tell(agent, "app", "install", folder)
      // Another program under an installed app's id.
      let other = try await scenario.example("PlainReminder", on: agent, app: "org.example.own")
      #expect(try await other.text("error 1").contains("org.example.own"))
      // The installed program under another id: what it is decides.
      let own = try scenario.start(
        [folder + "/Registration"],
        environment: ["BELFRY_SOCKET": agent.socket, "BELFRY_APP_ID": "org.example.other"])
      _ = try await own.text("types 7")
      let apps = try await scenario.tell(agent, "app", "list", "--json")
      #expect(!apps.output.contains("org.example.other"))
    }
  }

  @Test
  func `S0-52 S3-21 keys of Localizable.strings are found when the notification is shown`()
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
        #expect(try await agent.presented(id)["body"].string == text)
      }
    }
  }

  /// An app with a service extension, and what its pushes become.
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
      // One that fails leaves the original.
      let broken = try await shown(
        #"{"aps":{"alert":{"title":"Photo"},"mutable-content":1},"broken":1}"#)
      #expect(broken["title"].string == "Photo")
    }
  }

  @Test
  func `A service extension that is slow is told before its time is over`() async throws {
    try await withExtension { _, shown in
      let begin = ContinuousClock.now
      let late = try await shown(
        #"{"aps":{"alert":{"title":"Photo"},"mutable-content":1},"slow":1}"#)
      #expect(late["title"].string == "Photo [modified]")
      #expect(ContinuousClock.now - begin > .seconds(20))
    }
  }
}
