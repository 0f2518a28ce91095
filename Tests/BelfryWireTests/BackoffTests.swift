import BelfryWire
import Testing

@Suite struct BackoffTests {
  private let backoff = Backoff(firstNanoseconds: 100, longestNanoseconds: 1_000)

  @Test func `delays double up to the limit`() {
    let longest = (1...6).map { failures in
      (0..<500).map { backoff.nanoseconds(afterFailures: failures, random: $0) }.max()
    }
    // Less than half of a pause is random, so no pause reaches its full duration.
    #expect(longest == [99, 199, 399, 799, 999, 999])
    #expect(backoff.nanoseconds(afterFailures: .max, random: 0) == 500)
  }

  @Test func `a delay is at least half of its time, whatever the random number`() {
    for random in [0, 1, 49, 50, 51, .max] as [UInt64] {
      #expect((50..<100).contains(backoff.nanoseconds(afterFailures: 1, random: random)))
    }
  }

  @Test func `a limit of nothing is no delay`() {
    let none = Backoff(firstNanoseconds: .max, longestNanoseconds: 0)
    #expect(none.nanoseconds(afterFailures: 3, random: .max) == 0)
  }
}
