import TestSupport
import Testing

/// The agent's promises under crashes, full disks, apps that do not answer and clocks that are set.
///
/// `make simulate MODEL=agent [SEED=n] [SECONDS=n]` plays more worlds of ``AgentSimulation``.
@Suite struct AgentSimulationTests {
  /// A few small worlds with restarts, firings and pushes, the same ones each time.
  @Test(arguments: [4, 7, 14, 24, 30] as [UInt64])
  func `every promise is kept`(seed: UInt64) {
    let outcome = AgentSimulation.run(seed: seed)
    #expect(outcome.violation == nil, "\(outcome.report)")
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `every promise is kept when one fault follows the other`(seed: UInt64) {
    let outcome = AgentSimulation.run(seed: seed, length: .short)
    #expect(outcome.violation == nil, "\(outcome.report)")
  }

  @Test func `a seed gives the same run each time`() {
    let one = AgentSimulation.trace(seed: 15)
    #expect(one.count > 100)
    #expect(one == AgentSimulation.trace(seed: 15))
  }
}
