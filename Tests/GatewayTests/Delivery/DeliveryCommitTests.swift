import Gateway
import Storage
import Testing

private typealias Bench = DeliveryBench

/// Tests of a commit's contents and size, and of the state after a failed commit.
@Suite struct DeliveryCommitTests {
  @Test func `expired rows are swept in slices, and a push is committed in between`() throws {
    var bench = Bench()
    let rows = (1...2_500).map { number in
      StoreOperation.put(
        StoredNotification(
          key: Bench.key(UInt64(number) + 10), sequence: UInt64(number) + 1_000_000,
          id: .init(high: 2, low: UInt64(number)), uniqueID: .init(high: 3, low: UInt64(number)),
          expiration: bench.now.unixSeconds - 60, priority: 10, pushType: 1, collapseID: [],
          payload: [], acceptedMilliseconds: 0), keep: 1)
    }
    try bench.store.commit(rows)
    bench.core.tick(now: bench.now)
    bench.pass(milliseconds: 60)
    try bench.commit()
    #expect(try bench.store.count() == 1_500, "a slice contains 1,000 rows")
    bench.push("a")
    #expect(try bench.commit() == 2, "the commit contains the push and the next slice")
    #expect(bench.answered == ["a"])
    #expect(try bench.store.count() == 501)
    bench.pass(milliseconds: 60)
    try bench.commit()
    #expect(try bench.store.count() == 1)
    #expect(bench.states.filter { $0 == .discardedExpired }.count == 2_500)
    bench.pass(milliseconds: 60)
    #expect(try bench.commit() == 0, "the last slice was not full")
  }

  @Test func `a commit is bounded, and the rest follows at once`() throws {
    var bench = Bench()
    bench.checksInvariants = false
    for number in 1...5_000 { bench.push("\(number)", to: Bench.key(UInt64(number))) }
    #expect(try bench.commit() == 4_096)
    #expect(try bench.commit() == 904)
    #expect(bench.answered.count == 5_000)
  }

  @Test func `a slice that failed is swept again`() throws {
    var bench = Bench()
    bench.core.tick(now: bench.now)
    bench.pass(milliseconds: 60)
    #expect(try bench.commit(isDurable: false) == 1)
    bench.pass(milliseconds: 60)
    #expect(try bench.commit() == 1)
  }

  /// A regression test: if a notification was replaced in the same commit while the memory for its device was full, no
  /// record of the notification remained.
  @Test func `notifications that the store replaces while memory is full are recorded`() throws {
    var bench = Bench()
    try bench.connect(window: 1)
    for number in 0..<1_025 { bench.push("\(number)", keep: .max) }
    bench.pass(milliseconds: 3)
    try bench.commit()
    bench.push("left to the store")
    bench.push("newest")
    try bench.commit()
    #expect(bench.states.filter { $0 == .replaced }.count == 1)
  }

  @Test func `a refused notification of a device that is connected is not kept in mind`() throws {
    var bench = Bench()
    try bench.connect(window: 1)
    for number in 0..<1_026 { bench.push("\(number)", keep: .max) }
    bench.pass(milliseconds: 3)
    try bench.commit(isDurable: false)
    bench.core.disconnect(1, session: SessionID(1), now: bench.now)
    bench.drain()
    #expect(bench.failed.count == 1_026)
  }

  @Test func `rows of what a delivered one replaced go, even when its own commit failed`() throws {
    var bench = Bench()
    try bench.connect(power: DevicePower(isRestricted: true))
    bench.push("held", priority: 5)
    try bench.commit()
    bench.push("newer")
    bench.pass(milliseconds: 3)
    let operations = bench.core.takeCommit(now: bench.now)
    #expect(operations.count == 1)
    try bench.acknowledge("newer")
    bench.core.commitFinished(isDurable: false, now: bench.now)
    bench.drain()
    #expect(bench.answered.contains("newer"), "the device received it")
    bench.pass(milliseconds: 60)
    try bench.commit()
    #expect(try bench.store.count() == 0)
  }

