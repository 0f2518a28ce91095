import AppWire
import Testing

@testable import Agent

@Suite("Launches that are pending")
struct PendingLaunchTests {
  /// Returns a bench with an installed app that is not running and has these notifications.
  private func bench(_ ids: String...) -> ModelBench {
    let bench = ModelBench()
    let connection = bench.authorized()
    bench.install()
    for id in ids { bench.ask(connection, .add(ModelBench.request(id))) }
    bench.handle(.appDisconnected(connection))
    bench.register()
    return bench
  }

  @Test func `pushes and responses for an app that is being started join its launch`() throws {
    let bench = bench("a", "b")
    let first = try #require(bench.push(RoutingTests.background).orders.first)
    #expect(!first.isJoined)
    let pushed = bench.push(RoutingTests.background, id: 2).orders
    let later = pushed + bench.respond("a", .open).orders + bench.respond("b", .open).orders
    #expect(later.map(\.token) == [first.token, first.token, first.token])
    #expect(later.map(\.isJoined) == [true, true, true])
    let (_, greeted) = bench.connect(launch: first.token)
    let welcome = try #require(greeted.answers.first).welcome()
    #expect(welcome.launch.isForeground)
    // The app receives the latest push and both responses.
    #expect(greeted.asked.count == 3)
  }

  @Test func `an app that does not connect within 30 s is started again for the next response`()
    throws
  {
    let bench = bench("a", "b", "c")
    let first = try #require(bench.respond("a", .open).orders.first)
    bench.now += 29_999
    #expect(bench.respond("b", .open).orders.map(\.isJoined) == [true])
    bench.now += 1
    let next = try #require(bench.respond("c", .open).orders.first)
    #expect(!next.isJoined && next.token != first.token)
  }

  @Test func `after a launch failed, the next response starts the app again`() throws {
    let bench = bench("a", "b")
    let first = try #require(bench.respond("a", .open).orders.first)
    bench.handle(.appLaunchFailed(ModelBench.burger, token: first.token))
    #expect(bench.respond("b", .open).orders.map(\.isJoined) == [false])
  }

  @Test func `an app that the user opens while it is being started for a push is not ended`() throws
  {
    let bench = bench("a")
    let token = try #require(bench.push(RoutingTests.background).orders.first?.token)
    #expect(bench.respond("a", .open).orders.count == 1)
    let effects = bench.handle(.appExpected(ModelBench.burger, token: token))
    #expect(!effects.contains(.end(ModelBench.burger)))
  }
}
