import TestSupport
import Testing

/// Tests that simulate campaigns with crashes, a failing store, lost requests and answers, and an operator who
/// interferes.
///
/// `make simulate MODEL=campaign` runs many more simulations.
@Suite(.timeLimit(.minutes(60))) struct CampaignSimulationTests {
  @Test(arguments: [1, 1_000, 2_000, 3_000] as [UInt64])
  func `every campaign reaches each device at most once, and counts each outcome`(first: UInt64) {
    for seed in first..<first + 25 {
      let outcome = CampaignSimulation.run(seed: seed, length: .short)
      #expect(outcome.violation == nil, "\(outcome.report)")
    }
  }
}
