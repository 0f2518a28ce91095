import PushWire
import Testing

@testable import Agent

@Suite struct SeenPushesTests {
  private func id(_ low: UInt64) -> NotificationID { NotificationID(high: 0, low: low) }

  @Test func `the oldest is forgotten, and its record goes`() {
    var seen = SeenPushes(limit: 2)
    for low: UInt64 in 1...3 {
      let changes = seen.insert(id(low))
      seen.checkInvariants()
      #expect(changes.first == .put(.seen, key: String(low), Array(id(low).text.utf8)))
      #expect(changes.dropFirst() == (low == 3 ? [.remove(.seen, key: "1")] : []))
    }
    #expect(!seen.contains(id(1)))
    #expect(seen.all.map(\.low) == [2, 3])
  }

  @Test func `stored pushes are restored in the order of their numbers, up to the limit`() {
    var seen = SeenPushes(limit: 2)
    seen.restore([(10, id(10)), (8, id(8)), (9, id(9)), (.max, id(11))])
    seen.checkInvariants()
    #expect(seen.all.map(\.low) == [10])
    var others = SeenPushes(limit: 2)
    others.restore([(10, id(10)), (8, id(8)), (9, id(9))])
    #expect(others.all.map(\.low) == [9, 10])
    #expect(
      others.insert(id(12)) == [
        .put(.seen, key: "11", Array(id(12).text.utf8)), .remove(.seen, key: "9"),
      ])
  }
}
