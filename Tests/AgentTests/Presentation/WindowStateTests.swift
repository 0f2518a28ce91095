import AppWire
import Foundation
import System
import TestSupport
import Testing

@testable import Agent

@Suite("Which windows stand")
struct WindowStateTests {
  private static let dunst = WindowState.Server.present(
    ServerFeatures(name: "dunst", version: "1", names: ["actions", "body"]))
  private static let plasma = WindowState.Server.present(
    ServerFeatures(name: "Plasma", version: "5", names: ["actions", "body"]))
  private static let prompt = Prompt(
    id: PromptID(number: 7), app: ModelBench.burger, appName: "Burger", icon: nil,
    subject: .notifications)
  private static let name = AppNotificationID(app: ModelBench.burger, id: "n")
  private static let alert = DesktopTests.presentation(
    persistent: true, actions: DesktopTests.buttons)
  private static let banner = DesktopTests.presentation(actions: DesktopTests.buttons)

  private func state(_ server: WindowState.Server) -> WindowState {
    var state = WindowState()
    #expect(state.serverChanged(server) == [])
    return state
  }

  @Test func `notifications and prompts that arrive before the server is known wait for it`() {
    var state = WindowState()
    #expect(state.presented(Self.alert) == [])
    #expect(state.asked(Self.prompt) == [])
    #expect(
      state.serverChanged(Self.dunst) == [
        .show(.notification(Self.name), .notification(Self.alert, focus: nil)),
        .show(.prompt(Self.prompt.id), .prompt(Self.prompt)),
      ])
    state.checkInvariants()
    var other = WindowState()
    #expect(other.presented(Self.alert) == [])
    #expect(other.asked(Self.prompt) == [])
    #expect(other.serverChanged(Self.plasma) == [])
    #expect(other.isEmpty)
  }

  @Test func `a prompt gets a single window once its server is gone`() {
    var state = state(Self.plasma)
    #expect(state.asked(Self.prompt) == [])
    let shown = WindowState.Call.show(.prompt(Self.prompt.id), .prompt(Self.prompt))
    #expect(state.serverChanged(.absent) == [shown])
    #expect(state.serverChanged(Self.dunst) == [])
    #expect(state.withdrawn(Self.prompt.id) == [.close(.prompt(Self.prompt.id))])
    #expect(state.withdrawn(Self.prompt.id) == [])
    #expect(state.serverChanged(.absent) == [])
    #expect(state.isEmpty)
  }

  @Test func `without a server an alert has a window, and a banner waits`() {
    var state = state(.absent)
    #expect(state.presented(Self.banner) == [])
    #expect(state.presented(Self.alert).count == 1)
  }

  @Test func `a window shows what its notification says now, and goes with it`() {
    var state = state(Self.dunst)
    #expect(state.presented(Self.banner) == [])
    #expect(state.refreshed(Self.banner) == [])
    // The window that "More" opens shows all actions.
    var expanded = Self.banner
    expanded.isExpanded = true
    #expect(
      state.requested(Self.banner, focus: "A") == [
        .show(.notification(Self.name), .notification(expanded, focus: "A"))
      ])
    let changed = DesktopTests.presentation(body: "2", actions: DesktopTests.buttons)
    expanded = changed
    expanded.isExpanded = true
    #expect(
      state.refreshed(changed) == [
        .show(.notification(Self.name), .notification(expanded, focus: "A"))
      ])
    #expect(state.presented(changed).count == 1)
    state.checkInvariants()
    #expect(state.removed(Self.name) == [.close(.notification(Self.name))])
    #expect(state.removed(Self.name) == [])
  }

  @Test func `content that the app draws goes to its window, except while texts are hidden`() {
    var state = state(Self.dunst)
    let drawing = Drawing(items: [.text("Leek")], hidesDefaultContent: true)
    #expect(state.drew(Self.name, drawing) == [])
    let drawn = DesktopTests.presentation(persistent: true, isDrawnByApp: true)
    #expect(state.presented(drawn).count == 1)
    #expect(state.drawing(of: drawn) == nil)
    #expect(
      state.drew(Self.name, drawing) == [
        .show(.notification(Self.name), .notification(drawn, focus: nil))
      ])
    #expect(state.drawing(of: drawn) == drawing)
    let hidden = DesktopTests.presentation(persistent: true)
    #expect(state.refreshed(hidden).count == 1)
    #expect(state.drawing(of: hidden) == nil)
    state.checkInvariants()
    _ = state.removed(Self.name)
    state.checkInvariants()
    #expect(state.presented(drawn).count == 1)
    #expect(state.drawing(of: drawn) == nil)
  }

  @Test
  func `a window that the user closed is forgotten, and the end of the program closes the others`()
  {
    var state = state(Self.dunst)
    _ = state.presented(Self.alert)
    _ = state.asked(Self.prompt)
    #expect(
      state.closed(.notification(Self.name)) == .notification(Self.alert, focus: nil))
    #expect(state.closed(.notification(Self.name)) == nil)
    #expect(state.ended() == [.prompt(Self.prompt)])
    #expect(state.isEmpty)
  }

  @Test func `the rest, and a text field that the server has not, lead to a window`() {
    var board = DesktopNotificationState()
    _ = board.serverAppeared()
    let key = DesktopNotificationState.Key.notification(Self.name)
    let reply = NotificationAction(id: "R", title: "Reply", textInput: .init())
    let presentation = DesktopTests.presentation(actions: [reply])
    for (action, focus) in [("belfry:more", nil), ("R", "R")] as [(String, String?)] {
      _ = board.show(key, .notification(presentation))
      _ = board.notified(key, number: 3)
      let (done, calls) = board.actionInvoked(3, action, hasWindow: true)
      #expect(done == .opensWindow(presentation, focus: focus))
      #expect(calls == [.close(3)])
      // The server's report that this notification was closed does not count as a dismissal by the user.
      #expect(board.closed(3, reason: 2) == nil)
    }
    _ = board.show(key, .quiet(presentation))
    _ = board.notified(key, number: 4)
    #expect(
      board.actionInvoked(4, "inline-reply", text: "t", hasWindow: true).0
        == .acted(Self.name, PersonAction("R", text: "t")))
    _ = board.show(key, .notification(presentation))
    _ = board.notified(key, number: 5)
    #expect(board.actionInvoked(5, "R").0 == .acted(Self.name, PersonAction("R")))
    #expect(board.actionInvoked(5, "belfry:more").0 == nil)
  }
}