  @Test func `rows that a replaced one had replaced go with the newest, though its commit failed`()
    throws
  {
    var bench = Bench()
    try bench.connect(power: DevicePower(isRestricted: true))
    bench.push("oldest", priority: 5)
    try bench.commit()
    bench.push("older", priority: 5)
    let operations = bench.core.takeCommit(now: bench.now)
    #expect(operations.count == 1)
    bench.push("newest")
    try bench.acknowledge("newest")
    bench.core.commitFinished(isDurable: false, now: bench.now)
    bench.drain()
    #expect(bench.failed == ["older"])
    #expect(bench.states.filter { $0 == .replaced }.count == 2)
    bench.pass(milliseconds: 60)
    try bench.commit()
    #expect(try bench.store.count() == 0, "the older was replaced; the device has the newest")
  }

  @Test func `a load passes over what was replaced before, and each replacement is recorded once`()
    throws
  {
    var bench = Bench()
    for text in ["first", "oldest"] {
      bench.push(text, keep: 9, collapseID: text == "oldest" ? "c" : "")
    }
    try bench.commit()
    try bench.connect(window: 1)
    for text in ["older", "newest"] { bench.push(text, keep: 9, collapseID: "c") }
    bench.core.disconnect(1, session: SessionID(1), now: bench.now)
    try bench.connect(2, window: 1)
    try bench.acknowledge("first", session: 2)
    try bench.commit()
    #expect(bench.sent == ["first", "first", "newest"])
    #expect(bench.states.filter { $0 == .replaced }.count == 2, "each replacement is recorded once")
  }

  /// A regression test: a push was answered with 200, and the newer push that replaced it was refused.
  ///
  /// Neither push was delivered.
  @Test func `a replaced notification comes back when the device discards its refused replacement`()
    throws
  {
    var bench = Bench()
    try bench.connect(power: DevicePower(isRestricted: true))
    bench.push("older", priority: 5)
    try bench.commit()
    bench.push("newer")
    bench.pass(milliseconds: 3)
    try bench.commit(isDurable: false)
    #expect(bench.failed == ["newer"])
    try bench.discard("newer", .appGone)
    bench.core.setPower(DevicePower(), of: 1, session: SessionID(1), now: bench.now)
    bench.drain()
    try bench.answerLoads()
    #expect(bench.sent == ["newer", "older"])
    bench.pass(milliseconds: 60)
    try bench.commit()
    #expect(try bench.store.count() == 1, "the older push is not acknowledged yet")
    try bench.acknowledge("older")
    #expect(bench.states.last == .deliveredFromStorage)
  }

  @Test
  func
    `after a refused push and a disconnect, the older notification is replaced by the next push`()
    throws
  {
    var bench = Bench()
    try bench.connect(power: DevicePower(isRestricted: true))
    bench.push("older", priority: 5)
    try bench.commit()
    bench.push("newer")
    bench.pass(milliseconds: 3)
    try bench.commit(isDurable: false)
    bench.core.disconnect(1, session: SessionID(1), now: bench.now)
    bench.drain()
    bench.push("newest")
    try bench.commit()
    #expect(bench.states.filter { $0 == .replaced }.count == 2, "the store also replaced it")
    #expect(try bench.store.count() == 1)
  }

  @Test
  func
    `a replacement that expires before its commit also removes the notification that it replaced`()
    throws
  {
    var bench = Bench()
    try bench.connect(power: DevicePower(isRestricted: true))
    bench.push("older", priority: 5)
    try bench.commit()
    bench.push("newer", priority: 5, expiresIn: 1)
    bench.pass(milliseconds: 2_000)
    bench.core.setPower(DevicePower(), of: 1, session: SessionID(1), now: bench.now)
    bench.drain()
    #expect(bench.states.last == .discardedExpired)
    bench.pass(milliseconds: 60)
    try bench.commit()
    #expect(try bench.store.count() == 0)
  }

