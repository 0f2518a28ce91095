import BelfryWire
import AppWire
import Testing

@testable import Agent

/// Tests of apps that use interfaces older than `UserNotifications` and don't have to request permission.
@Suite("Apps of the older interfaces")
struct OlderInterfaceTests {
  private static let app = ModelBench.burger

  private static func request(
    _ generation: NotificationGeneration, _ id: String = "n", inSeconds seconds: Double? = nil
  ) -> NotificationRequest {
    var request = ModelBench.request(
      id, badge: 1, sound: true, trigger: seconds.map { .interval(seconds: $0, repeats: false) })
    request.content.generation = generation
    return request
  }

  private static func switches(_ bench: ModelBench) -> [JSONValue?] {
    let row = bench.settings()
    return [row["authorization"], row["alert"], row["sound"], row["badge"]]
  }

  // MARK: NSUserNotification

  @Test
  func `a Mac app that never asked can notify without a prompt`() {
    let bench = ModelBench(policy: .ask)
    let (connection, _) = bench.connect()
    let effects = bench.ask(connection, .add(Self.request(.desktop)))
    // S1-1 part 2 of 2: on the Mac, nothing is registered for local notifications
    // S1-54
    #expect(effects.prompts.isEmpty && effects.answers.count == 1)
    #expect(effects.presented.map(\.title) == ["T"] && effects.sounds == 1)
    #expect(Self.switches(bench) == ["authorized", "on", "on", "on"])
    #expect(bench.findings().map(\.detail) == ["can show notifications"])
  }

  @Test
  func `a Mac app that never asked can notify until the user turns it off`() {
    let bench = ModelBench(policy: .ask)
    let (connection, _) = bench.connect()
    bench.ask(connection, .add(Self.request(.desktop, "later", inSeconds: 20)))
    bench.command(.changeSettings(app: Self.app.text, ["notifications": "off"]))
    let effects = bench.ask(connection, .add(Self.request(.desktop)))
    // S1-3
    #expect(effects.refusals == [.notificationsNotAllowed] && effects.presented.isEmpty)
    bench.move(to: bench.now + 20_000)
    #expect(bench.handle(.scheduleDue).suppressed == [.notAuthorized])
  }

  @Test(arguments: [
    (GrantPolicy.all, "authorized" as JSONValue, "on" as JSONValue),
    (.types([.alert]), "authorized", "off"), (.none, "denied", "off"),
  ])
  func `a policy answers for an app of either older interface`(
    policy: GrantPolicy, status: JSONValue, sound: JSONValue
  ) {
    for generation in [NotificationGeneration.desktop, .local] {
      let bench = ModelBench(policy: policy)
      let (connection, _) = bench.connect()
      let effects = bench.ask(connection, .add(Self.request(generation)))
      #expect(effects.presented.count == (status == "denied" ? 0 : 1))
      #expect(effects.refusals.count == (status == "denied" ? 1 : 0))
      #expect(Self.switches(bench)[0] == status && Self.switches(bench)[2] == sound)
    }
  }

  @Test
  func `a Mac app that has asked waits for the answer like every other one`() {
    let bench = ModelBench(policy: .ask)
    let (connection, _) = bench.connect()
    bench.ask(connection, .requestAuthorization([.alert]))
    let effects = bench.ask(connection, .add(Self.request(.desktop)))
    #expect(effects.presented.isEmpty && effects.prompts.isEmpty)
    bench.answerPrompt(isAllowed: true)
    #expect(bench.take().presented.count == 1)
    #expect(Self.switches(bench) == ["authorized", "on", nil, nil])
  }

  @Test
  func
    `a running Mac app is notified of each delivery of its own notifications, other apps are not`()
  {
    for (generation, expected) in [
      (NotificationGeneration.desktop, ["n"]), (.local, []),
    ] {
      let bench = ModelBench()
      let (connection, _) = bench.connect()
      func told(_ effects: [AgentEffect]) -> [String] {
        effects.told.compactMap { event in
          if case .delivered(let notification) = event { notification.request.id } else { nil }
        }
      }
      #expect(told(bench.ask(connection, .add(Self.request(generation)))) == expected)
      #expect(told(bench.push(RoutingTests.alert)).isEmpty)
      // If the app is in the foreground, the agent asks the app about the notification instead of delivering it.
      bench.ask(connection, .setState(.foreground))
      let asked = bench.ask(connection, .add(Self.request(generation, "asked")))
      #expect(asked.asked.count == 1 && told(asked).isEmpty)
    }
  }

