import BelfryWire
import Testing

@testable import Agent

@Suite("Commands that leave before their answer")
struct GoneConnectionTests {
  @Test
  func
    `what a command wanted to be shown is shown once a person allows it, and nobody is answered`()
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

  @Test
  func `a manual clock arrives where a command sent it, and nobody is answered`() {
    let bench = ModelBench(hasManualClock: true)
    for request in [ControlRequest.setClock(unixMilliseconds: 500), .setZone("UTC")] {
      let connection = bench.connect(role: .control).0
      let number: Int64 = 9
      let start = bench.decide(
        .appRequested(Ask(connection: connection, number: number), .control(request)))
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
        Ask(connection: connection, number: 9), .success(LocalApp(id: ModelBench.burger))))
    #expect(effects.answered(connection).isEmpty)
    #expect(!bench.settings().members.isEmpty)
  }
}

extension [AgentEffect] {
  /// Answers that somebody on a connection waits for.
  fileprivate func answered(_ connection: ConnectionID) -> [Ask] {
    compactMap { effect in
      switch effect {
      case .answer(let ask, _), .refuse(let ask, _):
        ask.connection == connection && ask.number != nil ? ask : nil
      default: nil
      }
    }
  }
}
