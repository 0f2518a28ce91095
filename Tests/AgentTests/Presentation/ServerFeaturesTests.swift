import AppWire
import Testing

@testable import Agent

@Suite("Where a notification's buttons are")
struct ServerFeaturesTests {
  private static let names: Set<String> = ["actions", "body"]

  private static func server(_ name: String, _ version: String = "1") -> ServerFeatures {
    ServerFeatures(name: name, version: version, names: names)
  }

  @Test(
    arguments: [
      ("dunst", "1.9.0", .menu, .closedIntoHistory, false),
      ("gnome-shell", "43.9", .upTo(3), .lowUrgency, false),
      ("gnome-shell", "40.0", .upTo(3), .none, false),
      ("gnome-shell", "46.1", .upTo(3), .lowUrgency, true),
      ("Plasma", "5.27.5", .all, .none, true), ("mako", "0.0.0", .menu, .none, false),
      ("Xfce Notify Daemon", "0.7.3", .all, .none, false), ("", "", .all, .none, false),
    ] as [(String, String, ServerFeatures.Buttons, ServerFeatures.QuietDelivery, Bool)])
  func `the features of each server match its observed behavior`(
    name: String, version: String, buttons: ServerFeatures.Buttons,
    quiet: ServerFeatures.QuietDelivery, showsAppName: Bool
  ) {
    let server = Self.server(name, version)
    #expect(server.buttons == buttons)
    #expect(server.quietDelivery == quiet)
    #expect(server.showsAppName == showsAppName)
    #expect(ServerFeatures(name: name, version: version, names: ["body"]).buttons == .none)
  }

  @Test(
    arguments: [
      ("gnome-shell", true, false, true), ("gnome-shell", false, true, false),
      ("dunst", true, false, true), ("dunst", false, true, false),
      ("Plasma", true, false, true), ("Plasma", false, true, false),
    ] as [(String, Bool, Bool, Bool)])
  func `an alert opens a window for app-drawn content at once, and a banner opens it with a button`(
    name: String, persistent: Bool, hasMore: Bool, opensWindow: Bool
  ) {
    let presentation = DesktopTests.presentation(
      persistent: persistent, actions: Array(DesktopTests.buttons.prefix(1)), isDrawnByApp: true)
    let placement = ButtonPlacement(presentation, Self.server(name, "43"), hasWindow: true)
    #expect(placement.withServer.map(\.id) == ["A"])
    #expect(placement.hasMore == hasMore)
    #expect(placement.opensWindow == opensWindow)
    let without = ButtonPlacement(presentation, Self.server(name, "43"), hasWindow: false)
    #expect(!without.hasMore && !without.opensWindow)
    let mute = ServerFeatures(name: name, version: "43", names: ["body"])
    #expect(ButtonPlacement(presentation, mute, hasWindow: true).opensWindow)
  }

  /// Returns the keys of the server's buttons, whether there is a More button, and whether the window opens.
  private func placed(
    _ server: ServerFeatures, persistent: Bool, count: Int, hasWindow: Bool = true
  ) -> (keys: String, hasMore: Bool, opensWindow: Bool) {
    let presentation = DesktopTests.presentation(
      persistent: persistent,
      actions: (DesktopTests.buttons + [NotificationAction(id: "E", title: "t")])
        .prefix(count).map(\.self))
    let placement = ButtonPlacement(presentation, server, hasWindow: hasWindow)
    return (
      placement.withServer.map(\.id).joined(), placement.hasMore, placement.opensWindow
    )
  }

  @Test(
    arguments: [
      // GNOME shows three buttons. If a notification has more actions, the third button opens the rest.
      ("gnome-shell", true, 3, "ABC", false, false), ("gnome-shell", true, 4, "AB", true, false),
      ("gnome-shell", false, 2, "AB", false, false), ("gnome-shell", false, 4, "AB", true, false),
      // A menu has room for all actions, but an alert can't wait in a menu.
      ("dunst", true, 4, "ABCD", false, true), ("dunst", true, 0, "", false, true),
      ("dunst", false, 2, "AB", false, false), ("dunst", false, 4, "AB", true, false),
      ("Plasma", true, 4, "ABCD", false, false), ("Plasma", false, 4, "AB", true, false),
      ("Plasma", false, 0, "", false, false),
      // An alert shows four actions; the window shows a fifth.
      ("Plasma", true, 5, "ABCD", true, false), ("dunst", true, 5, "ABCD", false, true),
    ] as [(String, Bool, Int, String, Bool, Bool)])
  func `every action of a banner and of an alert is reached, on each server`(
    name: String, persistent: Bool, count: Int, keys: String, hasMore: Bool, opensWindow: Bool
  ) {
    let placed = placed(Self.server(name, "43"), persistent: persistent, count: count)
    // S1-21, S1-27
    #expect(placed == (keys, hasMore, opensWindow))
    let without = self.placed(
      Self.server(name, "43"), persistent: persistent, count: count, hasWindow: false)
    #expect(!without.hasMore && !without.opensWindow)
  }

