import BelfryWire
import Gateway
import Storage
import Testing

private typealias Bench = DeliveryBench

/// Tests of notifications that are held because of a device's power state or an app's background rate.
@Suite struct DeliveryHoldingTests {
  @Test func `a background push that has to wait costs a connected device nothing`() throws {
    var bench = Bench()
    try bench.connect(window: 1)
    for number in 1...4 { bench.push("\(number)", priority: 5, type: .background) }
    for text in ["a", "b"] { bench.push(text) }
    bench.pass(milliseconds: 3)
    try bench.commit()
    for text in ["1", "2", "3", "a", "b"] { try bench.acknowledge(text) }
    #expect(bench.sent == ["1", "2", "3", "a", "b"])
  }

  @Test func `I09 power restriction keeps priority 5 and 1 until it is lifted`() throws {
    var bench = Bench()
    try bench.connect(apps: [1, 2, 3], power: DevicePower(isRestricted: true))
    bench.push("five", to: Bench.key(app: 1), priority: 5)
    bench.push("one", to: Bench.key(app: 2), priority: 1)
    bench.push("ten", to: Bench.key(app: 3), priority: 10)
    #expect(bench.sent == ["ten"])
    try bench.commit()
    #expect(bench.answered == ["five", "one"])
    #expect(bench.states.contains(.storedPower))
    bench.core.setPower(DevicePower(), of: 1, session: SessionID(1), now: bench.now)
    bench.drain()
    #expect(bench.sent == ["ten", "five", "one"])
  }

  @Test func `an alert and a background push that wait for power do not replace each other`() throws
  {
    var bench = Bench()
    try bench.connect(power: DevicePower(isRestricted: true))
    bench.push("news", priority: 5, type: .background)
    bench.push("alert", priority: 5)
    try bench.commit()
    // Each push replaces the waiting push of the same kind.
    bench.push("later alert", priority: 5)
    bench.push("later news", priority: 5, type: .background)
    try bench.commit()
    #expect(bench.sent.isEmpty)
    bench.core.setPower(DevicePower(), of: 1, session: SessionID(1), now: bench.now)
    bench.drain()
    #expect(bench.sent == ["later alert", "later news"])
  }

  @Test func `a sleeping device gets 5 with the next 10, or after five minutes`() throws {
    var bench = Bench()
    try bench.connect(apps: [1, 2, 3], power: DevicePower(isAsleep: true))
    bench.push("five", to: Bench.key(app: 1), priority: 5)
    bench.push("one", to: Bench.key(app: 2), priority: 1)
    #expect(bench.sent.isEmpty)
    bench.push("ten", to: Bench.key(app: 3))
    #expect(bench.sent == ["five", "one", "ten"])
    bench.push("again", to: Bench.key(app: 1), priority: 5)
    bench.push("one again", to: Bench.key(app: 2), priority: 1)
    bench.pass(milliseconds: 301_000)
    bench.core.tick(now: bench.now)
    bench.drain()
    #expect(bench.sent == ["five", "one", "ten", "again"])
    bench.core.onDeviceActivity(1, session: SessionID(1), now: bench.now)
    bench.drain()
    #expect(bench.sent.last == "one again")
  }

  @Test
  func `a notification stored while it was held for power is recorded as discarded from storage`()
    throws
  {
    var bench = Bench()
    try bench.connect(power: DevicePower(isRestricted: true))
    bench.push("held", priority: 5)
    try bench.commit()
    bench.core.unregister(Bench.key(), now: bench.now)
    bench.drain()
    #expect(bench.states.last == .discardedUnregisteredFromStorage)
  }

  @Test func `power restricted while the window is full keeps back what waits for it`() throws {
    var bench = Bench()
    try bench.connect(window: 1)
    bench.push("a", keep: .max)
    bench.push("b", priority: 5, keep: .max)
    bench.push("once", priority: 5, expiresIn: 0)
    bench.core.setPower(
      DevicePower(isRestricted: true), of: 1, session: SessionID(1), now: bench.now)
    bench.drain()
    try bench.acknowledge("a")
    #expect(bench.sent == ["a"])
    #expect(bench.answered.contains("once"))
    bench.pass(milliseconds: 10)
    try bench.commit()
    bench.core.setPower(DevicePower(), of: 1, session: SessionID(1), now: bench.now)
    bench.drain()
    #expect(bench.sent == ["a", "b"])
    try bench.acknowledge("b")
    #expect(bench.states.last == .deliveredFromStorage)
  }

  @Test
  func `a push with expiration 0 to a power-restricted device is discarded once loading finishes`()
    throws
  {
    var bench = Bench()
    try bench.connect(power: DevicePower(isRestricted: true), isLoadAnswered: false)
    bench.push("once", priority: 5, expiresIn: 0)
    try bench.answerLoads()
    #expect(bench.sent.isEmpty)
    #expect(bench.answered == ["once"])
    #expect(bench.states.last == .discardedExpired)
  }