@Suite("What a window is sent")
struct WindowContentTests {
  private let words = DeviceWords.english

  @Test func `a notification has all its actions, destructive ones marked, and a text field`()
    throws
  {
    let presentation = DesktopTests.presentation(actions: [
      NotificationAction(
        id: "R", title: "Reply", textInput: .init(buttonTitle: "", placeholder: "Answer")),
      NotificationAction(id: "D", title: "Delete", options: [.destructive]),
    ])
    let object = WindowContent(words: words).show(
      "w1", .notification(presentation, focus: "R"))
    #expect(object["window"] == "w1")
    #expect(object["app"] == "Burger")
    #expect(object["body"] == "a <b> & c")
    #expect(object["focus"] == "action:R")
    #expect(object["direction"] == "ltr")
    let buttons = (object["buttons"]?.arrayValue ?? []).compactMap(\.objectValue)
    #expect(buttons.map { $0["id"] } == ["action:R", "action:D", "dismiss"])
    #expect(buttons[0]["input"] == ["placeholder": "Answer", "send": "Send"])
    #expect(buttons[1]["style"] == "destructive")
    #expect(buttons[1]["hint"] == "Cannot be undone")
    #expect(buttons[2]["title"] == "Close")
  }

  @Test func `a modal alert shows four actions, and the others on request`() {
    let actions = (1...12).map { NotificationAction(id: "\($0)", title: "t") }
    func shown(_ item: WindowState.Item) -> [String] {
      let object = WindowContent(words: words).show("w", item)
      return (object["buttons"]?.arrayValue ?? [])
        .compactMap { $0.objectValue?["id"]?.stringValue }
        .map { $0.replacingOccurrences(of: "action:", with: "") }
    }
    let newer = DesktopTests.presentation(persistent: true, actions: actions)
    // S1-21, S1-27
    #expect(
      shown(.notification(newer, focus: nil)) == ["1", "2", "3", "4", "more", "dismiss"])
    var state = WindowState()
    _ = state.serverChanged(.absent)
    _ = state.presented(newer)
    guard case .show(_, let all)? = state.requested(newer, focus: nil).first else {
      Issue.record("no window was shown")
      return
    }
    #expect(shown(all) == (1...10).map { "\($0)" } + ["dismiss"])
    guard case .show(_, let again)? = state.refreshed(newer).first else {
      Issue.record("the window was not updated")
      return
    }
    #expect(shown(again) == shown(all))
    // A category of the older interface has four actions.
    let older = DesktopTests.presentation(
      persistent: true, actions: actions, minimalActions: Array(actions.prefix(2)))
    #expect(shown(.notification(older, focus: nil)) == ["1", "2", "3", "4", "dismiss"])
    #expect(
      shown(
        .notification(
          DesktopTests.presentation(
            actions: actions, minimalActions: Array(actions.prefix(2))), focus: nil))
        == ["1", "2", "3", "4", "dismiss"])
  }

  @Test func `an app that is being started has a window with its image, without buttons`() throws {
    var state = WindowState()
    let calls = state.launching(ModelBench.burger, name: "Burger", image: "/opt/b/Default.png")
    guard case .show(_, let item)? = calls.first else {
      Issue.record("no window was shown")
      return
    }
    let object = WindowContent(words: words).show("w1", item)
    // S3-22 part 2 of 3: the window shows the image
    #expect(object["image"] == "/opt/b/Default.png" && object["app"] == "Burger")
    #expect(object["buttons"] == [])
    state.checkInvariants()
    #expect(state.launched(ModelBench.burger) == [.close(.launch(ModelBench.burger))])
    #expect(state.launched(ModelBench.burger).isEmpty && state.isEmpty)
  }

  @Test func `a launch image is a file of the app's own`() throws {
    let folder = try ScratchFolder()
    var app = LocalApp(id: ModelBench.burger)
    #expect(LaunchImageSearch.file("Default", of: app) == nil)
    app.bundlePath = folder.path
    try FileSystem.write([1], to: folder.file("Default.png"))
    try FileSystem.write([1], to: folder.file("Default-watch.jpg"))
    // S3-22 part 3 of 3: the file is in the bundle, and its extension can be omitted
    #expect(LaunchImageSearch.file("Default", of: app) == folder.file("Default.png"))
    #expect(LaunchImageSearch.file("Default.png", of: app) == folder.file("Default.png"))
    #expect(LaunchImageSearch.file("Default-watch", of: app) == folder.file("Default-watch.jpg"))
    for name in ["", "none", "../Default.png", "/etc/hostname", ".hidden", "."] {
      #expect(LaunchImageSearch.file(name, of: app) == nil)
    }
  }

  @Test
  func `a row of the Notification Center has two actions, and a button that shows the others`() {
    let rows = [nil, [DesktopTests.buttons[3]]].map { minimal in
      let presentation = DesktopTests.presentation(
        persistent: true, actions: DesktopTests.buttons, minimalActions: minimal)
      let object = WindowContent(words: words).center(
        CenterGroup.groups([presentation]) { _ in false }
      ) { _ in "" }
      let group = object["groups"]?.arrayValue?.first?.objectValue
      let item = group?["threads"]?.arrayValue?.first?.objectValue?["items"]?.arrayValue?.first
      return item?.objectValue?["buttons"]?.arrayValue?.map { $0.objectValue?["id"] }
    }
    // S1-21, S1-27
    #expect(
      rows == [
        ["open", "action:A", "action:B", "more", "clear"], ["open", "action:D", "more", "clear"],
      ])
  }

  @Test func `Clear All is confirmed in the window before it is reported`() {
    let object = WindowContent(words: words).center([]) { _ in "" }
    let button = object["buttons"]?.arrayValue?.first?.objectValue
    #expect(button?["id"] == "clearAll")
    #expect(button?["confirm"] == ["title": "Clear All?", "cancel": "Cancel"])
  }

  @Test func `content that the app draws appears below the texts or replaces them`() {
    let presentation = DesktopTests.presentation(
      actions: [NotificationAction(id: "A", title: "A")], isDrawnByApp: true)
    var drawing = Drawing(
      items: [.text("Leek"), .picture(path: "/p")],
      actions: [
        .init(id: "B", title: "B", isDestructive: true, needsAuthentication: false, textInput: nil)
      ], hidesDefaultContent: false)
    let item = WindowState.Item.notification(presentation, focus: nil)
    let both = WindowContent(words: words).show("w1", item, drawing)
    #expect(both["body"] == "a <b> & c")
    #expect(both["content"] == [["text": "Leek"], ["picture": "/p"]])
    let buttons = (both["buttons"]?.arrayValue ?? []).compactMap(\.objectValue)
    #expect(buttons.map { $0["id"] } == ["action:B", "dismiss"])
    drawing.hidesDefaultContent = true
    drawing.actions = nil
    let alone = WindowContent(words: words).show("w1", item, drawing)
    for name in ["title", "subtitle", "body", "image"] { #expect(alone[name] == "") }
    let own = (alone["buttons"]?.arrayValue ?? []).compactMap(\.objectValue)
    #expect(own.map { $0["id"] } == ["action:A", "dismiss"])
  }

  @Test func `a question has the app's name, and Allow and Don’t Allow`() {
    let prompt = Prompt(
      id: PromptID(number: 1), app: ModelBench.burger, appName: "Burger", icon: nil,
      subject: .location(usage: "To find you."))
    let object = WindowContent(words: DeviceWords(languages: ["ar"])).show("w", .prompt(prompt))
    #expect(object["direction"] == "rtl")
    #expect(object["title"]?.stringValue?.contains("Burger") == true)
    #expect(object["body"] == "To find you.")
    let buttons = (object["buttons"]?.arrayValue ?? []).compactMap(\.objectValue)
    #expect(buttons.map { $0["id"] } == ["deny", "allow"])
    #expect(buttons.map { $0["title"] } == ["عدم السماح", "سماح"])
  }

  @Test func `the Notification Center is grouped by app and thread, the newest first`() throws {
    func presentation(_ id: String, _ app: AppID, _ thread: String) -> Presentation {
      var one = DesktopTests.presentation(id)
      one.key = AppNotificationID(app: app, id: id)
      one.appName = app.text
      one.thread = thread
      return one
    }
    let other = try #require(AppID("org.example.other"))
    let groups = CenterGroup.groups(
      [
        presentation("1", ModelBench.burger, "t"), presentation("2", other, ""),
        presentation("3", ModelBench.burger, ""), presentation("4", ModelBench.burger, "t"),
      ]
    ) { $0 == other }
    #expect(groups.map(\.app) == [ModelBench.burger, other])
    #expect(groups.map { $0.threads.map(\.id) } == [["t", ""], [""]])
    #expect(groups[0].threads[0].items.map(\.key.id) == ["4", "1"])
    #expect(groups.map(\.isProvisional) == [false, true])
    let object = WindowContent(words: words).center(groups) { _ in "12:00" }
    let sent = (object["groups"]?.arrayValue ?? []).compactMap(\.objectValue)
    #expect(
      sent.map { ($0["buttons"]?.arrayValue ?? []).map { $0.objectValue?["id"] } }
        == [[], ["keep", "turnOff"]])
    let thread = sent[0]["threads"]?.arrayValue?.first?.objectValue
    #expect(thread?["title"] == "2 notifications")
    let item = thread?["items"]?.arrayValue?.first?.objectValue
    #expect(item?["date"] == "12:00")
    #expect(
      item?["buttons"]?.arrayValue?.map { $0.objectValue?["id"] } == ["open", "clear"])
  }

  @Test func `a text that is longer than a window is cut`() {
    let object = WindowContent(words: words).show(
      "w",
      .notification(
        DesktopTests.presentation(body: String(repeating: "a", count: 9_999)), focus: nil))
    #expect(object["body"]?.stringValue?.count == Limits.windowTextCharacters)
  }

  @Test
  func `the buttons of a notification map to the user's actions, and other buttons map to none`() {
    #expect(
      WindowContent.action(of: "action:open", text: "t") == PersonAction("open", text: "t"))
    #expect(WindowContent.action(of: "open", text: nil) == .open)
    #expect(WindowContent.action(of: "clear", text: nil) == .dismiss)
    #expect(WindowContent.action(of: "dismiss", text: nil) == .dismiss)
    for button in ["allow", "deny", "keep", "turnOff", "clearAll", "x", ""] {
      #expect(WindowContent.action(of: button, text: nil) == nil)
    }
  }

  @Test func `lines from belfry-center are read as window events, and invalid lines are ignored`() {
    func report(_ text: String) -> WindowReport? { WindowReport(line: Array(text.utf8)) }
    #expect(report(#"{"event":"shown","window":"w1"}"#) == .shown(window: "w1"))
    #expect(
      report(#"{"event":"pressed","window":"w1","button":"b","text":"t"}"#)
        == .pressed(window: "w1", button: "b", text: "t"))
    #expect(
      report(#"{"event":"pressed","window":"center","button":"open","app":"a.b","item":"1"}"#)
        == .pressedInCenter(app: AppID("a.b"), item: "1", button: "open", text: nil))
    #expect(report(#"{"event":"closed","window":"w1"}"#) == .closed(window: "w1"))
    for line in ["", "{}", #"{"event":"pressed","window":"w"}"#, #"{"event":"shown"}"#] {
      #expect(report(line) == nil)
    }
  }
}
