import BelfryWire
import AppWire
import Testing

@testable import Agent

/// Tests that each prompt has an identity and that an answer applies only to its own prompt.
@Suite struct PromptTests {
  private func bench() -> (ModelBench, ConnectionID) {
    let bench = ModelBench(policy: .ask)
    let (connection, _) = bench.connect { $0.locationUsage = "To ring at the door" }
    return (bench, connection)
  }

  private func status(_ bench: ModelBench) -> [JSONValue?] {
    let settings = bench.settings()
    return [settings["authorization"], settings["location"]]
  }

  @Test func `a yes to a question about the place grants no notifications`() throws {
    let (bench, connection) = bench()
    bench.ask(connection, .requestLocation(always: false))
    let place = try #require(bench.openPrompts.first)
    // An app has only one open prompt at a time; this prompt appears after the user has answered the previous one.
    #expect(bench.ask(connection, .requestAuthorization([.alert])).prompts.isEmpty)
    let effects = bench.handle(.promptAnswered(place.id, isAllowed: true))
    #expect(effects.withdrawnPrompts == [place])
    #expect(status(bench) == ["notDetermined", "whenInUse"])
    let notifications = try #require(effects.prompts.first)
    #expect(notifications.subject == .notifications && notifications.id != place.id)
    // A repeated answer, for example, from a slow presenter, changes nothing.
    #expect(bench.handle(.promptAnswered(place.id, isAllowed: true)).isEmpty)
    #expect(bench.handle(.promptPostponed(place.id)).isEmpty)
    #expect(status(bench) == ["notDetermined", "whenInUse"])
    bench.handle(.promptAnswered(notifications.id, isAllowed: false))
    #expect(status(bench) == ["denied", "whenInUse"])
  }

  @Test func `a question on screen is not made another by what the app asks next`() throws {
    for always in [false, true] {
      let (bench, connection) = bench()
      bench.ask(connection, .requestLocation(always: always))
      let place = try #require(bench.openPrompts.first)
      #expect(place.wantsAlways == always)
      bench.ask(connection, .requestLocation(always: !always))
      #expect(bench.openPrompts == [place])
      bench.handle(.promptAnswered(place.id, isAllowed: true))
      #expect(status(bench) == ["notDetermined", always ? "always" : "whenInUse"])
    }
  }

  @Test func `a setting answers the open question about the same decision, and no other`() throws {
    let (bench, connection) = bench()
    bench.ask(connection, .requestLocation(always: true))
    let place = try #require(bench.openPrompts.first)
    bench.command(.changeSettings(app: ModelBench.burger.text, ["notifications": "on"]))
    #expect(status(bench) == ["authorized", "notDetermined"])
    #expect(bench.openPrompts == [place])
    let effects = bench.command(
      .changeSettings(app: ModelBench.burger.text, ["location": "denied"]))
    #expect(effects.withdrawnPrompts == [place])
    #expect(effects.answers.compactMap { try? $0.locationStatus() } == [.denied])
    #expect(bench.handle(.promptAnswered(place.id, isAllowed: true)).isEmpty)
    #expect(status(bench) == ["authorized", "denied"])
  }

  @Test func `the next question follows one that a setting has answered`() {
    let (bench, connection) = bench()
    bench.ask(connection, .requestAuthorization([.alert]))
    #expect(bench.ask(connection, .requestLocation(always: false)).prompts.isEmpty)
    let effects = bench.command(
      .changeSettings(app: ModelBench.burger.text, ["notifications": "on"]))
    #expect(effects.withdrawnPrompts.map(\.subject) == [.notifications])
    #expect(effects.prompts.map(\.subject) == [.location(usage: "To ring at the door")])
  }

