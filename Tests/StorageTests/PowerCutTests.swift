import TestSupport
import Testing

/// `make simulate MODEL=disk` plays more worlds of ``PowerCutSimulation``, in a release build.
@Suite struct PowerCutTests {
  /// A bounded number of worlds, the same ones each time; eight of them have every store.
  @Test(arguments: 1...24 as ClosedRange<UInt64>)
  func `what a store acknowledged is there after a power cut, and nothing else`(seed: UInt64) {
    let outcome = PowerCutSimulation.run(seed: seed)
    #expect(outcome.violation == nil, "\(outcome.report)")
    #expect(outcome.cuts > 0 && outcome.acknowledged > 0)
  }

  @Test func `A flipped bit is found, and never used`() {
    let flips = (30...53 as ClosedRange<UInt64>).compactMap {
      PowerCutSimulation.run(seed: $0).flip
    }
    #expect(flips.contains { $0 != "unchanged" }, "\(flips)")
    #expect(flips.count > 12, "\(flips)")
  }

  @Test func `cuts find changes that were not synced`() {
    let unsynced = (1...8 as ClosedRange<UInt64>).map { PowerCutSimulation.run(seed: $0).unsynced }
    #expect(unsynced.reduce(0, +) > 100)
  }
}
