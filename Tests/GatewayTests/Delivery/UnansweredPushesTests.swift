import BelfryWire
import Testing

@testable import Gateway
@testable import TestSupport

private typealias Bench = DeliveryBench

/// Tests of the limit on pushes that wait for their answers.
@Suite struct UnansweredPushesTests {
  @Test func `one token has a bound that another does not feel, until its pushes are answered`()
    throws
  {
    var bench = Bench()
    bench.checksInvariants = false
    let (hot, other) = (Bench.key(), Bench.key(app: 8))
    for number in 0..<Limits.tokenUnansweredMax {
      let hasRoom = bench.core.hasRoom(for: hot)
      #expect(hasRoom)
      bench.push("\(number)", to: hot)
    }
    let rooms = (bench.core.hasRoom(for: hot), bench.core.hasRoom(for: other))
    #expect(rooms == (false, true))
    bench.core.checkInvariants()
    while try bench.commit() > 0 {}
    #expect(bench.answered.count == Limits.tokenUnansweredMax)
    let hasRoomAgain = bench.core.hasRoom(for: hot)
    #expect(hasRoomAgain)
    bench.core.checkInvariants()
  }

  @Test func `every end of a notification ends the wait for its answer`() throws {
    var bench = Bench()
    bench.checksInvariants = false
    for number in 0..<1_010 { bench.push("\(number)", to: Bench.key(2)) }
    bench.checksInvariants = true
    try bench.connect(window: 1)
    for text in ["sent", "replaced", "last"] { bench.push(text, collapseID: "c") }
    bench.push("once", expiresIn: 0)
    bench.push("disabled", to: Bench.key(app: 9))
    bench.core.disable(Bench.key(app: 9), now: bench.now)
    bench.drain()
    try bench.acknowledge("sent")
    while try bench.commit(isDurable: false) > 0 {}
    bench.core.disconnect(1, session: SessionID(1), now: bench.now)
    bench.drain()
    bench.pass(milliseconds: 3)
    while try bench.commit() > 0 {}
    #expect(bench.answered.count + bench.failed.count == 1_015)
    for _ in 0..<5_000 { bench.push("later", to: Bench.key(3), expiresIn: 0) }
    let hasRoom = bench.core.hasRoom(for: Bench.key(3))
    #expect(hasRoom, "they were answered immediately")
  }

  @Test func `a push beyond its token's bound is answered TooManyRequests`() throws {
    let scenario = try LoopScenario(loops: 2)
    let provider = RecordingProvider()
    scenario.register(device: 1)
    #expect(scenario.part.front.connections.makeNumber() == provider.number)
    scenario.part.front.connections.add(provider)
    for number in 0...Limits.tokenUnansweredMax {
      scenario.submit(device: 1, stream: Int32(number), of: provider)
    }
    #expect(provider.answers == ["\(Limits.tokenUnansweredMax) TooManyRequests"])
    #expect(provider.load.unanswered == Limits.tokenUnansweredMax)
  }

  @Test func `a connection's pushes count for its team until they are answered, though it ended`() {
    var connections = ProviderConnections()
    let provider = RecordingProvider()
    let team = connections.load(ofTeam: "TEAM")
    provider.load.team = team
    #expect(connections.load(ofTeam: "TEAM") === team)
    for _ in 0..<Limits.teamUnansweredMax { provider.load.begin() }
    #expect(!team.hasRoom && !provider.load.hasRoom)
    while connections.makeNumber() < provider.number {}
    connections.add(provider)
    let present = connections.answered(provider.number)
    #expect(present === provider)
    let wasThere = connections.remove(provider)
    #expect(wasThere)
    for _ in 1..<Limits.teamUnansweredMax {
      let departed = connections.answered(provider.number)
      #expect(departed == nil)
    }
    #expect(team.unanswered == 0 && team.hasRoom)
    connections.checkInvariants()
  }

  @Test func `frames of the binary interface wait until there is room, and all are handled`() throws
  {
    let harness = try GatewayHarness(loops: 1)
    let device = harness.device()
    device.goOffline()
    harness.pass(milliseconds: 1_000)
    let count = Limits.providerUnansweredMax * 2
    let client = BinaryConnectionTests.client(harness)
    var frames: [UInt8] = []
    var pushes: [UInt64] = []
    for number in 0..<count {
      pushes.append(harness.open(for: device))
      frames += BinaryConnectionTests.frame(
        UInt32(number), token: try harness.token(of: device), push: pushes[number])
    }
    client.send(frames)
    harness.pass(milliseconds: 5_000)
    #expect(client.received.isEmpty && !client.isClosed)
    device.goOnline()
    harness.pass(milliseconds: 5_000)
    #expect(harness.state(of: pushes[count - 1])?.shown == 1)
    #expect(harness.violation == nil)
  }
}
