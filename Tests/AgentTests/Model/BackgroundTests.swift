import AppWire
import Testing

@testable import Agent

@Suite("Work in the background")
struct BackgroundTests {
  private func consumeWake(_ budget: inout BackgroundBudget, _ now: Int64) -> Bool {
    budget.consumeWake(atUnixMilliseconds: now)
  }

  @Test
  func `The wake budget runs out, and returns sooner if wakes bring new data`() {
    var useful = BackgroundBudget()
    var useless = BackgroundBudget()
    var now: Int64 = 0
    for _ in 0..<10 {
      #expect(consumeWake(&useful, now))
      #expect(consumeWake(&useless, now))
      useful.finishWake(.newData)
      useless.finishWake(nil)
    }
    #expect(!consumeWake(&useful, now))
    // S2-22
    let next = useful.nextUnixMilliseconds(after: now)
    #expect(next == 20 * 60_000)
    #expect(useless.nextUnixMilliseconds(after: now) > 3 * next)
    now = next
    #expect(consumeWake(&useful, now))
    #expect(!consumeWake(&useful, now))
    // A clock that was set back doesn't increase the budget.
    #expect(!consumeWake(&useful, 0))
  }

  @Test
  func `Over budget, a background app gets the latest push later, and a foreground app at once`()
    throws
  {
    let bench = ModelBench()
    let (connection, _) = bench.connect()
    for number in 1...10 {
      let asked = bench.push(RoutingTests.background, id: UInt64(number)).asked
      #expect(asked.count == 1)
      if let question = asked.first?.0 { bench.handle(.appReplied(question, .fetched(.newData))) }
    }
    // S2-17 part 1 of 2: the budget
    #expect(bench.push(#"{"aps":{"content-available":1},"n":1}"#, id: 11).asked.isEmpty)
    #expect(bench.push(#"{"aps":{"content-available":1},"n":2}"#, id: 12).asked.isEmpty)
    let next = try #require(bench.armedBackgroundWork)
    #expect(next == bench.now + 20 * 60_000)
    bench.now = next - 1
    #expect(bench.handle(.backgroundWorkDue).asked.isEmpty)
    bench.now = next
    let late = bench.handle(.backgroundWorkDue).asked
    #expect(late.count == 1)
    guard case .arrived(let arrival)? = late.first?.1 else { return }
    #expect(arrival.payload == Array(#"{"aps":{"content-available":1},"n":2}"#.utf8))
    #expect(bench.armedBackgroundWork == nil)
    #expect(bench.push(RoutingTests.background, id: 13).asked.isEmpty)
    #expect(bench.ask(connection, .setState(.foreground)).asked.count == 1)
    #expect(bench.push(RoutingTests.background, id: 14).asked.count == 1)
  }

  @Test(arguments: ["battery", "powerSaver", "metered"])
  func `Low battery, power saver and a metered network hold background pushes, never alerts`(
    condition: String
  ) throws {
    func change(_ isOn: Bool) -> DeviceChange {
      switch condition {
      case "battery": .batteryLow(isOn)
      case "powerSaver": .powerSaver(isOn)
      default: .metered(isOn)
      }
    }
    let bench = ModelBench()
    _ = bench.authorized()
    bench.handle(.conditionChanged(change(true)))
    let states = bench.take().compactMap { effect in
      if case .announceState(let state) = effect { state } else { nil }
    }
    #expect(states.count == 1)
    #expect(bench.push(RoutingTests.background).asked.isEmpty)
    #expect(bench.push(RoutingTests.alert, id: 2).presented.count == 1)
    #expect(bench.armedBackgroundWork == nil)
    bench.handle(.conditionChanged(change(false)))
    #expect(bench.take().asked.count == 1)
  }

  @Test
  func `A restart gives no new wakes`() {
    var budget = BackgroundBudget()
    for _ in 0..<10 { _ = consumeWake(&budget, 1_000) }
    budget.finishWake(.failed)
    var again = BackgroundBudget(json: budget.json)
    #expect(again == budget)
    #expect(!consumeWake(&again, 2_000))
    var damaged = BackgroundBudget(json: ["level": .double(99), "usefulness": .double(-1)])
    #expect(damaged == BackgroundBudget())
    #expect(consumeWake(&damaged, 0))
  }

