import PushWire
import Gateway
import Storage
import Testing

private typealias Bench = DeliveryBench

@Suite struct DeliveryCoreTests {
  @Test func `an offline device's notification is answered once it is on disk`() throws {
    var bench = Bench()
    bench.push("a")
    #expect(bench.answered.isEmpty)
    #expect(try bench.commit() == 1)
    #expect(bench.answered == ["a"])
    #expect(bench.states == [.received, .storedOffline])
    try bench.connect()
    #expect(bench.sent == ["a"])
    try bench.acknowledge("a")
    bench.pass(milliseconds: 60)
    try bench.commit()
    #expect(try bench.store.count() == 0)
    #expect(bench.states.last == .deliveredFromStorage)
  }

  @Test func `an acknowledgement before the commit makes the row needless`() throws {
    var bench = Bench()
    try bench.connect()
    bench.push("a")
    #expect(bench.sent == ["a"])
    #expect(try bench.commit() == 0)
    try bench.acknowledge("a")
    #expect(bench.answered == ["a"])
    bench.pass(milliseconds: 10)
    #expect(try bench.commit() == 0)
    #expect(bench.answered == ["a"])
  }

  @Test func `a device that does not acknowledge in time gets its row`() throws {
    var bench = Bench()
    try bench.connect()
    bench.push("a")
    bench.pass(milliseconds: 3)
    #expect(try bench.commit() == 1)
    #expect(bench.answered == ["a"])
    #expect(try bench.store.count() == 1)
    try bench.acknowledge("a")
    bench.pass(milliseconds: 60)
    try bench.commit()
    #expect(try bench.store.count() == 0)
  }

  @Test func `I02 expiration 0 is tried once and never stored`() throws {
    var bench = Bench()
    bench.push("offline", expiresIn: 0)
    #expect(bench.answered == ["offline"])
    #expect(try bench.commit() == 0)
    try bench.connect()
    bench.push("online", expiresIn: 0)
    // S3-12
    #expect(bench.sent == ["online"])
    #expect(bench.answered == ["offline", "online"])
    bench.pass(milliseconds: 10)
    #expect(try bench.commit() == 0)
  }

  @Test(arguments: [false, true])
  func
    `a push with expiration 0 waits at most five seconds for a slow device, and so does its provider`(
      isLoading: Bool
    ) throws
  {
    var bench = Bench()
    try bench.connect(window: 1, isLoadAnswered: !isLoading)
    bench.push("slow")
    bench.push("once", expiresIn: 0)
    #expect(bench.answered.isEmpty)
    bench.pass(milliseconds: 3)
    try bench.commit()
    for _ in 1...5 {
      bench.pass(milliseconds: 1_000)
      bench.core.tick(now: bench.now)
      bench.drain()
    }
    #expect(bench.answered == ["slow", "once"])
    #expect(bench.states.last == .discardedExpired)
    if isLoading { try bench.answerLoads() }
    try bench.acknowledge("slow")
    #expect(bench.sent == ["slow"])
  }

  @Test
  func
    `a push with expiration 0 is logged as discarded if its device disconnects without an answer`()
    throws
  {
    var bench = DeliveryBench()
    try bench.connect()
    bench.push("once", expiresIn: 0)
    #expect(bench.sent == ["once"])
    bench.core.disconnect(1, session: SessionID(1), now: bench.now)
    bench.drain()
    #expect(bench.states == [.received, .sent, .discardedExpired])
    #expect(bench.answered == ["once"])
    try bench.connect(2)
    #expect(bench.sent == ["once"])
  }

  @Test func `a push with expiration 0 is sent if its device makes room within five seconds`()
    throws
  {
    var bench = Bench()
    try bench.connect(window: 1)
    // The waiting time begins with the push, not with the start of the gateway.
    bench.pass(milliseconds: 60_000)
    bench.push("slow")
    bench.push("once", expiresIn: 0)
    for _ in 1...3 {
      bench.pass(milliseconds: 1_000)
      bench.core.tick(now: bench.now)
      bench.drain()
    }
    try bench.acknowledge("slow")
    #expect(bench.sent == ["slow", "once"])
    bench.pass(milliseconds: 5_000)
    bench.core.tick(now: bench.now)
    bench.drain()
    #expect(bench.answered == ["slow", "once"])
    try bench.acknowledge("once")
    #expect(bench.states.last == .delivered)
  }