  @Test
  func `a replacement that expires during a commit that fails also removes what it replaced`()
    throws
  {
    var bench = Bench()
    try bench.connect(power: DevicePower(isRestricted: true))
    bench.push("older", priority: 5)
    try bench.commit()
    bench.push("newer", priority: 5, expiresIn: 1)
    let operations = bench.core.takeCommit(now: bench.now)
    #expect(operations.count == 1)
    bench.pass(milliseconds: 2_000)
    bench.core.setPower(DevicePower(), of: 1, session: SessionID(1), now: bench.now)
    bench.core.commitFinished(isDurable: false, now: bench.now)
    bench.drain()
    #expect(bench.answered == ["older", "newer"] && bench.failed.isEmpty)
    #expect(bench.states.last == .discardedExpired)
    bench.pass(milliseconds: 60)
    try bench.commit()
    #expect(try bench.store.count() == 0)
  }

  /// Checks that the newest push leaves no row, regardless of which earlier notification is on disk when the push
  /// arrives.
  ///
  /// `stored` names the notification that is on disk. The newest push replaces it directly or through another push.
  @Test(arguments: ["waiting", "oldest"])
  func `a push that replaces a waiting and a held one removes all rows, though a commit fails`(
    stored: String
  ) throws {
    var bench = Bench()
    try bench.connect(power: DevicePower(isRestricted: true), window: 1)
    bench.push("first", expiresIn: 0)
    bench.push("waiting", collapseID: "c")
    if stored == "oldest" {
      bench.push("oldest", priority: 5)
      try bench.commit()
    }
    bench.pass(milliseconds: 3)
    if stored == "waiting" { try bench.commit() }
    #expect(try bench.store.count() == 1)
    bench.push("held", priority: 5)
    bench.push("newest", collapseID: "c")
    let operations = bench.core.takeCommit(now: bench.now)
    #expect(operations.count == (stored == "waiting" ? 1 : 2))
    for text in ["first", "newest"] { try bench.acknowledge(text) }
    bench.core.commitFinished(isDurable: false, now: bench.now)
    bench.drain()
    #expect(bench.failed.contains("held"))
    bench.pass(milliseconds: 60)
    try bench.commit()
    #expect(try bench.store.count() == 0)
  }

  @Test func `a push whose commit fails is delivered only if the device already has it`() throws {
    var bench = Bench()
    try bench.connect(window: 1)
    for text in ["sent", "waiting", "another"] { bench.push(text, keep: .max) }
    bench.pass(milliseconds: 3)
    try bench.commit(isDurable: false)
    #expect(bench.failed == ["sent", "waiting", "another"])
    try bench.acknowledge("sent")
    bench.push("next", keep: .max)
    #expect(bench.sent == ["sent", "next"])
  }

  @Test func `a notification returns if the one that replaced it is refused`() throws {
    var bench = Bench()
    try bench.connect(window: 1)
    bench.push("first", keep: .max)
    bench.push("older", keep: .max, collapseID: "c")
    bench.pass(milliseconds: 3)
    try bench.commit()
    bench.push("newer", keep: .max, collapseID: "c")
    bench.pass(milliseconds: 3)
    try bench.commit(isDurable: false)
    #expect(bench.failed == ["newer"])
    #expect(try bench.store.count() == 2)
    try bench.acknowledge("first")
    bench.pass(milliseconds: 3)
    try bench.commit()
    try bench.answerLoads()
    #expect(bench.sent == ["first", "older"])
  }

  /// Replaces an unsent notification, and returns the commit of the newer notification.
  ///
  /// The newer one is held, so it is committed before the older one. Another notification is in flight.
  private func replace(
    in bench: inout DeliveryBench, expiresIn seconds: Int64 = 3_600
  ) throws -> [StoreOperation] {
    try bench.connect(window: 1)
    bench.push("first", keep: .max)
    bench.push("older", keep: .max, collapseID: "c")
    bench.core.setPower(
      DevicePower(isRestricted: true), of: 1, session: SessionID(1), now: bench.now)
    bench.push("newer", priority: 5, expiresIn: seconds, keep: .max, collapseID: "c")
    let operations = bench.core.takeCommit(now: bench.now)
    #expect(operations.count == 1)
    return operations
  }

