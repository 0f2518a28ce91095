import System
import Testing

@testable import Gateway
@testable import TestSupport

@Suite struct ExpiryClockTests {
  private static let day: Int64 = 86_400_000
  private static let start: Int64 = 1_700_000_000_000

  /// Two clocks, and the results of comparing them once per second.
  private struct Bench {
    var clock = ExpiryClock(nanoseconds: 5_000_000_000, unixMilliseconds: ExpiryClockTests.start)
    var nanoseconds: Int64 = 5_000_000_000
    var wall = ExpiryClockTests.start
    var findings: [ExpiryClock.Finding] = []

    mutating func pass(seconds: Int) {
      for _ in 0..<seconds {
        nanoseconds += 1_000_000_000
        wall += 1_000
        let finding = clock.compare(nanoseconds: nanoseconds, unixMilliseconds: wall)
        if finding != .unchanged { findings.append(finding) }
      }
    }

    var expiry: Int64 { clock.expiry(nanoseconds: nanoseconds, unixMilliseconds: wall) }
    var storageStart: Int64 {
      clock.storageStart(nanoseconds: nanoseconds, unixMilliseconds: wall)
    }
  }

  @Test func `while both clocks agree, the wall clock decides`() {
    var bench = Bench()
    bench.pass(seconds: 90)
    #expect(bench.expiry == bench.wall && bench.storageStart == bench.wall)
    #expect(bench.findings.isEmpty)
  }

  @Test func `small corrections are followed, however many`() {
    var bench = Bench()
    for _ in 0..<50 {
      bench.wall += 50_000
      bench.pass(seconds: 1)
    }
    #expect(bench.expiry == bench.wall)
    #expect(bench.findings.isEmpty)
  }

  @Test func `a clock that is set forty days ahead, and back, expires nothing`() {
    var bench = Bench()
    bench.pass(seconds: 10)
    let before = bench.wall
    bench.wall += 40 * Self.day
    #expect(bench.expiry == before, "immediately, before the next comparison")
    #expect(bench.storageStart == bench.wall)
    bench.pass(seconds: 3_600)
    #expect(bench.expiry == before + 3_600_000)
    bench.wall -= 40 * Self.day
    bench.pass(seconds: 1)
    #expect(bench.expiry == bench.wall)
    #expect(bench.findings == [.disagreeing(milliseconds: 40 * Self.day), .agreeing])
  }

  @Test func `storage periods do not start earlier after the clock is set back`() {
    var bench = Bench()
    let before = bench.wall
    bench.wall -= 40 * Self.day
    #expect(bench.expiry == bench.wall)
    #expect(bench.storageStart == before)
  }

  @Test func `a new time that lasts for a day is believed`() {
    var bench = Bench()
    bench.wall += 2 * Self.day
    bench.pass(seconds: 86_400)
    #expect(bench.expiry < bench.wall)
    bench.pass(seconds: 2)
    #expect(bench.expiry == bench.wall)
    #expect(bench.findings == [.disagreeing(milliseconds: 2 * Self.day), .agreeing])
  }

  @Test func `each further step begins another day of doubt`() {
    var bench = Bench()
    bench.wall += Self.day
    bench.pass(seconds: 80_000)
    bench.wall += Self.day
    bench.pass(seconds: 80_000)
    #expect(bench.expiry < bench.wall)
    #expect(
      bench.findings == [
        .disagreeing(milliseconds: Self.day), .disagreeing(milliseconds: 2 * Self.day),
      ])
  }

  /// Checks S3-11: a notification expires when its time has passed, and not when a clock is set.
  @Test func `a stored notification survives a jump of the wall clock forward and back`() throws {
    let harness = try GatewayHarness()
    let device = harness.device()
    device.goOffline()
    harness.pass(milliseconds: 1_000)
    let provider = harness.provider(1)
    let before = harness.world.ledger.open(
      .init(device: device.number, topic: harness.world.topics[0]), priority: 10,
      expiration: harness.world.time.unixMilliseconds / 1_000 + 3_600, collapseID: "a", keep: 2)
    provider.push(
      before, to: try harness.token(of: device), topic: harness.world.topics[0], priority: 10,
      expiration: harness.world.time.unixMilliseconds / 1_000 + 3_600, collapseID: "a")
    harness.pass(milliseconds: 1_000)
    harness.world.time.stepWallClock(byMilliseconds: 40 * Self.day)
    harness.pass(milliseconds: 300_000)
    #expect(try harness.world.gateway.notificationStore.count() == 1)
    harness.world.time.stepWallClock(byMilliseconds: -40 * Self.day)
    harness.pass(milliseconds: 120_000)
    device.goOnline()
    harness.pass(milliseconds: 5_000)
    #expect(harness.state(of: before)?.shown == 1)
    #expect(harness.violation == nil)
  }

  @Test
  func `a push accepted while the clock is set back stays stored after the clock is corrected`()
    throws
  {
    let harness = try GatewayHarness()
    let device = harness.device()
    device.goOffline()
    harness.pass(milliseconds: 1_000)
    harness.world.time.stepWallClock(byMilliseconds: -40 * Self.day)
    let push = try harness.push(to: device, by: harness.provider(1))
    #expect(harness.state(of: push)?.isAnswered == true)
    harness.world.time.stepWallClock(byMilliseconds: 40 * Self.day)
    harness.pass(milliseconds: 120_000)
    device.goOnline()
    harness.pass(milliseconds: 5_000)
    #expect(harness.state(of: push)?.shown == 1)
    #expect(harness.violation == nil)
  }
}