  @Test func `an app whose budget is used up is not woken after a restart, either`() {
    let bench = ModelBench()
    _ = bench.connect()
    for number in 1...10 {
      let asked = bench.push(RoutingTests.background, id: UInt64(number)).asked
      #expect(asked.count == 1)
      if let question = asked.first?.0 { bench.handle(.appReplied(question, .fetched(.newData))) }
    }
    let next = bench.restarted().started()
    _ = next.connect()
    #expect(next.push(RoutingTests.background, id: 11).asked.isEmpty)
    #expect(next.armedBackgroundWork == next.now + 20 * 60_000)
  }

  @Test
  func `a held push is still held after a restart`() throws {
    let bench = ModelBench()
    _ = bench.connect()
    bench.handle(.conditionChanged(.metered(true)))
    #expect(bench.push(RoutingTests.background).asked.isEmpty)
    let second = bench.restarted()
    _ = second.start()
    let (question, event) = try #require(second.connect(state: .foreground).1.asked.first)
    guard case .arrived(let arrival) = event else {
      Issue.record("unexpected question: \(event)")
      return
    }
    #expect(arrival.payload == Array(RoutingTests.background.utf8))
    second.handle(.appReplied(question, .fetched(.newData)))
    #expect(second.disk.keys(.fetches).isEmpty)
  }

  @Test(arguments: [false, true])
  func
    `client-api 3.45: what was started for a push and says nothing in 30 s is ended, unless in front`(
      comesToFront: Bool
    ) throws
  {
    let bench = ModelBench()
    bench.install()
    let effects = bench.push(RoutingTests.background)
    let expected = effects.compactMap { effect -> String? in
      guard case .expectApp(_, let token, 30_000) = effect else { return nil }
      return token
    }
    let token = try #require(expected.first)
    let (connection, greeted) = bench.connect(launch: token)
    let (question, _) = try #require(greeted.asked.first)
    bench.handle(.appExpected(ModelBench.burger, token: token))
    #expect(bench.take().isEmpty)
    if comesToFront { bench.ask(connection, .setState(.foreground)) }
    let (warning, event) =
      bench.handle(.questionTimedOut(question)).asked.first ?? (question, .badge(0))
    #expect((event == .backgroundTimeEnds) == !comesToFront)
    #expect(!bench.take().contains(.end(ModelBench.burger)))
    bench.handle(.appReplied(warning, .handled))
    #expect(bench.take() == (comesToFront ? [] : [.end(ModelBench.burger)]))
  }

  @Test
  func `client-api 3.45: what was started for a push and never greets is ended`() throws {
    let bench = ModelBench()
    bench.install()
    let token = try #require(bench.push(RoutingTests.background).orders.first?.token)
    bench.handle(.appExpected(ModelBench.burger, token: token))
    #expect(bench.take() == [.end(ModelBench.burger)])
    // The app finally connects and receives the waiting push.
    #expect(bench.connect().1.asked.count == 1)
  }

