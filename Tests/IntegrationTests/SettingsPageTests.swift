import BelfryWire
import Foundation
import TestSupport
import Testing

@testable import Tool

@Suite("The settings page")
struct SettingsPageTests {
  private static let burger: JSONObject = [
    "app": "org.example.burger", "name": "Burger", "authorization": "authorized", "alert": "on",
    "badge": "off", "style": "banner", "previews": "always", "center": "on", "lockScreen": "on",
    "location": "notDetermined",
  ]

  private func page(_ apps: [JSONObject] = [burger]) -> SettingsPage {
    var page = SettingsPage()
    page.show(
      SettingsPage.Content(apps: apps, device: ["location": "on"], state: ["focus": "off"]))
    return page
  }

  private func press(_ page: inout SettingsPage, _ keys: PageKey...)
    -> SettingsPage.Action
  {
    keys.map { page.press($0) }.last ?? .none
  }

  @Test
  func `the list has the device's switches and a line for each app with what is on`() {
    let lines = page().lines(width: 60, height: 20)
    #expect(lines.contains { $0.hasPrefix("> Focus") && $0.hasSuffix("[off]") })
    #expect(lines.contains { $0.hasPrefix("  Burger") && $0.hasSuffix("Alerts") })
    #expect(lines.allSatisfy { $0.count <= 60 })
    #expect(page([]).lines(width: 60, height: 20).contains { $0.contains("No app") })
  }

  @Test
  func `An app's page has a switch for each type that it asked for, and for no other`() {
    var page = page()
    _ = press(&page, .down, .down, .enter)
    let lines = page.lines(width: 60, height: 30)
    #expect(lines.first == "Notifications · Burger")
    #expect(lines.contains { $0.contains("Alerts") && $0.hasSuffix("[on]") })
    #expect(lines.contains { $0.contains("Badges") && $0.hasSuffix("[off]") })
    #expect(!lines.contains { $0.contains("Sounds") || $0.contains("Location") })
  }

  @Test
  func `keys turn what is chosen, and go back`() {
    var page = page()
    #expect(press(&page, .enter) == .changeState(name: "focus", word: "on"))
    #expect(press(&page, .down, .enter) == .changeDevice(name: "location", word: "off"))
    #expect(press(&page, .down, .enter) == .none)
    let app = "org.example.burger"
    #expect(press(&page, .enter) == .change(app: app, name: "notifications", word: "off"))
    #expect(press(&page, .down, .right) == .change(app: app, name: "alert", word: "off"))
    #expect(press(&page, .down, .enter) == .change(app: app, name: "badge", word: "on"))
    #expect(press(&page, .down, .right) == .change(app: app, name: "style", word: "alert"))
    #expect(press(&page, .left) == .change(app: app, name: "style", word: "none"))
    #expect(press(&page, .back, .back) == .quit)
    #expect(press(&page, .quit) == .quit)
  }

  @Test
  func `The page of an app that unregisters goes away`() {
    var page = page()
    _ = press(&page, .down, .down, .enter)
    page.show(SettingsPage.Content(), problem: "no app org.example.burger")
    let lines = page.lines(width: 60, height: 20)
    #expect(lines.first == "Notifications")
    #expect(lines.last == "! no app org.example.burger")
    #expect(press(&page, .enter) == .none)
  }

  @Test
  func `an app that is added above the selected line does not change the selection`() {
    var page = page()
    _ = press(&page, .down, .down)
    var other = Self.burger
    other["app"] = "org.example.apple"
    other["name"] = "Apple"
    page.show(
      SettingsPage.Content(
        apps: [other, Self.burger], device: ["location": "on"], state: ["focus": "off"]))
    #expect(page.lines(width: 60, height: 20).contains { $0.hasPrefix("> Burger") })
    _ = press(&page, .enter, .back)
    #expect(page.lines(width: 60, height: 20).contains { $0.hasPrefix("> Burger") })
  }

  @Test
  func `on a small terminal what is chosen stays in sight`() {
    let apps = (0..<50).map { number -> JSONObject in
      var app = Self.burger
      app["app"] = .string("org.example.a\(number)")
      app["name"] = .string("App \(number)")
      return app
    }
    var page = page(apps)
    for _ in 0..<30 { _ = page.press(.down) }
    let lines = page.lines(width: 20, height: 10)
    #expect(lines.count <= 10)
    #expect(lines.contains { $0.hasPrefix("> App 28") })
  }

  @Test func `The window shows the same settings, and takes no value that a setting lacks`() throws
  {
    let content = SettingsWindowContent(
      SettingsPage.Content(
        apps: [Self.burger], device: ["location": "on", "languages": "de"], state: ["focus": "off"])
    )
    let command = content.command(problem: "refused")
    #expect(command["title"]?.stringValue == "Mitteilungen")
    #expect(command["problem"]?.stringValue == "refused")
    let sections = try #require(command["sections"]?.arrayValue).compactMap(\.objectValue)
    #expect(sections.map { $0["id"]?.stringValue } == ["", "org.example.burger"])
    let rows = try #require(sections.last?["rows"]?.arrayValue).compactMap(\.objectValue)
    #expect(
      rows.map { $0["value"]?.stringValue } == ["on", "on", "off", "banner", "always", "on", "on"])
    let app = "org.example.burger"
    #expect(
      content.action(section: app, row: "badge", value: "on")
        == .change(app: app, name: "badge", word: "on"))
    #expect(
      content.action(section: "", row: "focus", value: "on")
        == .changeState(name: "focus", word: "on"))
    #expect(content.action(section: app, row: "badge", value: "loud") == nil)
    #expect(content.action(section: app, row: "location", value: "always") == nil)
    #expect(content.action(section: "org.example.fries", row: "badge", value: "on") == nil)
  }

  @Test
  func `A user changes an app's switch on the page in a real terminal`() async throws {
    try await Scenario.run { scenario in
      let ready = scenario.folder.file("ready")
      let agent = try scenario.belfry([
        "agent", "--data", scenario.folder.file("agent"), "--presenter", "json", "--grant", "all",
        "--ready-file", ready,
      ])
      _ = try await ScratchFolder.contents(of: ready) { !agent.isRunning }
      let app = try scenario.belfry([
        "app", "run", "org.example.burger", "--authorize", "alert,sound",
      ])
      _ = try await app.event("authorized")
      let page = try scenario.start(
        ["/usr/bin/script", "-qec", "\(Installation.belfry) settings --page", "/dev/null"])
      _ = try await page.output(called: "the page with the app") { lines in
        lines.contains { $0.contains("org.example.burger") && $0.contains("Alerts, Sounds") }
      }
      // The page shows a change that was made elsewhere without a key.
      _ = try await scenario.belfryCommand(["state", "focus=on"])
      _ = try await page.output(called: "the page with the device's new state") { lines in
        lines.contains { $0.contains("Focus") && $0.contains("[on]") }
      }
      // Move down twice to the app and open its page. Move down once to alerts and toggle the switch. End each line
      // with Enter.
      page.tell("jj")
      page.tell("j")
      _ = try await app.event("settings") { $0["settings"]["alert"].string == "disabled" }
      page.tell("q")
      #expect(try await page.end() == 0)
      let without = try await scenario.belfryCommand(["settings", "--page"], succeeding: false)
      #expect(without.status == 1)
      #expect(without.errors.contains("requires a terminal"))
    }
  }
}
