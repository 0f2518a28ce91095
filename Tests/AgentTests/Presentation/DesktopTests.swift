import AppWire
import Scheduling
import Testing

@testable import Agent

@Suite("What a desktop server is asked")
struct DesktopTests {
  static func presentation(
    _ id: String = "n", body: String = "a <b> & c", persistent: Bool = false,
    level: InterruptionLevel = .active, actions: [NotificationAction] = [],
    minimalActions: [NotificationAction]? = nil, isDrawnByApp: Bool = false,
    isLocked: Bool = false, change: (inout NotificationContent) -> Void = { _ in }
  ) -> Presentation {
    var record = LocalApp(id: ModelBench.burger)
    record.name = "Burger"
    record.categories = [
      NotificationCategory(id: "C", actions: actions, minimalActions: minimalActions)
    ]
    record.switches.alertStyle = persistent ? .alert : .banner
    var content = NotificationContent()
    content.title = "Title & more"
    content.subtitle = "Sub"
    content.body = NotificationText(body)
    content.category = "C"
    content.interruptionLevel = level
    change(&content)
    var effects = Routing.Effects()
    effects.banner = true
    var presentation = Presentation(
      RetainedNotification(
        NotificationRequest(id: id, content: content), unixMilliseconds: 0),
      of: record, effects: effects,
      privacy: .init(isLocked: isLocked, previews: .always), threadCount: 1, isUpdate: false,
      lookup: { $0.text })
    presentation.isDrawnByApp = isDrawnByApp
    return presentation
  }

  static let buttons = ["A", "B", "C", "D"].map { NotificationAction(id: $0, title: "t") }

  @Test
  func `the body is escaped where the server reads markup, and plain where it does not`() {
    let plain = DesktopNotice(Self.presentation(), .init(names: ["body"]))
    #expect(plain.body == "Sub\na <b> & c")
    let marked = DesktopNotice(Self.presentation(), .init(names: ["body", "body-markup"]))
    #expect(marked.body == "Sub\na &lt;b&gt; &amp; c")
    // The summary never contains markup.
    #expect(marked.summary == "Burger: Title & more")
  }

  @Test
  func `a server without bodies gets it all in the summary`() {
    let notice = DesktopNotice(Self.presentation(), .init(names: ["actions"]))
    #expect(notice.summary == "Burger: Title & more – Sub – a <b> & c")
    #expect(notice.body.isEmpty)
  }

  @Test
  func `a banner shows the first two buttons in order, an alert four`() {
    let names: Set<String> = ["body", "actions"]
    let five = Self.buttons + [NotificationAction(id: "E", title: "t")]
    let banner = DesktopNotice(Self.presentation(actions: five), .init(names: names))
    // S1-28 part 2 of 2: on the screen
    // S1-21, S1-27, S1-28, S1-29
    #expect(banner.actions == ["default", "Open", "A", "t", "B", "t"])
    let alert = DesktopNotice(
      Self.presentation(persistent: true, actions: five), .init(names: names))
    // S1-21, S1-27
    #expect(alert.actions == ["default", "Open", "A", "t", "B", "t", "C", "t", "D", "t"])
    #expect(alert.actions.contains("C") && !banner.actions.contains("C"))
    #expect(alert.expireMilliseconds == 0)
    #expect(banner.expireMilliseconds == -1)
    let none = DesktopNotice(
      Self.presentation(actions: Self.buttons), .init(names: ["body"]))
    #expect(none.actions.isEmpty)
  }

  @Test
  func `a hint names the destructive actions, but only those that are shown`() {
    let buttons = [
      NotificationAction(id: "A", title: "t"),
      NotificationAction(id: "B", title: "t", options: [.destructive], textInput: .init()),
      NotificationAction(id: "C", title: "t", options: [.destructive]),
    ]
    func hint(_ isAlert: Bool, _ capabilities: Set<String>) -> BusValue? {
      DesktopNotice(
        Self.presentation(persistent: isAlert, actions: buttons), .init(names: capabilities)
      ).hints.first { $0.0 == DesktopNotice.destructiveHint }?.1
    }
    let alert = DesktopNotice(
      Self.presentation(persistent: true, actions: buttons), .init(names: ["actions"]))
    // The titles remain as the app wrote them; a line in the body lists the destructive actions.
    #expect(alert.actions == ["default", "Open", "A", "t", "B", "t", "C", "t"])
    #expect(!alert.body.contains("⚠"))
    let withBody = DesktopNotice(
      Self.presentation(persistent: true, actions: buttons),
      .init(names: ["actions", "body", "body-markup"]))
    #expect(withBody.body.split(separator: "\n").last == "⚠ t, t")
    let withoutDestructive = DesktopNotice(
      Self.presentation(persistent: true, actions: [buttons[0]]),
      .init(names: ["actions", "body"]))
    #expect(!withoutDestructive.body.contains("⚠"))
    #expect(hint(true, ["actions"]) == .strings(["B", "C"]))
    #expect(hint(false, ["actions"]) == .strings(["B"]))
    #expect(hint(false, ["actions", "inline-reply"]) == .strings([DesktopNotice.replyKey]))
    #expect(hint(true, []) == nil)
  }