  // MARK: UILocalNotification

  @Test
  func `an app that schedules and never registered is asked about, once`() throws {
    let bench = ModelBench(policy: .ask)
    let (connection, _) = bench.connect()
    let first = bench.ask(connection, .add(Self.request(.local, "one", inSeconds: 60)))
    // S1-42
    #expect(first.prompts.map(\.subject) == [.notifications] && first.answers.count == 1)
    #expect(bench.findings().map(\.detail) == ["waiting for the user's answer"])
    let second = bench.ask(connection, .add(Self.request(.local, "two", inSeconds: 61)))
    #expect(second.prompts.isEmpty && second.answers.count == 1)
    // The notification is listed as soon as it is scheduled.
    #expect(try bench.ask(connection, .pending).answers.first?.pending().count == 2)
    bench.answerPrompt(isAllowed: true)
    #expect(Self.switches(bench) == ["authorized", "on", "on", "on"])
    bench.move(to: bench.now + 60_000)
    #expect(bench.handle(.scheduleDue).presented.map(\.key.id) == ["one"])
  }

  @Test(arguments: [true, false])
  func `an app that registered without types shows nothing and causes no prompt`(
    registersTypes: Bool
  ) throws {
    let bench = ModelBench(policy: .ask)
    let (connection, _) = bench.connect()
    // Register through `registerUserNotificationSettings` without any types, or register only for pushes.
    bench.ask(
      connection,
      registersTypes
        ? .requestAuthorization([], replacesTypes: true) : .register(.alert))
    let effects = bench.ask(connection, .add(Self.request(.local)))
    // S1-5 part 2 of 3: its own notifications
    #expect(effects.prompts.isEmpty && effects.refusals.isEmpty && effects.answers.count == 1)
    #expect(effects.presented.isEmpty && effects.sounds == 0)
    #expect(effects.suppressed == [.notAuthorized])
    #expect(bench.settings()["authorization"] == "notDetermined")
    // While in the foreground, the app still receives its notifications, including scheduled ones.
    bench.ask(connection, .add(Self.request(.local, "later", inSeconds: 60)))
    bench.ask(connection, .setState(.foreground))
    bench.move(to: bench.now + 60_000)
    #expect(bench.handle(.scheduleDue).asked.count == 1)
    #expect(bench.openPrompts.isEmpty)
    // The user isn't asked after a restart, either.
    bench.ask(connection, .add(Self.request(.local, "much later", inSeconds: 600)))
    #expect(bench.restarted(policy: .ask).start().prompts.isEmpty)
    // If the app requests types, the user is asked, as for any other app.
    let asked = bench.ask(connection, .requestAuthorization([.alert], replacesTypes: true))
    #expect(asked.prompts.count == 1)
  }

  /// A regression test for a fault that `make simulate MODEL=agent SEED=83747 LENGTH=short` found.
  @Test
  func
    `a notification that is kept when its app leaves is asked about, until the user dismisses it`()
  {
    let bench = ModelBench(policy: .ask)
    let (connection, _) = bench.connect(state: .foreground)
    bench.ask(connection, .register(.alert))
    // The notification is added before the app requests permission. The agent offers it to the app first.
    let added = bench.ask(connection, .add(Self.request(.local)))
    #expect(added.asked.count == 1 && added.prompts.isEmpty)
    bench.ask(connection, .requestAuthorization([.alert]))
    let left = bench.handle(.appDisconnected(connection))
    #expect(left.prompts.map(\.subject) == [.notifications] && bench.openPrompts.count == 1)
    bench.postponePrompt()
    let (next, _) = bench.connect()
    #expect(bench.handle(.appDisconnected(next)).prompts.isEmpty)
    let (last, _) = bench.connect()
    bench.ask(last, .requestAuthorization([.alert]))
    bench.answerPrompt(isAllowed: true)
    #expect(bench.take().presented.count == 1)
  }