  @Test func `I12 background pushes are three at once, then the newest each twenty minutes`() throws
  {
    var bench = Bench()
    try bench.connect()
    for number in 0..<10 {
      bench.push("\(number)", priority: 5, type: .background)
      try bench.commit()
      bench.pass(milliseconds: 60_000)
      bench.core.tick(now: bench.now)
      bench.drain()
    }
    #expect(bench.sent == ["0", "1", "2"])
    #expect(Set(bench.answered).count == 10, "the provider is not notified of the throttling")
    #expect(bench.states.filter { $0 == .replaced }.count == 6)
    #expect(bench.states.contains(.storedPower))
    bench.push("alert")
    #expect(bench.sent.last == "alert")
  }

  @Test func `a throttled background push is sent exactly once, after its waiting time`() throws {
    var bench = Bench()
    try bench.connect()
    for text in ["a", "b", "c", "held"] {
      bench.push(text, priority: 5, type: .background)
      try bench.commit()
    }
    for text in ["a", "b", "c"] { try bench.acknowledge(text) }
    bench.core.onDeviceActivity(1, session: SessionID(1), now: bench.now)
    bench.drain()
    #expect(bench.sent == ["a", "b", "c"])
    bench.pass(milliseconds: 1_199_999)
    bench.core.tick(now: bench.now)
    bench.drain()
    #expect(bench.sent == ["a", "b", "c"])
    bench.pass(milliseconds: 1)
    bench.core.tick(now: bench.now)
    bench.drain()
    #expect(bench.sent == ["a", "b", "c", "held"])
    bench.core.tick(now: bench.now)
    bench.drain()
    #expect(bench.sent.count == 4)
  }

  @Test func `a new session does not bring a throttled push forward`() throws {
    var bench = Bench()
    try bench.connect()
    for text in ["a", "b", "c", "held"] { bench.push(text, priority: 5, type: .background) }
    bench.pass(milliseconds: 5)
    try bench.commit()
    for text in ["a", "b", "c"] { try bench.acknowledge(text) }
    bench.core.disconnect(1, session: SessionID(1), now: bench.now)
    bench.drain()
    bench.pass(milliseconds: 60)
    try bench.commit()
    try bench.connect(2)
    #expect(bench.sent == ["a", "b", "c"])
    bench.pass(milliseconds: 1_200_000)
    bench.core.tick(now: bench.now)
    bench.drain()
    #expect(bench.sent.last == "held")
  }

  @Test func `each app on each device has its own background pushes`() throws {
    var bench = Bench()
    try bench.connect(apps: [7, 8])
    for number in 0..<4 {
      bench.push("7-\(number)", priority: 5, type: .background)
      bench.push("8-\(number)", to: Bench.key(app: 8), priority: 5, type: .background)
    }
    #expect(bench.sent == ["7-0", "8-0", "7-1", "8-1", "7-2", "8-2"])
  }

  @Test func `a background push to be tried once is given up when the app has had its share`()
    throws
  {
    var bench = Bench()
    try bench.connect()
    for number in 0..<4 {
      bench.push("\(number)", priority: 5, expiresIn: 0, type: .background)
    }
    #expect(bench.sent == ["0", "1", "2"])
    #expect(bench.answered == ["0", "1", "2", "3"])
    #expect(bench.states.last == .discardedExpired)
  }

  @Test(arguments: [["five", "one"], ["one", "five"]])
  func `a notification that is held again before it was sent keeps its place`(
    held: [String]
  ) throws {
    var bench = Bench()
    try bench.connect(power: DevicePower(isAsleep: true), window: 1)
    bench.push("ten", keep: .max)
    for text in held { bench.push(text, priority: text == "five" ? 5 : 1, keep: .max) }
    bench.pass(milliseconds: 301_000)
    bench.core.tick(now: bench.now)
    bench.drain()
    #expect(bench.sent == ["ten"], "five is released, but the window is full")
    for power in [DevicePower(isAsleep: true, isRestricted: true), DevicePower()] {
      bench.core.setPower(power, of: 1, session: SessionID(1), now: bench.now)
      bench.drain()
    }
    for text in ["ten"] + held { try bench.acknowledge(text) }
    #expect(bench.sent == ["ten"] + held)
  }

  @Test func `released notifications keep their place among those that wait`() throws {
    var bench = Bench()
    try bench.connect(power: DevicePower(isRestricted: true), window: 1)
    for (text, priority) in [("a", 10), ("five", 5), ("b", 10), ("one", 1)] as [(String, UInt8)] {
      bench.push(text, priority: priority, keep: .max)
    }
    bench.core.setPower(DevicePower(), of: 1, session: SessionID(1), now: bench.now)
    bench.drain()
    for text in ["a", "five", "b", "one"] { try bench.acknowledge(text) }
    #expect(bench.sent == ["a", "five", "b", "one"])
  }

  @Test func `a background push that is held again counts only once toward its app's rate`() throws
  {
    var bench = Bench()
    try bench.connect(window: 1)
    bench.push("alert", keep: .max)
    bench.push("news", priority: 5, keep: .max, type: .background)
    for _ in 0..<3 {
      for power in [DevicePower(isRestricted: true), DevicePower()] {
        bench.core.setPower(power, of: 1, session: SessionID(1), now: bench.now)
        bench.drain()
      }
    }
    try bench.acknowledge("alert")
    #expect(bench.sent == ["alert", "news"])
  }
}
