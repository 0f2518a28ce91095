import Testing

@testable import Transport

@Suite struct FloodBudgetTests {
  private static let nanosecondsPerPoint = 1_000_000_000 / Limits.floodPointsPerSecond

  /// A PING, as often as the budget bears it.
  private func pings(_ budget: inout FloodBudget) -> Int {
    var count = 0
    while budget.charge(.frame(type: HTTP2FrameType.ping.rawValue, flags: 0, length: 8)) {
      count += 1
    }
    return count
  }

  @Test func `time gives points back, however often it is looked at`() {
    // One step, and steps of three quarters of what a point takes: ten seconds each.
    for step in [10_000_000_000, Self.nanosecondsPerPoint * 3 / 4] {
      var budget = FloodBudget(nowNanoseconds: 0)
      _ = pings(&budget)
      var now: Int64 = 0
      while now < 10_000_000_000 {
        now += step
        budget.refill(nowNanoseconds: now)
      }
      // 200 points, of which the frame that went over the budget has taken up to 10.
      #expect((19...20).contains(pings(&budget)), "steps of \(step) ns")
    }
  }

  @Test func `no more points are kept than a fresh connection has`() {
    var fresh = FloodBudget(nowNanoseconds: 0)
    var old = FloodBudget(nowNanoseconds: 0)
    old.refill(nowNanoseconds: .max)
    old.credit()
    #expect(pings(&old) == pings(&fresh))
  }
}
