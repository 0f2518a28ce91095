import BelfryWire
import Gateway
import Storage
import Testing

private typealias Bench = DeliveryBench

/// Tests that a backlog is read in pages, which limits the memory for a silent device and loses nothing.
@Suite struct BacklogPageTests {
  /// Stores a notification with each of these strings for an offline device.
  private func store(_ texts: [String], in bench: inout DeliveryBench, app: UInt32 = Bench.app)
    throws
  {
    for text in texts { bench.push(text, to: Bench.key(app: app), keep: .max) }
    while try bench.commit() > 0 {}
  }

  private func texts(_ numbers: ClosedRange<Int>) -> [String] { numbers.map(String.init) }

  private func acknowledgeAll(_ bench: inout DeliveryBench, session: UInt64 = 1) throws {
    var next = 0
    while next < bench.sent.count {
      let text = bench.sent[next]
      next += 1
      if !bench.acknowledged.contains(text) { try bench.acknowledge(text, session: session) }
      try bench.answerLoads()
      // The device's window closes if acknowledged rows are not removed from the store.
      if next == bench.sent.count { try bench.commit() }
      try bench.answerLoads()
    }
  }

  @Test func `a silent device holds one page, and one that answers gets everything in order`()
    throws
  {
    var bench = Bench()
    bench.pageRows = 10
    try store(texts(1...95), in: &bench)
    try bench.connect(window: 4)
    #expect(bench.sent == texts(1...4))
    #expect(bench.core.heldInMemory(of: 1) == 10)
    try acknowledgeAll(&bench)
    #expect(bench.sent == texts(1...95))
    bench.pass(milliseconds: 60)
    try bench.commit()
    #expect(try bench.store.load(device: 1).isEmpty)
    bench.push("next", keep: .max)
    #expect(bench.sent.last == "next")
  }

  @Test func `pushes that arrive while pages are read are sent after them, whether stored or not`()
    throws
  {
    var bench = Bench()
    bench.pageRows = 5
    try store(texts(1...20), in: &bench)
    try bench.connect(window: 2)
    bench.push("21", keep: .max)
    try bench.acknowledge("1")
    bench.push("22", keep: .max)
    try bench.commit()
    try bench.acknowledge("2")
    bench.push("23", keep: .max)
    try acknowledgeAll(&bench)
    while try bench.commit() > 0 { bench.pass(milliseconds: 60) }
    try acknowledgeAll(&bench)
    #expect(bench.sent == texts(1...23))
    #expect(bench.answered.suffix(3) == ["21", "22", "23"])
  }

  @Test func `pushes that the device may already have are sent first, whatever page they are on`()
    throws
  {
    var bench = Bench()
    try bench.connect(window: 3)
    for text in texts(1...3) { bench.push(text, keep: .max) }
    bench.pass(milliseconds: 3)
    try bench.commit()
    bench.core.disconnect(1, session: SessionID(1), now: bench.now)
    bench.drain()
    try store(texts(4...40), in: &bench)
    bench.pageRows = 2
    bench.sent = []
    try bench.connect(2, window: 64)
    #expect(bench.sent == texts(1...3))
    try acknowledgeAll(&bench, session: 2)
    #expect(bench.sent == texts(1...40))
  }

  @Test func `a topic that is added between pages gets what lies before them, as the next page`()
    throws
  {
    var bench = Bench()
    bench.pageRows = 5
    try store(texts(1...10), in: &bench, app: 8)
    try store(texts(11...30), in: &bench)
    try bench.connect(window: 64)
    #expect(bench.sent == texts(11...15))
    bench.core.addTopic(Bench.key(app: 8), session: SessionID(1), now: bench.now)
    bench.drain()
    #expect(bench.loads.isEmpty, "the device has not acknowledged the page yet")
    try acknowledgeAll(&bench)
    #expect(bench.sent == texts(11...15) + texts(1...10) + texts(16...30))
  }

  @Test func `a topic that is added while pages are read gets what lies before them`() throws {
    var bench = Bench()
    bench.pageRows = 5
    try store(texts(1...10), in: &bench, app: 8)
    try store(texts(11...30), in: &bench)
    try bench.connect(window: 64)
    #expect(bench.sent == texts(11...15))
    for text in texts(11...15) { try bench.acknowledge(text) }
    #expect(bench.loads.count == 1)
    bench.core.addTopic(Bench.key(app: 8), session: SessionID(1), now: bench.now)
    bench.drain()
    try bench.answerLoads()
    try acknowledgeAll(&bench)
    #expect(Set(bench.sent) == Set(texts(1...30)))
    #expect(bench.sent.count == 30, "each is sent once")
  }

  @Test func `pushes held back by a power restriction are limited in memory and sent once it ends`()
    throws
  {
    var bench = Bench()
    bench.checksInvariants = false
    bench.pageRows = 256
    for number in 1...3_000 {
      bench.push("\(number)", priority: 5, keep: .max)
      if number % 500 == 0 { while try bench.commit() > 0 {} }
    }
    let restricted = DevicePower(isAsleep: false, isRestricted: true)
    try bench.connect(power: restricted)
    #expect(bench.sent.isEmpty)
    #expect(bench.core.heldInMemory(of: 1) < 1_024 + 256)
    bench.push("urgent", keep: .max)
    #expect(bench.sent == ["urgent"])
    try bench.acknowledge("urgent")
    bench.core.setPower(DevicePower(), of: 1, session: SessionID(1), now: bench.now)
    bench.drain()
    try acknowledgeAll(&bench)
    #expect(bench.sent == ["urgent"] + texts(1...3_000))
  }