  @Test
  func `a locked screen shows the minimal actions, of an alert too`() {
    let minimal = [Self.buttons[3], Self.buttons[2]]
    func notice(_ isLocked: Bool, _ minimalActions: [NotificationAction]?) -> [String] {
      DesktopNotice(
        Self.presentation(
          persistent: true, actions: Self.buttons, minimalActions: minimalActions,
          isLocked: isLocked), .init(names: ["body", "actions"])
      ).actions
    }
    // S1-21, S1-27
    #expect(notice(true, minimal) == ["default", "Open", "D", "t", "C", "t"])
    #expect(notice(true, nil) == ["default", "Open", "A", "t", "B", "t"])
    #expect(
      notice(false, minimal) == ["default", "Open", "A", "t", "B", "t", "C", "t", "D", "t"])
  }

  @Test
  func `a notification without an action button shows no way to open its app`() {
    func keys(
      _ persistent: Bool, _ generation: NotificationGeneration, _ actions: [NotificationAction] = []
    ) -> [String] {
      DesktopNotice(
        Self.presentation(persistent: persistent, actions: actions) {
          $0.hasAction = false
          $0.generation = generation
          $0.actionTitle = "Show"
        }, .init(names: ["body", "actions"])
      ).actions
    }
    // S3-20 part 3 of 3: hasAction determines whether there is a button
    #expect(keys(true, .local) == ["belfry:close", "Close"])
    #expect(keys(false, .local).isEmpty)
    // The actions of a category are kept.
    #expect(keys(true, .local, Self.buttons) == ["A", "t", "B", "t", "C", "t", "D", "t"])
    // `action-loc-key` is null; none of the older interfaces supports this value.
    #expect(keys(true, .userNotification) == ["belfry:close", "Close"])
    // The body of an NSUserNotification can still be clicked.
    #expect(keys(true, .desktop) == ["default", "Show", "belfry:close", "Close"])
    let window = WindowContent(words: .english).show(
      "w", .notification(Self.presentation(persistent: true) { $0.hasAction = false }, focus: nil))
    #expect(window["buttons"]?.arrayValue?.map { $0.objectValue?["id"] } == ["dismiss"])
    let line = JSONPresenter.line(
      .presented(Self.presentation { $0.hasAction = false }), atUnixMilliseconds: 0)
    #expect(line?["hasAction"] == false)
  }

  @Test
  func `An alert has its app's name, Close, and the action key's own text`() {
    var presentation = Self.presentation(persistent: true)
    // S4-20 part 1 of 2: Close and View
    #expect(
      DesktopNotice(presentation, .init(names: ["body", "actions"])).actions
        == ["default", "Open", "belfry:close", "Close", "belfry:open", "View"])
    presentation.defaultTitle = "Show"
    let notice = DesktopNotice(presentation, .init(names: ["body", "actions"]))
    #expect(notice.appName == "Burger")
    // S3-20 part 1 of 3: the app's own title
    #expect(notice.actions == ["default", "Show", "belfry:close", "Close", "belfry:open", "Show"])
    // S4-20 part 2 of 2: they open and dismiss the notification
    #expect(
      DesktopNotice.action(of: "belfry:open", in: presentation)
        == NotificationResponse.defaultAction)
    #expect(
      DesktopNotice.action(of: "belfry:close", in: presentation)
        == NotificationResponse.dismissAction)
    #expect(DesktopNotice.key(of: "belfry:open") == "action:belfry:open")
  }

  @Test
  func `a picture among the attachments is shown, other attachments are not`() {
    for (path, type, isShown) in [
      ("/a/photo.JPG", nil, true), ("/a/photo", "public.png", true), ("/a/song.wav", nil, false),
      ("/a/clip.png", "public.movie", false),
    ] as [(String, String?, Bool)] {
      var content = NotificationContent()
      content.attachments = [NotificationAttachment(id: "1", path: path, type: type)]
      let presentation = Presentation(
        RetainedNotification(
          NotificationRequest(id: "n", content: content), unixMilliseconds: 0),
        of: LocalApp(id: ModelBench.burger), effects: Routing.Effects(),
        privacy: .init(isLocked: false, previews: .always), threadCount: 1, isUpdate: false,
        lookup: { $0.text })
      let hints = DesktopNotice(presentation, .init(names: ["body"])).hints
      #expect(hints.contains { $0.0 == "image-path" && $0.1 == .string(path) } == isShown)
    }
  }

  @Test
  func `a text field is offered where the server has one, else a button`() {
    let action = NotificationAction(
      id: "REPLY", title: "Reply", textInput: .init(buttonTitle: "Send", placeholder: "Text…"))
    let presentation = Self.presentation(actions: [action])
    let kde = DesktopNotice(presentation, .init(names: ["actions", "body", "inline-reply"]))
    #expect(kde.actions == ["default", "Open", "inline-reply", "Reply"])
    #expect(kde.hints.contains { $0.0 == "x-kde-reply-placeholder-text" })
    #expect(DesktopNotice.action(of: "inline-reply", in: presentation) == "REPLY")
    let other = DesktopNotice(presentation, .init(names: ["actions", "body"]))
    #expect(other.actions == ["default", "Open", "REPLY", "Reply"])
  }

  @Test
  func `actions whose names mean something to servers keep their meaning for the app`() {
    let action = NotificationAction(id: "default", title: "Mine")
    let presentation = Self.presentation(actions: [action])
    let notice = DesktopNotice(presentation, .init(names: ["actions"]))
    #expect(notice.actions == ["default", "Open", "action:default", "Mine"])
    #expect(DesktopNotice.action(of: "action:default", in: presentation) == "default")
    #expect(
      DesktopNotice.action(of: "default", in: presentation)
        == NotificationResponse.defaultAction)
    #expect(DesktopNotice.action(of: "unknown", in: presentation) == nil)
  }

  @Test(arguments: [
    (InterruptionLevel.passive, UInt8(0)), (.active, 1), (.timeSensitive, 1), (.critical, 2),
  ])
  func `the interruption level becomes an urgency`(level: InterruptionLevel, urgency: UInt8) {
    let notice = DesktopNotice(Self.presentation(level: level), .init())
    #expect(notice.hints.first { $0.0 == "urgency" }?.1 == .byte(urgency))
  }
}

