import TestSupport
import Testing

/// Tests of the stores under power cuts.
///
/// `make simulate MODEL=disk` runs more worlds of ``PowerCutSimulation``, in a release build.
@Suite struct PowerCutTests {
  /// The outcomes of a fixed number of worlds, which are the same in every run.
  ///
  /// Eight worlds cover every store.
  private static let outcomes = (1...24 as ClosedRange<UInt64>).map {
    PowerCutSimulation.run(seed: $0)
  }

  @Test(arguments: 0..<24)
  func `exactly the changes that a store acknowledged survive a power cut`(world: Int) {
    let outcome = Self.outcomes[world]
    #expect(outcome.violation == nil, "\(outcome.report)")
    #expect(outcome.cuts > 0 && outcome.acknowledged > 0)
  }

  @Test func `A flipped bit is found, and never used`() {
    let flips = Self.outcomes.compactMap(\.flip)
    #expect(flips.contains { $0 != "unchanged" }, "\(flips)")
    #expect(flips.count > 12, "\(flips)")
  }

  @Test func `cuts find changes that were not synced`() {
    #expect(Self.outcomes.prefix(8).map(\.unsynced).reduce(0, +) > 100)
  }

  @Test func `Power cuts find a store that removes the records of ends before what ended`() {
    let outcomes = (1...12 as ClosedRange<UInt64>).map { PowerCutSimulation.runInReverse(seed: $0) }
    let found = outcomes.count { $0.violation != nil }
    #expect(found > 4, "\(found) of \(outcomes.count)")
  }
}