  @Test func `an app that was too slow with a push is not ended when the user cannot open it`()
    throws
  {
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.install()
    bench.ask(connection, .add(ModelBench.request()))
    bench.handle(.appDisconnected(connection))
    let token = try #require(bench.push(RoutingTests.background).orders.first?.token)
    let (started, greeted) = bench.connect(launch: token)
    bench.handle(.questionTimedOut(try #require(greeted.asked.first?.0)))
    bench.handle(.appDisconnected(started))
    let order = try #require(bench.respond("n", .open).orders.first)
    #expect(bench.handle(.appLaunchFailed(ModelBench.burger, token: order.token)).isEmpty)
  }

  @Test(arguments: [["remote-notification"], []])
  func `client-api 3.47: an app installed meanwhile starts with the push if its manifest wants it`(
    modes: [String]
  ) {
    let bench = ModelBench()
    #expect(bench.push(RoutingTests.background).orders.isEmpty)
    bench.install(modes: modes)
    #expect(bench.connect().1.asked.count == modes.count)
  }

  @Test
  func `client-api 3.39: texts that a locked screen hides appear when it is unlocked`() throws {
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.command(
      .changeSettings(app: ModelBench.burger.text, ["previews": "whenAuthenticated"]))
    bench.handle(.conditionChanged(.sessionLocked(true)))
    var request = ModelBench.request()
    request.content.body = "secret"
    let shown = bench.ask(connection, .add(request)).presented
    #expect(shown.map(\.body) == ["Notification"])
    bench.shown("n")
    func refreshed() -> [String] {
      bench.take().compactMap { effect in
        if case .refresh(let presentation) = effect { presentation.body } else { nil }
      }
    }
    bench.handle(.conditionChanged(.sessionLocked(false)))
    #expect(refreshed() == ["secret"])
    bench.handle(.conditionChanged(.sessionLocked(true)))
    #expect(refreshed() == ["Notification"])
  }

  @Test
  func `client-api 3.39: a change of the previews hides and reveals what is already on the screen`()
  {
    let bench = ModelBench()
    let connection = bench.authorized()
    var request = ModelBench.request()
    request.content.body = "secret"
    bench.ask(connection, .add(request))
    bench.shown("n")
    func setting(_ previews: String) -> [String] {
      bench.command(.changeSettings(app: ModelBench.burger.text, ["previews": previews]))
        .refreshed.map(\.body)
    }
    #expect(setting("whenAuthenticated").isEmpty)
    #expect(setting("never") == ["Notification"])
    bench.handle(.conditionChanged(.sessionLocked(true)))
    #expect(setting("whenAuthenticated").isEmpty)
    #expect(setting("always") == ["secret"])
  }

  @Test
  func `an app that is off on the lock screen has no banner there, and its place in the list`() {
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.command(.changeSettings(app: ModelBench.burger.text, ["lockScreen": "off"]))
    bench.handle(.conditionChanged(.sessionLocked(true)))
    let effects = bench.ask(connection, .add(ModelBench.request()))
    #expect(effects.presented.isEmpty)
    #expect(effects.suppressed == [.locked])
    #expect(bench.center().count == 1)
  }

  @Test
  func `client-api 3.26: opening waits for the unlock, as it brings the app to the front`() {
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.ask(connection, .add(ModelBench.request()))
    bench.handle(.conditionChanged(.sessionLocked(true)))
    bench.respond("n", .open)
    #expect(bench.take().asked.isEmpty)
    bench.handle(.conditionChanged(.sessionLocked(false)))
    #expect(bench.take().asked.count == 1)
  }

  @Test
  func
    `client-api 3.26: on a locked screen, an action that requires authentication waits for unlock`()
    throws
  {
    let bench = ModelBench()
    let connection = bench.authorized()
    let category = NotificationCategory(
      id: "C",
      actions: [
        NotificationAction(id: "SAFE", title: "s"),
        NotificationAction(id: "PAY", title: "p", options: [.authenticationRequired]),
      ])
    bench.ask(connection, .setCategories([category]))
    for id in ["1", "2"] { bench.ask(connection, .add(ModelBench.request(id, category: "C"))) }
    bench.handle(.conditionChanged(.sessionLocked(true)))
    bench.respond("1", PersonAction("SAFE"))
    #expect(bench.take().asked.count == 1)
    bench.respond("2", PersonAction("PAY"))
    #expect(bench.take().asked.isEmpty)
    bench.handle(.conditionChanged(.sessionLocked(false)))
    guard case .response(let response)? = bench.take().asked.first?.1 else {
      Issue.record("the app received no response")
      return
    }
    #expect(response.action == "PAY")
  }

  @Test
  func `the desktop's do-not-disturb mode mutes sounds and leaves hiding the banner to the server`()
  {
    let bench = ModelBench()
    _ = bench.authorized()
    bench.handle(.conditionChanged(.desktopQuiet(true)))
    let effects = bench.push(RoutingTests.alert)
    #expect(effects.presented.count == 1)
    #expect(effects.sounds == 0)
  }
}

@Suite("Service extensions")
struct ExtensionTests {
  static let mutable = #"{"aps":{"alert":{"title":"T","body":"sealed"},"mutable-content":1}}"#

  func bench() -> ModelBench {
    let bench = ModelBench()
    _ = bench.authorized()
    bench.install {
      $0.executable = nil
      $0.serviceExtension = "/opt/extension"
    }
    return bench
  }

  @Test
  func `client-api 3.48: with mutable-content the extension changes what is shown`() throws {
    let bench = bench()
    let effects = bench.push(Self.mutable)
    #expect(effects.presented.isEmpty)
    let order = try #require(effects.extensions.first)
    #expect(order.executable == "/opt/extension")
    let (connection, greeted) = bench.connect(role: .serviceExtension, launch: order.token)
    let (question, event) = try #require(greeted.asked.first)
    guard case .extend(let request, let payload) = event else {
      Issue.record("unexpected question: \(event)")
      return
    }
    #expect(payload == Array(Self.mutable.utf8))
    bench.handle(.extensionTimeEnds(token: order.token))
    #expect(bench.take() == [.tell(connection, .extensionTimeEnds)])
    var content = request.content
    content.body = "opened"
    bench.handle(.appReplied(question, .content(content)))
    let shown = bench.take().presented
    #expect(shown.map(\.body) == ["opened"])
    #expect(shown.map(\.title) == ["T"])
  }

  @Test
  func `client-api 3.48: an extension that says nothing in time, or dies, leaves the original`()
    throws
  {
    for end in 0..<5 {
      let bench = bench()
      let order = try #require(bench.push(Self.mutable).extensions.first)
      if end == 0 {
        bench.handle(.extensionFailed(token: order.token))
      } else if end == 3 {
        bench.handle(.extensionEnded(token: order.token))
      } else if end == 4 {
        bench.handle(.extensionTimedOut(token: order.token))
      } else {
        let (connection, greeted) = bench.connect(role: .serviceExtension, launch: order.token)
        let (question, _) = try #require(greeted.asked.first)
        if end == 1 {
          bench.handle(.questionTimedOut(question))
        } else {
          bench.handle(.appDisconnected(connection))
        }
      }
      let effects = bench.take()
      #expect(effects.presented.map(\.body) == ["sealed"])
      // The model doesn't log an extension that couldn't be started, because the code that tried to start the extension
      // has already logged the failure.
      let silence: [Int: ServiceExtensions.Silence] = [
        1: .timedOut, 2: .left, 3: .ended, 4: .timedOut,
      ]
      let entry = silence[end].map {
        AgentEffect.log(
          .extensionGaveNothing(ModelBench.burger, executable: order.executable, $0))
      }
      #expect(entry.map(effects.contains) ?? true)
    }
  }

  @Test
  func `the end of an extension's process overtakes nothing that it has said`() throws {
    let bench = bench()
    let order = try #require(bench.push(Self.mutable).extensions.first)
    let (_, greeted) = bench.connect(role: .serviceExtension, launch: order.token)
    let (question, event) = try #require(greeted.asked.first)
    #expect(bench.handle(.extensionEnded(token: order.token)).isEmpty)
    guard case .extend(let request, _) = event else {
      Issue.record("unexpected question: \(event)")
      return
    }
    var content = request.content
    content.body = "opened"
    bench.handle(.appReplied(question, .content(content)))
    #expect(bench.take().presented.map(\.body) == ["opened"])
    #expect(bench.handle(.extensionEnded(token: order.token)).isEmpty)
  }

  @Test
  func `client-api 3.48: it is not run for what has no text, nor while alerts are off`() {
    let bench = bench()
    #expect(bench.push(#"{"aps":{"badge":1,"mutable-content":1}}"#).extensions.isEmpty)
    bench.command(.changeSettings(app: ModelBench.burger.text, ["alert": "off"]))
    #expect(bench.push(Self.mutable, id: 2).extensions.isEmpty)
  }

  @Test
  func
    `client-api 3.48: each push has its own process, and unexpected processes are disconnected`()
    throws
  {
    let bench = bench()
    let first = try #require(bench.push(Self.mutable).extensions.first)
    let second = try #require(bench.push(Self.mutable, id: 2).extensions.first)
    #expect(first.token != second.token)
    let (_, greeted) = bench.connect(role: .serviceExtension, launch: second.token)
    #expect(greeted.asked.count == 1)
    let (stranger, refused) = bench.connect(role: .serviceExtension, launch: second.token)
    #expect(refused.contains(.close(stranger)))
  }

  @Test func `removing an app does not affect the pushes that another app's extension changes`()
    throws
  {
    let bench = bench()
    _ = bench.authorized(MachineTests.fries)
    let order = try #require(bench.push(Self.mutable).extensions.first)
    bench.command(.removeApp(MachineTests.fries.text))
    #expect(bench.handle(.extensionFailed(token: order.token)).presented.map(\.body) == ["sealed"])
  }
}