@Suite("What stands on the desktop")
struct DesktopNotificationStateTests {
  static let name = AppNotificationID(app: ModelBench.burger, id: "n")
  static let promptID = PromptID(number: 7)
  static let key = DesktopNotificationState.Key.notification(name)
  static func item(_ body: String = "b") -> DesktopNotificationState.Item {
    .notification(DesktopTests.presentation(body: body, actions: DesktopTests.buttons))
  }

  func board() -> DesktopNotificationState {
    var board = DesktopNotificationState()
    #expect(board.serverAppeared() == [])
    return board
  }

  @Test
  func `notifications that are shown before a server appears wait for it`() {
    var board = DesktopNotificationState()
    #expect(board.show(Self.key, Self.item()) == [])
    #expect(board.serverAppeared() == [.notify(Self.key, Self.item(), replacing: 0)])
  }

  @Test
  func `an update replaces by the server's number, even if it arrives before the number`() {
    var board = board()
    #expect(
      board.show(Self.key, Self.item("1")) == [.notify(Self.key, Self.item("1"), replacing: 0)])
    #expect(board.show(Self.key, Self.item("2")) == [])
    #expect(
      board.notified(Self.key, number: 7) == [.notify(Self.key, Self.item("2"), replacing: 7)])
    #expect(board.notified(Self.key, number: 7) == [])
    #expect(
      board.show(Self.key, Self.item("3")) == [.notify(Self.key, Self.item("3"), replacing: 7)])
  }

  @Test
  func `a notification withdrawn before the server's answer is closed after it`() {
    var board = board()
    _ = board.show(Self.key, Self.item())
    #expect(board.remove(Self.key) == [])
    #expect(board.notified(Self.key, number: 3) == [.close(3)])
    #expect(board.remove(Self.key) == [])
  }

  @Test
  func `a button reaches the app once, with the activation token that preceded it`() {
    var board = board()
    _ = board.show(Self.key, Self.item())
    _ = board.notified(Self.key, number: 3)
    board.activationToken(3, "token")
    let (deed, calls) = board.actionInvoked(3, "A")
    #expect(deed == .acted(Self.name, PersonAction("A", activationToken: "token")))
    #expect(calls == [.close(3)])
    #expect(board.actionInvoked(3, "A").0 == nil)
    #expect(board.closed(3, reason: 2) == nil)
  }

  @Test(arguments: [
    (UInt32(1), false), (2, true), (3, false), (4, false),
  ])
  func `only a dismissal counts as the user's action, and only once`(reason: UInt32, isDeed: Bool) {
    var board = board()
    _ = board.show(Self.key, Self.item())
    _ = board.notified(Self.key, number: 3)
    #expect(board.closed(3, reason: reason) == (isDeed ? .acted(Self.name, .dismiss) : nil))
    #expect(board.closed(3, reason: 2) == nil)
  }

  @Test(arguments: [true, false])
  func `an expiry is a dismissal only without a timeout, on a server that reports no dismissals`(
    isPersistent: Bool
  ) {
    var board = board()
    let item = DesktopNotificationState.Item.notification(
      DesktopTests.presentation(persistent: isPersistent))
    _ = board.show(Self.key, item)
    _ = board.notified(Self.key, number: 3)
    #expect(
      board.closed(3, reason: 1, reportsDismissals: false)
        == (isPersistent ? .acted(Self.name, .dismiss) : nil))
  }

  @Test
  func `another server is shown what is current, and the old one's numbers mean nothing`() {
    var board = board()
    _ = board.show(Self.key, Self.item())
    _ = board.notified(Self.key, number: 3)
    board.serverLost()
    #expect(board.actionInvoked(3, "A").0 == nil)
    #expect(board.serverAppeared() == [.notify(Self.key, Self.item(), replacing: 0)])
  }

  @Test
  func `when a server that keeps a list restarts, alerts are shown again but seen banners are not`()
  {
    var board = board()
    let alert = DesktopNotificationState.Item.notification(
      DesktopTests.presentation(persistent: true))
    let other = DesktopNotificationState.Key.notification(
      AppNotificationID(app: ModelBench.burger, id: "alert"))
    _ = board.show(Self.key, Self.item())
    _ = board.notified(Self.key, number: 3)
    _ = board.show(other, alert)
    _ = board.notified(other, number: 4)
    board.serverLost(keepsList: true)
    #expect(board.serverAppeared() == [.notify(other, alert, replacing: 0)])
    // The server never acknowledged these notifications, so the user has not seen them.
    _ = board.notified(other, number: 5)
    _ = board.show(Self.key, Self.item())
    board.serverLost(keepsList: true)
    #expect(board.serverAppeared().contains(.notify(Self.key, Self.item(), replacing: 0)))
  }

  @Test
  func `a notification that the server refused is sent again when it changes`() {
    var board = board()
    _ = board.show(Self.key, Self.item("1"))
    #expect(board.failed(Self.key) == [])
    #expect(
      board.show(Self.key, Self.item("2")) == [.notify(Self.key, Self.item("2"), replacing: 0)])
  }

  @Test
  func `a text change updates a notification only while it is shown`() {
    var board = board()
    #expect(board.refresh(Self.key, Self.item("2")) == [])
    _ = board.show(Self.key, Self.item("1"))
    _ = board.notified(Self.key, number: 3)
    #expect(
      board.refresh(Self.key, Self.item("2")) == [
        .notify(Self.key, Self.item("2"), replacing: 3)
      ])
    _ = board.notified(Self.key, number: 3)
    _ = board.closed(3, reason: 1)
    #expect(board.refresh(Self.key, Self.item("3")) == [])
  }

  @Test
  func `dismissing a prompt postpones it without an answer`() {
    var board = board()
    let prompt = Prompt(
      id: Self.promptID, app: ModelBench.burger, appName: "Burger", icon: nil,
      subject: .notifications)
    _ = board.show(.prompt(Self.promptID), .prompt(prompt))
    _ = board.notified(.prompt(Self.promptID), number: 9)
    #expect(board.closed(9, reason: 2) == .postponed(Self.promptID))
  }

  @Test
  func `a question is answered by its buttons`() {
    var board = board()
    let prompt = Prompt(
      id: Self.promptID, app: ModelBench.burger, appName: "Burger", icon: nil,
      subject: .notifications)
    _ = board.show(.prompt(Self.promptID), .prompt(prompt))
    _ = board.notified(.prompt(Self.promptID), number: 9)
    #expect(board.closed(8, reason: 2) == nil)
    let (deed, calls) = board.actionInvoked(9, "allow")
    #expect(deed == .answered(Self.promptID, isAllowed: true))
    #expect(calls == [.close(9)])
  }
}

