import AppWire
import Testing

@testable import Agent

@Suite("Content extensions")
struct ContentExtensionTests {
  private static let burger = ModelBench.burger
  private static let key = AppNotificationID(app: burger, id: "n")
  private static let more = PersonAction("MORE")

  /// A bench with an app that has a content extension for its category, and a notification that is open in a window.
  private struct Bench {
    let model = ModelBench()
    let app: ConnectionID

    init(_ change: (inout LocalApp.Installation) -> Void = { _ in }) {
      app = model.authorized()
      model.ask(
        app,
        .setCategories([
          NotificationCategory(
            id: "DISH",
            actions: [
              NotificationAction(id: "MORE", title: "More"),
              NotificationAction(id: "OPEN", title: "Open", options: [.foreground]),
            ])
        ]))
      model.install {
        $0.executable = nil
        $0.contentExtensions = [
          ContentExtension(
            executable: "/opt/view", categories: ["DISH", "MENU"], hidesDefaultContent: true)
        ]
        change(&$0)
      }
    }

    @discardableResult
    func notify(_ title: String = "T", category: String = "DISH") -> [AgentEffect] {
      model.ask(app, .add(ModelBench.request(title: title, category: category)))
    }

    /// Connects the extension that the agent starts when the window opens.
    func connected() throws -> (ConnectionID, ExtensionOrder, [AgentEffect]) {
      notify()
      let opened = model.handle(.notificationWindow(key, isOpen: true))
      let order = try #require(opened.extensions.first)
      let (connection, greeted) = model.connect(role: .contentExtension, launch: order.token)
      return (connection, order, greeted)
    }

    /// Returns the question that the extension receives when the user chooses an action.
    func pressed(_ action: PersonAction = more) throws -> Question {
      let effects = model.respond("n", action)
      #expect(effects.withdrawn.isEmpty)
      let (question, event) = try #require(effects.asked.first)
      guard case .contentAction(let response) = event else {
        throw AppLinkFailure(.invalidArgument, "asked \(event)")
      }
      #expect(response.action == action.id)
      #expect(response.text == action.text)
      return question
    }
  }

  @Test
  func `a content extension shows only notifications of its category, and only in the window`() {
    let bench = Bench()
    #expect(bench.notify(category: "OTHER").presented.map(\.isDrawnByApp) == [false])
    #expect(bench.model.handle(.notificationWindow(Self.key, isOpen: true)).extensions.isEmpty)
    #expect(bench.notify().presented.map(\.isDrawnByApp) == [true])
    #expect(bench.model.take().extensions.isEmpty)
    let opened = bench.model.handle(.notificationWindow(Self.key, isOpen: true))
    #expect(opened.extensions.map(\.executable) == ["/opt/view"])
    #expect(bench.model.handle(.notificationWindow(Self.key, isOpen: true)).extensions.isEmpty)
  }

  @Test func `it gets the notification, and what it draws goes to the screen`() throws {
    let bench = Bench()
    let (connection, _, greeted) = try bench.connected()
    guard case .showContent(let shown)? = greeted.told.first else {
      Issue.record("unexpected messages: \(greeted.told)")
      return
    }
    #expect(shown.request.content.title == "T")
    let drawing = NotificationDrawing(
      items: [.text("Leek soup"), .picture(path: "/p")],
      actions: [NotificationAction(id: "X", title: "Other", options: [.destructive])])
    let effects = bench.model.ask(connection, .setDrawing(drawing))
    guard case .draw(let key, let drawn)? = effects.first else {
      Issue.record("\(effects)")
      return
    }
    #expect(key == Self.key)
    #expect(drawn.items == drawing.items)
    #expect(drawn.hidesDefaultContent)
    #expect(drawn.actions?.map(\.id) == ["X"])
    #expect(drawn.actions?.first?.isDestructive == true)
    // A picture is deleted when the extension no longer shows it, and all pictures are deleted when the window closes.
    let other = bench.model.ask(
      connection, .setDrawing(NotificationDrawing(items: [.picture(path: "/q")])))
    #expect(other.contains(.deleteAttachments(Self.burger, paths: ["/p"])))
    let closed = bench.model.handle(.notificationWindow(Self.key, isOpen: false))
    #expect(closed.contains(.deleteAttachments(Self.burger, paths: ["/q"])))
    #expect(closed.contains(.close(connection)))
    #expect(closed.withdrawn.isEmpty)
  }

