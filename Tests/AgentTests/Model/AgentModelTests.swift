import AppWire
import PushWire
import Testing

@testable import Agent

@Suite("Apps, badges, tokens and the centre")
struct AgentModelTests {
  @Test
  func `an app of another user, and one that claims another installed app's id, are refused`() {
    let bench = ModelBench()
    #expect(
      bench.connect(process: ProcessIdentity(pid: 1, uid: 8)).1.refusals == [.appRefused])
    bench.install(AppID("org.example.mail")!) { $0.executable = "/opt/mail" }
    var process = ProcessIdentity(pid: 1, uid: 7)
    process.executable = "/opt/mail"
    #expect(bench.connect(process: process).1.refusals == [.appRefused])
    #expect(bench.connect(AppID("org.example.mail")!, process: process).1.refusals.isEmpty)
    process.executable = nil
    process.sandboxedApp = "org.example.boxed"
    #expect(bench.connect(process: process).1.refusals == [.appRefused])
  }

  @Test
  func `a process that cannot be inspected is refused, whatever it claims to be`() {
    for obstacle in [ProcessIdentity.Obstacle.ended, .unreadable(what: "/proc/1/exe")] {
      for role in AppHello.Role.allCases {
        let bench = ModelBench()
        bench.install()
        var process = ProcessIdentity(pid: 1, uid: 7)
        process.obstacle = obstacle
        let (connection, effects) = bench.connect(role: role, process: process)
        #expect(effects.refusals == [.appRefused])
        #expect(effects.contains { if case .close(connection) = $0 { true } else { false } })
      }
    }
  }

  @Test
  func `a program that is not known to be an installed app's is not that app`() {
    let bench = ModelBench()
    bench.install()
    let hello = AppHello(appID: ModelBench.burger.text, isDevelopment: true)
    let requestID = RequestID(connection: ConnectionID(number: 5), number: 3)
    bench.handle(.appGreeted(requestID, hello, ProcessIdentity(pid: 1, uid: 7)))
    #expect(bench.take().refusals == [.appRefused])
  }

  @Test
  func `a sandboxed process controls nothing, and is no installed app that proves nothing`() {
    let bench = ModelBench()
    bench.install { $0.isScript = true }
    var process = ProcessIdentity(pid: 1, uid: 7)
    process.isSandboxed = true
    process.executable = "/usr/bin/python3"
    #expect(process.controlRights.isEmpty)
    #expect(bench.connect(role: .control, process: process).1.refusals == [.appRefused])
    #expect(bench.connect(process: process).1.refusals == [.appRefused])
    process.sandboxedApp = ModelBench.burger.text
    #expect(bench.connect(process: process).1.refusals.isEmpty)
    #expect(bench.connect(role: .control, process: process).1.refusals == [.appRefused])
    process = ProcessIdentity(pid: 2, uid: 7)
    process.executable = "/usr/bin/python3"
    #expect(bench.connect(process: process).1.refusals.isEmpty)
    #expect(process.controlRights == Set(ControlRight.allCases))
    #expect(bench.connect(role: .control, process: process).1.refusals.isEmpty)
  }

  @Test
  func `reading state, acting for the user and installing apps require separate rights`() {
    #expect(ControlRequest.apps.right == .readsState)
    #expect(ControlRequest.state([:]).right == .readsState)
    #expect(ControlRequest.state(["locked": "on"]).right == .movesDevice)
    #expect(ControlRequest.center(app: nil).right == .readsNotifications)
    #expect(ControlRequest.token(app: "a.b", kind: .alert).right == .readsTokens)
    #expect(ControlRequest.open(app: nil, id: "n").right == .actsForPerson)
    #expect(ControlRequest.install(path: "/a").right == .installs)
    #expect(ControlRequest.changeDevice(["location": "off"]).right == .changesSettings)
  }

  @Test
  func `an app that names no id is known by what its process is`() throws {
    let bench = ModelBench()
    var process = ProcessIdentity(pid: 1, uid: 7)
    process.unitApp = "org.example.unit"
    let connection = ConnectionID(number: 99)
    bench.handle(
      .appGreeted(RequestID(connection: connection, number: 1), AppHello(appID: nil), process))
    let welcome = try #require(bench.take().answers.first).welcome()
    #expect(welcome.appID == "org.example.unit")
  }

  @Test
  func `the protocol's version and the greeting are asked for`() {
    let bench = ModelBench()
    let requestID = RequestID(connection: ConnectionID(number: 5), number: 3)
    bench.handle(.appRequested(requestID, .settings))
    #expect(bench.take().refusals == [.helloExpected])
    var hello = AppHello(appID: "a.b", isDevelopment: true)
    hello.version = 2
    bench.handle(.appGreeted(requestID, hello, ProcessIdentity(pid: 1, uid: 7)))
    #expect(bench.take().refusals == [.unsupportedProtocol])
  }

  @Test
  func `Registering again gives the same token at once`() {
    let bench = ModelBench()
    let (connection, _) = bench.connect()
    bench.ask(connection, .register(.alert))
    bench.handle(.registrationSucceeded(ModelBench.burger, .alert, token: [1, 2]))
    #expect(bench.take().told == [.token(.alert, [1, 2])])
    let again = bench.ask(connection, .register(.alert))
    #expect(again.told == [.token(.alert, [1, 2])])
  }

  @Test
  func `A cancelled registration is cancelled after each start until the gateway acknowledges it`()
  {
    let bench = ModelBench(isLinkUp: false)
    let (connection, _) = bench.connect()
    bench.ask(connection, .register(.alert))
    let cancelled = AgentEffect.unregister(ModelBench.burger, .alert)
    #expect(bench.ask(connection, .unregister(.alert)).contains(cancelled))
    var next = bench.restarted()
    #expect(next.start().contains(cancelled))
    // The app registers again, but the agent first sends the cancellation of the previous registration.
    let (again, _) = next.connect()
    next.ask(again, .register(.alert))
    next = next.restarted()
    let told = next.start()
    let registered = AgentEffect.register(ModelBench.burger, .alert)
    #expect(told.firstIndex(of: cancelled) ?? .max < told.firstIndex(of: registered) ?? -1)
    _ = next.handle(.registrationCancelled(ModelBench.burger, .alert))
    next = next.restarted()
    let rest = next.start()
    #expect(!rest.contains(cancelled) && rest.contains(registered))
  }

  @Test
  func `A token that arrives for a failed registration is unregistered`() {
    let bench = ModelBench()
    let (connection, _) = bench.connect()
    bench.ask(connection, .register(.alert))
    bench.handle(.registrationRefused(ModelBench.burger, .alert, message: "no such topic"))
    _ = bench.take()
    bench.handle(.registrationSucceeded(ModelBench.burger, .alert, token: [1]))
    let effects = bench.take()
    #expect(effects.contains(.unregister(ModelBench.burger, .alert)) && effects.told.isEmpty)
  }

  @Test
  func `Cancellations from an earlier identity or machine are dropped`() {
    for event in [AgentEvent.identityReplaced, .machineReplaced] {
      let bench = ModelBench(isLinkUp: false)
      let (connection, _) = bench.connect()
      bench.ask(connection, .register(.alert))
      bench.ask(connection, .unregister(.alert))
      let next = bench.restarted()
      next.handle(.recordsRestored(next.disk.records))
      next.handle(event)
      next.handle(.started)
      #expect(!next.take().contains(.unregister(ModelBench.burger, .alert)))
      #expect(next.disk[.cancellations, "org.example.burger/1"] == nil)
    }
  }

  @Test
  func
    `A running app is notified when its token changes, but not when it stays the same`()
  {
    let bench = ModelBench()
    let (connection, _) = bench.connect()
    bench.ask(connection, .register(.alert))
    bench.handle(.registrationSucceeded(ModelBench.burger, .alert, token: [1]))
    bench.handle(.registrationSucceeded(ModelBench.burger, .alert, token: [1]))
    bench.handle(.registrationSucceeded(ModelBench.burger, .alert, token: [2]))
    // S0-38 part 1 of 2: each change is reported
    // S1-17 part 2 of 2: each change is reported
    #expect(bench.take().told == [.token(.alert, [1]), .token(.alert, [2])])
  }

  @Test
  func `Without a gateway, or offline, registering fails with a message for people`() {
    for hasGateway in [false, true] {
      let bench = ModelBench(hasGateway: hasGateway, isLinkUp: false)
      if hasGateway { bench.handle(.linkChanged(isUp: false)) }
      let (connection, _) = bench.connect()
      guard
        case .registrationFailed(.alert, let failure)? =
          bench.ask(connection, .register(.alert)).told.first
      else {
        Issue.record("no failure was reported")
        return
      }
      #expect(failure.reason == (hasGateway ? .gatewayUnreachable : .noGateway))
      #expect(!failure.message.isEmpty)
    }
  }

  @Test
  func `No registration fails before the first attempt to reach the gateway has ended`() {
    for isUp in [false, true] {
      let bench = ModelBench(isLinkUp: false)
      let (connection, _) = bench.connect()
      #expect(bench.ask(connection, .register(.alert)).told.isEmpty)
      #expect(bench.ask(connection, .register(.voip)).told.isEmpty)
      bench.ask(connection, .unregister(.voip))
      bench.handle(.linkChanged(isUp: isUp))
      let told = bench.take().told
      guard !isUp else {
        #expect(told.isEmpty)
        continue
      }
      guard case .registrationFailed(.alert, let failure)? = told.first, told.count == 1 else {
        Issue.record("unexpected messages: \(told)")
        continue
      }
      #expect(failure.reason == .gatewayUnreachable)
      // The outcome is already known, so the agent reports it immediately.
      #expect(bench.ask(connection, .register(.alert)).told.count == 1)
    }
  }

  @Test func `an app can register once a gateway was started after the agent`() {
    let bench = ModelBench(hasGateway: false, isLinkUp: false)
    let (connection, _) = bench.connect()
    #expect(bench.ask(connection, .register(.alert)).told.count == 1)
    bench.handle(.gatewayFound)
    let effects = bench.ask(connection, .register(.alert))
    #expect(effects.told.isEmpty && effects.contains(.register(ModelBench.burger, .alert)))
  }

  @Test func `a command that cancels an app's registration is answered`() {
    let bench = ModelBench()
    bench.register()
    let effects = bench.command(.unregister(app: ModelBench.burger.text, kind: .alert))
    #expect(effects.contains(.unregister(ModelBench.burger, .alert)) && effects.answers.count == 1)
  }

  @Test(arguments: [true, false])
  func `the link to the gateway can be taken down and up, which needs a gateway`(hasGateway: Bool) {
    let bench = ModelBench(hasGateway: hasGateway, isLinkUp: hasGateway)
    for isOnline in [false, true] {
      let effects = bench.command(.moveLink(isOnline: isOnline))
      #expect(effects.contains(.moveLink(isOnline: isOnline)) == hasGateway)
      #expect(effects.answers.count == (hasGateway ? 1 : 0))
      #expect(effects.refusals == (hasGateway ? [] : [.noGateway]))
    }
  }

  @Test
  func `client-api 3.58: after unregistering no push arrives`() {
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.ask(connection, .register(.alert))
    #expect(
      bench.ask(connection, .unregister(.alert)).contains(
        .unregister(ModelBench.burger, .alert)))
    bench.handle(
      .pushReceived(
        ReceivedPush(
          id: NotificationID(high: 0, low: 1), uniqueID: NotificationID(high: 0, low: 1),
          app: ModelBench.burger, kind: .alert, payload: Array(RoutingTests.alert.utf8))))
    #expect(bench.take().presented.isEmpty)
  }

  @Test
  func `client-api 3.40: a badge is set, removed by 0, and refused when negative or not allowed`() {
    let bench = ModelBench()
    let connection = bench.authorized()
    #expect(bench.ask(connection, .setBadge(5)).badges == [5])
    #expect(bench.ask(connection, .badge).answers.map(\.badge) == [5])
    #expect(bench.ask(connection, .setBadge(0)).badges == [0])
    #expect(bench.ask(connection, .setBadge(-1)).refusals == [.badgeInputInvalid])
    let other = bench.authorized(AppID("org.example.b")!, options: [.alert])
    #expect(bench.ask(other, .setBadge(1)).refusals == [.notificationsNotAllowed])
  }

  @Test
  func `requests from an app that was removed are refused and register nothing`() {
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.command(.removeApp(ModelBench.burger.text))
    for request in [AppRequest.register(.alert), .setBadge(1), .add(ModelBench.request())] {
      let effects = bench.ask(connection, request)
      #expect(effects.refusals == [.unknownApp] && effects.count == 1, "\(request)")
    }
  }

  @Test
  func `a running app is notified when a new installation changes its settings`() {
    let bench = ModelBench()
    _ = bench.authorized()
    var record = LocalApp(id: ModelBench.burger)
    func install() -> [NotificationSettings.Switch] {
      let requestID = RequestID(connection: ConnectionID(number: 0), number: nil)
      return bench.handle(.installationRead(requestID, .success(record))).told.compactMap {
        if case .settings(let settings) = $0 { settings.timeSensitive } else { nil }
      }
    }
    record.installation = LocalApp.Installation()
    #expect(install() == [.enabled])
    #expect(install().isEmpty)
    record.installation?.entitlements = []
    #expect(install() == [.notSupported])
  }

  @Test
  func `one app cannot take all connections, and keeps no more than its share of the list`() {
    let bench = ModelBench()
    for _ in 0..<Limits.connectionsPerApp { #expect(bench.connect().1.refusals.isEmpty) }
    #expect(bench.connect().1.refusals == [.appRefused])
    let fries = MachineTests.fries
    let (connection, effects) = bench.connect(fries)
    #expect(effects.refusals.isEmpty)
    bench.ask(connection, .requestAuthorization([.alert]))
    for number in 0..<20 {
      var request = ModelBench.request("n\(number)")
      request.content.body = NotificationText(String(repeating: "x", count: 1_000_000))
      bench.ask(connection, .add(request))
    }
    let kept = bench.disk.keys(.delivered)
    #expect(kept.count == 4 && kept.contains("\(fries)/n19") && !kept.contains("\(fries)/n3"))
  }

  @Test
  func `a notification's negative badge removes the number, as 0 does`() {
    let bench = ModelBench()
    let (connection, _) = bench.connect()
    bench.ask(connection, .requestAuthorization([.alert, .badge]))
    #expect(bench.ask(connection, .setBadge(5)).badges == [5])
    var request = ModelBench.request("n")
    request.content.badge = -1
    let effects = bench.ask(connection, .add(request))
    #expect(effects.badges == [0] && effects.presented.map(\.badge) == [0])
  }

  @Test
  func `an icon loses its badge with the permission for it, and has it again with that`() {
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.ask(connection, .setBadge(5))
    func change(_ name: String, _ word: String) -> [Int64] {
      bench.command(.changeSettings(app: ModelBench.burger.text, [name: word])).badges
    }
    #expect(change("badge", "off") == [0])
    #expect(change("sound", "off") == [])
    #expect(change("badge", "on") == [5])
    #expect(change("notifications", "off") == [0])
    #expect(change("badge", "off") == [])
    #expect(bench.ask(connection, .badge).answers.map(\.badge) == [5])
  }

  @Test
  func `client-api 3.40: a notification without a badge leaves it, one with 0 removes it`() {
    let bench = ModelBench()
    let connection = bench.authorized()
    #expect(bench.ask(connection, .add(ModelBench.request("a", badge: 2))).badges == [2])
    #expect(bench.ask(connection, .add(ModelBench.request("b"))).badges == [])
    #expect(bench.ask(connection, .add(ModelBench.request("c", badge: 0))).badges == [0])
  }

  @Test
  func `client-api 3.13: the same identifier replaces, and the delivered list has it once`() {
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.ask(connection, .add(ModelBench.request(title: "1")))
    bench.shown("n")
    let second = bench.ask(connection, .add(ModelBench.request(title: "2"))).presented
    #expect(second.map(\.isUpdate) == [true])
    #expect(bench.center().map { $0["title"] } == ["2"])
  }

  @Test
  func `removing delivered ones takes them off the screen`() {
    let bench = ModelBench()
    let connection = bench.authorized()
    for id in ["a", "b", "c"] { bench.ask(connection, .add(ModelBench.request(id))) }
    let effects = bench.ask(connection, .removeDelivered(["a", "x"]))
    #expect(effects.contains(.withdraw(ResponseTests.key("a"))))
    #expect(bench.centerIDs() == ["b", "c"])
    bench.ask(connection, .removeDelivered(nil))
    #expect(bench.center().isEmpty)
  }

  @Test
  func `the centre is bounded per app: the oldest goes`() {
    let bench = ModelBench()
    let connection = bench.authorized()
    for number in 0...Limits.deliveredPerApp {
      bench.ask(connection, .add(ModelBench.request("n\(number)")))
    }
    let ids = bench.centerIDs()
    #expect(ids.count == Limits.deliveredPerApp)
    #expect(ids.first == "n1")
  }

  @Test
  func
    `client-api 3.39: a locked screen shows the category's placeholder and count for hidden previews`()
    throws
  {
    let bench = ModelBench()
    let connection = bench.authorized()
    let category = NotificationCategory(
      id: "C", options: [.hiddenPreviewsShowTitle], hiddenPreviewsPlaceholder: "%u messages")
    bench.ask(connection, .setCategories([category]))
    let (control, _) = bench.connect(role: .control)
    bench.ask(
      control,
      .control(.changeSettings(app: ModelBench.burger.text, ["previews": "whenAuthenticated"])))
    var request = ModelBench.request(category: "C")
    request.content.body = "secret"
    request.content.subtitle = "S"
    #expect(bench.ask(connection, .add(request)).presented.first?.body == "secret")
    bench.ask(control, .control(.state(["locked": "on"])))
    request.id = "m"
    let hidden = try #require(bench.ask(connection, .add(request)).presented.first)
    #expect(hidden.body == "2 messages")
    #expect(hidden.title == "T")
    #expect(hidden.subtitle == "")
    for options: Set<NotificationCategory.Option> in [[], [.hiddenPreviewsShowSubtitle]] {
      bench.ask(
        connection, .setCategories([NotificationCategory(id: "C", options: options)]))
      let hidden = try #require(bench.ask(connection, .add(request)).presented.first)
      #expect(hidden.title == "")
      #expect(hidden.subtitle == (options.isEmpty ? "" : "S"))
    }
  }

  @Test
  func `client-api 3.64: removing an app takes its notifications, registrations and badge along`() {
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.ask(connection, .register(.alert))
    bench.ask(connection, .add(ModelBench.request(badge: 2)))
    let (control, _) = bench.connect(role: .control)
    let effects = bench.ask(control, .control(.removeApp(ModelBench.burger.text)))
    #expect(effects.contains(.unregister(ModelBench.burger, .alert)))
    #expect(effects.contains(.withdraw(ResponseTests.key())))
    #expect(effects.contains(.close(connection)))
    #expect(effects.badges == [0])
    #expect(effects.answers.first?.rows == [["process": .integer(1)]])
    #expect(bench.command(.apps).answers.first?.rows == [])
    #expect(bench.disk.keys(.apps) == [] && bench.disk.keys(.delivered) == [])
  }

  @Test
  func `state is the same after a restart, and notifications that were not seen are shown`() throws
  {
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.ask(connection, .setCategories([ResponseTests.category]))
    bench.ask(connection, .setBadge(3))
    bench.ask(connection, .add(ModelBench.request("seen")))
    bench.shown("seen")
    bench.ask(connection, .add(ModelBench.request("unseen")))
    let rows = bench.center()
    let second = bench.restarted()
    let effects = second.start()
    #expect(effects.presented.map(\.key.id) == ["unseen"])
    #expect(effects.badges == [3])
    #expect(second.center() == rows)
    let categories = try #require(
      second.ask(second.connect().0, .categories).answers.first
    ).categories()
    #expect(categories == [ResponseTests.category])
  }

  @Test
  func `an id that two apps use needs the app`() {
    let bench = ModelBench()
    for app in [ModelBench.burger, AppID("org.example.b")!] {
      let connection = bench.authorized(app)
      bench.ask(connection, .add(ModelBench.request("same")))
    }
    let (control, _) = bench.connect(role: .control)
    #expect(
      bench.ask(control, .control(.open(app: nil, id: "same"))).refusals == [.invalidArgument])
    #expect(
      bench.ask(control, .control(.open(app: "org.example.b", id: "same"))).refusals.isEmpty)
    #expect(
      bench.ask(control, .control(.open(app: nil, id: "none"))).refusals == [.unknownNotification])
  }

  @Test(arguments: [
    ("org.example.burger", true), ("a.b", true), ("org.example.my-app_2", true),
    ("burger", false),
    ("", false), (".a", false), ("a..b", false), ("a.b/c", false), ("a.b c", false),
    ("ä.b", false),
  ])
  func `ids of apps are reverse-DNS names`(text: String, isValid: Bool) {
    #expect((AppID(text) != nil) == isValid)
  }
}