  @Test(arguments: [
    AppRequest.requestAuthorization([.alert]), .requestLocation(always: false),
    .requestLocation(always: true),
  ])
  func `the setting that the log suggests has the same effect as allowing the prompt`(
    request: AppRequest
  ) throws {
    let (asked, app) = bench()
    asked.ask(app, request)
    let answered = try #require(asked.openPrompts.first)
    asked.handle(.promptAnswered(answered.id, isAllowed: true))
    let (bench, connection) = bench()
    bench.ask(connection, request)
    let prompt = try #require(bench.openPrompts.first)
    let (name, word) = prompt.allowingSetting
    let effects = bench.command(.changeSettings(app: ModelBench.burger.text, [name: word]))
    #expect(effects.withdrawnPrompts == [prompt])
    #expect(status(bench) == status(asked))
  }

  @Test func `a setting that answers a question loses nothing of what follows from it`() throws {
    let (bench, _) = bench()
    let (control, _) = bench.connect(role: .control)
    let request = ModelBench.request("n", badge: 3)
    #expect(
      bench.ask(control, .control(.notify(app: ModelBench.burger.text, request))).prompts.count
        == 1)
    let effects = bench.command(
      .changeSettings(app: ModelBench.burger.text, ["notifications": "on"]))
    #expect(effects.presented.count == 1 && effects.badges == [3])
    let rows = try #require(bench.command(.apps).answers.first).rows
    #expect(rows.map { $0["badge"] } == [3])
    #expect(bench.openPrompts.isEmpty)
  }

  @Test func `a notification without content is refused before it replaces one that waits`() throws
  {
    let (bench, _) = bench()
    let (control, _) = bench.connect(role: .control)
    let app = ModelBench.burger.text
    bench.ask(control, .control(.notify(app: app, ModelBench.request("n"))))
    let empty = NotificationRequest(id: "n", content: NotificationContent(), trigger: nil)
    let (other, _) = bench.connect(role: .control)
    #expect(
      bench.ask(other, .control(.notify(app: app, empty))).refusals
        == [.notificationInvalidNoContent])
    let prompt = try #require(bench.openPrompts.first)
    #expect(bench.handle(.promptAnswered(prompt.id, isAllowed: true)).presented.count == 1)
  }

  @Test(arguments: [GrantPolicy.ask, .all])
  func `a running app receives its settings when a command requests permission in its name`(
    policy: GrantPolicy
  ) {
    let bench = ModelBench(policy: policy)
    bench.connect()
    let (control, _) = bench.connect(role: .control)
    let notify = ControlRequest.notify(app: ModelBench.burger.text, ModelBench.request())
    let settings = bench.ask(control, .control(notify)).told.compactMap {
      if case .settings(let settings) = $0 { settings.alert } else { nil }
    }
    #expect(settings == [policy == .ask ? .disabled : .enabled])
  }

  @Test func `a command's notification is shown if permission was granted before the app asked`() {
    let (bench, connection) = bench()
    let (control, _) = bench.connect(role: .control)
    let app = ModelBench.burger.text
    bench.command(.changeSettings(app: app, ["notifications": "on"]))
    let effects = bench.ask(control, .control(.notify(app: app, ModelBench.request("n"))))
    #expect(effects.presented.count == 1 && effects.prompts.isEmpty)
    // The app chooses fewer options than the command has requested for it.
    bench.ask(connection, .requestAuthorization([.alert]))
    #expect(bench.openPrompts.isEmpty)
    #expect(bench.command(.changeSettings(app: app, ["sound": "off"])).refusals.isEmpty)
  }

  @Test func `a command requests nothing for an app that the user refused or that chose no types`()
  {
    let cases: [(AuthorizationStatus, Set<AuthorizationOption>?)] = [
      (.denied, nil), (.provisional, nil), (.authorized, []),
    ]
    for (status, types) in cases {
      var app = LocalApp(id: ModelBench.burger)
      app.status = status
      app.registeredTypes = types
      #expect(!app.needsCommandOptions, "\(status)")
    }
  }

  @Test func `a setting that cannot be made changes none of the others`() {
    let (bench, connection) = bench()
    bench.ask(connection, .requestAuthorization([.alert]))
    let effects = bench.command(
      .changeSettings(
        app: ModelBench.burger.text, ["notifications": "on", "style": "loud"]))
    #expect(effects.refusals == [.invalidArgument])
    #expect(status(bench).first == "notDetermined" && bench.openPrompts.count == 1)
  }

  @Test
  func
    `a second request shows no second prompt, and removing the app refuses all waiting requests`()
  {
    let (bench, connection) = bench()
    let (control, _) = bench.connect(role: .control)
    #expect(bench.ask(connection, .requestAuthorization([.alert])).prompts.count == 1)
    #expect(bench.ask(connection, .requestAuthorization([.alert])).prompts.isEmpty)
    let notify = ControlRequest.notify(app: ModelBench.burger.text, ModelBench.request())
    #expect(bench.ask(control, .control(notify)).prompts.isEmpty)
    let effects = bench.command(.removeApp(ModelBench.burger.text))
    #expect(effects.refusals == [.unknownApp, .unknownApp, .unknownApp])
    #expect(bench.openPrompts.isEmpty)
  }

  @Test func `a prompt is withdrawn when the last connection that waits for the answer closes`()
    throws
  {
    let (bench, connection) = bench()
    let (other, _) = bench.connect()
    bench.ask(connection, .requestAuthorization([.alert]))
    bench.ask(other, .requestAuthorization([.alert]))
    let prompt = try #require(bench.openPrompts.first)
    #expect(bench.handle(.appDisconnected(connection)).withdrawnPrompts.isEmpty)
    #expect(bench.handle(.appDisconnected(other)).withdrawnPrompts == [prompt])
    #expect(bench.handle(.promptAnswered(prompt.id, isAllowed: true)).isEmpty)
    #expect(status(bench).first == "notDetermined")
    // When the app connects again, the user is asked again.
    let (next, _) = bench.connect()
    #expect(bench.ask(next, .requestAuthorization([.alert])).prompts.count == 1)
  }

  @Test
  func `a location prompt is withdrawn when its app disconnects, and the next prompt is shown`()
    throws
  {
    let (bench, connection) = bench()
    bench.ask(connection, .requestLocation(always: true))
    let place = try #require(bench.openPrompts.first)
    let (other, _) = bench.connect()
    bench.ask(other, .requestAuthorization([.alert]))
    let effects = bench.handle(.appDisconnected(connection))
    #expect(effects.withdrawnPrompts == [place])
    #expect(effects.prompts.map(\.subject) == [.notifications])
  }

  @Test func `a question that a command's notification waits for stays`() {
    let (bench, _) = bench()
    bench.command(.notify(app: ModelBench.burger.text, ModelBench.request()))
    #expect(bench.openPrompts.count == 1)
    bench.answerPrompt(isAllowed: true)
    #expect(bench.take().presented.count == 1)
  }

  @Test
  func `permission shows the app's own notification and a command's notification once each`() {
    let (bench, connection) = bench()
    var own = ModelBench.request("own")
    own.content.generation = .local
    bench.ask(connection, .add(own))
    bench.command(.notify(app: ModelBench.burger.text, ModelBench.request("shell")))
    _ = bench.take()
    bench.answerPrompt(isAllowed: true)
    #expect(bench.take().presented.map(\.key.id).sorted() == ["own", "shell"])
  }

  @Test func `a command cancels the only notification that waits for permission`() {
    let (bench, _) = bench()
    let (control, _) = bench.connect(role: .control)
    let app = ModelBench.burger.text
    bench.ask(control, .control(.notify(app: app, ModelBench.request())))
    let other = bench.command(.cancel(app: app, id: "other"))
    #expect(other.refusals == [.unknownNotification] && bench.disk.keys(.waiting).count == 1)
    let effects = bench.command(.cancel(app: app, id: "n"))
    #expect(effects.refusals.isEmpty && effects.answers.count == 2, "both commands are answered")
    #expect(effects.withdrawnPrompts.count == 1 && bench.disk.keys(.waiting).isEmpty)
  }

  @Test func `a request without options causes no prompt`() {
    let (bench, connection) = bench()
    let effects = bench.ask(connection, .requestAuthorization([]))
    #expect(effects.prompts.isEmpty && effects.answers.map(\.isGranted) == [false])
    #expect(status(bench).first == "notDetermined")
  }
}
