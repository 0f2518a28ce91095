import PushWire
import Gateway
import Storage
import Testing

/// A delivery core with one channel, driven by the test.
private struct Bench: ~Copyable {
  var core = DeliveryCore(highestSequence: 0)
  var now = Moment(nanoseconds: 1_000_000_000, unixMilliseconds: 1_700_000_000_000)
  var sent: [(device: UInt64, text: String, isStored: Bool)] = []
  var marks: [UInt64] = []
  var states: [DeliveryState] = []
  private var inFlight: [UInt64: [UInt64]] = [:]
  private var loads: [(UInt64, SessionID)] = []
  private var nextID: UInt64 = 1
  private var checks = InvariantChecks()

  static let channel = ChannelID(high: 9, low: 9)

  init() { core.addChannel(Self.channel, app: 7) }

  mutating func drain() {
    var effects: [DeliveryEffect] = []
    core.takeEffects(into: &effects)
    for effect in effects {
      switch effect {
      case .send(_, let one):
        sent.append(
          (
            one.key.device, String(decoding: one.payload, as: UTF8.self), one.isFromStore
          ))
        inFlight[one.key.device, default: []].append(one.sequence)
      case .mark(let device, _, _): marks.append(device)
      case .recordDropped: Issue.record("a copy has no row")
      case .record(let state, _): states.append(state)
      case .load(let device, let session): loads.append((device, session))
      case .answer, .fail, .submitAgain, .close: break
      }
    }
    if loads.isEmpty, checks.isDue() { core.checkInvariants() }
    while let (device, session) = loads.popLast() {
      core.loaded(device, session: session, rows: [], now: now)
      drain()
    }
  }

  /// Each session has the same number as its device.
  mutating func connect(
    _ devices: UInt64..., power: DevicePower = DevicePower(), window: Int = 64
  ) {
    for device in devices {
      inFlight[device] = nil
      core.connect(
        device, session: SessionID(device), topics: [], window: window, power: power, now: now)
      _ = core.subscribe(device, to: Self.channel)
      core.listen(to: Self.channel, device, session: SessionID(device), now: now)
      drain()
    }
  }

  mutating func disconnect(_ device: UInt64) {
    core.disconnect(device, session: SessionID(device), now: now)
    drain()
  }

  @discardableResult
  mutating func broadcast(
    _ text: String, isKept: Bool = true, priority: UInt8 = 10, lasting seconds: Int64 = 3_600
  ) -> Broadcast {
    nextID += 1
    let message = Broadcast(
      channel: Self.channel, app: 7, id: NotificationID(high: 0, low: nextID),
      uniqueID: NotificationID(high: 1, low: nextID),
      expiration: isKept ? now.unixSeconds + seconds : 0, priority: priority,
      payload: Array(text.utf8), acceptedMilliseconds: now.unixMilliseconds, isKept: isKept)
    core.broadcast(message, now: now)
    drain()
    return message
  }

  mutating func acknowledge(_ device: UInt64) {
    for sequence in inFlight.removeValue(forKey: device) ?? [] {
      core.acknowledge(device, session: SessionID(device), sequence: sequence, now: now)
    }
    drain()
  }

  /// Reports that the device has no room for the notifications that are in flight to it.
  mutating func discardAll(_ device: UInt64) {
    for sequence in inFlight.removeValue(forKey: device) ?? [] {
      core.discarded(
        device, session: SessionID(device), sequence: sequence, .noRoom, now: now)
    }
    drain()
  }

  mutating func setPower(_ power: DevicePower, of device: UInt64) {
    core.setPower(power, of: device, session: SessionID(device), now: now)
    drain()
  }

  mutating func pass(seconds: Int64) {
    now.nanoseconds += seconds * 1_000_000_000
    now.unixMilliseconds += seconds * 1_000
  }

  func texts(_ device: UInt64) -> [String] { sent.filter { $0.device == device }.map(\.text) }
}

@Suite struct BroadcastTests {
  @Test func `a broadcast goes to each listener once`() {
    var bench = Bench()
    bench.connect(1, 2)
    bench.broadcast("a")
    #expect(bench.texts(1) == ["a"])
    #expect(bench.texts(2) == ["a"])
    bench.acknowledge(1)
    #expect(bench.marks == [1])
    #expect(bench.states.filter { $0 == .delivered }.count == 1)
  }