  @Test func `a push with expiration 0 that arrives while a page is read is sent after that page`()
    throws
  {
    var bench = Bench()
    bench.pageRows = 2
    try store(texts(1...5), in: &bench)
    try bench.connect(isLoadAnswered: false)
    bench.push("once", expiresIn: 0, keep: .max)
    try bench.answerLoads()
    #expect(bench.sent == ["1", "2", "once"])
    #expect(bench.answered.last == "once")
    try acknowledgeAll(&bench)
    #expect(bench.sent == ["1", "2", "once", "3", "4", "5"])
  }

  @Test func `a push that is left to the pages wakes a sleeping device for what was held`() throws {
    var bench = Bench()
    bench.pageRows = 3
    for (text, priority) in [("1", 10), ("2", 5), ("3", 10), ("4", 10)] as [(String, UInt8)] {
      bench.push(text, priority: priority, keep: .max)
    }
    while try bench.commit() > 0 {}
    try bench.connect(power: DevicePower(isAsleep: true))
    #expect(bench.sent == ["1", "3"])
    bench.push("5", keep: .max)
    #expect(bench.sent == ["1", "3", "2"])
    try acknowledgeAll(&bench)
    #expect(bench.sent == ["1", "3", "2", "4", "5"])
  }

  @Test func `a notification that is discarded while its device is away is no longer looked for`()
    throws
  {
    var bench = Bench()
    try bench.connect()
    bench.push("a")
    bench.core.disconnect(1, session: SessionID(1), now: bench.now)
    bench.drain()
    try bench.commit()
    bench.core.unregister(Bench.key(), now: bench.now)
    bench.pass(milliseconds: 60)
    try bench.commit()
    try bench.connect(2, isLoadAnswered: false)
    #expect(bench.loads.first?.besides.count == 1, "the device may have received it")
    try bench.answerLoads()
    bench.core.disconnect(1, session: SessionID(2), now: bench.now)
    try bench.connect(3, isLoadAnswered: false)
    #expect(bench.loads.first?.besides == [])
  }

  @Test func `a push that is queued after the pages and not yet stored is dropped with its token`()
    throws
  {
    var bench = Bench()
    bench.pageRows = 2
    try store(texts(1...5), in: &bench)
    try bench.connect(window: 1, isLoadAnswered: false)
    bench.push("6", keep: .max)
    try bench.answerLoads()
    bench.core.unregister(Bench.key(), now: bench.now)
    bench.drain()
    #expect(bench.answered.last == "6")
    bench.pass(milliseconds: 60)
    try bench.commit()
    #expect(try bench.store.count() == 0)
  }

  @Test func `a push whose row is the last of a page, and whose commit is running, is sent once`()
    throws
  {
    var bench = Bench()
    bench.pageRows = 2
    try store(["1"], in: &bench)
    try bench.connect(isLoadAnswered: false)
    bench.push("2", keep: .max)
    let operations = bench.core.takeCommit(now: bench.now)
    #expect(operations.count == 1)
    _ = try bench.store.commit(operations)
    try bench.answerLoads()
    #expect(bench.sent == ["1", "2"])
    bench.core.commitFinished(isDurable: true, now: bench.now)
    bench.drain()
    try bench.acknowledge("2")
    #expect(bench.states.last == .delivered, "the push was not read from the store")
  }

  @Test func `a new session reads the backlog from its first page`() throws {
    var bench = Bench()
    bench.pageRows = 2
    try store(texts(1...5), in: &bench)
    try bench.connect(window: 1)
    #expect(bench.sent == ["1"])
    bench.core.disconnect(1, session: SessionID(1), now: bench.now)
    bench.drain()
    bench.sent = []
    try bench.connect(2, isLoadAnswered: false)
    #expect(bench.loads.first?.after == 0)
    try bench.answerLoads()
    try acknowledgeAll(&bench, session: 2)
    #expect(bench.sent == texts(1...5))
  }

  @Test func `a push that is held before it is stored is still known as possibly received`() throws
  {
    var bench = Bench()
    try bench.connect()
    bench.push("a", priority: 5)
    #expect(bench.sent == ["a"])
    bench.core.disconnect(1, session: SessionID(1), now: bench.now)
    try bench.connect(2, power: DevicePower(isRestricted: true))
    bench.core.disconnect(1, session: SessionID(2), now: bench.now)
    bench.drain()
    try bench.connect(3, isLoadAnswered: false)
    #expect(bench.loads.first?.besides.count == 1)
    try bench.answerLoads()
    #expect(bench.sent == ["a", "a"])
  }

  @Test
  func `a push that is stored while its device leaves during a load is read by the next load`()
    throws
  {
    var bench = Bench()
    bench.push("a")
    try bench.connect(isLoadAnswered: false)
    try bench.commit()
    bench.core.disconnect(1, session: SessionID(1), now: bench.now)
    bench.drain()
    bench.loads = []
    try bench.connect(2)
    #expect(bench.sent == ["a"])
    try bench.acknowledge("a", session: 2)
    #expect(bench.states.last == .deliveredFromStorage)
  }
}
