import BelfryWire
import Gateway
import Storage
import Testing

private typealias Bench = DeliveryBench

/// Tests of the rules by which one notification replaces another, and of the effects on the older notification's row.
@Suite struct DeliveryReplacementTests {
  @Test func `I03 only the newest of a token is kept`() throws {
    var bench = Bench()
    bench.push("a")
    try bench.commit()
    bench.push("b")
    try bench.commit()
    #expect(bench.answered == ["a", "b"])
    try bench.connect()
    #expect(bench.sent == ["b"])
  }

  @Test
  func
    `unacknowledged notifications are replaced by newer ones that arrive while the device is offline`()
    throws
  {
    var bench = Bench()
    try bench.connect(window: 1)
    bench.push("a")
    bench.push("b")
    bench.pass(milliseconds: 3)
    try bench.commit()
    bench.core.disconnect(1, session: SessionID(1), now: bench.now)
    bench.push("c")
    try bench.commit()
    #expect(bench.states.filter { $0 == .replaced }.count == 2)
    try bench.connect(2)
    #expect(bench.sent == ["a", "c"])
  }

  @Test func `a row that a newer one took does not stop what is on its way`() throws {
    var bench = Bench()
    try bench.connect(window: 1)
    for text in ["a", "b", "c"] { bench.push(text) }
    bench.pass(milliseconds: 3)
    try bench.commit()
    #expect(
      try bench.store.load(device: 1).count == 1,
      "the newest stays stored in case the device disconnects")
    #expect(!bench.states.contains(.replaced))
    try bench.acknowledge("a")
    #expect(bench.sent == ["a", "b"])
    bench.core.disconnect(1, session: SessionID(1), now: bench.now)
    bench.drain()
    #expect(bench.states.filter { $0 == .replaced }.count == 1, "b may not have arrived")
    try bench.connect(2)
    #expect(bench.sent == ["a", "b", "c"])
  }

  @Test
  func
    `a notification acknowledged while the store drops its row counts as delivered, not replaced`()
    throws
  {
    var bench = Bench()
    try bench.connect()
    bench.push("a")
    bench.pass(milliseconds: 3)
    try bench.commit()
    bench.push("b")
    bench.pass(milliseconds: 3)
    let operations = bench.core.takeCommit(now: bench.now)
    let dropped = try bench.store.commit(operations)
    #expect(dropped.count == 1)
    try bench.acknowledge("a")
    bench.core.commitFinished(isDurable: true, dropping: dropped, now: bench.now)
    bench.drain()
    #expect(!bench.states.contains(.replaced))
    #expect(bench.states.filter { $0 == .delivered }.count == 1)
  }

  @Test func `a collapse ID also replaces a notification that waits for a connected device`() throws
  {
    var bench = Bench()
    try bench.connect(window: 1)
    for text in ["first", "0:1", "1:1"] { bench.push(text, collapseID: "score") }
    bench.pass(milliseconds: 3)
    try bench.commit()
    try bench.acknowledge("first")
    #expect(bench.sent == ["first", "1:1"])
    #expect(bench.states.filter { $0 == .replaced }.count == 1)
  }

  @Test func `an app that keeps more gets them in order`() throws {
    var bench = Bench()
    for text in ["a", "b", "c", "d"] { bench.push(text, keep: 3) }
    try bench.commit()
    try bench.connect()
    #expect(bench.sent == ["b", "c", "d"])
  }

  @Test func `newer pushes replace held notifications beyond the number that the app keeps`() throws
  {
    var bench = Bench()
    try bench.connect(power: DevicePower(isRestricted: true))
    for text in ["a", "b", "c"] { bench.push(text, priority: 5, keep: 2) }
    try bench.commit()
    #expect(bench.answered == ["a", "b", "c"])
    #expect(bench.states.filter { $0 == .replaced }.count == 1)
    bench.push("urgent", keep: 2)
    bench.core.setPower(DevicePower(), of: 1, session: SessionID(1), now: bench.now)
    bench.drain()
    #expect(bench.sent == ["urgent", "b", "c"])
  }

  @Test
  func
    `a held notification stays if the store refuses a newer one, whatever else is delivered`()
    throws
  {
    var bench = Bench()
    try bench.connect(power: DevicePower(isRestricted: true))
    bench.push("a", priority: 5, keep: 2)
    try bench.commit()
    bench.push("b", priority: 5, keep: 2)
    let operations = bench.core.takeCommit(now: bench.now)
    #expect(operations.count == 1)
    bench.push("urgent", keep: 2)
    try bench.acknowledge("urgent")
    bench.core.commitFinished(isDurable: false, now: bench.now)
    bench.drain()
    #expect(bench.failed == ["b"] && bench.answered == ["a", "urgent"])
    bench.pass(milliseconds: 60)
    try bench.commit()
    bench.core.disconnect(1, session: SessionID(1), now: bench.now)
    bench.drain()
    try bench.connect(2)
    #expect(bench.sent == ["urgent", "a"])
    #expect(!bench.states.contains(.replaced))
  }

  @Test func `a collapse id replaces the one before even where all are kept`() throws {
    var bench = Bench()
    bench.push("0:1", keep: .max, collapseID: "score")
    bench.push("foul", keep: .max)
    bench.push("1:1", keep: .max, collapseID: "score")
    try bench.commit()
    try bench.connect()
    #expect(bench.sent == ["foul", "1:1"])
  }

  @Test func `a push with expiration 0 does not count toward the number that the app keeps`() throws
  {
    var bench = Bench()
    try bench.connect(window: 1)
    bench.push("first", to: Bench.key(app: 7), keep: 2)
    bench.push("a", keep: 2)
    bench.push("once", expiresIn: 0, keep: 2)
    bench.push("b", keep: 2)
    for text in ["first", "a", "once", "b"] { try bench.acknowledge(text) }
    #expect(bench.sent == ["first", "a", "once", "b"])
  }

  @Test func `the row of a replaced notification goes with a newer one that needs none`() throws {
    var bench = Bench()
    try bench.connect(power: DevicePower(isRestricted: true))
    bench.push("held", priority: 5)
    try bench.commit()
    #expect(try bench.store.load(device: 1).count == 1)
    bench.push("newer")
    try bench.acknowledge("newer")
    bench.pass(milliseconds: 60)
    try bench.commit()
    #expect(try bench.store.load(device: 1).isEmpty)
  }

  @Test(arguments: [false, true])
  func `a push that arrives while the store is read replaces the stored notification`(
    isCommitted: Bool
  ) throws {
    var bench = Bench()
    bench.push("old", priority: 5)
    try bench.commit()
    try bench.connect(power: DevicePower(isRestricted: true), isLoadAnswered: false)
    bench.push("new", priority: 5)
    try bench.answerLoads()
    if isCommitted { try bench.commit() }
    bench.core.setPower(DevicePower(), of: 1, session: SessionID(1), now: bench.now)
    bench.drain()
    #expect(bench.sent == ["new"])
    #expect(bench.states.filter { $0 == .replaced }.count == 1)
  }
}