  @Test func `a connected device gets all notifications, however fast they arrive`() throws {
    var bench = Bench()
    try bench.connect(window: 2)
    let texts = (1...9).map(String.init)
    for text in texts { bench.push(text) }
    bench.pass(milliseconds: 3)
    try bench.commit()
    #expect(bench.answered == texts)
    for text in texts { try bench.acknowledge(text) }
    #expect(bench.sent == texts)
    #expect(!bench.states.contains(.replaced))
    bench.pass(milliseconds: 60)
    try bench.commit()
    #expect(try bench.store.load(device: 1).isEmpty)
  }

  @Test func `a push whose token is unregistered during its commit is recorded as discarded once`()
    throws
  {
    var bench = Bench()
    bench.push("a")
    let operations = bench.core.takeCommit(now: bench.now)
    let dropped = try bench.store.commit(operations)
    bench.core.unregister(Bench.key(), now: bench.now)
    bench.core.commitFinished(isDurable: true, dropping: dropped, now: bench.now)
    bench.drain()
    bench.pass(milliseconds: 60)
    try bench.commit()
    #expect(bench.states == [.received, .discardedUnregistered])
  }

  @Test func `I07 what waited is delivered in order of acceptance across apps`() throws {
    var bench = Bench()
    for app: UInt32 in [3, 1, 2] { bench.push("\(app)", to: Bench.key(app: app)) }
    try bench.commit()
    try bench.connect(apps: [1, 2, 3])
    #expect(bench.sent == ["3", "1", "2"])
  }

  @Test func `pushes that arrive while the store is read wait for the stored ones`() throws {
    var bench = Bench()
    bench.push("old", to: Bench.key(app: 1))
    try bench.commit()
    try bench.connect(apps: [1, 2], isLoadAnswered: false)
    bench.push("new", to: Bench.key(app: 2))
    #expect(bench.sent.isEmpty)
    try bench.answerLoads()
    #expect(bench.sent == ["old", "new"])
    try bench.commit()
    #expect(bench.answered == ["old", "new"])
  }

  @Test func `a commit that ends between load and answer loses nothing`() throws {
    var bench = Bench()
    bench.push("a")
    try bench.connect(isLoadAnswered: false)
    let last = bench.loads.popLast()
    let load = try #require(last)
    let rows = try bench.store.load(device: load.device)
    try bench.commit()
    bench.core.loaded(load.device, session: load.session, rows: rows, now: bench.now)
    bench.drain()
    #expect(bench.sent == ["a"])
  }

  @Test func `a topic that the device has not registered waits until it does`() throws {
    var bench = Bench()
    bench.push("a", to: Bench.key(app: 9))
    try bench.commit()
    try bench.connect()
    #expect(bench.sent.isEmpty)
    bench.core.addTopic(Bench.key(app: 9), session: SessionID(1), now: bench.now)
    bench.drain()
    try bench.answerLoads()
    #expect(bench.sent == ["a"])
  }

  @Test(arguments: [false, true])
  func `a row that was replaced is not sent by a load before its removal`(
    isHeld: Bool
  ) throws {
    var bench = Bench()
    try bench.connect(power: DevicePower(isRestricted: isHeld), window: 1)
    bench.push("first", expiresIn: 0, keep: 9)
    bench.push("old", keep: 9, collapseID: "c")
    bench.pass(milliseconds: 3)
    try bench.commit()
    bench.core.addTopic(Bench.key(app: 9), session: SessionID(1), now: bench.now)
    bench.push("new", priority: isHeld ? 5 : 10, keep: 9, collapseID: "c")
    #expect(bench.states.contains(.replaced))
    try bench.acknowledge("first")
    #expect(bench.loads.count == 1)
    try bench.answerLoads()
    #expect(bench.sent == (isHeld ? ["first"] : ["first", "new"]))
  }

  @Test func `an unacknowledged notification is sent again on the next session`() throws {
    var bench = Bench()
    try bench.connect()
    bench.push("a")
    bench.core.disconnect(1, session: SessionID(1), now: bench.now)
    bench.drain()
    #expect(try bench.commit() == 1)
    #expect(bench.answered == ["a"])
    try bench.connect(2)
    #expect(bench.sent == ["a", "a"])
  }

