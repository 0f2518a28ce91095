import TestSupport
import Testing

/// Tests of the desktop presenter with a real notification server on a private bus and X server.
@Suite(
  .timeLimit(.minutes(60)),
  .requires(.dbus, .dbusMonitor, .dunst, .xvfb, .xdotool, .importPicture))
struct DesktopTests {
  @Test func `a push is displayed by the notification server and activating it reaches the app`()
    async throws
  {
    try await Scenario.run { scenario in
      let desktop = try await DesktopSession(on: scenario)
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(
        of: gateway, presenters: ["json", "desktop"], environment: desktop.environment)
      let (app, token) = try await scenario.app("org.example.burger", on: agent)
      #expect(try await desktop.displayedCount() == 0)
      let before = try await desktop.picture("before")

      let sent = try await scenario.belfryCommand([
        "send", token, "--topic", "org.example.burger", "--title", "Burger Town", "--body",
        "Your order <1> is ready & hot.", "--gateway", gateway.file,
      ])
      #expect(sent.values.first?["status"].integer == 200)

      let call = try await desktop.call("Notify", containing: "Burger Town")
      // dunst lists body-markup, so the markup characters of the body must be escaped.
      #expect(call.contains { $0.contains("Your order &lt;1&gt; is ready &amp; hot.") })
      #expect(
        call.contains { $0.contains(#"string "default""#) }, "a click is reported as an action")
      let presented = try await agent.program.event("presented")
      #expect(presented["title"].string == "Burger Town")
      #expect(presented["body"].string == "Your order <1> is ready & hot.")
      #expect(try await isMet { try await desktop.displayedCount() == 1 })
      #expect(
        try await isMet {
          let after = try await desktop.picture("after")
          return try DesktopSession.changedPixels(before, after) > 5_000
        }, "the picture of the screen did not change")

      try await desktop.click()
      _ = try await desktop.call("ActionInvoked", containing: "default")
      let response = try await app.event("response")
      #expect(response["notification"] != .null)
      #expect(try await isMet { try await desktop.displayedCount() == 0 })
    }
  }

  @Test func `the desktop of the tests is empty at first and a click on nothing does nothing`()
    async throws
  {
    try await Scenario.run { scenario in
      let desktop = try await DesktopSession(on: scenario)
      #expect(try await desktop.displayedCount() == 0)
      let before = try await desktop.picture("before")
      try await desktop.click()
      #expect(try DesktopSession.changedPixels(before, try await desktop.picture("after")) == 0)
    }
  }

  /// Checks a condition repeatedly for up to ten seconds, because the server draws at its own pace and doesn't report
  /// when it has finished.
  private func isMet(_ condition: () async throws -> Bool) async throws -> Bool {
    let end = ContinuousClock.now + TestTimeout.standard
    while ContinuousClock.now < end {
      if try await condition() { return true }
    }
    return false
  }

  @Test func `An icon and an image from the shell reach the notification server`() async throws {
    try await Scenario.run { scenario in
      let desktop = try await DesktopSession(on: scenario)
      let agent = try await scenario.agent(
        of: nil, presenters: ["json", "desktop"], environment: desktop.environment)
      let picture = try await desktop.picture("picture")
      let (icon, image) = (scenario.folder.file("icon.png"), scenario.folder.file("image.png"))
      for file in [icon, image] {
        _ = try await scenario.command(
          ["convert", picture, "-resize", "32x32", file], environment: desktop.environment)
      }
      _ = try await scenario.belfryCommand([
        "notify", "Cake", "--icon", icon, "--image", image, "--socket", agent.socket,
      ])
      let copy = try #require(
        try await agent.program.event("presented")["attachments"][0]["path"].string)
      let call = try await desktop.call("Notify", containing: "Cake")
      #expect(call.contains { $0.contains("string \"\(icon)\"") }, "\(call)")
      let hint = try #require(call.firstIndex { $0.contains("\"image-path\"") })
      #expect(call[hint + 1].contains(copy), "\(call)")
    }
  }
}
