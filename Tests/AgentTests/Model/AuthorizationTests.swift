import BelfryWire
import AppWire
import Testing

@testable import Agent

@Suite("Permission")
struct AuthorizationTests {
  @Test
  func `The first request prompts the user, and the answer goes to every waiting request`()
    throws
  {
    let bench = ModelBench(policy: .ask)
    let (one, _) = bench.connect()
    let (other, _) = bench.connect()
    #expect(bench.ask(one, .requestAuthorization([.alert])).prompts.count == 1)
    #expect(bench.ask(other, .requestAuthorization([.alert])).answers.isEmpty)
    bench.answerPrompt(isAllowed: true)
    let effects = bench.take()
    #expect(effects.answers.count == 2)
    #expect(effects.answers.map(\.isGranted) == [true, true])
  }

  @Test
  func `A later request reports the user's decision without a prompt`() {
    let bench = ModelBench(policy: .ask)
    let (connection, _) = bench.connect()
    bench.ask(connection, .requestAuthorization([.alert]))
    bench.answerPrompt(isAllowed: false)
    _ = bench.take()
    let effects = bench.ask(connection, .requestAuthorization([.alert]))
    #expect(effects.prompts.count == 0)
    #expect(effects.answers.map(\.isGranted) == [false])
  }

  @Test(arguments: [
    (
      GrantPolicy.all, true, NotificationSettings.Switch.enabled,
      NotificationSettings.Switch.enabled
    ),
    (.types([.alert]), true, .enabled, .disabled), (.none, false, .disabled, .disabled),
  ])
  func `--grant answers at once: all, some types, none`(
    policy: GrantPolicy, granted: Bool, alert: NotificationSettings.Switch,
    sound: NotificationSettings.Switch
  ) throws {
    let bench = ModelBench(policy: policy)
    let (connection, _) = bench.connect()
    let answer = try #require(
      bench.ask(connection, .requestAuthorization([.alert, .sound])).answers.first)
    #expect(answer.isGranted == granted)
    #expect(try answer.settings().alert == alert)
    #expect(try answer.settings().sound == sound)
  }

  @Test
  func `a postponed prompt decides nothing, and the next request prompts again`() {
    let bench = ModelBench(policy: .ask)
    let (connection, _) = bench.connect()
    #expect(bench.ask(connection, .requestAuthorization([.alert])).prompts.count == 1)
    bench.postponePrompt()
    let answers = bench.take().answers
    #expect(answers.map(\.isGranted) == [false])
    #expect(bench.settings()["authorization"] == "notDetermined")
    #expect(bench.ask(connection, .requestAuthorization([.alert])).prompts.count == 1)
  }

  @Test
  func `Registering makes the app's pane, unregistering removes it`() {
    let bench = ModelBench()
    let (control, _) = bench.connect(role: .control)
    func panes(of app: String? = nil) -> Int {
      let effects = bench.ask(control, .control(.appSettings(app: app)))
      return effects.answers.first?.rows.count ?? -1
    }
    #expect(panes() == 0)
    let connection = bench.authorized()
    // S4-4
    #expect(panes() == 1)
    bench.ask(connection, .register(.alert))
    #expect(panes(of: ModelBench.burger.text) == 1)
    bench.ask(connection, .unregister(.alert))
    #expect(panes() == 0)
    #expect(panes(of: ModelBench.burger.text) == 0)
    let kept = bench.disk[.apps, ModelBench.burger.text].flatMap { try? JSONValue(parsing: $0) }
    #expect(kept?.objectValue.flatMap(LocalApp.init)?.isInSettings == false)
    bench.ask(connection, .register(.alert))
    #expect(panes() == 1)
  }

  @Test
  func `Apps are notified of the device's languages when they change, not when they are set again`()
  {
    let bench = ModelBench()
    _ = bench.authorized()
    #expect(bench.command(.changeDevice(["languages": "fr"])).told == [.languages(["fr"])])
    #expect(bench.command(.changeDevice(["languages": "fr"])).told.isEmpty)
    #expect(
      bench.command(.changeDevice(["languages": "fr,de"])).told == [.languages(["fr", "de"])])
  }

  @Test
  func `There is a switch for each type that was asked for, and for no other`() throws {
    let bench = ModelBench()
    let connection = bench.authorized(options: [.sound])
    let settings = try #require(bench.ask(connection, .settings).answers.first).settings()
    #expect(settings.sound == .enabled)
    #expect(settings.alert == .notSupported)
    #expect(settings.badge == .notSupported)
  }

  @Test
  func `Changing a switch notifies the app and takes effect`() throws {
    let bench = ModelBench()
    let connection = bench.authorized(state: .foreground)
    let (control, _) = bench.connect(role: .control)
    let effects = bench.ask(
      control, .control(.changeSettings(app: ModelBench.burger.text, ["alert": "off"])))
    guard case .settings(let settings)? = effects.told.first else {
      Issue.record("the app was not notified")
      return
    }
    #expect(settings.alert == .disabled)
    #expect(try #require(bench.ask(connection, .settings).answers.first).settings() == settings)
  }

  @Test func `an app is notified of the user's choice of previews`() throws {
    let bench = ModelBench()
    let connection = bench.authorized()
    for word in ["never", "whenAuthenticated", "always"] {
      let effects = bench.command(
        .changeSettings(app: ModelBench.burger.text, ["previews": word]))
      let answer = try #require(bench.ask(connection, .settings).answers.first)
      let settings = try answer.settings()
      #expect(settings.previews.rawValue == word)
      #expect(effects.told == [.settings(settings)])
    }
  }

  @Test
  func `a switch for what was never asked does not exist`() {
    let bench = ModelBench()
    _ = bench.authorized(options: [.sound])
    let (control, _) = bench.connect(role: .control)
    let effects = bench.ask(
      control, .control(.changeSettings(app: ModelBench.burger.text, ["alert": "off"])))
    #expect(effects.refusals == [.invalidArgument])
  }

  @Test
  func `client-api 3.33: provisional permission needs no prompt and delivers only to the list`()
    throws
  {
    let bench = ModelBench(policy: .ask)
    let (connection, _) = bench.connect()
    let answer = try #require(
      bench.ask(connection, .requestAuthorization([.alert, .provisional])).answers.first)
    #expect(answer.isGranted)
    #expect(try answer.settings().status == .provisional)
    let effects = bench.ask(connection, .add(ModelBench.request()))
    #expect(effects.presented.isEmpty)
    #expect(effects.suppressed == [.quiet])
    #expect(bench.centerIDs() == ["n"])
  }

  @Test
  func `client-api 3.15: without permission a notification is refused as Apple refuses it`() {
    let bench = ModelBench(policy: .none)
    let (connection, _) = bench.connect()
    #expect(
      bench.ask(connection, .add(ModelBench.request())).refusals == [.notificationsNotAllowed])
  }

  @Test
  func `notify prompts for an app that never asked, and is refused if the user refuses`() {
    let bench = ModelBench(policy: .ask)
    let (control, _) = bench.connect(role: .control)
    let request = ControlRequest.notify(app: "org.example.new", ModelBench.request())
    #expect(bench.ask(control, .control(request)).prompts.count == 1)
    bench.answerPrompt(isAllowed: false)
    #expect(bench.take().refusals == [.notificationsNotAllowed])
    #expect(bench.ask(control, .control(request)).refusals == [.notificationsNotAllowed])
  }

  @Test func `an app receives its settings once the user has decided`() {
    for isAllowed in [true, false] {
      let bench = ModelBench(policy: .ask)
      let (connection, _) = bench.connect()
      bench.ask(connection, .requestAuthorization([.alert]))
      bench.answerPrompt(isAllowed: isAllowed)
      let told = bench.take().told.compactMap {
        if case .settings(let settings) = $0 { settings.status } else { nil }
      }
      #expect(told == [isAllowed ? .authorized : .denied])
    }
  }

  @Test(arguments: [true, false])
  func `time-sensitive is an option of a development app, and claimed by an installed one`(
    isClaimed: Bool
  ) throws {
    func timeSensitive(
      _ bench: ModelBench, _ options: Set<AuthorizationOption>
    ) throws -> NotificationSettings.Switch? {
      let connection = bench.authorized(options: options)
      return try bench.ask(connection, .settings).answers.first?.settings().timeSensitive
    }
    let options: Set<AuthorizationOption> = [.alert, .timeSensitive]
    #expect(try timeSensitive(ModelBench(), options) == .enabled)
    #expect(try timeSensitive(ModelBench(), [.alert]) == .notSupported)
    let bench = ModelBench()
    bench.install { if !isClaimed { $0.entitlements.remove(.timeSensitive) } }
    #expect(try timeSensitive(bench, [.alert]) == (isClaimed ? .enabled : .notSupported))
    #expect(try timeSensitive(bench, options) == (isClaimed ? .enabled : .notSupported))
  }

  @Test func `a stored record keeps its entitlements, and an older record without any has all`() {
    var record = LocalApp(id: ModelBench.burger)
    record.installation = LocalApp.Installation(executable: "/opt/burger")
    record.installation?.entitlements = [.timeSensitive]
    #expect(LocalApp(json: record.json)?.installation?.entitlements == [.timeSensitive])
    var older = record.json
    var installation = older["installation"]?.objectValue
    installation?["entitlements"] = nil
    older["installation"] = installation.map(JSONValue.object)
    #expect(
      LocalApp(json: older)?.installation?.entitlements == Set(Entitlement.allCases))
  }
}
