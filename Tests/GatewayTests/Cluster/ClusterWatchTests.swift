import Storage
import Testing

@testable import Gateway

@Suite struct ClusterWatchTests {
  private func node(_ beat: Int64, epoch: Int64 = 1, isEnded: Bool = false) -> ClusterNode {
    ClusterNode(
      number: 2, name: "two", epoch: epoch, beat: beat, appliedChange: 0, isEnded: isEnded)
  }

  @Test func `the lease is renewed every sixth of its duration`() {
    var watch = ClusterWatch(applied: 0, leaseMilliseconds: 60_000)
    #expect(watch.isRenewalDue(at: 0))
    watch.renewed(sentAt: 0)
    #expect(!watch.isRenewalDue(at: 9_999))
    #expect(watch.isRenewalDue(at: 10_000))
    watch.checkInvariants()
  }

  @Test func `a lease is counted from before the renewal was sent`() {
    let lease = ClusterLease(milliseconds: 60_000)
    #expect(!lease.isValid(at: 0))
    lease.renewed(sentAt: 1_000)
    #expect(lease.isValid(at: 60_999))
    #expect(!lease.isValid(at: 61_000))
    lease.lose()
    #expect(!lease.isValid(at: 1_000))
  }

  @Test func `a node whose beat does not change for longer than its lease is silent`() {
    var watch = ClusterWatch(applied: 0, leaseMilliseconds: 60_000)
    func silent(_ node: ClusterNode, at now: Int64, except own: NodeNumber = 1) -> [ClusterNode] {
      watch.silentNodes(in: [node], except: own, at: now)
    }
    var seen = [silent(node(5), at: 0), silent(node(5), at: 70_000)]
    #expect(seen == [[], []])
    seen = [silent(node(5), at: 70_001)]
    #expect(seen == [[node(5)]])
    // A beat or a restart begins a new period.
    seen = [
      silent(node(6), at: 70_002), silent(node(6), at: 140_002),
      silent(node(6, epoch: 2), at: 140_003), silent(node(6, epoch: 2), at: 200_000),
    ]
    #expect(seen == [[], [], [], []])
    // Neither an ended node nor this node itself is silent.
    seen = [
      silent(node(6, epoch: 2, isEnded: true), at: 400_000),
      silent(node(6, epoch: 2), at: 900_000, except: 2),
    ]
    #expect(seen == [[], []])
  }

  @Test func `changes that could not be applied are read again`() {
    var watch = ClusterWatch(applied: 10, leaseMilliseconds: 60_000)
    watch.pass(upTo: 12)
    #expect(watch.passed == 12 && watch.applied == 10)
    var isApplied = watch.finish(upTo: 12, succeeded: false)
    #expect(!isApplied)
    #expect(watch.passed == 10)
    watch.pass(upTo: 13)
    isApplied = watch.finish(upTo: 13, succeeded: true)
    #expect(isApplied)
    #expect(watch.applied == 13)
    watch.checkInvariants()
  }

  @Test func `claims are checked at each tick, but not at each event between two ticks`() {
    var watch = ClusterWatch(applied: 0, leaseMilliseconds: 60_000)
    var due: [Bool] = []
    for milliseconds in [0, 400, 999, 1_998, 2_100, 3_000] as [Int64] {
      due.append(watch.isPollDue(at: milliseconds))
    }
    #expect(due == [true, false, true, true, false, true])
    watch.makePollDue()
    let isDueAgain = watch.isPollDue(at: 3_001)
    #expect(isDueAgain)
  }
}
