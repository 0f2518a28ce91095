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
    extensionProblems: [AppExtension.Problem] = [], gatewayRefusal: String? = nil,
    lacksLocationUsage: Bool = false, waitsForPlace: Bool = false, holdsPush: Bool = false,
    holdsBackgroundWork: Bool = false
  ) -> [String] {
    app.findings(
      isUndecided: isUndecided, programProblem: programProblem,
      extensionProblems: extensionProblems, tokenAdvice: "ask the gateway",
      gatewayRefusal: gatewayRefusal, lacksLocationUsage: lacksLocationUsage,
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