  @Test
  func `types that are registered again replace those before, and keep their switches`() {
    let bench = ModelBench()
    let (connection, _) = bench.connect()
    func register(_ types: Set<AuthorizationOption>) -> NotificationSettings? {
      try? bench.ask(connection, .requestAuthorization(types, replacesTypes: true)).answers.first?
        .settings()
    }
    #expect(register([.alert, .sound, .badge])?.sound == .enabled)
    bench.command(.changeSettings(app: Self.app.text, ["badge": "off"]))
    let fewer = register([.badge])
    // S4-5 part 2 of 3: fewer types, fewer switches
    #expect(fewer?.alert == .notSupported && fewer?.sound == .notSupported)
    #expect(Self.switches(bench) == ["authorized", nil, nil, "off"])
    #expect(
      Self.switches(bench.restarted(policy: .all).started()) == ["authorized", nil, nil, "off"])
    #expect(register([.alert, .badge])?.alert == .enabled)
    bench.ask(connection, .register(.alert))
    bench.ask(connection, .unregister(.alert))
    // S4-6 part 2 of 3: only types registered afterwards are enabled
    #expect(register([.sound])?.alert == .notSupported)
    #expect(Self.switches(bench) == ["authorized", nil, "on", nil])
    // Options that are requested one after another accumulate.
    bench.ask(connection, .requestAuthorization([.alert]))
    #expect(Self.switches(bench) == ["authorized", "on", "on", nil])
    #expect(register([.sound])?.alert == .enabled)
  }

  @Test
  func `types that an app registers replace those that its earlier notifications implied`() {
    let bench = ModelBench()
    let (connection, _) = bench.connect()
    bench.ask(connection, .add(Self.request(.local)))
    #expect(Self.switches(bench) == ["authorized", "on", "on", "on"])
    bench.ask(connection, .requestAuthorization([.alert], replacesTypes: true))
    #expect(Self.switches(bench) == ["authorized", "on", nil, nil])
  }

  @Test
  func `the types of an app of the older interface that an earlier version kept are replaced`()
    throws
  {
    let bench = ModelBench()
    let (connection, _) = bench.connect()
    bench.ask(connection, .add(Self.request(.local)))
    let key = Self.app.text
    let record = try #require(bench.disk[.apps, key])
    var object = try #require(try JSONValue(parsing: record).objectValue)
    object["requested"] = ["badge", "sound", "alert"]
    object["types"] = nil
    bench.disk[.apps, key] = Array(JSONValue.object(object).text.utf8)
    let next = bench.restarted().started()
    #expect(Self.switches(next) == ["authorized", "on", "on", "on"])
    let (again, _) = next.connect()
    next.ask(again, .requestAuthorization([.alert], replacesTypes: true))
    #expect(Self.switches(next) == ["authorized", "on", nil, nil])
  }

  @Test
  func `a date more than a day in the past is logged for the older interfaces`() {
    let bench = ModelBench(now: 3 * 86_400_000)
    let (connection, _) = bench.connect()
    for (generation, isLogged) in [
      (NotificationGeneration.local, true), (.desktop, true), (.userNotification, false),
    ] {
      if !isLogged { bench.ask(connection, .requestAuthorization([.alert])) }
      var request = Self.request(generation)
      request.trigger = .date(
        unixMilliseconds: 86_400_000, zone: nil, recurrence: nil, recurrenceCalendar: nil)
      let effects = bench.ask(connection, .add(request))
      #expect(effects.refusals == [.notificationInvalidNoDate])
      let logged = effects.contains(
        .log(.notificationExpired(AppNotificationID(app: Self.app, id: "n"))))
      #expect(logged == isLogged)
    }
  }

  @Test
  func `a notification that is due before the user's answer is shown after it`() {
    let bench = ModelBench(policy: .ask)
    let (connection, _) = bench.connect()
    #expect(bench.ask(connection, .add(Self.request(.local, "now"))).presented.isEmpty)
    bench.ask(connection, .add(Self.request(.local, "soon", inSeconds: 5)))
    bench.handle(.appDisconnected(connection))
    // The app's notifications wait for the answer, although the app is no longer running.
    #expect(bench.openPrompts.count == 1)
    bench.move(to: bench.now + 5_000)
    let due = bench.handle(.scheduleDue)
    #expect(due.presented.isEmpty && due.suppressed.isEmpty && due.sounds == 0)
    #expect(bench.centerIDs().isEmpty)
    #expect(bench.handle(.presenterAppeared(.json, isNew: true)).replayed.isEmpty)
    _ = bench.take()
    bench.answerPrompt(isAllowed: true)
    let effects = bench.take()
    #expect(effects.presented.map(\.key.id) == ["now", "soon"] && effects.sounds == 2)
    #expect(bench.centerIDs() == ["now", "soon"])
  }

  @Test
  func `after a no nothing that waited is ever shown`() {
    let bench = ModelBench(policy: .ask)
    let (connection, _) = bench.connect()
    bench.ask(connection, .add(Self.request(.local, "now")))
    bench.ask(connection, .add(Self.request(.local, "later", inSeconds: 60)))
    _ = bench.take()
    bench.answerPrompt(isAllowed: false)
    let effects = bench.take()
    #expect(effects.presented.isEmpty && effects.suppressed == [.notAuthorized])
    #expect(bench.centerIDs().isEmpty && bench.disk.keys(.delivered).isEmpty)
    bench.move(to: bench.now + 60_000)
    #expect(bench.handle(.scheduleDue).suppressed == [.notAuthorized])
    let again = bench.ask(connection, .add(Self.request(.local, "again")))
    #expect(again.refusals == [.notificationsNotAllowed] && again.prompts.isEmpty)
  }

  @Test
  func `notifications that wait for an answer survive a restart, and the user is asked again`() {
    let bench = ModelBench(policy: .ask)
    let (connection, _) = bench.connect()
    bench.ask(connection, .add(Self.request(.local, "now")))
    bench.ask(connection, .add(Self.request(.local, "later", inSeconds: 60)))
    let next = bench.restarted(policy: .ask)
    let effects = next.start()
    #expect(effects.presented.isEmpty && effects.suppressed.isEmpty)
    #expect(effects.prompts.map(\.app) == [Self.app])
    _ = next.take()
    next.answerPrompt(isAllowed: true)
    #expect(next.take().presented.map(\.key.id) == ["now"])
    next.move(to: next.now + 60_000)
    #expect(next.handle(.scheduleDue).presented.map(\.key.id) == ["later"])
  }

  @Test
  func
    `a postponed prompt returns with the next notification, and both notifications wait for it`()
  {
    let bench = ModelBench(policy: .ask)
    let (connection, _) = bench.connect()
    bench.ask(connection, .add(Self.request(.local, "now")))
    bench.postponePrompt()
    #expect(bench.openPrompts.isEmpty)
    let next = bench.ask(connection, .add(Self.request(.local, "next")))
    #expect(next.prompts.count == 1 && next.presented.isEmpty)
    _ = bench.take()
    bench.answerPrompt(isAllowed: true)
    #expect(bench.take().presented.map(\.key.id) == ["now", "next"])
  }

  @Test
  func
    `a postponed prompt that is shown again stays for waiting notifications after the app quits`()
  {
    let bench = ModelBench(policy: .ask)
    let (connection, _) = bench.connect()
    bench.ask(connection, .add(Self.request(.local, "now")))
    bench.postponePrompt()
    #expect(bench.ask(connection, .requestAuthorization([.alert])).prompts.count == 1)
    let effects = bench.handle(.appDisconnected(connection))
    #expect(effects.withdrawnPrompts.isEmpty && bench.openPrompts.count == 1)
    _ = bench.take()
    bench.answerPrompt(isAllowed: true)
    #expect(bench.take().presented.map(\.key.id) == ["now"])
  }

  @Test
  func
    `a postponed prompt that is shown again is withdrawn when an app quits with nothing waiting`()
  {
    let bench = ModelBench(policy: .ask)
    let (connection, _) = bench.connect()
    bench.ask(connection, .add(Self.request(.local, "later", inSeconds: 60)))
    bench.postponePrompt()
    bench.ask(connection, .removePending(nil))
    #expect(bench.ask(connection, .requestAuthorization([.alert])).prompts.count == 1)
    let effects = bench.handle(.appDisconnected(connection))
    #expect(effects.withdrawnPrompts.count == 1 && bench.openPrompts.isEmpty)
  }

  @Test
  func `a removed app that connects again has no notifications that wait for an answer`() {
    let bench = ModelBench(policy: .ask)
    let (connection, _) = bench.connect()
    bench.ask(connection, .add(Self.request(.local, "later", inSeconds: 60)))
    bench.postponePrompt()
    bench.command(.removeApp(Self.app.text))
    let (next, _) = bench.connect()
    #expect(bench.ask(next, .requestAuthorization([.alert])).prompts.count == 1)
    let effects = bench.handle(.appDisconnected(next))
    #expect(effects.withdrawnPrompts.count == 1 && bench.openPrompts.isEmpty)
  }

  @Test
  func `a question goes with an app that leaves nothing to wait for the answer`() {
    let bench = ModelBench(policy: .ask)
    let (connection, _) = bench.connect()
    bench.ask(connection, .add(Self.request(.local, "later", inSeconds: 60)))
    bench.ask(connection, .removePending(nil))
    #expect(bench.openPrompts.count == 1)
    let effects = bench.handle(.appDisconnected(connection))
    #expect(effects.withdrawnPrompts.count == 1 && bench.openPrompts.isEmpty)
    #expect(
      bench.findings().map(\.detail) == ["asked for permission, but the user has not answered"])
  }

  /// A regression test for a fault that `make simulate MODEL=agent SEED=1795863342897 LENGTH=short` found.
  @Test
  func `a notification that a silent app scheduled is asked about when it is due`() {
    let bench = ModelBench(policy: .ask)
    let (connection, _) = bench.connect()
    bench.ask(connection, .register(.alert))
    bench.ask(connection, .add(Self.request(.local, "later", inSeconds: 60)))
    let (other, _) = bench.connect()
    #expect(bench.ask(other, .requestAuthorization([.badge])).prompts.count == 1)
    // The prompt belonged to the connection that is now closed. However, the app is no longer silent.
    #expect(bench.handle(.appDisconnected(other)).withdrawnPrompts.count == 1)
    bench.move(to: bench.now + 60_000)
    #expect(bench.handle(.scheduleDue).prompts.map(\.subject) == [.notifications])
    bench.answerPrompt(isAllowed: true)
    #expect(bench.disk.keys(.delivered).isEmpty)
  }

  @Test
  func `a foreground app decides about its notification while the prompt is still open`() throws {
    let bench = ModelBench(policy: .ask)
    let (connection, _) = bench.connect(state: .foreground)
    let asked = try #require(bench.ask(connection, .add(Self.request(.local))).asked.first)
    bench.handle(.appReplied(asked.0, .present([])))
    #expect(bench.disk.keys(.delivered).isEmpty)
    #expect(bench.openPrompts.count == 1)
  }

  @Test
  func `a notification waits for the prompt if its foreground app quits before it replies`() {
    let bench = ModelBench(policy: .ask)
    let (connection, _) = bench.connect(state: .foreground)
    let (other, _) = bench.connect(state: .background)
    bench.ask(other, .requestAuthorization([.alert]))
    #expect(bench.ask(connection, .add(Self.request(.local))).asked.count == 1)
    bench.handle(.appDisconnected(other))
    let effects = bench.handle(.appDisconnected(connection))
    #expect(effects.withdrawnPrompts.isEmpty && bench.openPrompts.count == 1)
    _ = bench.take()
    bench.answerPrompt(isAllowed: true)
    #expect(bench.take().presented.map(\.key.id) == ["n"])
  }

  @Test
  func `a reply about a replaced notification does not withdraw the replacement`()
    throws
  {
    let bench = ModelBench(policy: .ask)
    let (connection, _) = bench.connect(state: .foreground)
    let asked = try #require(bench.ask(connection, .add(Self.request(.local))).asked.first)
    bench.ask(connection, .setState(.background))
    #expect(bench.ask(connection, .add(Self.request(.local))).asked.isEmpty)
    _ = bench.take()
    bench.answerPrompt(isAllowed: true)
    #expect(bench.take().presented.map(\.key.id) == ["n"])
    // The app's answer about the previous notification arrives too late.
    #expect(bench.handle(.appReplied(asked.0, .present([]))).withdrawn.isEmpty)
  }

  @Test
  func `an app that registered has switches only for its types`() {
    let bench = ModelBench(policy: .ask)
    let (connection, _) = bench.connect()
    bench.ask(connection, .requestAuthorization([.alert]))
    // The app schedules a notification immediately after the permission request, as many apps do. The agent doesn't
    // refuse the notification.
    let effects = bench.ask(connection, .add(Self.request(.local)))
    #expect(effects.refusals.isEmpty && effects.prompts.isEmpty)
    _ = bench.take()
    bench.answerPrompt(isAllowed: true)
    #expect(bench.take().presented.map(\.key.id) == ["n"])
    #expect(Self.switches(bench) == ["authorized", "on", nil, nil])
  }

  @Test
  func `a yes in the settings before the app ever asked is a yes to what it shows then`() {
    let bench = ModelBench(policy: .ask)
    let (connection, _) = bench.connect()
    bench.command(.changeSettings(app: Self.app.text, ["notifications": "on"]))
    #expect(bench.findings().map(\.isFine) == [false])
    #expect(bench.ask(connection, .add(Self.request(.local))).presented.count == 1)
    #expect(bench.findings().map(\.isFine) == [true])
  }

  @Test(arguments: [NotificationGeneration.local, .desktop])
  func `an app that was removed and is still connected shows nothing`(
    generation: NotificationGeneration
  ) {
    let bench = ModelBench(policy: .ask)
    let (connection, _) = bench.connect()
    bench.command(.removeApp(Self.app.text))
    for seconds in [nil, 60.0] {
      let effects = bench.ask(connection, .add(Self.request(generation, inSeconds: seconds)))
      #expect(effects.refusals == [.unknownApp])
    }
    #expect(bench.disk.keys(.delivered).isEmpty && bench.disk.keys(.pending).isEmpty)
  }

  @Test
  func `provisional permission answers the prompt and quietly delivers waiting notifications`() {
    let bench = ModelBench(policy: .ask)
    let (connection, _) = bench.connect()
    bench.ask(connection, .add(Self.request(.local, "now")))
    bench.ask(connection, .add(Self.request(.local, "later", inSeconds: 60)))
    let effects = bench.ask(connection, .requestAuthorization([.alert, .provisional]))
    #expect(effects.withdrawnPrompts.count == 1 && bench.openPrompts.isEmpty)
    #expect(effects.suppressed == [.quiet] && bench.centerIDs() == ["now"])
  }

  // MARK: belfry notify

  @Test
  func `provisional permission answers the prompt and quietly delivers a command's notification`() {
    let bench = ModelBench(policy: .ask)
    let (connection, _) = bench.connect()
    bench.command(.notify(app: Self.app.text, ModelBench.request("shell")))
    #expect(bench.openPrompts.count == 1)
    let nothing = bench.ask(connection, .requestAuthorization([]))
    #expect(nothing.withdrawnPrompts.isEmpty && bench.openPrompts.count == 1)
    let effects = bench.ask(connection, .requestAuthorization([.alert, .provisional]))
    #expect(effects.withdrawnPrompts.count == 1 && bench.openPrompts.isEmpty)
    #expect(effects.suppressed == [.quiet] && bench.centerIDs() == ["shell"])
    #expect(bench.disk.keys(.waiting).isEmpty)
  }

  @Test
  func `a waiting notification is replaced by a later one with the same identifier`() {
    let bench = ModelBench(policy: .ask)
    let (connection, _) = bench.connect()
    let (control, _) = bench.connect(role: .control)
    let answers = ["n", "other", "n"].map { id in
      bench.ask(control, .control(.notify(app: Self.app.text, ModelBench.request(id)))).answers
        .count
    }
    #expect(answers == [0, 0, 1], "the replaced command is answered")
    #expect(bench.disk.keys(.waiting).count == 2)
    let effects = bench.ask(connection, .add(Self.request(.local, "n", inSeconds: 60)))
    #expect(effects.answers.count == 2, "the app and the replaced command are answered")
    #expect(bench.openPrompts.count == 1)
    bench.answerPrompt(isAllowed: true)
    #expect(bench.take().presented.map(\.key.id) == ["other"])
    #expect(bench.disk.keys(.waiting).isEmpty)
    #expect(bench.disk.keys(.pending) == ["\(Self.app.text)/n"])
  }

  @Test(arguments: [NotificationGeneration.local, .desktop])
  func `a notification from a shell is of the interface that its app uses`(
    generation: NotificationGeneration
  ) throws {
    let bench = ModelBench()
    let (connection, _) = bench.connect()
    bench.ask(connection, .add(Self.request(generation, "own")))
    bench.command(.notify(app: Self.app.text, ModelBench.request("shell")))
    bench.respond("shell", .open)
    guard case .response(let response)? = bench.take().asked.first?.1 else {
      Issue.record("the app was not notified")
      return
    }
    #expect(response.notification.request.content.generation == generation)
    // The latest notification that the app itself sent determines which interface the app uses.
    bench.ask(connection, .add(ModelBench.request("new")))
    bench.command(.notify(app: Self.app.text, ModelBench.request("other")))
    bench.respond("other", .open)
    guard case .response(let other)? = bench.take().asked.first?.1 else {
      Issue.record("the app was not notified")
      return
    }
    #expect(other.notification.request.content.generation == .userNotification)
  }
}

extension ModelBench {
  /// Returns what `belfry doctor` reports about the apps.
  func findings() -> [Finding] {
    let (control, _) = connect(role: .control)
    defer { handle(.appDisconnected(control)) }
    let effects = ask(control, .control(.diagnose))
    for case .diagnose(_, let diagnosis) in effects { return diagnosis.appFindings }
    return []
  }
}