  @Test func `the newest kept message waits for a device that is away`() {
    var bench = Bench()
    bench.connect(1)
    bench.disconnect(1)
    bench.broadcast("a")
    bench.broadcast("b")
    #expect(bench.sent.isEmpty)
    bench.connect(1)
    #expect(bench.texts(1) == ["b"])
    let isStored = bench.sent.first?.isStored
    #expect(isStored == true)
    bench.acknowledge(1)
    bench.disconnect(1)
    bench.connect(1)
    #expect(bench.texts(1) == ["b"], "an acknowledged broadcast is not resent")
  }

  @Test func `a broadcast that was not acknowledged is sent again`() {
    var bench = Bench()
    bench.connect(1)
    bench.broadcast("a")
    bench.disconnect(1)
    bench.connect(1)
    #expect(bench.texts(1) == ["a", "a"])
  }

  @Test func `a message without storage is for those who are there`() {
    var bench = Bench()
    bench.connect(1)
    bench.broadcast("a", isKept: false)
    bench.acknowledge(1)
    #expect(bench.texts(1) == ["a"])
    #expect(bench.marks.isEmpty)
    bench.disconnect(1)
    bench.broadcast("b", isKept: false)
    bench.connect(1)
    #expect(bench.texts(1) == ["a"])
  }

  @Test func `an expired message is not handed out`() {
    var bench = Bench()
    bench.broadcast("a", lasting: 60)
    bench.pass(seconds: 61)
    bench.connect(1)
    #expect(bench.sent.isEmpty)
  }

  @Test func `a new subscriber gets the newest message`() {
    var bench = Bench()
    bench.broadcast("a")
    bench.connect(1)
    #expect(bench.texts(1) == ["a"])
  }

  @Test func `low priority waits for power and the newest replaces it`() {
    var bench = Bench()
    bench.connect(1, power: DevicePower(isRestricted: true))
    bench.broadcast("a", priority: 5)
    bench.broadcast("b", priority: 5)
    bench.broadcast("c", isKept: false, priority: 5)
    #expect(bench.sent.isEmpty)
    #expect(bench.states.contains(.replaced))
    #expect(bench.states.contains(.discardedExpired), "an attempt-once broadcast does not wait")
    bench.setPower(DevicePower(), of: 1)
    #expect(bench.texts(1) == ["b"])
  }

  @Test func `the window holds broadcasts back too`() {
    var bench = Bench()
    bench.connect(1, window: 1)
    bench.broadcast("a")
    bench.broadcast("b")
    bench.broadcast("c")
    #expect(bench.texts(1) == ["a"])
    bench.acknowledge(1)
    #expect(bench.texts(1) == ["a", "c"])
    bench.acknowledge(1)
    #expect(bench.marks == [1], "only the newest message's acknowledgement counts")
  }

  @Test func `a device that leaves a channel gets nothing more`() {
    var bench = Bench()
    bench.connect(1, 2)
    let wasThere = bench.core.unsubscribe(1, from: Bench.channel)
    let wasThereAgain = bench.core.unsubscribe(1, from: Bench.channel)
    #expect(wasThere && !wasThereAgain)
    bench.broadcast("a")
    #expect(bench.texts(1).isEmpty)
    #expect(bench.texts(2) == ["a"])
  }

  @Test func `a removed channel takes its messages along`() {
    var bench = Bench()
    bench.connect(1)
    bench.core.removeChannel(Bench.channel)
    bench.broadcast("a")
    bench.core.addChannel(Bench.channel, app: 7)
    bench.disconnect(1)
    bench.connect(1)
    #expect(bench.sent.isEmpty)
    let standing = bench.core.standing(of: 2, to: Bench.channel, app: 8)
    #expect(standing == .unknownChannel)
  }

  @Test func `thousands of devices are served some at a time`() {
    var bench = Bench()
    for device in 1...1_000 as ClosedRange<UInt64> { bench.connect(device) }
    bench.broadcast("a")
    let first = bench.sent.count
    #expect(first < 1_000)
    var isUnderWay = bench.core.isFanningOut
    #expect(isUnderWay)
    // A device that reconnects during the broadcast receives the message as the newest one, and only once.
    bench.disconnect(1_000)
    bench.connect(1_000)
    for _ in 0..<10 {
      bench.core.continueFanOut(now: bench.now)
      bench.drain()
    }
    isUnderWay = bench.core.isFanningOut
    #expect(!isUnderWay)
    #expect(bench.sent.count == 1_000)
    #expect(Set(bench.sent.map(\.device)).count == 1_000)
  }

