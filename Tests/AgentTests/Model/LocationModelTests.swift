import BelfryWire
import Testing

@testable import Agent

@Suite struct LocationModelTests {
  private func bench(
    _ policy: GrantPolicy = .ask, usage: String? = "To ring at the door"
  ) -> (ModelBench, ConnectionID) {
    var bench = ModelBench(policy: policy)
    let (connection, _) = bench.connect()
    bench.model.update(ModelBench.burger) { $0.locationUsage = usage }
    _ = bench.take()
    return (bench, connection)
  }

  private func status(_ effects: [AgentEffect]) -> [LocationStatus] {
    effects.answers.compactMap { try? $0.locationStatus() }
  }

  @Test func `S1-65 the first request asks with the app's own words, later ones do not`() throws {
    var (bench, connection) = bench()
    let asked = bench.ask(connection, .requestLocation(always: false))
    let prompt = try #require(
      asked.compactMap { if case .prompt(let prompt) = $0 { prompt } else { nil } }.first)
    #expect(prompt.subject == .location(usage: "To ring at the door"))
    #expect(status(asked) == [] && !bench.model.mayLocate(ModelBench.burger))
    bench.model.decided(ModelBench.burger, isAllowed: true, atUnixMilliseconds: 1)
    let decided = bench.take()
    // S1-67: the app is told, and asked no more.
    #expect(status(decided) == [.whenInUse])
    #expect(decided.told.contains(.locationStatus(.whenInUse)))
    #expect(bench.model.mayLocate(ModelBench.burger))
    let again = bench.ask(connection, .requestLocation(always: false))
    #expect(status(again) == [.whenInUse] && again.prompts == 0)
  }

  @Test func `S1-65 without a word on what it is for there is no question and no access`() {
    for usage in [nil, ""] {
      var (bench, connection) = bench(.all, usage: usage)
      let asked = bench.ask(connection, .requestLocation(always: true))
      #expect(status(asked) == [.notDetermined] && asked.prompts == 0)
      #expect(!bench.model.mayLocate(ModelBench.burger))
    }
  }

  @Test func `S1-64 an app needs to have asked: what was refused stays so`() {
    var (bench, connection) = bench(.none)
    #expect(!bench.model.mayLocate(ModelBench.burger))
    #expect(status(bench.ask(connection, .requestLocation(always: false))) == [.denied])
    #expect(!bench.model.mayLocate(ModelBench.burger))
  }

  @Test func `S1-73 places switched off for the device are off for all, and back as they were`() {
    var (bench, connection) = bench(.all)
    _ = bench.ask(connection, .requestLocation(always: false))
    bench.model.switchLocation(isOn: false)
    var effects = bench.take()
    #expect(effects.told.contains(.locationStatus(.denied)))
    #expect(effects.contains(.locationPermission))
    #expect(!bench.model.mayLocate(ModelBench.burger))
    bench.model.switchLocation(isOn: true)
    effects = bench.take()
    #expect(effects.told.contains(.locationStatus(.whenInUse)))
    #expect(bench.model.mayLocate(ModelBench.burger))
  }
}
