import TestSupport
import Testing

/// Tests of the guarantees that the agent keeps despite crashes, full disks, unresponsive apps, and clock changes.
///
/// `make simulate MODEL=agent [SEED=n] [SECONDS=n]` simulates more worlds of ``AgentSimulation``.
@Suite struct AgentSimulationTests {
  /// A few small worlds with restarts, due notifications, and pushes.
  ///
  /// The seeds are fixed, so every run is the same.
  @Test(arguments: [4, 7, 14, 24, 30] as [UInt64])
  func `every promise is kept`(seed: UInt64) {
    let outcome = AgentSimulation.run(seed: seed)
    #expect(outcome.violation == nil, "\(outcome.report)")
  }

  /// `make simulate` found faults with the last three seeds.
  @Test(arguments: Array(1...20) + [1_795_863_342_897, 1_795_875_052_460, 1_795_875_061_243])
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
