import AppWire
import Testing

@testable import Agent

@Suite("Commands that leave before their answer")
struct GoneConnectionTests {
  @Test
  func `an app's dialogs are withdrawn when its last process ends; its notifications remain`() {
    let bench = ModelBench()
    let first = bench.authorized()
    let (second, _) = bench.connect()
    let dialog = NotificationRequest.dialogPrefix + "1"
    bench.ask(first, .add(ModelBench.request(dialog)))
    bench.ask(first, .add(ModelBench.request()))
    #expect(bench.handle(.appDisconnected(first)).withdrawn.isEmpty)
    #expect(bench.handle(.appDisconnected(second)).withdrawn.map(\.id) == [dialog])
  }

  @Test
  func
    `a command's notification is shown once the user allows it, even after the command disconnected`()
  {
    let bench = ModelBench(policy: .ask)
    let connection = bench.connect(role: .control).0
    bench.ask(
      connection, .control(.notify(app: "\(ModelBench.burger)", ModelBench.request())))
    bench.handle(.appDisconnected(connection))
    _ = bench.take()
    bench.answerPrompt(isAllowed: true)
    let effects = bench.take()
    #expect(effects.presented.count == 1)
    #expect(effects.answered(connection).isEmpty)
  }

  @Test(arguments: [true, false])
  func `notifications that wait for permission survive a restart and are shown once it is granted`(
    isByPrompt: Bool
  ) {
    let bench = ModelBench(policy: .ask)
    for id in ["first", "second"] {
      bench.command(.notify(app: "\(ModelBench.burger)", ModelBench.request(id)))
    }
    let later = ModelBench.request(
      "later", trigger: .interval(seconds: 60, repeats: false))
    bench.command(.notify(app: "\(ModelBench.burger)", later))
    let next = bench.restarted(policy: .ask)
    #expect(next.start().prompts.map(\.app) == [ModelBench.burger])
    if isByPrompt {
      next.answerPrompt(isAllowed: true)
      #expect(next.take().presented.map(\.key.id) == ["first", "second"])
    } else {
      let settings = ControlRequest.changeSettings(
        app: "\(ModelBench.burger)", ["notifications": "on"])
      #expect(next.command(settings).presented.map(\.key.id) == ["first", "second"])
    }
    #expect(next.command(.scheduled(app: nil)).answers.first?.rows.count == 1)
    #expect(next.disk.keys(.waiting).isEmpty)
    #expect(next.restarted(policy: .ask).start().prompts.isEmpty)
  }

  @Test
  func
    `an agent restarted with the policy to allow all shows notifications that waited for permission`()
  {
    let bench = ModelBench(policy: .ask)
    bench.command(.notify(app: "\(ModelBench.burger)", ModelBench.request()))
    let next = bench.restarted(policy: .all)
    #expect(next.start().presented.count == 1)
    #expect(next.disk.keys(.waiting).isEmpty)
  }

  @Test(arguments: ["refused", "removed", "postponed"])
  func
    `notifications that wait for permission are dropped if the user refuses or the app is removed`(
      end: String
    )
  {
    let bench = ModelBench(policy: .ask)
    bench.command(.notify(app: "\(ModelBench.burger)", ModelBench.request()))
    let next = bench.restarted(policy: .ask)
    _ = next.start()
    switch end {
    case "refused": next.answerPrompt(isAllowed: false)
    case "removed": next.command(.removeApp("\(ModelBench.burger)"))
    default: next.postponePrompt()
    }
    #expect(next.take().presented.isEmpty)
    #expect(next.disk.keys(.waiting).isEmpty)
  }

  @Test(arguments: [true, false])
  func `a notification that the user refused is logged only if its command has disconnected`(
    isGone: Bool
  ) {
    let bench = ModelBench(policy: .ask)
    let connection = bench.connect(role: .control).0
    bench.ask(
      connection, .control(.notify(app: "\(ModelBench.burger)", ModelBench.request())))
    if isGone { bench.handle(.appDisconnected(connection)) }
    _ = bench.take()
    bench.answerPrompt(isAllowed: false)
    let effects = bench.take()
    let logged = effects.contains { effect in
      if case .log(.waitingNotificationRefused(let key, _)) = effect {
        key == ResponseTests.key()
      } else {
        false
      }
    }
    #expect(logged == isGone)
    #expect(effects.answered(connection).isEmpty == isGone)
  }

  @Test
  func `a command that disconnects while the manual clock moves gets no answer`() {
    let bench = ModelBench(hasManualClock: true)
    for request in [ControlRequest.setClock(unixMilliseconds: 500), .setZone("UTC")] {
      let connection = bench.connect(role: .control).0
      let number: Int64 = 9
      let start = bench.decide(
        .appRequested(RequestID(connection: connection, number: number), .control(request)))
      var effects = start + bench.decide(.appDisconnected(connection))
      bench.move(to: 500)
      effects += bench.decide(
        request == .setZone("UTC") ? .zonesChanged(BenchDisk.zones()) : .clockMoved)
      #expect(effects.answered(connection).isEmpty)
    }
  }

  @Test("an app is installed also when the command has left, and nobody is answered")
  func installation() {
    let bench = ModelBench()
    let connection = bench.connect(role: .control).0
    bench.handle(.appDisconnected(connection))
    let effects = bench.decide(
      .installationRead(
        RequestID(connection: connection, number: 9), .success(LocalApp(id: ModelBench.burger))))
    #expect(effects.answered(connection).isEmpty)
    #expect(!bench.settings().members.isEmpty)
  }
}

extension [AgentEffect] {
  /// Returns the IDs of the requests that were answered on a connection.
  fileprivate func answered(_ connection: ConnectionID) -> [RequestID] {
    compactMap { effect in
      switch effect {
      case .answer(let requestID, _), .refuse(let requestID, _):
        requestID.connection == connection && requestID.number != nil ? requestID : nil
      default: nil
      }
    }
  }
}
