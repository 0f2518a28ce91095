import BelfryWire
import Testing

@testable import Agent

/// A machine that sleeps from alarm to alarm and counts how often it was woken.
private final class SleepingMachine: ScheduleClock {
  var onEvent: ((ScheduleClockEvent) -> Void)?
  // 2026-01-05T08:00:00Z; the clocks' milliseconds are not in step.
  var now = ScheduleMoment(wall: 1_767_600_000_000, elapsed: 5_000_017)
  let zone = Zone.utc
  private(set) var wakeUps = 0
  private var wall = Int64.max
  private var elapsed = Int64.max

  func wake(atWall wall: Int64?, elapsed: Int64?) {
    self.wall = wall ?? .max
    self.elapsed = elapsed ?? .max
  }

  func sleep(milliseconds: Int64) {
    let end = now.wall + milliseconds
    let lead = now.wall - now.elapsed
    while true {
      let alarm = min(wall, elapsed == .max ? .max : elapsed + lead)
      let next = max(min(alarm, end), now.wall)
      now = ScheduleMoment(wall: next, elapsed: next - lead)
      guard alarm <= end else { return }
      wakeUps += 1
      onEvent?(.due)
    }
  }

  func changedRecord() -> [UInt8]? { nil }
  func close() {}
}

/// Writes down how late each firing is.
private final class Observer: ScheduleListener {
  var lateness: [Int64] = []
  var now: () -> Int64 = { 0 }

  func scheduleFired(_ firing: Firing, _ changes: [ScheduleRecord.Change]) {
    lateness.append(now() - firing.due)
  }

  func scheduleDropped(_ keys: [ScheduleKey], _ changes: [ScheduleRecord.Change]) {}
  func scheduleChanged(_ changes: [ScheduleRecord.Change]) {}
  func scheduleMayPass() -> Bool { true }
}

@Suite struct WakeUpTests {
  private let machine = SleepingMachine()
  private let observer = Observer()
  private let scheduler: Scheduler

  init() {
    scheduler = Scheduler(
      clock: machine, policy: .init(pendingLimit: 1_000), makeCalendar: { _ in nil },
      listener: observer)
    observer.now = { [machine] in machine.now.wall }
    _ = scheduler.start([])
  }

  private func add(_ id: Int, _ trigger: NotificationTrigger) throws {
    _ = try scheduler.add(ScheduleKey(app: "org.example.a", id: "\(id)"), trigger)
    scheduler.settle()
  }

  @Test func `what is due within a twentieth of a second is one wake-up, and nothing is early`()
    throws
  {
    for id in 1...50 {
      try add(id, .interval(seconds: 60 + Double(id) / 1_000, repeats: false))
    }
    machine.sleep(milliseconds: 120_000)
    #expect(machine.wakeUps == 1)
    #expect(observer.lateness.count == 50)
    #expect(observer.lateness.allSatisfy { (0..<50).contains($0) })
  }

  @Test func `a date fires to the millisecond, and intervals go with it`() throws {
    try add(0, .calendar(MatchingComponents([.minute: 1, .second: 0]), repeats: false))
    for id in 1..<50 {
      try add(id, .interval(seconds: 59.951 + Double(id) / 1_000, repeats: false))
    }
    machine.sleep(milliseconds: 120_000)
    #expect(machine.wakeUps == 1)
    #expect(observer.lateness.count == 50)
    #expect(observer.lateness.last == 0)
    #expect(observer.lateness.allSatisfy { (0..<50).contains($0) })
  }

  @Test func `however many are due, a second has no more than twenty wake-ups`() throws {
    for id in 0..<1_000 {
      try add(id, .interval(seconds: 60 + Double(id * 7 % 2_000) / 1_000, repeats: false))
    }
    machine.sleep(milliseconds: 120_000)
    #expect(machine.wakeUps <= 41)
    #expect(observer.lateness.count == 1_000)
    #expect(observer.lateness.allSatisfy { (0..<50).contains($0) })
  }

  @Test func `nothing that is due wakes nobody`() throws {
    try add(0, .interval(seconds: 86_400, repeats: false))
    machine.sleep(milliseconds: 80_000_000)
    #expect(machine.wakeUps == 0)
  }

  @Test func `windows end where a second of the wall clock has its twentieths, before 1970 too`() {
    func moved(_ wall: Int64?, _ elapsed: Int64?) -> ScheduleWakeUp {
      ScheduleWakeUp(wall: wall, elapsed: elapsed)
        .coalesced(at: ScheduleMoment(wall: 1_000, elapsed: 990), window: 50)
    }
    #expect(moved(1_000, nil) == ScheduleWakeUp(wall: 1_000, elapsed: nil))
    #expect(moved(1_001, nil) == ScheduleWakeUp(wall: 1_050, elapsed: nil))
    #expect(moved(-1_001, nil) == ScheduleWakeUp(wall: -1_000, elapsed: nil))
    #expect(moved(nil, 1_000) == ScheduleWakeUp(wall: nil, elapsed: 1_040))
    #expect(moved(1_030, 1_000) == ScheduleWakeUp(wall: 1_050, elapsed: nil))
    #expect(moved(1_060, 1_000) == ScheduleWakeUp(wall: 1_100, elapsed: 1_040))
    #expect(moved(nil, nil) == ScheduleWakeUp(wall: nil, elapsed: nil))
  }
}