  @Test func `A banner needs a window for a text field or a button that the server does not show`()
  {
    let reply = NotificationAction(id: "R", title: "Reply", textInput: .init())
    let mate = Self.server("Notification Daemon")
    func needsWindow(_ actions: [NotificationAction], _ server: ServerFeatures) -> Bool {
      ButtonPlacement.needsWindow(DesktopTests.presentation(actions: actions), server)
    }
    #expect(needsWindow([reply], mate))
    #expect(
      !needsWindow([reply], ServerFeatures(name: "Plasma", names: ["actions", "inline-reply"])))
    #expect(needsWindow(DesktopTests.buttons, mate))
    #expect(!needsWindow(Array(DesktopTests.buttons.prefix(2)), mate))
  }

  @Test(arguments: [(true, 0, true), (true, 4, true), (false, 1, true), (false, 0, false)])
  func `without buttons at the server a window opens for what has an answer`(
    persistent: Bool, count: Int, opens: Bool
  ) {
    let placed = placed(ServerFeatures(names: ["body"]), persistent: persistent, count: count)
    #expect(placed == ("", false, opens))
  }

  @Test func `a question has a window where the server draws no buttons, or none is there`() {
    #expect(ButtonPlacement.opensWindow(forQuestionsOn: nil))
    #expect(ButtonPlacement.opensWindow(forQuestionsOn: ServerFeatures(names: ["body"])))
    #expect(ButtonPlacement.opensWindow(forQuestionsOn: Self.server("dunst")))
    #expect(!ButtonPlacement.opensWindow(forQuestionsOn: Self.server("gnome-shell", "43")))
    #expect(!ButtonPlacement.opensWindow(forQuestionsOn: Self.server("Plasma")))
  }

  @Test func `the button for more actions is last and in the device's language`() {
    let presentation = DesktopTests.presentation(persistent: true, actions: DesktopTests.buttons)
    let notice = DesktopNotice(
      presentation, Self.server("gnome-shell", "43"), words: DeviceWords(languages: ["de-AT"]),
      hasWindow: true)
    #expect(
      notice.actions == ["default", "Öffnen", "A", "t", "B", "t", "belfry:more", "Mehr …"])
    let alert = DesktopNotice(
      DesktopTests.presentation(persistent: true), Self.server("Plasma"),
      words: DeviceWords(languages: ["fr"]))
    #expect(
      alert.actions
        == ["default", "Ouvrir", "belfry:close", "Fermer", "belfry:open", "Afficher"])
  }

  @Test func `the summary includes the app's name if the server does not show it`() {
    var presentation = DesktopTests.presentation()
    #expect(
      DesktopNotice(presentation, Self.server("dunst")).summary == "Burger: Title & more")
    #expect(DesktopNotice(presentation, Self.server("Plasma")).summary == "Title & more")
    presentation.title = "Burger"
    #expect(DesktopNotice(presentation, Self.server("dunst")).summary == "Burger")
    presentation.title = ""
    #expect(DesktopNotice(presentation, Self.server("Plasma")).summary == "Burger")
  }

  private func urgency(_ notice: DesktopNotice) -> BusValue? {
    notice.hints.first { $0.0 == "urgency" }?.1
  }

  @Test(
    arguments: [
      // GNOME removes all notifications except critical ones from the screen after four seconds.
      ("gnome-shell", true, .active, false, 2), ("gnome-shell", false, .active, false, 1),
      ("gnome-shell", false, .timeSensitive, false, 2), ("gnome-shell", true, .passive, false, 0),
      // GNOME's Do Not Disturb setting doesn't block critical notifications, so an alert must not become critical.
      ("gnome-shell", true, .active, true, 1), ("gnome-shell", false, .critical, true, 2),
      ("Plasma", true, .active, false, 1), ("dunst", true, .active, false, 1),
    ] as [(String, Bool, InterruptionLevel, Bool, UInt8)])
  func `an alert stays on the screen until it is answered, and do-not-disturb holds it back`(
    name: String, persistent: Bool, level: InterruptionLevel, isDesktopQuiet: Bool, urgency: UInt8
  ) {
    let notice = DesktopNotice(
      DesktopTests.presentation(persistent: persistent, level: level), Self.server(name, "43"),
      isDesktopQuiet: isDesktopQuiet)
    #expect(self.urgency(notice) == .byte(urgency))
    #expect(notice.expireMilliseconds == (persistent || level != .active ? 0 : -1))
  }

  @Test func `Plasma's list keeps the buttons of what is resident`() {
    func resident(_ name: String) -> BusValue? {
      DesktopNotice(DesktopTests.presentation(), Self.server(name)).hints
        .first { $0.0 == "resident" }?.1
    }
    #expect(resident("Plasma") == .bool(true))
    // GNOME shows no banner for a resident notification while its app is in the foreground.
    #expect(resident("gnome-shell") == nil)
    #expect(resident("dunst") == nil)
  }

  @Test func `quiet notifications have low urgency and expire on their own`() {
    let presentation = DesktopTests.presentation(persistent: true, level: .timeSensitive)
    let notice = DesktopNotice(presentation, Self.server("gnome-shell", "43"), isQuiet: true)
    #expect(notice.hints.first { $0.0 == "urgency" }?.1 == .byte(0))
    #expect(notice.expireMilliseconds == -1)
  }

  @Test func `a server's history is bounded, and a change keeps its number`() {
    var history = ServerHistory()
    let first = history.add(DesktopTests.presentation("0"))
    #expect(history.add(DesktopTests.presentation("0", body: "other")) == first)
    #expect(history[first]?.body == "other")
    for number in 1...Limits.historyRemembered {
      _ = history.add(DesktopTests.presentation("\(number)"))
    }
    #expect(history[first] == nil)
    let key = AppNotificationID(app: ModelBench.burger, id: "7")
    #expect(history.remove(key) != nil)
    #expect(history.remove(key) == nil)
  }
}
