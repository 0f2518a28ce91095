import Storage
import Testing

@testable import Gateway

@Suite struct StoppedNodesTests {
  private func node(
    _ number: NodeNumber, _ name: String, seen: Int64, isEnded: Bool = false
  ) -> ClusterNode {
    ClusterNode(
      number: number, name: name, epoch: 1, beat: 1, appliedChange: 0, isEnded: isEnded,
      seenMilliseconds: seen)
  }

  @Test func `A node that has stopped is named for a week`() {
    let week = Limits.stoppedNodeMilliseconds
    let now: Int64 = 1_800_000_000_000
    let nodes = [
      node(1, "one", seen: now), node(2, "two", seen: now - week, isEnded: true),
      node(3, "three", seen: now - week - 1, isEnded: true), node(4, "four", seen: now - week),
    ]
    #expect(ClusterNode.stopped(in: nodes, askedBy: 1) == ["two"])
  }

  @Test func `A node that never renewed its lease has not run`() {
    let starting = ClusterNode(
      number: 2, name: "two", epoch: 1, beat: 0, appliedChange: 0, isEnded: false)
    #expect(!starting.hasRun)
    #expect(node(1, "one", seen: 1).hasRun)
    #expect(node(1, "one", seen: 1, isEnded: true).hasRun)
    #expect(!node(3, "(setup)", seen: 1).hasRun, "this name belongs to 'belfry cluster init'")
  }

  @Test func `A node that has been declared dead does not name itself`() {
    let nodes = [node(1, "one", seen: 5, isEnded: true), node(2, "two", seen: 5, isEnded: true)]
    #expect(ClusterNode.stopped(in: nodes, askedBy: 1) == ["two"])
    #expect(ClusterNode.stopped(in: [], askedBy: 1) == [])
  }
}
