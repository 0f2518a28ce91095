import PushWire
import Gateway
import Storage
import Testing

private typealias Bench = DeliveryBench

/// Tests of notifications that their devices discard.
@Suite struct DeliveryDiscardTests {
  private func tick(_ bench: inout DeliveryBench) {
    bench.core.tick(now: bench.now)
    bench.drain()
  }

  @Test func `a device without room gets nothing for a minute, then one notification as a probe`()
    throws
  {
    var bench = Bench()
    try bench.connect(window: 4)
    for text in ["1", "2", "3", "4"] { bench.push(text, keep: .max) }
    try bench.acknowledge("1")
    try bench.discard("2", .noRoom)
    try bench.discard("3", .noRoom)
    bench.push("5", keep: .max)
    #expect(bench.sent == ["1", "2", "3", "4"])
    try bench.discard("4", .noRoom)
    try bench.commit()
    #expect(bench.answered.sorted() == ["1", "2", "3", "4", "5"])
    #expect(bench.states.filter { $0 == .storedNoRoom }.count == 4)
    bench.pass(milliseconds: 59_999)
    tick(&bench)
    #expect(bench.sent.count == 4)
    bench.pass(milliseconds: 1)
    tick(&bench)
    #expect(bench.sent.dropFirst(4) == ["2"])
    try bench.acknowledge("2")
    #expect(bench.states.last { $0 != .sent } == .deliveredFromStorage)
    #expect(bench.sent.dropFirst(4) == ["2", "3", "4", "5"])
  }

  @Test func `a device that still has no room gets nothing for another minute`() throws {
    var bench = Bench()
    try bench.connect()
    bench.push("a")
    try bench.discard("a", .noRoom)
    for tries in 2...4 {
      bench.pass(milliseconds: 60_000)
      tick(&bench)
      #expect(bench.sent.count == tries)
      try bench.commit()
      try bench.discard("a", .noRoom)
      bench.pass(milliseconds: 59_999)
      tick(&bench)
      #expect(bench.sent.count == tries)
    }
    #expect(try bench.store.count() == 1)
    bench.core.disconnect(1, session: SessionID(1), now: bench.now)
    bench.drain()
    try bench.connect(2)
    #expect(bench.sent.count == 5, "a new session may have room")
  }

  @Test(
    arguments: [
      (LinkDiscardReason.disabled, DeliveryState.discardedDisabled, .discardedDisabledFromStorage),
      (.appGone, .discardedUnregistered, .discardedUnregisteredFromStorage),
      (.unknownHandle, .discardedUnregistered, .discardedUnregisteredFromStorage),
    ] as [(LinkDiscardReason, DeliveryState, DeliveryState)])
  func `the log says why, and whether it had been stored`(
    reason: LinkDiscardReason, atOnce: DeliveryState, fromStorage: DeliveryState
  ) throws {
    var bench = Bench()
    bench.push("stored", to: Bench.key(app: 8))
    try bench.commit()
    try bench.connect(apps: [7, 8])
    bench.push("once", expiresIn: 0)
    bench.push("new")
    for (text, state) in [("once", atOnce), ("new", atOnce), ("stored", fromStorage)] {
      try bench.discard(text, reason)
      #expect(bench.states.last == state)
    }
    #expect(Set(bench.answered) == ["stored", "once", "new"])
    bench.pass(milliseconds: 60)
    try bench.commit()
    #expect(try bench.store.count() == 0)
    try bench.acknowledge("new")
    #expect(bench.states.last == fromStorage, "it had ended before the commit")
  }

  @Test func `a push with expiration 0 that finds no room is discarded`() throws {
    var bench = Bench()
    try bench.connect()
    bench.push("once", expiresIn: 0)
    try bench.discard("once", .noRoom)
    #expect(bench.states.last == .discardedExpired)
    bench.push("next", expiresIn: 0)
    #expect(bench.answered == ["once", "next"])
    #expect(bench.sent == ["once"], "nothing is sent to a device without room")
    bench.pass(milliseconds: 60_000)
    tick(&bench)
    #expect(bench.sent == ["once"])
  }

  @Test
  func `a notification that finds no room after the store replaced it is recorded as replaced`()
    throws
  {
    var bench = Bench()
    try bench.connect()
    bench.push("older")
    bench.pass(milliseconds: 3)
    try bench.commit()
    bench.push("newer")
    bench.pass(milliseconds: 3)
    try bench.commit()
    try bench.discard("older", .noRoom)
    #expect(bench.states.last == .replaced)
    try bench.discard("newer", .noRoom)
    #expect(bench.states.last == .storedNoRoom)
    bench.pass(milliseconds: 60_000)
    tick(&bench)
    #expect(bench.sent == ["older", "newer", "newer"])
  }

  @Test func `a device without room that reconnects is sent notifications at once`() throws {
    var bench = Bench()
    try bench.connect()
    bench.push("a")
    try bench.discard("a", .noRoom)
    bench.core.disconnect(1, session: SessionID(1), now: bench.now)
    bench.drain()
    try bench.connect(2)
    bench.push("b", keep: .max)
    #expect(bench.sent == ["a", "a", "b"])
  }

  @Test func `a notification that found no room is retried before those held back from the device`()
    throws
  {
    var bench = Bench()
    try bench.connect(power: DevicePower(isRestricted: true))
    bench.push("kept", priority: 5, keep: .max)
    bench.push("sent", keep: .max)
    try bench.discard("sent", .noRoom)
    bench.core.setPower(DevicePower(), of: 1, session: SessionID(1), now: bench.now)
    bench.pass(milliseconds: 60_000)
    tick(&bench)
    try bench.acknowledge("sent")
    #expect(bench.sent == ["sent", "sent", "kept"])
  }
}
