import BelfryWire
import Gateway
import Storage
import Testing

private typealias Bench = DeliveryBench

/// Tests of rows that a device has acknowledged but that the store hasn't yet removed when the gateway is killed.
///
/// The gateway resends the notifications in these rows after its restart. The number of these notifications never
/// exceeds the number of notifications that the device remembers.
@Suite struct UnremovedRowsTests {
  private func texts(_ numbers: ClosedRange<Int>) -> [String] { numbers.map(String.init) }

  /// Returns a bench whose device has a backlog of 100 notifications and a window of eight.
  private func makeBacklog() throws -> DeliveryBench {
    var bench = Bench()
    for text in texts(1...100) { bench.push(text, keep: .max) }
    while try bench.commit() > 0 {}
    try bench.connect(window: 8)
    return bench
  }

  private func acknowledge(_ numbers: ClosedRange<Int>, in bench: inout DeliveryBench) throws {
    for text in texts(numbers) { try bench.acknowledge(text) }
  }

  @Test
  func `a device with a backlog is sent no more than it remembers before the store removed it`()
    throws
  {
    var bench = try makeBacklog()
    #expect(bench.sent == texts(1...8))
    try acknowledge(1...8, in: &bench)
    #expect(bench.sent == texts(1...8))
    #expect(try bench.commit() == 8, "the removals do not wait for more rows")
    #expect(bench.sent == texts(1...16))
  }

  @Test func `acknowledgments during a commit make room only after the next commit`() throws {
    var bench = try makeBacklog()
    try acknowledge(1...4, in: &bench)
    #expect(bench.sent == texts(1...8))
    let operations = bench.core.takeCommit(now: bench.now)
    #expect(operations.count == 4)
    try acknowledge(5...6, in: &bench)
    bench.core.commitFinished(
      isDurable: true, dropping: try bench.store.commit(operations), now: bench.now)
    bench.drain()
    #expect(bench.sent == texts(1...12), "the fifth row is the first that the store still has")
  }

  @Test
  func `rows of pushes that were acknowledged during their own commit are removed by the next one`()
    throws
  {
    var bench = Bench()
    try bench.connect(window: 8)
    for text in texts(1...8) { bench.push(text, keep: .max) }
    bench.pass(milliseconds: 3)
    let operations = bench.core.takeCommit(now: bench.now)
    #expect(operations.count == 8)
    try acknowledge(1...8, in: &bench)
    bench.push("9", keep: .max)
    #expect(bench.sent == texts(1...8), "the device remembers only eight")
    bench.core.commitFinished(
      isDurable: true, dropping: try bench.store.commit(operations), now: bench.now)
    bench.drain()
    #expect(try bench.commit() == 8, "the removals do not wait for more rows")
    #expect(bench.sent == texts(1...9))
  }

  @Test func `pushes that need no row count too, since the device remembers them as well`() throws {
    var bench = Bench()
    bench.push("stored", keep: .max)
    while try bench.commit() > 0 {}
    try bench.connect(window: 8)
    try bench.acknowledge("stored")
    for number in 1...20 {
      bench.push("\(number)", expiresIn: 0, keep: .max)
      if bench.sent.contains("\(number)") { try bench.acknowledge("\(number)") }
    }
    #expect(bench.sent == ["stored"] + texts(1...7))
    try bench.commit()
    #expect(bench.sent.count == 16, "eight waiting pushes, a full window, follow")
  }

  @Test func `a store that fails keeps nothing from a device that is there`() throws {
    var bench = try makeBacklog()
    try acknowledge(1...8, in: &bench)
    #expect(try bench.commit(isDurable: false) == 8)
    #expect(bench.sent == texts(1...16))
  }

  @Test func `a push acknowledged while its own commit fails leaves nothing to wait for`() throws {
    var bench = Bench()
    try bench.connect(window: 1)
    bench.push("first", keep: .max)
    bench.pass(milliseconds: 3)
    let operations = bench.core.takeCommit(now: bench.now)
    #expect(operations.count == 1)
    try bench.acknowledge("first")
    bench.push("second", expiresIn: 0, keep: .max)
    #expect(bench.sent == ["first"])
    bench.core.commitFinished(isDurable: false, now: bench.now)
    bench.drain()
    #expect(bench.sent == ["first", "second"])
  }

  @Test
  func
    `after a reconnect, rows that the store has not removed still count toward the device's limit`()
    throws
  {
    var bench = try makeBacklog()
    try acknowledge(1...8, in: &bench)
    bench.core.disconnect(1, session: SessionID(1), now: bench.now)
    bench.drain()
    try bench.connect(2, window: 8)
    #expect(bench.sent == texts(1...8))
    try bench.commit()
    #expect(bench.sent == texts(1...16))
  }

  @Test func `a few rows wait for more to be removed with them`() throws {
    var bench = Bench()
    for text in texts(1...2) { bench.push(text, keep: .max) }
    while try bench.commit() > 0 {}
    try bench.connect(window: 8)
    try acknowledge(1...2, in: &bench)
    let due = bench.now.nanoseconds + 50_000_000
    #expect(bench.core.nextCommitNanoseconds() == due)
    #expect(try bench.commit() == 0)
    bench.pass(milliseconds: 50)
    #expect(try bench.commit() == 2)
  }

  @Test func `rows are removed at once when half a window of deliveries has followed the first`()
    throws
  {
    var bench = Bench()
    for text in texts(1...4) { bench.push(text, keep: .max) }
    while try bench.commit() > 0 {}
    try bench.connect(window: 8)
    try bench.acknowledge("1")
    #expect(bench.core.nextCommitNanoseconds() == bench.now.nanoseconds)
    #expect(try bench.commit() == 1)
  }
}