@Suite("Texts")
struct TextTests {
  @Test(
    arguments: [
      ("%@ and %@", ["a", "b"], "a and b"), ("%2$@ before %1$@", ["a", "b"], "b before a"),
      ("100%% of %@", ["x"], "100% of x"), ("%@ %@", ["a"], "a "), ("%d", ["a"], "%d"),
      ("%", [], "%"),
    ] as [(String, [String], String)])
  func `Arguments fill their places, in order or by number`(
    format: String, arguments: [String], text: String
  ) {
    #expect(LocalizedFormat.fill(format, with: arguments).text == text)
  }

  @Test(
    arguments: [
      ("fr-CA", ["fr-CA", "fr"]), ("zh-Hant-TW", ["zh-Hant-TW", "zh-Hant", "zh"]),
      ("de-x-y", ["de-x-y", "de"]),
    ] as [(String, [String])])
  func `RFC 4647: a tag falls back by its parts`(tag: String, tags: [String]) {
    #expect(LanguageFolders.fallbacks(tag) == tags)
  }

  @Test(
    arguments: [
      ("fr_CA:en", "de_DE.UTF-8", ["fr-CA", "en", "de-DE"]), (nil, "C.UTF-8", ["en"]),
      (nil, nil, ["en"]), (nil, "pt_BR@euro", ["pt-BR"]),
    ] as [(String?, String?, [String])])
  func `the device's languages are the environment's`(
    language: String?, locale: String?, tags: [String]
  ) {
    #expect(DeviceLanguages.tags(language: language, locale: locale) == tags)
  }