  @Test func `a restart knows the newest and who has it`() {
    var bench = Bench()
    let message = bench.broadcast("a")
    var again = Bench()
    again.core.restoreNewest(message)
    again.core.restoreSubscription(of: 1, to: Bench.channel, received: message.uniqueID)
    again.core.restoreSubscription(of: 2, to: Bench.channel, received: nil)
    again.connect(1, 2)
    #expect(again.texts(1).isEmpty)
    #expect(again.texts(2) == ["a"])
  }

  /// Checks that the memory for attempt-once messages, including pushes, is limited even for a slow device.
  @Test func `broadcasts that are tried once do not accumulate for a slow device`() {
    var bench = Bench()
    bench.connect(1, window: 1)
    for number in 0..<3_000 { bench.broadcast("\(number)", isKept: false) }
    #expect(bench.states.filter { $0 == .discardedExpired }.count > 1_900)
  }

  /// A regression test: the older message was mistaken for the newer one, which was lost.
  @Test func `of two messages that found no room the newer one waits`() {
    var bench = Bench()
    bench.connect(1)
    bench.broadcast("older")
    bench.broadcast("newer")
    bench.discardAll(1)
    #expect(bench.states.filter { $0 == .replaced }.count == 1)
    bench.pass(seconds: 120)
    bench.core.tick(now: bench.now)
    bench.drain()
    #expect(bench.texts(1) == ["older", "newer", "newer"])
    bench.acknowledge(1)
    #expect(bench.marks == [1])
  }

  @Test func `a message that found no room does not wait once its device has a newer one`() {
    var bench = Bench()
    bench.connect(1, window: 1)
    bench.broadcast("older")
    bench.core.broadcast(
      Broadcast(
        channel: Bench.channel, app: 7, id: NotificationID(high: 0, low: 99),
        uniqueID: NotificationID(high: 1, low: 99), expiration: bench.now.unixSeconds + 3_600,
        priority: 10, payload: Array("newer".utf8),
        acceptedMilliseconds: bench.now.unixMilliseconds, isKept: true), now: bench.now)
    bench.drain()
    bench.discardAll(1)
    bench.pass(seconds: 120)
    bench.core.tick(now: bench.now)
    bench.drain()
    #expect(bench.texts(1) == ["older", "newer"])
  }

  @Test func `a broadcast wakes a sleeping device for what it is kept from`() throws {
    var bench = DeliveryBench()
    bench.core.addChannel(Bench.channel, app: 7)
    try bench.connect(power: DevicePower(isAsleep: true))
    _ = bench.core.subscribe(1, to: Bench.channel)
    bench.core.listen(to: Bench.channel, 1, session: SessionID(1), now: bench.now)
    bench.push("five", priority: 5)
    #expect(bench.sent.isEmpty)
    bench.core.broadcast(
      Broadcast(
        channel: Bench.channel, app: 7, id: NotificationID(high: 0, low: 1),
        uniqueID: NotificationID(high: 1, low: 1), expiration: 0, priority: 10,
        payload: Array("ten".utf8), acceptedMilliseconds: 0, isKept: false), now: bench.now)
    bench.drain()
    #expect(bench.sent == ["five", "ten"])
  }

  @Test func `an expired message leaves memory with the next sweep`() {
    var bench = Bench()
    bench.connect(1)
    weak let message = bench.broadcast("a", lasting: 60)
    bench.acknowledge(1)
    #expect(message != nil)
    bench.pass(seconds: 3_600)
    bench.core.tick(now: bench.now)
    bench.drain()
    #expect(message == nil)
  }

  @Test func `a channel that is removed while its message goes out sends no more`() {
    var bench = Bench()
    for device in 1...1_000 as ClosedRange<UInt64> { bench.connect(device) }
    bench.broadcast("a")
    let first = bench.sent.count
    #expect(bench.core.removeChannel(Bench.channel) == 1_000)
    bench.drain()
    let isUnderWay = bench.core.isFanningOut
    #expect(!isUnderWay)
    bench.core.continueFanOut(now: bench.now)
    bench.drain()
    #expect(bench.sent.count == first)
  }

  @Test func `a removed channel's message leaves the memory of a device that listened`() {
    var bench = Bench()
    bench.connect(1)
    weak let message = bench.broadcast("a")
    bench.acknowledge(1)
    #expect(message != nil)
    bench.core.removeChannel(Bench.channel)
    bench.drain()
    #expect(message == nil)
  }
}
