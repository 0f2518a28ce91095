import BelfryWire
import Foundation
import TestSupport
import Testing

@testable import Tool

@Suite("The Notification Center on the terminal")
struct CenterPageTests {
  private static func row(
    _ id: String, _ app: String = "a.burger", thread: String = "",
    authorization: String = "authorized",
    actions: JSONValue = []
  ) -> JSONObject {
    [
      "app": .string(app), "id": .string(id), "date": 0, "title": .string("Title \(id)"),
      "subtitle": "", "body": "Body", "thread": .string(thread),
      "name": .string(app == "a.burger" ? "Burger" : "Other"),
      "authorization": .string(authorization), "actions": actions,
    ]
  }

  private static let invite = row(
    "1",
    actions: [
      ["id": "R", "title": "Reply", "destructive": false, "placeholder": "Answer"],
      ["id": "D", "title": "Decline", "destructive": true],
    ])

  private func page(_ rows: [JSONObject], languages: [String] = ["en"]) -> CenterPage {
    var page = CenterPage { _ in "12:00" }
    page.show(CenterPage.Content(rows: rows, languages: languages))
    return page
  }

  private func press(_ page: inout CenterPage, _ keys: PageKey...) -> CenterPage.Action {
    keys.map { page.press($0) }.last ?? .none
  }

