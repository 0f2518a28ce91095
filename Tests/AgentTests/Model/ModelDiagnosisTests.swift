import AppWire
import BelfryWire
import Testing

@testable import Agent

/// Tests of what `belfry doctor` reports about an app whose notifications might not be visible.
@Suite struct ModelDiagnosisTests {
  /// Returns an installed app with permission to send notifications.
  private func app(_ change: (inout LocalApp) -> Void = { _ in }) -> LocalApp {
    var app = LocalApp(id: ModelBench.burger)
    app.installation = LocalApp.Installation(executable: "/opt/burger")
    app.backgroundModes = ["remote-notification"]
    app.status = .authorized
    app.asked = [.alert]
    change(&app)
    return app
  }

  private func findings(
    _ app: LocalApp, isUndecided: Bool = false,
    programProblem: (problem: String, advice: String)? = nil,
    extensionProblems: [AppExtension.Problem] = [],
    extensionSilence: ServiceExtensions.Silence? = nil, gatewayRefusal: String? = nil,
    lacksLocationUsage: Bool = false, waitsForPlace: Bool = false, holdsPush: Bool = false,
    holdsBackgroundWork: Bool = false
  ) -> [String] {
    app.findings(
      isUndecided: isUndecided, programProblem: programProblem,
      extensionProblems: extensionProblems, extensionSilence: extensionSilence,
      tokenAdvice: "ask the gateway", gatewayRefusal: gatewayRefusal,
      lacksLocationUsage: lacksLocationUsage,
      waitsForPlace: waitsForPlace, holdsPush: holdsPush, holdsBackgroundWork: holdsBackgroundWork
    ).map { $0.isFine ? $0.detail : "\($0.detail) | \($0.advice)" }
  }

