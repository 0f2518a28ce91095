import Foundation
import TestSupport
import Testing

/// Tests of the agent's windows with a real notification server.
///
/// The tests read and operate the windows as a screen reader does.
@Suite(
  "Windows of a real agent", .serialized,
  .requires(
    .xvfb, .xdotool, .dbus, .dunst, .importPicture, .accessibility, .dbusPython, .systemPython))
struct WindowProgramTests {
  private static let burger = "org.example.burger"
  private static let category = """
    {"id":"INVITE","actions":[{"id":"REPLY","title":"Reply","textInput":{"button":"Send",\
    "placeholder":"Your answer"}},{"id":"YES","title":"Accept"},{"id":"MAYBE","title":"Maybe"},\
    {"id":"NO","title":"Decline","options":["destructive"]}]}
    """

  private struct Scene {
    let scenario: Scenario
    let desktop: AccessibleDesktop
    let agent: RunningProgram

    func app(_ authorize: String, stateIs state: String = "background") async throws
      -> RunningProgram
    {
      let category = scenario.folder.file("category.json")
      try Data(WindowProgramTests.category.utf8).write(to: URL(fileURLWithPath: category))
      return try scenario.belfry([
        "app", "run", burger, "--authorize", authorize, "--category", category, "--state", state,
      ])
    }

    func notify(_ title: String, _ more: String...) async throws {
      _ = try await scenario.belfryCommand(
        ["notify", "--app", burger, "--title", title, "--id", title] + more)
    }

    /// Opens Notification Center on this desktop.
    func openCenter() async throws {
      _ = try await scenario.command(
        [Installation.belfry, "center", "--window"], environment: desktop.environment)
      try await desktop.wait("window", "Notification Center")
    }

    func dunstctl(_ arguments: String...) async throws -> String {
      try await scenario.command(["dunstctl"] + arguments, environment: desktop.environment).output
    }

    /// Returns the screen's pixels.
    func picture() async throws -> Data {
      let file = scenario.folder.file("screen.ppm")
      _ = try await scenario.command(
        [try TestTool.importPicture.required(), "-window", "root", file],
        environment: desktop.environment)
      return try Data(contentsOf: URL(fileURLWithPath: file))
    }
  }

  private func play(
    _ more: [String] = [], _ body: (Scene) async throws -> Void
  ) async throws {
    try await Scenario.run { scenario in
      let desktop = try await AccessibleDesktop(on: scenario)
      let configuration = scenario.folder.file("dunstrc")
      try Data(
        """
        [global]
        idle_threshold = 0
        [urgency_low]
        timeout = 0
        [urgency_normal]
        timeout = 0
        [urgency_critical]
        timeout = 0
        """.utf8
      ).write(to: URL(fileURLWithPath: configuration))
      _ = try scenario.start(
        [try TestTool.dunst.required(), "-conf", configuration], name: "dunst",
        environment: desktop.environment)
      let ready = scenario.folder.file("agent.json")
      let agent = try scenario.belfry(
        [
          "agent", "--data", scenario.folder.file("agent"), "--presenter", "desktop", "--presenter",
          "json", "--ready-file", ready,
        ] + more, environment: desktop.environment)
      _ = try await ScratchFolder.contents(of: ready) { !agent.isRunning }
      try await Scenario.wait("the notification server") {
        let rows = try await scenario.belfryCommand(["doctor", "--json"], succeeding: false).values
        return rows.contains {
          $0["feature"].string == "notification server" && $0["state"].string == "ok"
        }
      }
      try await body(Scene(scenario: scenario, desktop: desktop, agent: agent))
    }
  }

