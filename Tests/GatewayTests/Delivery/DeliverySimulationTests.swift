import Foundation
import TestSupport
import Testing

/// The gateway's promises under crashes, cut links, slow disks and sleeping devices.
///
/// `make simulate [SEED=n] [SECONDS=n]` plays more worlds of ``GatewaySimulation``.
@Suite struct DeliverySimulationTests {
  /// A bounded number of worlds, the same ones each time.
  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func everyPromiseIsKept(seed: UInt64) {
    let outcome = GatewaySimulation.run(seed: seed)
    #expect(outcome.violation == nil, "\(outcome.report)")
  }

  @Test func aSeedGivesTheSameRunEachTime() {
    let one = GatewaySimulation.run(seed: 3)
    let other = GatewaySimulation.run(seed: 3)
    #expect(one.report == other.report)
    #expect(one.pushes > 0 && one.shown > 0)
  }

  /// `make simulate`: the one seed that is named, or new ones until the time is over.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["BELFRY_SIMULATE"] != nil))
  func moreWorlds() throws {
    let environment = ProcessInfo.processInfo.environment
    let given = environment["BELFRY_SIMULATE_SEED"].flatMap { UInt64($0) }
    let seconds = environment["BELFRY_SIMULATE_SECONDS"].flatMap { Double($0) }
    var seed = given ?? UInt64(Date().timeIntervalSince1970 * 1_000)
    let end = Date(timeIntervalSinceNow: seconds ?? (given == nil ? 60 : 0))
    var runs = 0
    var pushes = 0
    repeat {
      let outcome = GatewaySimulation.run(seed: seed)
      runs += 1
      pushes += outcome.pushes
      try #require(outcome.violation == nil, "\(outcome.report)")
      if given != nil && seconds == nil { print(outcome.report) }
      seed += 1
    } while Date() < end
    print(
      "\(runs) worlds with \(pushes) pushes, the last of seed \(seed - 1): every promise was kept")
  }
}
