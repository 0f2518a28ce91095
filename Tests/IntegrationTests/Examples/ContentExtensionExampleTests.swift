import Foundation
import TestSupport
import Testing

/// Tests of a notification that is shown by its app's extension, on a real display.
@Suite(
  .serialized, .timeLimit(.minutes(60)),
  .requires(.xvfb, .xdotool, .dbus, .accessibility, .dbusPython, .systemPython))
struct ContentExtensionExamples {
  private static let id = "org.example.dish"
  /// A picture of 48 by 48 pixels in a single color.
  private static let picture =
    "iVBORw0KGgoAAAANSUhEUgAAADAAAAAwCAMAAABg3Am1AAAAA1BMVEXIHlpnOX0XAAAAGUlEQVRI"
    + "x+3BgQAAAADDoPlT3+AEVQEA8AwJMAAB0q0T2gAAAABJRU5ErkJggg=="

  /// Returns a folder that contains DailyDish and its extension, as a package does.
  private static func folder(on scenario: Scenario) async throws -> String {
    let folder = try await scenario.bundle("DailyDish", id: id)
    try #require(Data(base64Encoded: picture)).write(
      to: URL(fileURLWithPath: folder + "/dish.png"))
    let plugIn = folder + "/PlugIns/DishView.appex"
    try FileManager.default.createDirectory(atPath: plugIn, withIntermediateDirectories: true)
    try await scenario.copy(try await Examples.executable("DishView"), to: plugIn + "/DishView")
    let manifest: [String: Any] = [
      "CFBundleIdentifier": id + ".view", "CFBundleExecutable": "DishView",
      "NSExtension": [
        "NSExtensionPointIdentifier": "com.apple.usernotifications.content-extension",
        "NSExtensionAttributes": [
          "UNNotificationExtensionCategory": "DISH",
          "UNNotificationExtensionDefaultContentHidden": true,
        ],
      ],
    ]
    try PropertyListSerialization.data(fromPropertyList: manifest, format: .xml, options: 0)
      .write(to: URL(fileURLWithPath: plugIn + "/Info.plist"))
    return folder
  }

  @Test
  func `A content extension shows its notification and decides what its actions do`() async throws {
    try await Scenario.run { scenario in
      let desktop = try await AccessibleDesktop(on: scenario)
      let agent = try await scenario.agent(
        of: nil, presenters: ["json", "desktop"], environment: desktop.environment)
      let folder = try await Self.folder(on: scenario)
      try await scenario.tell(agent, "app", "install", folder)
      let app = try scenario.start(
        [folder + "/DailyDish"], environment: ["BELFRY_SOCKET": agent.socket])
      #expect(try await app.text("granted") == "granted true")
      try await scenario.tell(agent, "settings", Self.id, "style=alert")
      try await scenario.tell(agent, "state", "front=none")

      app.tell("Leek soup")
      try await desktop.wait("label", "Leek soup")
      try await desktop.waitForPixels("C81E5A", atLeast: 1_500)
      let shown = try await desktop.elements()
      #expect(!shown.contains { $0.name == "Tap to see what it is" })
      #expect(!shown.contains { $0.name == "leek, potatoes, cream" })
      #expect(
        shown.filter { $0.role == "button" }.map(\.name)
          == ["Send", "Order", "What is in it?", "Not today", "Close"])

      // The extension handles these two actions itself and keeps its window open.
      try await desktop.press("What is in it?")
      try await desktop.wait("label", "leek, potatoes, cream")
      try await desktop.type("no onions", into: "Wish")
      try await desktop.press("Send")
      try await desktop.wait("label", "Wish: no onions")
      #expect(try await desktop.elements().contains { $0.name == "leek, potatoes, cream" })
      // This action is forwarded to the app.
      try await desktop.press("Order")
      #expect(try await app.text("response") == "response ORDER to Leek soup")
      try await desktop.wait("alert dialog", "DailyDish", isThere: false)

      // Only the extension handles this action; the app isn't notified.
      app.tell("Pasta")
      try await desktop.wait("label", "Pasta")
      try await desktop.press("Not today")
      try await desktop.wait("alert dialog", "DailyDish", isThere: false)
      let center = try await scenario.tell(agent, "center", "--json")
      #expect(center.lines.isEmpty, "\(center.output)")
      app.tell("Rice")
      try await desktop.wait("label", "Rice")
      let stored = scenario.folder.file(".local/share/belfry/attachments/_" + Self.id)
      #expect(try !FileManager.default.contentsOfDirectory(atPath: stored).isEmpty)
      try await desktop.press("Order")
      #expect(try await app.text("response") == "response ORDER to Rice")
      // The pictures are deleted when the windows close.
      try await Scenario.wait("the deletion of the pictures") {
        try FileManager.default.contentsOfDirectory(atPath: stored).isEmpty
      }
    }
  }
}