  @Test func `an app that may notify is fine`() {
    #expect(findings(app()) == ["can show notifications"])
    #expect(
      findings(app { $0.registrations = [.alert: .init(token: [1])] }) == ["can show notifications"]
    )
  }

  @Test func `each obstacle is named with what to do`() {
    let obstacles: [((inout LocalApp) -> Void, String)] = [
      (
        { $0.status = .notDetermined },
        "asked for permission, but the user has not answered"
          + " | belfry settings org.example.burger notifications=on"
      ),
      (
        {
          $0.status = .notDetermined
          $0.asked = []
        },
        "never asked for permission | make the app call requestAuthorization, or run "
          + "'belfry app run org.example.burger --authorize alert,sound'"
      ),
      (
        { $0.status = .denied },
        "denied by the user | belfry settings org.example.burger notifications=on"
      ),
      (
        { $0.asked = [] },
        "authorized, but never requested alerts, sounds or badges: its notifications are not seen or heard"
          + " | make the app call requestAuthorization, or run "
          + "'belfry app run org.example.burger --authorize alert,sound'"
      ),
      (
        { $0.switches.alert = false },
        "alerts are turned off | belfry settings org.example.burger alert=on"
      ),
      (
        { $0.switches.alertStyle = .none },
        "banners are turned off (style=none): its notifications are only listed"
          + " | belfry settings org.example.burger style=banner"
      ),
      (
        { $0.switches.center = false },
        "the Notification Center is turned off (center=off): its notifications are not listed"
          + " | belfry settings org.example.burger center=on"
      ),
      (
        {
          $0.switches.alertStyle = .none
          $0.switches.center = false
        },
        "banners and the Notification Center are turned off (style=none, center=off): its notifications are neither "
          + "shown nor listed | belfry settings org.example.burger style=banner center=on"
      ),
      (
        { $0.installation?.entitlements = [] },
        "its manifest does not claim aps-environment: it gets no token"
          + " | add it and run 'belfry app install' again"
      ),
      (
        { $0.registrations = [.alert: .init()] },
        "registered, but has no token yet | ask the gateway"
      ),
      (
        {
          $0.registrations = [.alert: .init(token: [1])]
          $0.backgroundModes = []
        },
        "its manifest lacks the background mode remote-notification: pushes do not start it"
          + " | if the app needs background pushes, add it and run 'belfry app install' again"
      ),
    ]
    for (change, expected) in obstacles { #expect(findings(app(change)) == [expected]) }
  }

  @Test func `an app whose program is missing needs attention`() {
    #expect(
      findings(app(), programProblem: ("/opt/burger does not exist", "build it"))
        == ["cannot be started, because /opt/burger does not exist | build it"])
  }

  @Test func `an app with an extension that cannot be used needs attention`() {
    let problem = AppExtension.Problem(problem: "the extension is ignored", advice: "correct it")
    #expect(
      findings(app(), extensionProblems: [problem]) == ["the extension is ignored | correct it"])
  }

  @Test func `an app whose extension returned nothing for the latest push needs attention`() throws
  {
    #expect(
      findings(app(), extensionSilence: .ended) == [
        "its service extension returned nothing for the latest push, so the push was shown unchanged: its process "
          + "exited before it connected | check whether it crashes, or lacks @main"
      ])
    let bench = ModelBench()
    _ = bench.authorized()
    func reports() -> Bool {
      bench.command(.diagnose).contains { effect in
        guard case .diagnose(_, let diagnosis) = effect else { return false }
        return diagnosis.appFindings.contains { $0.detail.contains("extension returned nothing") }
      }
    }
    for (id, isInstalledAgain) in [(UInt64(1), false), (2, true)] {
      bench.install { $0.serviceExtension = "/opt/extension" }
      let order = try #require(bench.push(ExtensionTests.mutable, id: id).extensions.first)
      bench.handle(.extensionEnded(token: order.token))
      #expect(reports())
      if isInstalledAgain {
        bench.install { $0.serviceExtension = "/opt/extension" }
      } else {
        let next = try #require(bench.push(ExtensionTests.mutable, id: 9).extensions.first)
        let (_, greeted) = bench.connect(role: .serviceExtension, launch: next.token)
        let question = try #require(greeted.asked.first?.0)
        bench.handle(.appReplied(question, .content(ModelBench.request().content)))
      }
      #expect(!reports())
    }
  }

  @Test func `a refusal because of the manifest ends when a corrected manifest is installed`()
    throws
  {
    let bench = ModelBench()
    bench.handle(.gatewayKnown(.sandbox))
    bench.install { $0.entitlements = [] }
    let connection = bench.authorized()
    bench.ask(connection, .register(.alert))
    func details() -> [String] {
      bench.command(.diagnose).flatMap { effect -> [String] in
        guard case .diagnose(_, let diagnosis) = effect else { return [] }
        return diagnosis.appFindings.map { "\($0.detail) | \($0.advice)" }
      }
    }
    #expect(details().contains { $0.contains("does not claim aps-environment") })
    bench.install { $0.pushEnvironment = "production" }
    #expect(details().contains { $0.contains("it claims production, but the gateway belongs") })
    bench.install { $0.pushEnvironment = "development" }
    #expect(
      details().contains(
        "\(ModelBench.burger) has not registered since its manifest was corrected | start the app, so that it registers"
      ))
    bench.ask(connection, .register(.alert))
    bench.handle(.registrationSucceeded(ModelBench.burger, .alert, token: [1]))
    #expect(details().allSatisfy { !$0.contains("manifest was corrected") })
  }

  @Test func `a notification for a place needs permission to use the location`() {
    #expect(
      findings(app(), waitsForPlace: true) == [
        "has a notification for a place, but no permission to use the location: the notification waits"
          + " | belfry settings org.example.burger location=whenInUse"
      ])
    for status in [LocationStatus.whenInUse, .always] {
      #expect(
        findings(app { $0.locationStatus = status }, waitsForPlace: true)
          == ["can show notifications"])
    }
  }

  @Test func `the diagnosis finds the notifications that wait for a place`() throws {
    let bench = ModelBench()
    let connection = bench.authorized()
    let place = NotificationRegion(
      id: "r", shape: .circle(latitude: 48, longitude: 11, radius: 100))
    bench.ask(
      connection, .add(ModelBench.request(trigger: .region(place, repeats: false))))
    let effects = bench.command(.diagnose)
    let details = effects.compactMap { effect -> [Finding]? in
      if case .diagnose(_, let diagnosis) = effect { diagnosis.appFindings } else { nil }
    }
    #expect(details.joined().contains { $0.detail.hasPrefix("has a notification for a place") })
  }

  @Test func `each waiting item is listed with the reason why it waits`() {
    let asked = app { $0.status = .notDetermined }
    #expect(findings(asked, isUndecided: true).first?.hasPrefix("waiting for the user") == true)
    #expect(findings(app(), lacksLocationUsage: true).first?.contains("location") == true)
    #expect(
      findings(app(), holdsPush: true) == [
        "a background push is waiting | the app's budget is used up: the push is delivered later"
      ])
    #expect(
      findings(app(), holdsPush: true, holdsBackgroundWork: true) == [
        "a background push is waiting | until power or an unrestricted network is available"
      ])
  }
}
