import Testing

@testable import BelfryProvider

private let second: Int64 = 1_000_000_000

@Test func `a silent connection that owes answers is asked and then taken for dead`() {
  var liveness = Liveness(now: 0)
  let due = liveness.requestSent(now: second)
  #expect(due == 11 * second)
  #expect(liveness.check(now: 11 * second, owesAnswers: true) == .ping(thenAt: 16 * second))
  #expect(liveness.check(now: 16 * second, owesAnswers: true) == .dead)
}

@Test func `received bytes restart the wait`() {
  var liveness = Liveness(now: 0)
  _ = liveness.requestSent(now: 0)
  liveness.bytesReceived(now: 4 * second)
  #expect(liveness.check(now: 10 * second, owesAnswers: true) == .checkAgain(at: 14 * second))
  #expect(liveness.check(now: 14 * second, owesAnswers: true) == .ping(thenAt: 19 * second))
  liveness.bytesReceived(now: 15 * second)
  #expect(liveness.check(now: 19 * second, owesAnswers: true) == .checkAgain(at: 25 * second))
}

@Test func `a connection that owes no answers is idle and is not pinged`() {
  var liveness = Liveness(now: 0)
  _ = liveness.requestSent(now: 0)
  #expect(liveness.check(now: 10 * second, owesAnswers: false) == .idle)
}
