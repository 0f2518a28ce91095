import AppWire
import PushWire
import Testing

@testable import Agent

@Suite("Routing")
struct RoutingTests {
  static let alert = #"{"aps":{"alert":{"title":"T","body":"B"},"sound":"default","badge":4}}"#
  static let background = #"{"aps":{"content-available":1},"k":1}"#

  @Test
  func `An app that is not in front has its alert, sound and badge performed`() {
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.handle(.appDisconnected(connection))
    let effects = bench.push(Self.alert)
    #expect(effects.presented.map(\.title) == ["T"])
    #expect(effects.presented.map(\.origin) == [.push])
    #expect(effects.sounds == 1)
    #expect(effects.badges == [4])
  }

  @Test
  func `A type that is off is dropped, the others are done`() {
    let bench = ModelBench(policy: .types([.alert]))
    _ = bench.authorized()
    let effects = bench.push(Self.alert)
    #expect(effects.presented.count == 1)
    #expect(effects.presented.first?.sound == nil)
    #expect(effects.sounds == 0)
    #expect(effects.badges.isEmpty)
  }

  @Test
  func `Without any requested type a push reaches the app silently`() {
    let bench = ModelBench()
    _ = bench.connect(state: .foreground)
    let effects = bench.push(Self.alert)
    #expect(effects.presented.isEmpty)
    #expect(
      effects.told.contains {
        if case .arrived = $0 { true } else { false }
      })
  }

  @Test
  func
    `without a requested type, a push goes to the app even in the background and waits for its reply`()
    throws
  {
    let bench = ModelBench()
    let (connection, _) = bench.connect()
    let effects = bench.push(Self.alert)
    // S1-5 part 1 of 3: pushes
    #expect(effects.presented.isEmpty)
    guard case .arrived(let arrival)? = effects.asked.first?.1 else {
      Issue.record("unexpected questions: \(effects.asked)")
      return
    }
    #expect(arrival.wantsFetch)
    #expect(arrival.payload == Array(Self.alert.utf8))
    // Once the app has requested a type, the agent shows the push instead of passing it to the app.
    bench.ask(connection, .requestAuthorization([.alert]))
    let shown = bench.push(Self.alert, id: 2)
    #expect(shown.presented.count == 1)
    #expect(shown.asked.isEmpty)
  }

  @Test
  func `client-api 3.47: without the background mode, a push reaches only a foreground app`() {
    let bench = ModelBench()
    bench.install(modes: ["audio"])
    let first = bench.push(Self.background)
    #expect(first.launches.isEmpty)
    #expect(
      first == [
        .log(.backgroundModeMissing(ModelBench.burger)),
        .acknowledge(NotificationID(high: 1, low: 1)),
      ])
    let (connection, _) = bench.connect()
    // The log reports this only once.
    #expect(bench.push(Self.background, id: 2) == [.acknowledge(NotificationID(high: 1, low: 2))])
    bench.ask(connection, .setState(.foreground))
    #expect(bench.push(Self.background, id: 3).asked.count == 1)
    #expect(bench.disk.keys(.fetches).isEmpty)
  }

  @Test
  func `client-api 3.47: the missing background mode of an app that is installed again is logged`()
  {
    let missing = AgentEffect.log(.backgroundModeMissing(ModelBench.burger))
    let bench = ModelBench()
    bench.install(modes: ["audio"])
    #expect(bench.push(Self.background).contains(missing))
    bench.command(.removeApp(ModelBench.burger.text))
    bench.install(modes: ["audio"])
    let (connection, _) = bench.connect()
    bench.ask(connection, .register(.alert))
    bench.handle(.registrationSucceeded(ModelBench.burger, .alert, token: [2]))
    #expect(bench.push(Self.background, id: 2).contains(missing))
    #expect(!bench.push(Self.background, id: 3).contains(missing))
  }

  @Test
  func `an app with the wrong or an unknown environment gets no token`() {
    let mismatch =
      "it claims production, but the gateway belongs to the sandbox environment: set it to "
      + "development and run"
    for (claimed, isKnownFirst, part) in [
      ("production", true, mismatch), ("production", false, mismatch),
      ("staging", false, "unknown environment \"staging\""),
    ] {
      let bench = ModelBench()
      bench.install {
        $0.pushEnvironment = claimed
        $0.entitlements = claimed == "production" ? [.pushes] : []
      }
      let (connection, _) = bench.connect()
      if isKnownFirst { bench.handle(.gatewayKnown(.sandbox)) }
      var effects = bench.ask(connection, .register(.alert))
      if !isKnownFirst { effects += bench.handle(.gatewayKnown(.sandbox)) }
      let messages = effects.told.compactMap { event -> String? in
        if case .registrationFailed(.alert, let failure) = event { failure.message } else { nil }
      }
      // S0-32, S2-23
      #expect(messages.count == 1)
      #expect(
        messages.first?.hasPrefix("no valid 'aps-environment' entitlement string found for") == true
      )
      #expect(messages.first?.contains(part) == true)
      #expect(bench.command(.apps).answers.first?.rows.first?["registered"] == .array([]))
    }
    for claimed in ["development", nil] {
      let bench = ModelBench()
      bench.handle(.gatewayKnown(.sandbox))
      bench.install { $0.pushEnvironment = claimed }
      let (connection, _) = bench.connect()
      #expect(
        bench.ask(connection, .register(.alert)).contains(.register(ModelBench.burger, .alert)))
    }
  }

  @Test
  func `The app in front is asked, and shows nothing unless it says so`() throws {
    let bench = ModelBench()
    _ = bench.authorized(state: .foreground)
    let effects = bench.push(Self.alert)
    #expect(effects.presented.isEmpty)
    let (question, event) = try #require(effects.asked.first)
    guard case .willPresent(let notification) = event else {
      Issue.record("unexpected question: \(event)")
      return
    }
    #expect(notification.payload == Array(Self.alert.utf8))
    bench.handle(.appReplied(question, .present([])))
    let after = bench.take()
    #expect(after.presented.isEmpty)
    #expect(after.suppressed == [.foreground])
    // A notification that was never shown isn't withdrawn.
    #expect(after.withdrawn.isEmpty && bench.center().isEmpty)
  }

  @Test(
    arguments: [
      ([PresentationOption.banner], true, false, 0, []),
      ([.list], false, true, 0, []), ([.sound, .badge], false, false, 1, [4]),
      ([.alert, .sound], true, true, 1, []),
    ] as [([PresentationOption], Bool, Bool, Int, [Int64])])
  func `client-api 3.24: the app in front chooses banner, list, sound and badge`(
    options: [PresentationOption], banner: Bool, list: Bool, sounds: Int, badges: [Int64]
  ) throws {
    let bench = ModelBench()
    _ = bench.authorized(state: .foreground)
    let (question, _) = try #require(bench.push(Self.alert).asked.first)
    bench.handle(.appReplied(question, .present(Set(options))))
    let effects = bench.take()
    #expect(effects.presented.count == (banner ? 1 : 0))
    #expect(bench.center().count == (list ? 1 : 0))
    #expect(effects.sounds == sounds)
    #expect(effects.badges == badges)
  }

  @Test
  func `client-api 3.23: no answer in time shows nothing`() throws {
    let bench = ModelBench()
    _ = bench.authorized(state: .foreground)
    let (question, _) = try #require(bench.push(Self.alert).asked.first)
    bench.handle(.questionTimedOut(question))
    #expect(bench.take().suppressed == [.foreground])
    bench.handle(.appReplied(question, .present([.banner])))
    #expect(bench.take().isEmpty)
  }

  @Test
  func `an app that goes away while it is asked has its notification shown`() throws {
    let bench = ModelBench()
    let connection = bench.authorized(state: .foreground)
    #expect(bench.push(Self.alert).asked.count == 1)
    bench.handle(.appDisconnected(connection))
    #expect(bench.take().presented.count == 1)
  }

  @Test
  func `A background push is handed to the running app, which says what it brought`()
    throws
  {
    let bench = ModelBench()
    _ = bench.connect()
    let effects = bench.push(Self.background)
    let (question, event) = try #require(effects.asked.first)
    guard case .arrived(let arrival) = event else {
      Issue.record("unexpected question: \(event)")
      return
    }
    #expect(arrival.wantsFetch)
    #expect(arrival.payload == Array(Self.background.utf8))
    #expect(effects.presented.isEmpty)
    bench.handle(.appReplied(question, .fetched(.newData)))
    #expect(bench.handle(.questionTimedOut(question)).isEmpty)
  }

  @Test func `the timeout of a question is cancelled once the app has answered`() throws {
    let bench = ModelBench()
    _ = bench.connect()
    let (first, _) = try #require(bench.push(Self.background).asked.first)
    let answered = bench.decide(.appReplied(first, .fetched(.newData)))
    #expect(answered.contains(.cancelTimeout(first)))
    let (second, _) = try #require(bench.push(Self.background, id: 2).asked.first)
    #expect(!bench.decide(.questionTimedOut(second)).contains(.cancelTimeout(second)))
  }

  @Test
  func `a notification that only sets a badge is not reported as suppressed`() {
    let bench = ModelBench(policy: .types([.badge]))
    let connection = bench.authorized()
    let onlyBadge = bench.push(#"{"aps":{"badge":1}}"#)
    #expect(onlyBadge.badges == [1] && onlyBadge.suppressed.isEmpty)
    let alert = bench.ask(connection, .add(ModelBench.request(badge: 2)))
    #expect(alert.badges == [2] && alert.suppressed == [.switchedOff])
  }

  @Test
  func `A background app is not woken for an alert that requests no fetch`() {
    let bench = ModelBench()
    _ = bench.authorized()
    let effects = bench.push(Self.alert)
    #expect(effects.asked.isEmpty)
    #expect(effects.told.allSatisfy { if case .badge = $0 { true } else { false } })
  }

  @Test
  func `A background push starts an installed app, which then gets it`() throws {
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.install()
    bench.handle(.appDisconnected(connection))
    let effects = bench.push(Self.background)
    #expect(effects.launches == [.push])
    let order = try #require(effects.orders.first)
    let (_, greeted) = bench.connect(launch: order.token)
    let welcome = try #require(greeted.answers.first).welcome()
    #expect(welcome.launch.reason == .push)
    #expect(welcome.launch.payload == Array(Self.background.utf8))
    #expect(greeted.asked.count == 1)
  }

  @Test
  func `client-api 2.5: a VoIP push is never shown and goes to the app`() {
    let bench = ModelBench()
    _ = bench.authorized(state: .foreground)
    let effects = bench.push(Self.alert, kind: .voip)
    #expect(effects.presented.isEmpty)
    #expect(effects.asked.count == 1)
  }

  @Test
  func
    `Focus: do-not-disturb keeps banner and sound back, not the list, the badge or what is critical`()
  {
    let bench = ModelBench()
    _ = bench.authorized(options: [.alert, .sound, .badge, .criticalAlert, .timeSensitive])
    bench.command(.state(["focus": "on"]))
    let effects = bench.push(Self.alert)
    #expect(effects.presented.isEmpty)
    #expect(effects.sounds == 0)
    #expect(effects.badges == [4])
    #expect(effects.suppressed == [.focus])
    #expect(bench.center().count == 1)
    let critical = bench.push(
      #"{"aps":{"alert":"x","interruption-level":"critical"}}"#, id: 2)
    #expect(critical.presented.count == 1)
  }

  @Test
  func `a repeated push is acknowledged but not shown again, even after a restart`() {
    let bench = ModelBench()
    _ = bench.authorized()
    #expect(bench.push(Self.alert).presented.count == 1)
    let again = bench.push(Self.alert)
    #expect(again.presented.isEmpty)
    #expect(again == [.acknowledge(NotificationID(high: 1, low: 1))])
    let second = bench.restarted()
    _ = second.start()
    #expect(second.push(Self.alert) == [.acknowledge(NotificationID(high: 1, low: 1))])
  }

  @Test
  func `a push is kept before it is acknowledged`() throws {
    let bench = ModelBench()
    _ = bench.authorized()
    bench.register()
    let effects = bench.decide(
      .pushReceived(
        ReceivedPush(
          id: NotificationID(high: 0, low: 1), uniqueID: NotificationID(high: 0, low: 2),
          app: ModelBench.burger, kind: .alert, payload: Array(Self.alert.utf8))))
    let kept = effects.lastIndex {
      if case .persist(.put(.delivered, _, _)) = $0 { true } else { false }
    }
    let acknowledged = effects.firstIndex {
      if case .acknowledge = $0 { true } else { false }
    }
    #expect(try #require(kept) < (try #require(acknowledged)))
  }

  @Test
  func `apns-collapse-id names the notification: the next one replaces it`() {
    let bench = ModelBench()
    _ = bench.authorized()
    _ = bench.push(Self.alert, collapse: "score")
    bench.shown("score")
    let effects = bench.push(#"{"aps":{"alert":"2:0"}}"#, id: 2, collapse: "score")
    #expect(effects.presented.map(\.isUpdate) == [true])
    #expect(bench.center().count == 1)
  }

  @Test
  func `an app that goes away while it is asked leaves the question to its next instance in front`()
    throws
  {
    let bench = ModelBench()
    let connection = bench.authorized(state: .foreground)
    let (other, _) = bench.connect(state: .foreground)
    let (first, _) = try #require(bench.push(Self.alert).asked.first)
    #expect(first.connection == other)
    let (second, _) = try #require(bench.handle(.appDisconnected(other)).asked.first)
    #expect(second.connection == connection)
    #expect(bench.handle(.appReplied(second, .present([.banner]))).presented.count == 1)
  }

  @Test
  func `an answer about a notification that was withdrawn or replaced meanwhile shows nothing`()
    throws
  {
    let bench = ModelBench()
    let connection = bench.authorized(state: .foreground)
    let (first, _) = try #require(bench.push(Self.alert, collapse: "c").asked.first)
    let (second, _) = try #require(bench.push(Self.alert, id: 2, collapse: "c").asked.first)
    #expect(bench.handle(.appReplied(first, .present([.banner]))).presented.isEmpty)
    bench.ask(connection, .removeDelivered(nil))
    #expect(bench.handle(.appReplied(second, .present([.banner]))).presented.isEmpty)
  }

  @Test
  func `another network, and a machine that wakes, make the gateway's link forget what it learnt`()
  {
    let bench = ModelBench()
    #expect(
      bench.handle(.conditionChanged(.online(isOtherNetwork: false)))
        == [.probeGateway(isOtherNetwork: false)])
    #expect(
      bench.handle(.conditionChanged(.online(isOtherNetwork: true)))
        == [.probeGateway(isOtherNetwork: true)])
    bench.handle(.conditionChanged(.asleep(true)))
    #expect(
      bench.handle(.conditionChanged(.asleep(false)))
        == [.announceState([]), .probeGateway(isOtherNetwork: true)])
  }

  @Test
  func `requests and pushes that cannot be stored are refused`() {
    let requestID = RequestID(connection: ConnectionID(number: 1), number: 2)
    guard
      case .refuse(requestID, let failure) = AgentEffect.answer(requestID, AppAnswer()).after(
        .refused)
    else {
      Issue.record("the answer was not refused")
      return
    }
    #expect(failure.reason == .storageFailed)
    let id = NotificationID(high: 0, low: 1)
    #expect(AgentEffect.acknowledge(id).after(.refused) == .rejectPush(id))
    #expect(AgentEffect.close(requestID.connection).after(.refused) == .close(requestID.connection))
  }

  @Test(
    arguments: [
      ([], true, .foreground), ([.sound], true, nil), ([.banner], true, nil),
      ([.badge], true, .foreground), ([.list], true, .foreground), ([.banner], false, .switchedOff),
    ] as [(Set<PresentationOption>, Bool, Routing.Suppression?)])
  func `suppression by the foreground app is distinguished from suppression by the user's settings`(
    answer: Set<PresentationOption>, isOn: Bool, expected: Routing.Suppression?
  ) {
    var content = NotificationContent()
    content.title = "T"
    content.sound = NotificationSound()
    var settings = NotificationSettings()
    settings.status = .authorized
    settings.alert = isOn ? .enabled : .disabled
    settings.alertStyle = isOn ? .banner : .none
    settings.sound = .enabled
    settings.center = .enabled
    let routing = Routing.decide(
      content, answer: answer, settings: settings, isLocked: false, hasFocus: false)
    #expect(routing.suppression == expected)
  }
}
