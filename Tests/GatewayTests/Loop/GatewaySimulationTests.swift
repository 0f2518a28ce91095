import TestSupport
import Testing

/// The gateway's promises under crashes, broken links, slow and full disks, clocks that are set, and devices
/// that sleep.
///
/// `make simulate` plays more worlds of ``GatewaySimulation``, in a release build.
@Suite struct GatewaySimulationTests {
  /// A bounded number of worlds, the same ones each time.
  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `every promise is kept`(seed: UInt64) {
    let outcome = GatewaySimulation.run(seed: seed)
    #expect(outcome.violation == nil, "\(outcome.report)")
  }

  @Test func `a seed gives the same run each time`() {
    let one = GatewaySimulation.run(seed: 3)
    let other = GatewaySimulation.run(seed: 3)
    #expect(one.report == other.report)
    #expect(one.pushes > 0 && one.shown > 0)
  }
}
