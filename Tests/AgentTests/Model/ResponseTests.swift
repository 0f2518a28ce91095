import AppWire
import Testing

@testable import Agent

@Suite("Responses")
struct ResponseTests {
  static let category = NotificationCategory(
    id: "INVITE",
    actions: [
      NotificationAction(id: "ACCEPT", title: "Accept"),
      NotificationAction(id: "MAYBE", title: "Maybe", options: [.foreground]),
      NotificationAction(id: "DECLINE", title: "Decline", options: [.destructive]),
    ])

  static func key(_ id: String = "n") -> AppNotificationID {
    AppNotificationID(app: ModelBench.burger, id: id)
  }

  @Test
  func
    `A custom action reaches the running app by its identifier, and is done once handled`()
    throws
  {
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.ask(connection, .setCategories([Self.category]))
    let shown = bench.ask(connection, .add(ModelBench.request(category: "INVITE"))).presented
    #expect(shown.first?.actions.map(\.id) == ["ACCEPT", "MAYBE", "DECLINE"])
    #expect(shown.first?.minimalActions.map(\.id) == ["ACCEPT", "MAYBE"])
    bench.respond("n", PersonAction("ACCEPT"))
    let (question, event) = try #require(bench.take().asked.first)
    guard case .response(let response) = event else {
      Issue.record("unexpected question: \(event)")
      return
    }
    #expect(response.action == "ACCEPT")
    #expect(response.notification.request.id == "n")
    #expect(bench.disk.keys(.responses).count == 1)
    bench.handle(.appReplied(question, .handled))
    #expect(bench.disk.keys(.responses).isEmpty)
  }

  @Test
  func
    `Opening starts an app that is not running, which gets the notification at launch`()
    throws
  {
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.install()
    bench.ask(connection, .add(ModelBench.request()))
    bench.handle(.appDisconnected(connection))
    bench.respond("n", .open)
    let effects = bench.take()
    #expect(effects.launches == [.response])
    let order = try #require(effects.orders.first)
    #expect(order.isForeground)
    let (_, greeted) = bench.connect(launch: order.token)
    let welcome = try #require(greeted.answers.first).welcome()
    #expect(welcome.launch.reason == .response)
    #expect(welcome.launch.response?.notification.request.id == "n")
    #expect(greeted.asked.count == 1)
  }

  @Test(arguments: [("ACCEPT", false), ("MAYBE", true)])
  func `an action starts a stopped app in the background, or in the foreground if it requires that`(
    action: String, isForeground: Bool
  ) throws {
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.install()
    bench.ask(connection, .setCategories([Self.category]))
    bench.ask(connection, .add(ModelBench.request(category: "INVITE")))
    bench.handle(.appDisconnected(connection))
    bench.respond("n", PersonAction(action))
    let order = try #require(bench.take().orders.first)
    #expect(order.isForeground == isForeground)
    let (_, greeted) = bench.connect(launch: order.token)
    let launch = try #require(greeted.answers.first).welcome().launch
    #expect(launch.reason == .response && launch.response?.action == action)
    #expect(launch.isForeground == isForeground)
  }

  @Test
  func `the launch image of a notification is shown until its app has connected`() throws {
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.install()
    bench.ask(connection, .setCategories([Self.category]))
    func images(_ effects: [AgentEffect]) -> [String?] {
      effects.compactMap { effect in
        if case .showLaunchImage(_, let name) = effect { name } else { nil as String?? }
      }
    }
    func add(_ id: String, image: String) {
      var request = ModelBench.request(id, category: "INVITE")
      request.content.launchImage = image
      bench.ask(connection, .add(request))
    }
    add("one", image: "Default-watch.png")
    add("plain", image: "")
    add("behind", image: "Default-watch.png")
    // If a running app is opened, no launch image is shown.
    add("running", image: "Default-watch.png")
    #expect(images(bench.respond("running", .open)).isEmpty)
    bench.handle(.appDisconnected(connection))
    #expect(images(bench.respond("behind", PersonAction("ACCEPT"))).isEmpty)
    let effects = bench.respond("one", .open)
    // S3-22 part 1 of 3: shown when the alert starts the app
    #expect(images(effects) == ["Default-watch.png"])
    let token = try #require(effects.orders.first?.token)
    #expect(images(bench.connect(launch: token).1) == [nil])
    #expect(images(bench.connect().1).isEmpty)
    #expect(images(bench.respond("plain", .open)).isEmpty)
  }

