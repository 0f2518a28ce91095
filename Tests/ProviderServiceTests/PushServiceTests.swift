import BelfryProvider
import Synchronization
import Testing

@testable import ProviderService

/// Tests of the state of the connection to the push service, which the console shows.
@Suite struct PushServiceTests {
  @Test func `A service is tested if no connection is open, at most every ten seconds`() {
    let current = Mutex(ProviderConnectionState.idle)
    let connects = Mutex(0)
    let seconds = Mutex<Int64>(0)
    let test = ConnectionTest(
      of: { current.withLock { $0 } }, connect: { connects.withLock { $0 += 1 } },
      now: { seconds.withLock { $0 } * 1_000_000_000 })
    /// Returns the number of tests so far, after the connection was in this state at this time.
    func tests(_ state: ProviderConnectionState, at second: Int64) -> Int {
      current.withLock { $0 = state }
      seconds.withLock { $0 = second }
      #expect(test.state() == state)
      return connects.withLock { $0 }
    }
    #expect(tests(.idle, at: 0) == 1)
    #expect(
      tests(.connected(sinceMilliseconds: 1), at: 60) == 1, "an open connection needs no test")
    // The gateway has stopped: its connection worked until now, which does not show that the gateway still runs.
    #expect(tests(.ended(atMilliseconds: 60_000), at: 61) == 2)
    let failed = ProviderConnectionState.failed(reason: "connection refused")
    #expect(tests(failed, at: 62) == 2, "the test has failed, and is not repeated yet")
    #expect(tests(failed, at: 70) == 2)
    #expect(tests(failed, at: 71) == 3)
  }
}