  @Test func `a second session ends the first`() throws {
    var bench = Bench()
    try bench.connect(1)
    try bench.connect(2)
    #expect(bench.closed == [.replaced])
    bench.push("a")
    try bench.acknowledge("a", session: 1)
    #expect(bench.answered.isEmpty)
    try bench.acknowledge("a", session: 2)
    #expect(bench.answered == ["a"])
  }

  @Test func `Notifications that expired while the device was offline are not delivered`() throws {
    var bench = Bench()
    bench.push("a", expiresIn: 60)
    try bench.commit()
    bench.pass(milliseconds: 61_000)
    try bench.connect()
    #expect(bench.sent.isEmpty)
    #expect(bench.states.last == .discardedExpired)
  }

  @Test func `I06 without a header it is kept for 30 days`() throws {
    var bench = Bench()
    bench.push("a", expiresIn: 30 * 86_400)
    try bench.commit()
    bench.pass(milliseconds: 86_400_000)
    try bench.connect()
    #expect(bench.sent == ["a"])
  }

  @Test func `the window bounds what is unacknowledged`() throws {
    var bench = Bench()
    try bench.connect(window: 2)
    for number in 0..<5 { bench.push("\(number)", keep: .max) }
    #expect(bench.sent == ["0", "1"])
    try bench.acknowledge("0")
    #expect(bench.sent == ["0", "1", "2"])
  }

  /// A regression test for a fault that `make simulate SEED=1795292706950` found.
  ///
  /// A long backlog was sent first, and meanwhile the device forgot the unacknowledged notifications.
  @Test
  func `unacknowledged notifications are sent again before those that the device has not seen`()
    throws
  {
    var bench = Bench()
    try bench.connect(power: DevicePower(isRestricted: true))
    bench.push("held", priority: 5, keep: .max)
    bench.push("sent", keep: .max)
    bench.pass(milliseconds: 10)
    _ = try bench.commit()
    bench.core.disconnect(1, session: SessionID(1), now: bench.now)
    bench.sent.removeAll()
    try bench.connect(2)
    #expect(bench.sent == ["sent", "held"])
  }

  @Test func `a backlog larger than memory is delivered from the store, in order`() throws {
    var bench = Bench()
    try bench.connect(window: 8)
    let count = 2_000
    for number in 0..<count {
      bench.push("\(number)", keep: .max)
      if number % 100 == 0 {
        bench.pass(milliseconds: 3)
        try bench.commit()
      }
    }
    bench.pass(milliseconds: 3)
    try bench.commit()
    var acknowledged = 0
    while acknowledged < bench.sent.count {
      try bench.acknowledge(bench.sent[acknowledged])
      acknowledged += 1
      if acknowledged == bench.sent.count { try bench.commit() }
      try bench.answerLoads()
    }
    #expect(bench.sent == (0..<count).map(String.init))
    #expect(bench.answered.count == count)
  }

  @Test func `a failed commit promises nothing`() throws {
    var bench = Bench()
    bench.push("a")
    try bench.commit(isDurable: false)
    #expect(bench.failed == ["a"])
    #expect(bench.answered.isEmpty)
  }

  @Test func `a dead token's notifications are discarded and answered`() throws {
    var bench = Bench()
    bench.push("stored")
    try bench.commit()
    bench.push("staged")
    bench.core.unregister(Bench.key(), now: bench.now)
    bench.drain()
    #expect(bench.answered == ["stored", "staged"])
    bench.pass(milliseconds: 60)
    try bench.commit()
    #expect(try bench.store.count() == 0)
    try bench.connect()
    #expect(bench.sent.isEmpty)
  }

  @Test func `a token that is born again while its removal waits keeps its new notification`()
    throws
  {
    var bench = Bench()
    bench.push("old")
    try bench.commit()
    bench.core.unregister(Bench.key(), now: bench.now)
    bench.push("new")
    try bench.commit()
    try bench.connect()
    #expect(bench.sent == ["new"])
  }

  @Test func `a revoked device's session ends and its rows go`() throws {
    var bench = Bench()
    bench.push("a")
    try bench.commit()
    try bench.connect()
    bench.core.revoke(1, now: bench.now)
    bench.drain()
    #expect(bench.closed == [.revoked])
    bench.pass(milliseconds: 60)
    try bench.commit()
    #expect(try bench.store.count() == 0)
  }