  @Test(arguments: [("Allow", true), ("Don’t Allow", false)])
  func `a window asks for permission with the app's name where the server has no buttons`(
    answer: String, isAllowed: Bool
  ) async throws {
    try await play { scene in
      let app = try await scene.app("alert")
      try await scene.desktop.wait(
        "label", "“\(Self.burger)” Would Like to Send You Notifications")
      // The window prompts the user. The server, whose buttons are in a menu, doesn't show a second prompt.
      #expect(try await scene.dunstctl("count", "displayed") == "0")
      let rows = try await scene.scenario.belfryCommand(["doctor", "--json"]).values
      let buttons = rows.first { $0["feature"].string == "buttons" }
      #expect(buttons?["state"].string == "ok", "\(rows)")
      #expect(buttons?["detail"].string?.hasPrefix("in the server's context menu") == true)
      try await scene.desktop.press(answer)
      // S1-7
      #expect(await app.nextEvent("authorized")["granted"].boolean == isAllowed)
      try await scene.desktop.wait("alert dialog", Self.burger, isThere: false)
      try await Scenario.wait("the question to disappear") {
        try await scene.dunstctl("count", "displayed") == "0"
      }
    }
  }

  @Test
  func `client-api 3.29: an alert has all four actions in a window, and a text field`()
    async throws
  {
    try await play(["--grant", "all"]) { scene in
      let app = try await scene.app("alert")
      _ = try await app.event("authorized")
      _ = try await scene.scenario.belfryCommand(["settings", Self.burger, "style=alert"])
      try await scene.notify("Dinner", "--category", "INVITE")
      try await scene.desktop.wait("label", "Dinner")
      let elements = try await scene.desktop.elements()
      // S1-21, S1-27
      #expect(
        elements.filter { $0.role == "button" }.map(\.name)
          == ["Send", "Accept", "Maybe", "Decline", "Close"])
      #expect(elements.first { $0.name == "Decline" }?.description == "Cannot be undone")
      try await scene.desktop.type("With pleasure", into: "Reply")
      try await scene.desktop.press("Send")
      let reply = try await app.event("response")
      #expect(reply["action"].string == "REPLY")
      #expect(reply["text"].string == "With pleasure")
      try await scene.desktop.wait("alert dialog", Self.burger, isThere: false)
      // Closing the window dismisses the notification.
      try await scene.notify("Lunch", "--category", "INVITE")
      try await scene.desktop.wait("label", "Lunch")
      try await scene.desktop.closeWindow(Self.burger)
      try await Scenario.wait("the removal of the alert") {
        try await scene.scenario.belfryCommand(["center", "--json"]).values.isEmpty
      }
    }
  }

  @Test
  func
    `client-api 3.33: quiet notifications are only in the server's history and Notification Center`()
    async throws
  {
    try await play { scene in
      let app = try await scene.app("alert,provisional")
      _ = try await app.event("authorized")
      let before = try await scene.picture()
      try await scene.notify("Quiet one")
      #expect(try await scene.agent.event("suppressed")["reason"].string == "quiet")
      try await Scenario.wait("the notification in the history") {
        try await scene.dunstctl("count", "history") == "1"
      }
      #expect(try await scene.dunstctl("count", "displayed") == "0")
      #expect(try await scene.picture() == before)
      #expect(
        try await scene.dunstctl("history").contains("\(Self.burger): Quiet one"))
      try await scene.openCenter()
      try await scene.desktop.wait("label", "Quiet one")
      try await scene.desktop.press("Keep")
      _ = try await app.event("settings") { $0["settings"]["status"].string == "authorized" }
      try await scene.desktop.wait("button", "Keep", isThere: false)
      try await scene.notify("Loud one")
      try await scene.desktop.wait("label", "Loud one")
      try await Scenario.wait("the banner") {
        try await scene.dunstctl("count", "displayed") == "1"
      }
      try await scene.desktop.press("Clear All")
      try await scene.desktop.press("Clear All?")
      try await scene.desktop.wait("label", "No notifications")
    }
  }

  @Test
  func `the Notification Center opens, acts and asks for a text, in the device's language`()
    async throws
  {
    try await play(["--grant", "all"]) { scene in
      let app = try await scene.app("alert")
      _ = try await app.event("authorized")
      _ = try await scene.scenario.belfryCommand(["settings", "--languages", "de-DE"])
      for title in ["One", "Two"] { try await scene.notify(title, "--category", "INVITE") }
      _ = try await scene.scenario.command(
        [Installation.belfry, "center", "--window"], environment: scene.desktop.environment)
      try await scene.desktop.wait("window", "Mitteilungszentrale")
      try await scene.desktop.press("Reply")
      try await scene.desktop.type("Ja", into: "Reply")
      try await scene.desktop.press("Send")
      let reply = try await app.event("response")
      #expect(reply["text"].string == "Ja")
      #expect(reply["notification"]["id"].string == "Two")
      try await scene.desktop.wait("label", "Two", isThere: false)
      try await scene.desktop.press("Öffnen")
      let opened = try await app.event("response")
      #expect(opened["notification"]["id"].string == "One")
      try await scene.desktop.wait("label", "Keine Mitteilungen")
    }
  }

  @Test
  func `the Notification Center offers further actions in the notification's own window`()
    async throws
  {
    try await play(["--grant", "all"]) { scene in
      let app = try await scene.app("alert")
      _ = try await app.event("authorized")
      try await scene.notify("Dinner", "--category", "INVITE")
      try await scene.openCenter()
      try await scene.desktop.press("More…")
      try await scene.desktop.wait("alert dialog", Self.burger)
      try await scene.desktop.press("Decline")
      #expect(try await app.event("response")["action"].string == "NO")
      try await scene.desktop.wait("alert dialog", Self.burger, isThere: false)
    }
  }

  @Test
  func `a change of the previews hides the text of a window that is open`() async throws {
    try await play(["--grant", "all"]) { scene in
      let app = try await scene.app("alert")
      _ = try await app.event("authorized")
      _ = try await scene.scenario.belfryCommand(["settings", Self.burger, "style=alert"])
      try await scene.notify("Pin 1234")
      try await scene.desktop.wait("label", "Pin 1234")
      _ = try await scene.scenario.belfryCommand(["settings", Self.burger, "previews=never"])
      try await scene.desktop.wait("label", "Pin 1234", isThere: false)
      try await scene.desktop.wait("label", "Notification")
    }
  }

  @Test
  func `a command without a display does not open the window on the agent's display`()
    async throws
  {
    try await play { scene in
      let refused = try await scene.scenario.belfryCommand(
        ["center", "--window"], succeeding: false)
      #expect(refused.status == 1)
      #expect(refused.errors.contains("no display"), "\(refused.errors)")
      #expect(refused.errors.contains("belfry center --page"), "\(refused.errors)")
      #expect(try await !scene.desktop.elements().contains { $0.role == "window" })
    }
  }

  @Test
  func `without a display, the agent keeps running, logs it once and refuses to open the window`()
    async throws
  {
    try await Scenario.run { scenario in
      let address = try await scenario.bus()
      let ready = scenario.folder.file("agent.json")
      let agent = try scenario.belfry(
        [
          "agent", "--data", scenario.folder.file("agent"), "--presenter", "desktop",
          "--ready-file",
          ready,
        ],
        environment: ["DBUS_SESSION_BUS_ADDRESS": address])
      _ = try await ScratchFolder.contents(of: ready) { !agent.isRunning }
      let refused = try await scenario.belfryCommand(["center", "--window"], succeeding: false)
      #expect(refused.status == 1)
      #expect(refused.errors.contains("no display"))
      #expect(refused.errors.contains("--page"))
      for name in ["one", "two"] {
        _ = try scenario.belfry(["app", "run", "org.example.\(name)", "--authorize", "alert"])
      }
      try await Scenario.wait("both requests for permission") {
        agent.errors.components(separatedBy: "an app is waiting for permission").count == 3
      }
      #expect(agent.errors.components(separatedBy: "windows are not available").count == 2)
    }
  }
}
