import Testing

@testable import TestSupport

/// Tests of the guarantees that the gateway keeps despite crashes, broken links, slow and full disks, clock changes,
/// and sleeping devices.
///
/// `make simulate` runs more worlds of ``GatewaySimulation``, in a release build.
@Suite struct GatewaySimulationTests {
  /// The worlds are fixed, so every run is the same.
  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `every promise is kept`(seed: UInt64) {
    let outcome = GatewaySimulation.run(seed: seed)
    #expect(outcome.violation == nil, "\(outcome.report)")
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `every promise is kept when one fault follows the other`(seed: UInt64) {
    let outcome = GatewaySimulation.run(seed: seed, length: .short)
    #expect(outcome.violation == nil, "\(outcome.report)")
  }

  /// The devices run the real agent, its push receiver, and its link, and a campaign is sent to their apps.
  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func `what providers are told is what agents store and show`(seed: UInt64) {
    let outcome = GatewaySimulation.run(seed: seed, length: .short, hasAgents: true)
    #expect(outcome.violation == nil, "\(outcome.report)")
  }

  @Test func `a seed gives the same run of the whole system each time`() {
    let one = GatewaySimulation.run(seed: 5, length: .short, hasAgents: true)
    let other = GatewaySimulation.run(seed: 5, length: .short, hasAgents: true)
    #expect(one.report == other.report)
    #expect(one.digest == other.digest)
    #expect(one.pushes > 0 && one.shown > 0)
  }

  @Test func `a seed gives the same run each time`() {
    let one = GatewaySimulation.run(seed: 5)
    let other = GatewaySimulation.run(seed: 5)
    #expect(one.report == other.report)
    #expect(one.digest == other.digest)
    #expect(one.pushes > 0 && one.shown > 0)
  }

  @Test
  func
    `a simulated world depends only on its seed, not on the process's keys or on earlier worlds`()
    throws
  {
    // Socket buffers are small, so a difference of a single byte changes the course of events.
    let first = GatewaySimulation.run(seed: 11, identities: try SimulatedIdentities())
    for seed: UInt64 in 12...13 { _ = GatewaySimulation.run(seed: seed) }
    let later = GatewaySimulation.run(seed: 11)
    #expect(first.report == later.report)
    #expect(first.digest == later.digest)
    #expect(first.digest != GatewaySimulation.run(seed: 12).digest)
  }
}