  @Test func `loops that share a store never number alike`() {
    for shards in 1...4 {
      var seen: Set<UInt64> = []
      for shard in 0..<shards {
        var core = DeliveryCore(highestSequence: 41, shard: shard, shards: shards)
        for _ in 0..<10 {
          let one = Submission(
            key: Bench.key(), generation: 0, id: NotificationID(high: 0, low: 0),
            uniqueID: NotificationID(high: 0, low: 0), expiration: .max, priority: 10,
            pushType: .alert, collapseID: [], payload: [], acceptedMilliseconds: 0, keep: 1,
            reply: nil)
          core.accept(one, now: Moment(nanoseconds: 0, unixMilliseconds: 0))
          var effects: [DeliveryEffect] = []
          core.takeEffects(into: &effects)
          guard case .record(.received, let entry)? = effects.first else {
            Issue.record("nothing was accepted")
            return
          }
          #expect(entry.sequence > 41)
          #expect(seen.insert(entry.sequence).inserted)
        }
      }
    }
  }

  @Test func `a failed commit does not keep the next one from starting`() throws {
    var bench = Bench()
    bench.push("a")
    try bench.commit(isDurable: false)
    #expect(bench.failed == ["a"])
    bench.pass(milliseconds: 60)
    try bench.commit()
    bench.push("b")
    #expect(try bench.commit() == 1)
    #expect(bench.answered == ["b"])
  }

  @Test func `a dead token's notification has its place in the window until it is acknowledged`()
    throws
  {
    var bench = Bench()
    try bench.connect(apps: [7, 8], window: 1)
    bench.push("a")
    bench.core.unregister(Bench.key(), now: bench.now)
    bench.drain()
    bench.push("b", to: Bench.key(app: 8))
    #expect(bench.sent == ["a"])
    let states = bench.states
    try bench.acknowledge("a")
    #expect(bench.sent == ["a", "b"])
    #expect(bench.states == states + [.sent])
  }

  @Test func `notifications that wait for a disabled app are discarded`() throws {
    var bench = Bench()
    try bench.connect(power: DevicePower(isRestricted: true))
    bench.push("held", priority: 5)
    try bench.commit()
    bench.core.disable(Bench.key(), now: bench.now)
    bench.drain()
    #expect(bench.states.last == .discardedDisabledFromStorage)
    bench.core.setPower(DevicePower(), of: 1, session: SessionID(1), now: bench.now)
    bench.drain()
    bench.pass(milliseconds: 60)
    try bench.commit()
    #expect(bench.sent.isEmpty)
    #expect(try bench.store.load(device: 1).isEmpty)
  }

  @Test func `a push for an app that was turned off is answered and recorded, but not stored`()
    throws
  {
    var bench = Bench()
    bench.core.discard(bench.notification("a"), as: .discardedDisabled)
    bench.drain()
    #expect(bench.answered == ["a"])
    #expect(bench.states == [.received, .discardedDisabled])
    #expect(try bench.commit() == 0)
  }

  @Test func `a session whose backlog cannot be read ends`() throws {
    var bench = Bench()
    try bench.connect(isLoadAnswered: false)
    bench.core.loaded(1, session: SessionID(1), rows: nil, now: bench.now)
    bench.drain()
    #expect(bench.closed == [.storeFailed])
    #expect(bench.core.session(of: 1) == nil)
  }

  @Test(arguments: [Int.max, 1])
  func `a notification that is not on disk yet is sent before one that was stored after it`(
    pageRows: Int
  ) throws {
    var bench = Bench()
    bench.pageRows = pageRows
    try bench.connect()
    bench.push("a")
    bench.push("b", to: Bench.key(app: 9))
    #expect(try bench.commit() == 1)
    #expect(bench.answered == ["b"])
    #expect(bench.states.last == .storedOffline)
    bench.core.disconnect(1, session: SessionID(1), now: bench.now)
    bench.drain()
    try bench.connect(2, apps: [7, 9])
    #expect(bench.sent == ["a", "a", "b"])
  }

  @Test func `a device that is revoked while it is away is forgotten`() throws {
    var bench = Bench()
    bench.push("a")
    bench.core.revoke(1, now: bench.now)
    bench.drain()
    #expect(bench.answered == ["a"])
    #expect(bench.states == [.received, .discardedUnregistered])
    bench.pass(milliseconds: 60)
    try bench.commit()
    #expect(try bench.store.count() == 0)
  }
}