  @Test
  func `A launch that the agent did not request carries no notification`() throws {
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.ask(connection, .add(ModelBench.request()))
    bench.handle(.appDisconnected(connection))
    let welcome = try #require(bench.connect().1.answers.first).welcome()
    #expect(welcome.launch == AppLaunch(reason: .user))
  }

  @Test
  func `a response that could not be delivered is sent on each connection until it is handled`()
    throws
  {
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.ask(connection, .add(ModelBench.request()))
    bench.handle(.appDisconnected(connection))
    bench.respond("n", .open)
    #expect(bench.take().asked.isEmpty)
    let (second, greeted) = bench.connect()
    #expect(greeted.asked.count == 1)
    bench.handle(.appDisconnected(second))
    let (_, again) = bench.connect()
    let (question, _) = try #require(again.asked.first)
    bench.handle(.appReplied(question, .handled))
    #expect(bench.connect().1.asked.isEmpty)
  }

  /// The store sorts keys as text, and in this order 10 precedes 9.
  @Test func `after a restart, an app receives waiting responses in the order of delivery`() throws
  {
    let bench = ModelBench()
    let connection = bench.authorized()
    for number in 1...12 { bench.ask(connection, .add(ModelBench.request("n\(number)"))) }
    bench.handle(.appDisconnected(connection))
    for number in 1...12 { bench.respond("n\(number)", .open) }
    let next = bench.restarted()
    _ = next.start()
    let ids = next.connect().1.asked.compactMap { _, event in
      if case .response(let response) = event { response.notification.request.id } else { nil }
    }
    #expect(ids == (1...12).map { "n\($0)" })
  }

  @Test(arguments: [
    true, false,
  ])
  func `client-api 3.25: a dismissal is reported only if the category requests it`(isAskedFor: Bool)
  {
    let bench = ModelBench()
    let connection = bench.authorized()
    var category = Self.category
    category.options = isAskedFor ? [.customDismissAction] : []
    bench.ask(connection, .setCategories([category]))
    bench.ask(connection, .add(ModelBench.request(category: "INVITE")))
    bench.respond("n", .dismiss)
    #expect(bench.take().asked.count == (isAskedFor ? 1 : 0))
    #expect(bench.center().isEmpty)
  }

  @Test
  func
    `locking the screen leaves an alert its minimal actions, and unlocking brings the others back`()
  {
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.ask(connection, .setCategories([Self.category, NotificationCategory(id: "NONE")]))
    bench.command(.changeSettings(app: ModelBench.burger.text, ["style": "alert"]))
    bench.ask(connection, .add(ModelBench.request(category: "INVITE")))
    bench.ask(connection, .add(ModelBench.request("plain", category: "NONE")))
    bench.shown("n")
    bench.shown("plain")
    func turn(_ word: String) -> [[String]] {
      bench.command(.state(["locked": word])).refreshed.map { $0.actions.map(\.id) }
    }
    // S1-21, S1-27
    #expect(turn("on") == [["ACCEPT", "MAYBE"]])
    #expect(turn("off") == [["ACCEPT", "MAYBE", "DECLINE"]])
    bench.command(.state(["locked": "on"]))
    let locked = bench.ask(connection, .add(ModelBench.request("m", category: "INVITE"))).presented
    #expect(locked.map { $0.actions.map(\.id) } == [["ACCEPT", "MAYBE"]])
  }

  @Test
  func `Actions of a category that is not registered are not shown`() {
    let bench = ModelBench()
    let connection = bench.authorized()
    let shown = bench.ask(connection, .add(ModelBench.request(category: "NONE"))).presented
    #expect(shown.first?.actions == [])
  }

  @Test
  func `client-api 3.27: categories replace all earlier ones; two of one name are refused`()
    throws
  {
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.ask(connection, .setCategories([Self.category]))
    bench.ask(connection, .setCategories([NotificationCategory(id: "B")]))
    let answer = try #require(bench.ask(connection, .categories).answers.first)
    #expect(try answer.categories().map(\.id) == ["B"])
    let twice = [NotificationCategory(id: "C"), NotificationCategory(id: "C")]
    // S1-31 part 2 of 4: each identifier is unique
    #expect(bench.ask(connection, .setCategories(twice)).refusals == [.invalidArgument])
    let many = (1...5_000).map { NotificationCategory(id: "C\($0)") }
    // Encode the request as the link does.
    let sent = try AppRequest(
      type: "setCategories", AppFrame(decoding: AppRequest.setCategories(many).frame.encoded))
    bench.ask(connection, sent)
    // S1-31 part 1 of 4: any number
    #expect(
      try #require(bench.ask(connection, .categories).answers.first).categories().count == 5_000)
  }

