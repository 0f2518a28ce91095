import Testing

@testable import TestSupport

/// Tests of the guarantees that the gateways of a cluster keep despite frozen and restarted gateways, lost and doubled
/// messages, and a database whose commits have unknown results (docs/cluster.md).
///
/// `make simulate MODEL=cluster` runs more worlds, in a release build.
@Suite struct ClusterSimulationTests {
  /// The worlds are fixed, so every run is the same.
  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `the gateways of a cluster keep every promise`(seed: UInt64) {
    let outcome = GatewaySimulation.run(seed: seed, length: .short, model: .cluster)
    #expect(outcome.violation == nil, "\(outcome.report)")
  }

  @Test func `a seed gives the same run of a cluster each time`() {
    let one = GatewaySimulation.run(seed: 5, length: .short, model: .cluster)
    let other = GatewaySimulation.run(seed: 5, length: .short, model: .cluster)
    #expect(one.report == other.report)
    #expect(one.digest == other.digest)
  }

  /// The first worlds in which the consequences of each broken rule are visible.
  private static let worlds: [(PlantedFault, seed: UInt64)] = [
    (.earlyAnswer, 23), (.unwrittenRetry, 45), (.loadBeforeClaim, 4), (.loadBeforeFollow, 35),
    (.numbersBeforeCommit, 14),
  ]

  @Test(arguments: worlds)
  func `a broken rule of the database or its clients is noticed`(
    fault: PlantedFault, seed: UInt64
  ) {
    let broken = GatewaySimulation.run(
      seed: seed, length: .short, model: .cluster, planted: fault)
    #expect(broken.violation != nil)
    let sound = GatewaySimulation.run(seed: seed, length: .short, model: .cluster)
    #expect(sound.violation == nil, "\(sound.report)")
  }

  @Test func `every broken rule has a world`() {
    #expect(Set(Self.worlds.map(\.0)) == Set(PlantedFault.allCases))
  }
}
