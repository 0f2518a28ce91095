import PushWire
import Storage
import Testing

@testable import Gateway

private typealias Bench = DeliveryBench

/// Tests of notifications that their senders withdraw.
@Suite struct DeliveryWithdrawalTests {
  /// Accepts a push and returns it.
  private func push(_ text: String, to bench: inout DeliveryBench) -> Submission {
    let one = bench.notification(text, keep: .max)
    bench.core.accept(one, now: bench.now)
    bench.drain()
    return one
  }

  private func withdraw(_ push: Submission, from bench: inout DeliveryBench) {
    bench.core.withdraw(
      Submission(
        key: push.key, generation: 0, id: push.id, uniqueID: push.uniqueID, expiration: .max,
        priority: 10, pushType: .webPush, collapseID: [], payload: [],
        acceptedMilliseconds: bench.now.unixMilliseconds, keep: .max, isWithdrawal: true,
        reply: push.reply), now: bench.now)
    bench.drain()
  }

  @Test func `a stored notification is removed before its sender is answered`() throws {
    var bench = Bench()
    let first = push("first", to: &bench)
    _ = push("second", to: &bench)
    try bench.commit()
    #expect(bench.answered == ["first", "second"])
    withdraw(first, from: &bench)
    #expect(bench.answered.count == 2, "the row is still in the store")
    try bench.commit()
    #expect(bench.answered == ["first", "second", ""])
    #expect(bench.states.filter { $0 == .withdrawn }.count == 1)
    #expect(try bench.store.count() == 1)
    try bench.connect()
    #expect(bench.sent == ["second"])
  }

  @Test func `a withdrawal of what is gone is answered, and records nothing`() throws {
    var bench = Bench()
    try bench.connect()
    let only = push("only", to: &bench)
    try bench.acknowledge("only")
    let states = bench.states
    for _ in 1...2 {
      withdraw(only, from: &bench)
      try bench.commit()
    }
    #expect(bench.answered == ["only", "", ""])
    #expect(bench.states == states)
  }

  @Test func `a notification in flight can still be acknowledged`() throws {
    var bench = Bench()
    try bench.connect()
    let sent = push("sent", to: &bench)
    bench.pass(milliseconds: 2)
    try bench.commit()
    #expect(bench.answered == ["sent"])
    let before = bench.core.unacknowledged(sent.key, uniqueID: sent.uniqueID)
    #expect(before == .unchanged)
    withdraw(sent, from: &bench)
    try bench.commit()
    #expect(bench.answered == ["sent", ""])
    #expect(try bench.store.count() == 0)
    let during = bench.core.unacknowledged(sent.key, uniqueID: sent.uniqueID)
    #expect(during == .lost(.withdrawn))
    try bench.acknowledge("sent")
    let after = bench.core.unacknowledged(sent.key, uniqueID: sent.uniqueID)
    #expect(after == nil)
    #expect(bench.states.last == .delivered && !bench.states.contains(.withdrawn))
  }

  @Test func `a notification in flight is not sent again after its device disconnected`() throws {
    var bench = Bench()
    try bench.connect()
    let sent = push("sent", to: &bench)
    bench.pass(milliseconds: 2)
    try bench.commit()
    withdraw(sent, from: &bench)
    try bench.commit()
    bench.core.disconnect(1, session: SessionID(1), now: bench.now)
    bench.drain()
    #expect(bench.states.last == .withdrawn)
    try bench.connect(2)
    #expect(bench.sent == ["sent"])
  }

  @Test func `a notification that waits behind the window is not sent`() throws {
    var bench = Bench()
    try bench.connect(window: 1)
    _ = push("first", to: &bench)
    let second = push("second", to: &bench)
    bench.pass(milliseconds: 2)
    try bench.commit()
    withdraw(second, from: &bench)
    #expect(bench.states.last == .withdrawn)
    try bench.acknowledge("first")
    try bench.commit()
    bench.pass(milliseconds: 100)
    try bench.commit()
    #expect(bench.sent == ["first"])
    #expect(bench.answered == ["first", "second", ""])
    #expect(try bench.store.count() == 0)
    #expect(bench.states.filter { $0 == .withdrawn }.count == 1)
  }

  @Test func `a row that was read before its withdrawal is not sent`() throws {
    var bench = Bench()
    let stored = push("stored", to: &bench)
    try bench.commit()
    let rows = try bench.store.load(device: 1)
    try bench.connect(isLoadAnswered: false)
    withdraw(stored, from: &bench)
    bench.core.loaded(1, session: SessionID(1), rows: rows, now: bench.now)
    bench.drain()
    try bench.commit()
    #expect(bench.sent.isEmpty)
    #expect(bench.states.last == .withdrawn)
  }

  @Test func `a withdrawal that the store refuses is reported, and performed later`() throws {
    var bench = Bench()
    let stored = push("stored", to: &bench)
    try bench.commit()
    withdraw(stored, from: &bench)
    try bench.commit(isDurable: false)
    #expect(bench.failed == [""])
    #expect(try bench.store.count() == 1)
    bench.pass(milliseconds: 100)
    try bench.commit()
    #expect(try bench.store.count() == 0)
    #expect(bench.states.last == .withdrawn)
    #expect(bench.answered == ["stored"], "the sender was answered before")
  }
}