  @Test
  func `a command that names an unknown action of a notification is refused`() {
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.ask(connection, .setCategories([Self.category]))
    bench.ask(connection, .add(ModelBench.request(category: "INVITE")))
    let (control, _) = bench.connect(role: .control)
    let effects = bench.ask(control, .control(.act(app: nil, id: "n", action: "NO", text: nil)))
    #expect(effects.refusals == [.invalidArgument])
    #expect(
      effects.refusalMessages == [
        "the notification 'n' has no action 'NO': use 'ACCEPT', 'MAYBE' or 'DECLINE'"
      ])
    #expect(bench.center().count == 1)
  }

  @Test
  func `the error for an unknown action of a notification with its own buttons contains titles`() {
    let bench = ModelBench()
    let connection = bench.authorized()
    var request = ModelBench.request()
    request.content.actions = [
      NotificationAction(id: "0", title: "Begin"), NotificationAction(id: "1", title: "Cancel"),
    ]
    bench.ask(connection, .add(request))
    let effects = bench.command(.act(app: nil, id: "n", action: "Begin", text: nil))
    #expect(
      effects.refusalMessages == [
        "the notification 'n' has no action 'Begin': use '0' (Begin) or '1' (Cancel)"
      ])
  }

  @Test
  func `a command's reply needs a text, which may be empty`() {
    let bench = ModelBench()
    let connection = bench.authorized()
    let category = NotificationCategory(
      id: "MESSAGE",
      actions: [NotificationAction(id: "REPLY", title: "Reply", textInput: .init())])
    bench.ask(connection, .setCategories([category]))
    bench.ask(connection, .add(ModelBench.request(category: "MESSAGE")))
    let (control, _) = bench.connect(role: .control)
    func reply(_ text: String?) -> [AppLinkFailure.Reason] {
      bench.ask(control, .control(.act(app: nil, id: "n", action: "REPLY", text: text))).refusals
    }
    #expect(reply(nil) == [.invalidArgument])
    #expect(bench.center().count == 1)
    #expect(reply("").isEmpty)
    #expect(bench.center().isEmpty)
  }

  @Test
  func `a command that opens an app whose program is missing is refused with the reason`() {
    let bench = ModelBench(programProblem: "/opt/burger does not exist")
    let connection = bench.authorized()
    bench.install()
    bench.ask(connection, .add(ModelBench.request()))
    bench.handle(.appDisconnected(connection))
    let effects = bench.command(.open(app: nil, id: "n"))
    #expect(effects.launches == [.response] && effects.answers.isEmpty)
    #expect(
      effects.refusalMessages == [
        "cannot start org.example.burger, because /opt/burger does not exist: build the program, or "
          + "correct CFBundleExecutable and run 'belfry app install' again"
      ])
    #expect(bench.disk.keys(.responses).count == 1)
  }

  @Test
  func `a command for all notifications of an app is refused if the app is unknown`() {
    let bench = ModelBench()
    bench.ask(bench.authorized(), .add(ModelBench.request()))
    func refusals(_ app: String) -> [AppLinkFailure.Reason] {
      [
        ControlRequest.scheduled(app: app), .center(app: app), .cancel(app: app, id: nil),
        .dismiss(app: app, id: nil),
      ].flatMap { bench.command($0).refusals }
    }
    #expect(refusals(ModelBench.burger.text + "s") == Array(repeating: .unknownApp, count: 4))
    #expect(bench.center().count == 1)
    #expect(refusals(ModelBench.burger.text).isEmpty)
    #expect(bench.center().isEmpty)
  }

  @Test
  func `an activation token is used only for the action that it arrived with`() throws {
    let bench = ModelBench()
    let fries = AppID("org.example.fries")!
    for app in [ModelBench.burger, fries] {
      bench.install(app) { $0.isBusActivatable = true }
      let connection = bench.authorized(app)
      bench.ask(connection, .setCategories([Self.category]))
      for id in ["1", "2"] {
        bench.ask(connection, .add(ModelBench.request(id, category: "INVITE")))
      }
      if app == fries { bench.handle(.appDisconnected(connection)) }
    }
    // The running app handles the action; no app moves to the foreground.
    let handled = bench.respond("1", PersonAction("ACCEPT", activationToken: "unused"))
    #expect(handled.orders.isEmpty)
    #expect(bench.respond("1", .open, app: fries).orders.map(\.activationToken) == [nil])
    let opened = bench.respond(
      "2", PersonAction(NotificationResponse.defaultAction, activationToken: "own"), app: fries)
    #expect(opened.orders.map(\.activationToken) == ["own"])
    // The activation token stays with the action until the screen is unlocked.
    bench.handle(.conditionChanged(.sessionLocked(true)))
    let waits = bench.respond("2", PersonAction("MAYBE", activationToken: "later"))
    #expect(waits.isEmpty)
    let done = bench.handle(.conditionChanged(.sessionLocked(false)))
    // The app is running, so its window is raised and no second process is started.
    #expect(done.orders.isEmpty)
    #expect(done.raisingTokens == ["later"])
  }

  @Test
  func `a response goes to one instance of the app, and to the next if that one disconnects`()
    throws
  {
    let bench = ModelBench()
    let first = bench.authorized()
    bench.ask(first, .add(ModelBench.request()))
    #expect(bench.respond("n", .open).asked.map(\.0.connection) == [first])
    let (second, greeted) = bench.connect()
    #expect(greeted.asked.isEmpty)
    let (question, _) = try #require(bench.handle(.appDisconnected(first)).asked.first)
    #expect(question.connection == second)
    bench.handle(.appReplied(question, .handled))
    #expect(bench.disk.keys(.responses).isEmpty)
  }

  @Test
  func `a choice on the locked screen is about the notification that stood there`() {
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.ask(connection, .add(ModelBench.request(title: "old")))
    bench.handle(.conditionChanged(.sessionLocked(true)))
    bench.respond("n", .open)
    bench.ask(connection, .add(ModelBench.request(title: "new")))
    #expect(bench.handle(.conditionChanged(.sessionLocked(false))).asked.isEmpty)
    #expect(bench.centerIDs() == ["n"])
  }

  @Test(arguments: [false, true])
  func `a tap brings the background process to the foreground and starts no second process`(
    isBusActivatable: Bool
  ) throws {
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.install { $0.isBusActivatable = isBusActivatable }
    bench.ask(connection, .add(ModelBench.request()))
    _ = bench.take()
    bench.respond("n", PersonAction(PersonAction.open.id, activationToken: "token"))
    let effects = bench.take()
    #expect(effects.launches.isEmpty)
    #expect(effects.raisingTokens == (isBusActivatable ? ["token"] : []))
    #expect(effects.asked.count == 1)
    // The agent sends the response before the message about the new state, because the response explains the change.
    #expect(effects.told == [.state(.foreground)])
    let behind = bench.ask(connection, .add(ModelBench.request("m")))
    #expect(behind.presented.count == 1)
    bench.respond("m", .dismiss)
    #expect(bench.take().told.isEmpty)
  }

  @Test func `a choice on the locked screen goes with its app, and the others' stay`() {
    let bench = ModelBench()
    let apps = [ModelBench.burger, MachineTests.fries]
    for app in apps {
      let connection = bench.authorized(app)
      bench.ask(connection, .add(ModelBench.request()))
    }
    bench.command(.state(["locked": "on"]))
    for app in apps { #expect(bench.respond("n", .open, app: app).asked.isEmpty) }
    bench.command(.removeApp(ModelBench.burger.text))
    let asked = bench.command(.state(["locked": "off"])).asked.map(\.1)
    guard case .response(let response)? = asked.first, asked.count == 1 else {
      Issue.record("unexpected questions: \(asked)")
      return
    }
    #expect(response.notification.request.id == "n")
  }

  @Test
  func
    `a response goes to the command that waits for it, or to the app if the command disconnects`()
  {
    let bench = ModelBench()
    let connection = bench.authorized()
    let (waiting, _) = bench.connect(role: .control)
    for id in ["1", "2"] {
      bench.ask(connection, .add(ModelBench.request(id)))
      let effects = bench.ask(
        waiting, .control(.awaitResponse(app: ModelBench.burger.text, id: id)))
      #expect(effects.isEmpty)
    }
    // Another command disconnects.
    bench.command(.apps)
    let first = bench.respond("1", .open)
    #expect(first.answers.map(\.rows) == [[["action": .string(PersonAction.open.id)]]])
    #expect(first.asked.isEmpty)
    bench.handle(.appDisconnected(waiting))
    let second = bench.respond("2", .open)
    #expect(second.answers.isEmpty && second.asked.count == 1)
  }

  @Test func `a response that waits over a restart is not mixed up with a later one`() {
    var bench = ModelBench()
    let connection = bench.authorized()
    bench.ask(connection, .add(ModelBench.request("first")))
    bench.handle(.appDisconnected(connection))
    bench.respond("first", .open)
    #expect(bench.centerIDs().isEmpty)
    bench = bench.restarted()
    _ = bench.start()
    bench.command(.notify(app: ModelBench.burger.text, ModelBench.request("second")))
    bench.respond("second", .open)
    #expect(bench.disk.keys(.responses).count == 2)
    let asked = bench.connect().1.asked.compactMap {
      if case .response(let response) = $0.1 { response.notification.request.id } else { nil }
    }
    #expect(asked == ["first", "second"])
  }

  @Test func `of two notifications of one name a command means the one of the app that it names`() {
    let bench = ModelBench()
    for app in [ModelBench.burger, MachineTests.fries] {
      bench.ask(bench.authorized(app), .add(ModelBench.request()))
    }
    #expect(bench.command(.dismiss(app: nil, id: "n")).refusals == [.invalidArgument])
    #expect(
      bench.command(.dismiss(app: "org.example.none", id: "n")).refusals == [.unknownNotification])
    bench.command(.dismiss(app: MachineTests.fries.text, id: "n"))
    #expect(bench.centerIDs(ModelBench.burger) == ["n"])
    #expect(bench.centerIDs(MachineTests.fries).isEmpty)
    bench.command(.dismiss(app: nil, id: "n"))
    #expect(bench.centerIDs(ModelBench.burger).isEmpty)
  }

  @Test
  func
    `a command waits for a notification that is yet to be added, and is refused once it is gone`()
  {
    let bench = ModelBench()
    let connection = bench.authorized()
    let (waiting, _) = bench.connect(role: .control)
    let effects = bench.ask(
      waiting, .control(.awaitResponse(app: ModelBench.burger.text, id: "n")))
    #expect(effects.isEmpty)
    #expect(bench.ask(connection, .add(ModelBench.request())).refusals.isEmpty)
    let removed = bench.ask(connection, .removeDelivered(["n"]))
    #expect(removed.refusals == [.unknownNotification])
  }

  @Test(arguments: [
    (["alert": "off"], "alert=on"), (["notifications": "off"], "notifications=on"),
    (["style": "none", "center": "off"], "style=banner center=on"),
  ])
  func `a command that waits for a notification that appears nowhere is refused with the reason`(
    settings: [String: String], change: String
  ) {
    let bench = ModelBench()
    let connection = bench.authorized()
    let (waiting, _) = bench.connect(role: .control)
    bench.ask(waiting, .control(.awaitResponse(app: ModelBench.burger.text, id: "n")))
    let request = ModelBench.request(trigger: .interval(seconds: 20, repeats: false))
    #expect(bench.ask(connection, .add(request)).refusals.isEmpty)
    bench.command(.changeSettings(app: ModelBench.burger.text, settings))
    bench.move(to: bench.now + 20_000)
    let effects = bench.handle(.scheduleDue)
    #expect(effects.presented.isEmpty)
    #expect(effects.refusals == [.unknownNotification])
    let command = "'belfry settings org.example.burger \(change)'"
    #expect(
      effects.refusalMessages.allSatisfy { $0.contains(command) }, "\(effects.refusalMessages)")
  }

  @Test func `without a banner and a list, a command is refused while Focus is on`() {
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.command(.changeSettings(app: ModelBench.burger.text, ["center": "off"]))
    bench.command(.state(["focus": "on"]))
    let (waiting, _) = bench.connect(role: .control)
    bench.ask(waiting, .control(.awaitResponse(app: ModelBench.burger.text, id: "n")))
    let refused = bench.ask(connection, .add(ModelBench.request())).refusalMessages
    #expect(
      refused.count == 1 && refused.first?.hasPrefix("no banner appears now") == true, "\(refused)")
  }

  @Test func `removing an app removes the responses that wait for it`() {
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.ask(connection, .add(ModelBench.request()))
    bench.handle(.appDisconnected(connection))
    bench.respond("n", .open)
    #expect(bench.disk.keys(.responses).count == 1)
    bench.command(.removeApp(ModelBench.burger.text))
    #expect(bench.disk.keys(.responses).isEmpty)
  }
}