  @Test
  func `an app's text cannot move the terminal's cursor`() {
    #expect(TerminalPresenter.printable("a\u{1B}[2J\nb\u{9B}1m\u{202E}é") == "a [2J b 1m é")
  }
}

@Suite("What a process is")
struct ProcessInspectorTests {
  @Test(
    arguments: [
      (
        "0::/user.slice/user@1000.service/app.slice/app-org.example.burger-1234.scope\n",
        "org.example.burger"
      ),
      ("0::/app.slice/app-gnome-org.example.burger-77.scope", "org.example.burger"),
      ("0::/app.slice/app-org.example.burger@abcd.service", "org.example.burger"),
      ("0::/app.slice/app-org.example.burger-1234.service", "org.example.burger"),
      ("0::/app.slice/app-org.example.my\\x2dapp@1.service", "org.example.my-app"),
      ("0::/user.slice/session-1.scope", nil), ("", nil),
    ] as [(String, String?)])
  func `a unit's name holds the app's id`(text: String, id: String?) {
    #expect(ProcessInspector.unitName(text) == id)
  }

  @Test
  func `Flatpak's own file names the app`() {
    func name(_ text: String) -> String? {
      FlatpakInstances.value("name", in: "Application", of: Array(text.utf8))
        .map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(name("[Instance]\nname=x\n[Application]\nname=org.example.a\n") == "org.example.a")
    #expect(name("[Instance]\nname=x\n") == nil)
    #expect(name("[Application]\n[Context]\nname=x\n") == nil)
    #expect(name("[Application] \nname=x\n") == nil)
  }

  @Test
  func `the innermost .app folder holds the program`() {
    #expect(
      ProcessInspector.bundlePath(of: "/opt/Burger.app/Contents/MacOS/burger") == "/opt/Burger.app")
    #expect(ProcessInspector.bundlePath(of: "/usr/bin/burger") == nil)
  }

  @Test
  func `a desktop file's command is read without its field codes`() {
    let file = DesktopFile(
      """
      [Desktop Entry]
      Name=Burger
      Name[fr]=Hamburger
      Exec="/opt/my app/burger" --flag %U 100%% "a \\\\"b"
      Icon=burger
      [Desktop Action x]
      Exec=other
      """)
    #expect(file.command == ["/opt/my app/burger", "--flag", "100%", "a \"b"])
    #expect(file.localized("Name", languages: ["fr-CA"]) == "Hamburger")
    #expect(file["Icon"] == "burger")
  }
}