  @Test
  func `the extension's answer decides whether to dismiss the notification and forward the action`()
    throws
  {
    for option in ContentExtensionOption.allCases {
      let bench = Bench()
      _ = try bench.connected()
      let question = try bench.pressed(PersonAction("MORE", text: "please"))
      let effects = bench.model.handle(.appReplied(question, .contentOption(option)))
      #expect(effects.withdrawn == (option == .doNotDismiss ? [] : [Self.key]))
      let responses = effects.asked.compactMap { question in
        if case .response(let response) = question.1 { response.text } else { nil }
      }
      #expect(responses == (option == .dismissAndForwardAction ? ["please"] : []))
      #expect(bench.model.centerIDs() == (option == .doNotDismiss ? ["n"] : []))
    }
  }

  @Test func `without its answer the app gets the action`() throws {
    for end in 0..<2 {
      let bench = Bench()
      let (connection, _, _) = try bench.connected()
      let question = try bench.pressed()
      let effects = bench.model.handle(
        end == 0 ? .questionTimedOut(question) : .appDisconnected(connection))
      #expect(effects.withdrawn == [Self.key])
      #expect(effects.asked.count == 1)
    }
    // The agent sends no more questions to an extension that has disconnected.
    let bench = Bench()
    let (connection, _, _) = try bench.connected()
    bench.model.handle(.appDisconnected(connection))
    #expect(bench.model.respond("n", Self.more).withdrawn == [Self.key])
  }

  @Test func `a click and putting it away are not its to handle`() throws {
    for action in [PersonAction.open, .dismiss] {
      let bench = Bench()
      let (connection, _, _) = try bench.connected()
      let effects = bench.model.respond("n", action)
      #expect(effects.withdrawn == [Self.key])
      #expect(effects.contains(.close(connection)))
    }
  }