  @Test
  func `a replaced notification that is committed after the newer one was delivered leaves no row`()
    throws
  {
    var bench = Bench()
    let operations = try replace(in: &bench)
    bench.core.setPower(DevicePower(), of: 1, session: SessionID(1), now: bench.now)
    for text in ["first", "newer"] { try bench.acknowledge(text) }
    bench.core.commitFinished(
      isDurable: true, dropping: try bench.store.commit(operations), now: bench.now)
    bench.drain()
    bench.pass(milliseconds: 3)
    #expect(try bench.commit() == 2, "the newer row is removed, and the older one is inserted")
    #expect(bench.answered == ["first", "newer", "older"])
    bench.pass(milliseconds: 60)
    try bench.commit()
    #expect(try bench.store.count() == 0)
  }

  @Test
  func
    `a replaced notification leaves no row if its token is unregistered and the newer one fails`()
    throws
  {
    var bench = Bench()
    _ = try replace(in: &bench)
    bench.core.unregister(Bench.key(), now: bench.now)
    bench.core.commitFinished(isDurable: false, now: bench.now)
    bench.drain()
    #expect(bench.failed == ["newer"])
    bench.pass(milliseconds: 3)
    #expect(
      try bench.commit() == 2, "the token's rows are removed before the older one is inserted")
    bench.pass(milliseconds: 60)
    try bench.commit()
    #expect(try bench.store.count() == 0)
  }

  @Test func `a notification that one commit both stores and replaces is recorded in that order`()
    throws
  {
    var bench = Bench()
    bench.push("older")
    bench.push("newer")
    try bench.commit()
    #expect(
      bench.states == [.received, .received, .storedOffline, .storedOffline, .replaced])
  }

  /// A regression test for a notification that is replaced while it is being committed.
  ///
  /// The notification's row was removed, although the newer notification was refused.
  @Test(arguments: [false, true])
  func `a notification replaced during its commit comes back when the newer one is refused`(
    isDelayed: Bool
  ) throws {
    var bench = Bench()
    try bench.connect(power: DevicePower(isRestricted: true))
    bench.push("older", priority: 5)
    let operations = bench.core.takeCommit(now: bench.now)
    bench.push("newer")
    _ = try bench.store.commit(operations)
    bench.core.commitFinished(isDurable: true, now: bench.now)
    bench.drain()
    #expect(bench.answered == ["older"])
    bench.pass(milliseconds: isDelayed ? 60 : 3)
    try bench.commit(isDurable: false)
    #expect(bench.failed == ["newer"])
    try bench.discard("newer", .appGone)
    bench.core.setPower(DevicePower(), of: 1, session: SessionID(1), now: bench.now)
    bench.drain()
    bench.pass(milliseconds: 60)
    try bench.commit()
    try bench.answerLoads()
    #expect(bench.sent == ["newer", "older"])
  }

  @Test
  func `a notification replaced before its commit leaves no row once the newer one is delivered`()
    throws
  {
    var bench = Bench()
    try bench.connect(power: DevicePower(isRestricted: true))
    bench.push("older", priority: 5)
    bench.push("newer")
    try bench.acknowledge("newer")
    for _ in 0..<3 {
      bench.pass(milliseconds: 60)
      try bench.commit()
    }
    #expect(Set(bench.answered) == ["older", "newer"])
    #expect(try bench.store.count() == 0)
  }

  /// A regression test: the replaced notification was treated as in flight and was sent before the rest of the backlog.
  @Test func `a notification that the store replaced for an offline device is not sent`() throws {
    var bench = Bench()
    bench.pageRows = 2
    for text in ["1", "2", "3"] { bench.push(text, to: Bench.key(app: 8), keep: .max) }
    try bench.commit()
    bench.push("older")
    bench.push("newer")
    let operations = bench.core.takeCommit(now: bench.now)
    let dropped = try bench.store.commit(operations)
    try bench.connect(apps: [7, 8], isLoadAnswered: false)
    bench.core.commitFinished(isDurable: true, dropping: dropped, now: bench.now)
    bench.drain()
    try bench.answerLoads()
    for text in ["1", "2"] { try bench.acknowledge(text) }
    try bench.answerLoads()
    #expect(bench.sent == ["1", "2", "3", "newer"])
    #expect(bench.states.filter { $0 == .replaced }.count == 1)
  }

  @Test func `notifications that a disconnecting device left unacknowledged are committed at once`()
    throws
  {
    var bench = Bench()
    try bench.connect()
    try bench.connect(2, device: 2)
    bench.push("patient")
    bench.push("left", to: Bench.key(2))
    bench.core.disconnect(2, session: SessionID(2), now: bench.now)
    bench.drain()
    #expect(bench.core.nextCommitNanoseconds() == bench.now.nanoseconds)
    #expect(try bench.commit() == 1)
    #expect(bench.answered == ["left"])
  }

  @Test func `rows of what was replaced go with a newer one that was refused and delivered`() throws
  {
    var bench = Bench()
    try bench.connect(power: DevicePower(isRestricted: true))
    bench.push("held", priority: 5)
    try bench.commit()
    bench.push("newer")
    bench.pass(milliseconds: 3)
    try bench.commit(isDurable: false)
    try bench.acknowledge("newer")
    bench.pass(milliseconds: 60)
    try bench.commit()
    #expect(try bench.store.count() == 0)
  }

  @Test func `a shutdown waits for no acknowledgement, and commits what was replaced as well`()
    throws
  {
    var bench = Bench()
    try bench.connect(window: 1)
    for text in ["first", "0:1", "1:1"] { bench.push(text, keep: .max, collapseID: "score") }
    #expect(try bench.commit() == 0)
    bench.core.flush(now: bench.now)
    #expect(try bench.commit() == 3)
    #expect(bench.answered == ["first", "0:1", "1:1"])
    let isSettled = bench.core.isSettled
    #expect(isSettled)
  }

  @Test
  func `a replaced notification leaves no row if the newer one expires during a failed commit`()
    throws
  {
    var bench = Bench()
    _ = try replace(in: &bench, expiresIn: 1)
    bench.pass(milliseconds: 2_000)
    bench.core.setPower(DevicePower(), of: 1, session: SessionID(1), now: bench.now)
    try bench.acknowledge("first")
    #expect(bench.states.contains(.discardedExpired))
    bench.core.commitFinished(isDurable: false, now: bench.now)
    bench.drain()
    for _ in 0..<2 {
      bench.pass(milliseconds: 60)
      try bench.commit()
    }
    #expect(Set(bench.answered) == ["first", "older", "newer"])
    #expect(try bench.store.count() == 0)
  }

  @Test func `a notification that is replaced during its commit is recorded as replaced only once`()
    throws
  {
    var bench = Bench()
    try bench.connect(power: DevicePower(isRestricted: true))
    bench.push("older", priority: 5)
    let operations = bench.core.takeCommit(now: bench.now)
    bench.push("newer", priority: 5)
    _ = try bench.store.commit(operations)
    bench.core.commitFinished(isDurable: true, now: bench.now)
    bench.drain()
    try bench.commit()
    #expect(bench.answered == ["older", "newer"])
    #expect(bench.states.filter { $0 == .replaced }.count == 1)
    #expect(try bench.store.count() == 1)
  }

  @Test
  func `a push refused after its device left no longer counts as a replacement of the older one`()
    throws
  {
    var bench = Bench()
    try bench.connect(power: DevicePower(isRestricted: true))
    bench.push("older", priority: 5)
    try bench.commit()
    bench.push("newer")
    bench.pass(milliseconds: 3)
    let operations = bench.core.takeCommit(now: bench.now)
    #expect(operations.count == 1)
    bench.core.disconnect(1, session: SessionID(1), now: bench.now)
    bench.core.commitFinished(isDurable: false, now: bench.now)
    bench.drain()
    bench.push("newest")
    try bench.commit()
    #expect(bench.states.filter { $0 == .replaced }.count == 2, "the store also replaced it")
  }

  @Test func `a shutdown does not wait to remove the rows of acknowledged notifications`() throws {
    var bench = Bench()
    bench.push("stored")
    try bench.commit()
    try bench.connect()
    try bench.acknowledge("stored")
    #expect(try bench.commit() == 0)
    bench.core.flush(now: bench.now)
    #expect(try bench.commit() == 1)
    #expect(try bench.store.count() == 0)
  }
}
