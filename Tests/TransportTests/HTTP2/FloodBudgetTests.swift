import Testing

@testable import Transport

@Suite struct FloodBudgetTests {
  private static let nanosecondsPerPoint = 1_000_000_000 / Limits.floodPointsPerSecond

  /// Charges PING frames until the budget is exhausted, and returns their number.
  private func pings(_ budget: inout FloodBudget) -> Int {
    var count = 0
    while budget.charge(.frame(type: HTTP2FrameType.ping.rawValue, flags: 0, length: 8)) {
      count += 1
    }
    return count
  }

  @Test func `time gives points back, however often it is looked at`() {
    // Regain ten seconds' worth of budget, once in a single step and once in steps of three quarters of the time for
    // one point.
    for step in [10_000_000_000, Self.nanosecondsPerPoint * 3 / 4] {
      var budget = FloodBudget(nowNanoseconds: 0)
      _ = pings(&budget)
      var now: Int64 = 0
      while now < 10_000_000_000 {
        now += step
        budget.refill(nowNanoseconds: now)
      }
      // The budget has 200 points again, minus up to 10 points for the frame that exceeded the budget.
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