  @Test func `it may open the app, and close its window`() throws {
    let bench = Bench()
    let (connection, _, _) = try bench.connected()
    let closed = bench.model.ask(connection, .contentWish(.close))
    #expect(closed.contains(.closeWindow(Self.key)))
    #expect(closed.withdrawn.isEmpty)
    #expect(bench.model.ask(connection, .contentWish(.open)).withdrawn == [Self.key])
    // The app itself can't send the requests of a content extension.
    #expect(bench.model.ask(bench.app, .contentWish(.open)).refusals == [.unsupportedMessage])
    #expect(
      bench.model.ask(bench.app, .setDrawing(NotificationDrawing())).refusals
        == [.unsupportedMessage])
  }

  @Test func `a replacement notification goes to the content extension that is already running`()
    throws
  {
    let bench = Bench()
    let (connection, _, _) = try bench.connected()
    let effects = bench.notify("U")
    #expect(effects.extensions.isEmpty)
    guard case .showContent(let shown)? = effects.told.first else {
      Issue.record("\(effects)")
      return
    }
    #expect(shown.request.content.title == "U")
    #expect(effects.contains(.tell(connection, .showContent(shown))))
  }

  @Test func `one that replaces its notification in another category ends it and what it drew`()
    throws
  {
    let bench = Bench()
    let (connection, _, _) = try bench.connected()
    bench.model.ask(
      connection, .setDrawing(NotificationDrawing(items: [.text("Leek soup")])))
    let effects = bench.notify("U", category: "OTHER")
    #expect(effects.contains(.close(connection)))
    let nothing = Drawing(items: [], actions: nil, hidesDefaultContent: false)
    #expect(effects.contains(.draw(Self.key, nothing)))
    #expect(effects.told.isEmpty)
  }

  @Test func `a picture that it shows stays while the notification no longer has it`() throws {
    let bench = Bench()
    var request = ModelBench.request(category: "DISH")
    request.content.attachments = [NotificationAttachment(id: "a", path: "/a")]
    bench.model.ask(bench.app, .add(request))
    let opened = bench.model.handle(.notificationWindow(Self.key, isOpen: true))
    let order = try #require(opened.extensions.first)
    let (connection, _) = bench.model.connect(role: .contentExtension, launch: order.token)
    bench.model.ask(connection, .setDrawing(NotificationDrawing(items: [.picture(path: "/a")])))
    let deleted = AgentEffect.deleteAttachments(Self.burger, paths: ["/a"])
    #expect(!bench.notify("U").contains(deleted))
    // Adding new attachments doesn't delete files that are on screen, either.
    request.content.attachments = [NotificationAttachment(id: "b", path: "/b")]
    #expect(
      bench.model.ask(bench.app, .add(request))
        .contains(.trimAttachments(Self.burger, used: ["/b", "/a"])))
    #expect(
      bench.model.ask(connection, .setDrawing(NotificationDrawing(items: [.text("none")])))
        .contains(deleted))
  }

  @Test
  func
    `an action that is forwarded while the screen is locked is delivered once, after the unlock`()
    throws
  {
    let bench = Bench()
    _ = try bench.connected()
    let question = try bench.pressed(PersonAction("OPEN"))
    bench.model.handle(.conditionChanged(.sessionLocked(true)))
    let effects = bench.model.handle(
      .appReplied(question, .contentOption(.dismissAndForwardAction)))
    #expect(effects.withdrawn.isEmpty && effects.asked.isEmpty)
    let unlocked = bench.model.handle(.conditionChanged(.sessionLocked(false)))
    #expect(unlocked.withdrawn == [Self.key])
    guard case .response(let response)? = unlocked.asked.first?.1 else {
      Issue.record("unexpected questions: \(unlocked.asked)")
      return
    }
    #expect(response.action == "OPEN" && unlocked.asked.count == 1)
  }

  @Test
  func
    `an extension that ends before it connects is logged, and an unknown process is disconnected`()
    throws
  {
    let bench = Bench()
    bench.notify()
    let order = try #require(
      bench.model.handle(.notificationWindow(Self.key, isOpen: true)).extensions.first)
    let (stranger, refused) = bench.model.connect(role: .contentExtension, launch: "other")
    #expect(refused.contains(.close(stranger)))
    let ended = bench.model.handle(.extensionEnded(token: order.token))
    #expect(
      ended.contains(.log(.contentExtensionEnded(Self.burger, executable: order.executable))))
    // If the user opens the window again, the agent starts the extension again.
    #expect(
      bench.model.handle(.notificationWindow(Self.key, isOpen: true)).extensions.count == 1)
  }

  @Test func `an extension that could not be started is started again with its window`() throws {
    let bench = Bench()
    bench.notify()
    let opened = AgentEvent.notificationWindow(Self.key, isOpen: true)
    let order = try #require(bench.model.handle(opened).extensions.first)
    #expect(bench.model.handle(opened).extensions.isEmpty)
    bench.model.handle(.extensionFailed(token: order.token))
    #expect(bench.model.handle(opened).extensions.count == 1)
  }

  @Test func `hidden texts are not shown by it either`() {
    let bench = Bench()
    bench.model.command(.changeSettings(app: Self.burger.text, ["previews": "never"]))
    #expect(bench.notify().presented.map(\.isDrawnByApp) == [false])
  }

  @Test func `an app's record keeps its extensions`() throws {
    let bench = Bench()
    let again = bench.model.restarted()
    _ = again.start()
    again.handle(.presenterAppeared(.desktop, isNew: true))
    let (connection, _) = again.connect()
    #expect(
      again.ask(connection, .add(ModelBench.request(category: "MENU"))).presented
        .map(\.isDrawnByApp) == [true])
  }

  @Test(arguments: [false, true])
  func `an extension that disconnects without drawing anything is logged`(hasDrawn: Bool) throws {
    let bench = Bench()
    let (connection, _, _) = try bench.connected()
    if hasDrawn {
      bench.model.ask(connection, .setDrawing(NotificationDrawing(items: [.text("Leek soup")])))
    }
    let effects = bench.model.handle(.appDisconnected(connection))
    let log = AgentEffect.log(.contentExtensionEnded(Self.burger, executable: "/opt/view"))
    #expect(effects.contains(log) != hasDrawn)
  }
}
