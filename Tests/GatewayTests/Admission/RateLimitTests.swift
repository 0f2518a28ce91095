import Dispatch
import Synchronization
import Testing

@testable import Gateway

@Suite struct RateLimitTests {
  private let second: Int64 = 1_000_000_000

  @Test func `a second's worth goes at once, then one at a time`() {
    let limit = RateLimit(perSecond: 4)
    var next: Int64 = 0
    let start = 100 * second
    #expect((0..<10).filter { _ in limit.admits(&next, at: start) }.count == 4)
    #expect(limit.wait(next, at: start) == second / 4)
    #expect(!limit.admits(&next, at: start + second / 4 - 1))
    #expect(limit.admits(&next, at: start + second / 4))
    #expect(!limit.admits(&next, at: start + second / 4))
    #expect((0..<10).filter { _ in limit.admits(&next, at: start + 10 * second) }.count == 4)
  }

  @Test func `one that is refused costs nothing`() {
    let limit = RateLimit(perSecond: 1)
    var next: Int64 = 0
    #expect(limit.admits(&next, at: second))
    for _ in 0..<100 { #expect(!limit.admits(&next, at: second)) }
    #expect(limit.admits(&next, at: 2 * second))
  }

  @Test func `threads that share a rate limit cannot exceed it together`() {
    let shared = SharedRate(RateLimit(perSecond: 200_000))
    let admitted = Atomic<Int>(0)
    // There are enough events for threads to change the limit's state at the same time.
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      let count = (0..<100_000).count { _ in shared.admits(at: second) }
      admitted.add(count, ordering: .relaxed)
    }
    #expect(admitted.load(ordering: .relaxed) == 200_000)
    #expect(shared.admits(at: 2 * second))
  }
}
