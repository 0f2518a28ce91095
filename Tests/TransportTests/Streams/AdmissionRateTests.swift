import System
import TestSupport
import Testing

@testable import Transport

@Suite struct AdmissionRateTests {
  @Test func `a bucket admits a burst at once, and then one connection per interval`() {
    var rate = AdmissionRate(perSecond: 10, burst: 3)
    let start: Int64 = 5_000_000_000
    for _ in 0..<3 {
      #expect(rate.wait(at: start) == 0)
      rate.take(at: start)
    }
    #expect(rate.wait(at: start) == 100_000_000)
    #expect(rate.wait(at: start + 60_000_000) == 40_000_000)
    #expect(rate.wait(at: start + 100_000_000) == 0)
    rate.take(at: start + 100_000_000)
    #expect(rate.wait(at: start + 100_000_000) == 100_000_000)
  }

  @Test func `a long pause fills the bucket with no more than a burst`() {
    var rate = AdmissionRate(perSecond: 1_000, burst: 2)
    rate.take(at: 0)
    let later: Int64 = 3_600_000_000_000
    rate.take(at: later)
    rate.take(at: later)
    #expect(rate.wait(at: later) == 1_000_000)
  }

  @Test
  func `a listener leaves connections beyond its rate in the backlog, and accepts them later`()
    throws
  {
    let harness = try StreamHarness()
    var accepted = 0
    let listener = try harness.listen { _ in
      accepted += 1
      return Recorder()
    }
    listener.limitAdmissions(perSecond: 20, burst: 2)
    let clients = (0..<4).map { _ in Recorder() }
    let start = SystemClock.monotonicNanoseconds
    let streams = clients.map { harness.connect(listener, handler: $0) }
    harness.run("all connections") { accepted == 4 }
    // The third and the fourth connection each wait for an interval of 50 ms.
    #expect(SystemClock.monotonicNanoseconds - start >= 100_000_000)
    for stream in streams { stream.close() }
    listener.close()
  }
}
