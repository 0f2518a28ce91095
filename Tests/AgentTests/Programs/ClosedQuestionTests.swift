import TestSupport
import Testing

/// Tests of a question that the user closes without an answer, with dunst.
@Suite(.serialized) struct ClosedQuestionTests {
  @Test(.requires(.dbus, .dunst, .xvfb))
  func `the command and the doctor say that the question was not answered, and how to allow`()
    async throws
  {
    try await Scenario.run { scenario in
      let desktop = try await DesktopProgramTests.Desktop.open(on: scenario)
      _ = try await desktop.startServer()
      // Without a display for windows, the notification server shows the question.
      let agent = try await desktop.agent(["--grant", "ask"], environment: ["DISPLAY": ""])
      let notify = try scenario.belfry(["notify", "Tea", "--in", "1h"])
      _ = try await agent.event("prompt")
      try await Scenario.wait("the question") { (try? await desktop.displayed()) == 1 }
      _ = try await desktop.dunstctl("close")
      #expect(try await notify.end() == 1)
      let settings = "belfry settings belfry.shell notifications=on"
      #expect(
        notify.errors.contains(
          "the question about notifications of belfry.shell was closed without an answer, so the "
            + "notification was dropped: "), "\(notify.errors)")
      #expect(notify.errors.contains("or allow notifications with '\(settings)'"))
      let rows = try await scenario.belfryCommand(["doctor", "--json"]).values
      let app = rows.first { $0["feature"].string == "app belfry.shell" }
      #expect(app?["detail"].string == "asked for permission, but the user has not answered")
      #expect(app?["do"].string == settings)
      // By default, a middle click in dunst invokes the default action of a notification that has one.
      let buttons = rows.first { $0["feature"].string == "buttons" }
      #expect(buttons?["detail"].string?.contains("'dunstctl context'") == true, "\(rows)")
      _ = try await scenario.belfryCommand(["settings", "belfry.shell", "notifications=off"])
      let refused = try await scenario.belfryCommand(
        ["notify", "Tea", "--in", "1h"], succeeding: false)
      #expect(
        refused.errors.contains("notifications are off for belfry.shell, so the notification was "),
        "\(refused.errors)")
    }
  }
}