  @Test func `delivered notifications are grouped by app and thread, newest first`() {
    let page = page([
      Self.row("1", thread: "t"), Self.row("2", "b.other"), Self.row("3"),
      Self.row("4", thread: "t"),
    ])
    let lines = page.lines(width: 60, height: 30)
    #expect(lines.first == "Notification Center · 4 notifications")
    #expect(lines.last?.contains("enter actions") == true)
    #expect(
      Array(lines.dropFirst(2).prefix(9)) == [
        "Burger", "  2 notifications", ">   12:00  Title 4 · Body", "    12:00  Title 1 · Body",
        "  12:00  Title 3 · Body", "", "Other", "  12:00  Title 2 · Body", "",
      ])
    #expect(lines.allSatisfy { $0.count <= 60 })
  }

  @Test func `a notification's page opens it, takes its actions, asks for a text, and clears it`() {
    var page = page([Self.invite])
    #expect(press(&page, .enter) == .none)
    let lines = page.lines(width: 60, height: 30)
    #expect(lines.first == "Burger · 12:00")
    #expect(lines.contains("> Open"))
    #expect(lines.contains("  Decline (Cannot be undone)"))
    #expect(press(&page, .enter) == .ask(.open(app: "a.burger", id: "1")))
    #expect(
      press(&page, .down, .enter)
        == .reply(app: "a.burger", id: "1", action: "R", placeholder: "Answer"))
    #expect(
      press(&page, .down, .enter) == .ask(.act(app: "a.burger", id: "1", action: "D", text: nil)))
    #expect(press(&page, .down, .enter) == .ask(.dismiss(app: "a.burger", id: "1")))
    #expect(press(&page, .back) == .none)
    #expect(press(&page, .clear) == .ask(.dismiss(app: "a.burger", id: "1")))
    #expect(press(&page, .back) == .quit)
  }

  @Test func `client-api 3.33: an app that notifies quietly can be kept or turned off`() {
    var page = page([Self.row("1", authorization: "provisional")])
    let lines = page.lines(width: 60, height: 30)
    #expect(lines.contains("Burger · quietly"))
    #expect(lines.contains("> Keep"))
    #expect(
      press(&page, .enter) == .ask(.changeSettings(app: "a.burger", ["notifications": "on"])))
    #expect(
      press(&page, .down, .enter)
        == .ask(.changeSettings(app: "a.burger", ["notifications": "off"])))
    #expect(press(&page, .clear) == .none)
  }

  @Test func `the page of a removed notification closes, and a refusal is shown`() {
    var page = page([Self.row("1"), Self.row("2")])
    _ = press(&page, .down, .enter)
    page.show(CenterPage.Content(), problem: "unknown notification 1")
    let lines = page.lines(width: 60, height: 30)
    #expect(lines.first == "Notification Center")
    #expect(lines.contains("  No notifications"))
    #expect(lines.last == "! unknown notification 1")
    #expect(press(&page, .enter) == .none)
  }

  @Test func `an arriving notification is shown, and the same line stays selected`() {
    var page = page([Self.row("1"), Self.row("2")])
    _ = press(&page, .down)
    page.show(CenterPage.Content(rows: [Self.row("1"), Self.row("2"), Self.row("3")]))
    #expect(page.lines(width: 60, height: 30).contains("> 12:00  Title 1 · Body"))
    #expect(press(&page, .clear) == .ask(.dismiss(app: "a.burger", id: "1")))
    // The list also selects the line of the notification whose page was open.
    _ = press(&page, .enter)
    page.show(CenterPage.Content(rows: (1...4).map { Self.row("\($0)") }))
    _ = press(&page, .back)
    #expect(page.lines(width: 60, height: 30).contains("> 12:00  Title 1 · Body"))
  }

  @Test func `an app's text moves no cursor, and a text field shows its end`() {
    var row = Self.row("1")
    row["title"] = "\u{1B}[2Jred"
    let page = page([row])
    #expect(page.lines(width: 60, height: 30).allSatisfy { !$0.contains("\u{1B}") })
    #expect(page.replyLines("Answer", "0123456789", width: 8)[0] == "23456789")
    #expect(page.replyLines("", "x", width: 80)[0] == "Reply: x")
  }

  @Test func `both pages speak the device's language`() {
    let lines = page([Self.row("1")], languages: ["de-CH"]).lines(width: 80, height: 20)
    #expect(lines.first == "Mitteilungszentrale · 1 Mitteilung")
    var settings = SettingsPage()
    settings.show(
      SettingsPage.Content(
        apps: [], device: ["location": "on", "languages": "fr-CA,en"], state: ["focus": "off"]))
    let french = settings.lines(width: 60, height: 20)
    #expect(french.contains { $0.hasPrefix("> Concentration") && $0.hasSuffix("[non]") })
  }

  @Test func `a user replies to a notification on the page in a real terminal`() async throws {
    try await Scenario.run { scenario in
      let ready = scenario.folder.file("ready")
      let agent = try scenario.belfry([
        "agent", "--data", scenario.folder.file("agent"), "--presenter", "json", "--grant", "all",
        "--ready-file", ready,
      ])
      _ = try await ScratchFolder.contents(of: ready) { !agent.isRunning }
      let category = scenario.folder.file("category.json")
      try Data(
        #"{"id":"C","actions":[{"id":"R","title":"Reply","textInput":{"placeholder":"Answer"}}]}"#
          .utf8
      ).write(to: URL(fileURLWithPath: category))
      let app = try scenario.belfry([
        "app", "run", "org.example.burger", "--authorize", "alert", "--category", category,
        "--state", "background",
      ])
      _ = try await app.event("authorized")
      _ = try await scenario.belfryCommand([
        "notify", "--app", "org.example.burger", "--title", "Dinner", "--category", "C",
      ])
      let page = try scenario.start(
        ["/usr/bin/script", "-qec", "\(Installation.belfry) center --page", "/dev/null"])
      _ = try await page.output(called: "the page with the notification") { lines in
        lines.contains { $0.contains("Dinner") }
      }
      // The page shows a later notification without a key, and the first one stays selected.
      _ = try await scenario.belfryCommand([
        "notify", "--app", "org.example.burger", "--title", "Supper",
      ])
      _ = try await page.output(called: "the page with the later notification") { lines in
        lines.contains { $0.contains("Supper") }
      }
      // Open the notification, move down to Reply, and type. End each line with Enter.
      page.tell("")
      page.tell("j")
      _ = try await page.output(called: "the text field") { lines in
        lines.contains { $0.contains("Answer:") }
      }
      page.tell("Ja ä")
      let response = try await app.event("response")
      #expect(response["action"].string == "R")
      #expect(response["text"].string == "Ja ä")
      page.tell("q")
      #expect(try await page.end() == 0)
      let without = try await scenario.belfryCommand(["center", "--page"], succeeding: false)
      #expect(without.status == 1)
      #expect(without.errors.contains("requires a terminal"))
    }
  }
}
