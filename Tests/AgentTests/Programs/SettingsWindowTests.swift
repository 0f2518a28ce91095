import Foundation
import TestSupport
import Testing

/// Tests of `belfry settings --window` with an agent and an app.
///
/// The tests operate the window as a screen reader does.
@Suite(
  "The settings window", .serialized,
  .requires(.xvfb, .xdotool, .dbus, .accessibility, .dbusPython, .systemPython))
struct SettingsWindowTests {
  private static let burger = "org.example.burger"

  private func play(
    _ body: (Scenario, AccessibleDesktop, RunningProgram) async throws -> Void
  ) async throws {
    try await Scenario.run { scenario in
      let desktop = try await AccessibleDesktop(on: scenario)
      let ready = scenario.folder.file("agent.json")
      let agent = try scenario.belfry([
        "agent", "--data", scenario.folder.file("agent"), "--ready-file", ready, "--grant", "all",
      ])
      _ = try await ScratchFolder.contents(of: ready) { !agent.isRunning }
      try await body(scenario, desktop, agent)
    }
  }

  private func setting(_ name: String, in scenario: Scenario) async throws -> String? {
    let shown = try await scenario.belfryCommand(["settings", Self.burger, "--json"])
    return shown.lines.first.flatMap { JSONLine($0) }?[name].string
  }

  @Test
  func `A switch and a list in the window change the app's settings until the window is closed`()
    async throws
  {
    try await play { scenario, desktop, _ in
      let app = try scenario.belfry(["app", "run", Self.burger, "--authorize", "alert,badge"])
      _ = try await app.event("authorized")
      let window = try scenario.start(
        [Installation.belfry, "settings", "--window"], environment: desktop.environment)
      try await desktop.wait("window", "Notifications")
      try await desktop.wait("label", Self.burger)
      #expect(try await setting("badge", in: scenario) == "on")
      try await desktop.press("Badges")
      _ = try await app.event("settings") { $0["settings"]["badge"].string == "disabled" }
      #expect(try await setting("badge", in: scenario) == "off")
      // The app didn't request sounds, so the window doesn't list that setting.
      #expect(try await !desktop.elements().contains { $0.name == "Sounds" })
      // An app that requests permission later appears while the window is open.
      let fries = try scenario.belfry([
        "app", "run", "org.example.fries", "--authorize", "sound",
      ])
      _ = try await fries.event("authorized")
      try await desktop.wait("label", "org.example.fries")
      try await desktop.closeWindow("Notifications")
      #expect(try await window.end() == 0)
    }
  }

  @Test func `The window is in the device's language`() async throws {
    try await play { scenario, desktop, _ in
      _ = try await scenario.belfryCommand(["settings", "--languages", "de-DE"])
      let window = try scenario.start(
        [Installation.belfry, "settings", "--window"], environment: desktop.environment)
      try await desktop.wait("window", "Mitteilungen")
      try await desktop.closeWindow("Mitteilungen")
      #expect(try await window.end() == 0)
    }
  }

  @Test func `Without a display the command fails and names the page on the terminal`() async throws
  {
    try await Scenario.run { scenario in
      let ready = scenario.folder.file("agent.json")
      let agent = try scenario.belfry([
        "agent", "--data", scenario.folder.file("agent"), "--ready-file", ready,
      ])
      _ = try await ScratchFolder.contents(of: ready) { !agent.isRunning }
      let refused = try await scenario.belfryCommand(["settings", "--window"], succeeding: false)
      #expect(refused.status == 1)
      #expect(refused.errors.contains("belfry settings --page"))
      #expect(refused.errors.split(separator: "\n").count == 1, "\(refused.errors)")
    }
  }
}
