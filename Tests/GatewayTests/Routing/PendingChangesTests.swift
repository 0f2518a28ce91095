import Testing

@testable import Gateway

@Suite struct PendingChangesTests {
  @Test func `requests during a pending change wait until it finishes and keep their order`() {
    var pending = PendingChanges<Int, String, Character>()
    let waitsBefore = pending.waits("a", for: 1)
    #expect(!waitsBefore)
    pending.begin("change", of: 1, for: "a")
    let waits = pending.waits("b", for: 1)
    let otherWaits = pending.waits("c", for: 2)
    #expect(waits && !otherWaits, "a request waits only for a change of its own key")
    pending.checkInvariants()
    let finished = pending.finish(1)
    #expect(finished.change == "change")
    #expect(finished.requests == ["a", "b"])
    #expect(pending.isEmpty)
    let waitsAfter = pending.waits("d", for: 1)
    #expect(!waitsAfter)
  }
}
