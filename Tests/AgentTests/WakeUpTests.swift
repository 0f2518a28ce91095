import AppWire
import Scheduling
import Testing

@testable import Agent

/// An agent on a machine that sleeps between alarms, with a count of the machine's wake-ups.
private final class SleepingMachine {
  private let bench: ModelBench
  private let app: ConnectionID
  private(set) var wakeUps = 0
  /// The delay of each notification, in milliseconds.
  private(set) var lateness: [Int64] = []

  init() {
    // The wall clock starts at 2026-01-05T08:00:00Z. The milliseconds of the wall clock and of the elapsed time differ.
    bench = ModelBench(pendingLimit: 1_000, now: 1_767_600_000_000, elapsed: 5_000_017)
    app = bench.authorized()
  }

  func add(_ id: Int, _ trigger: NotificationTrigger) {
    bench.ask(app, .add(ModelBench.request("\(id)", trigger: trigger)))
  }

  func sleep(milliseconds: Int64) {
    let end = bench.now + milliseconds
    while true {
      let lead = bench.time.wall - bench.time.elapsed
      let alarm = bench.armedSchedule
      let next = min(alarm?.wall ?? .max, alarm?.elapsed.map { $0 + lead } ?? .max)
      guard next <= end else { return bench.move(to: end) }
      let due = Dictionary(
        uniqueKeysWithValues: (try? bench.ask(app, .pending).answers.first?.pending())?
          .map { ($0.request.id, $0.nextUnixMilliseconds ?? 0) } ?? [])
      bench.move(to: max(next, bench.now))
      wakeUps += 1
      for shown in bench.handle(.scheduleDue).presented {
        lateness.append(bench.now - (due[shown.key.id] ?? 0))
      }
    }
  }
}

@Suite struct WakeUpTests {
  private let machine = SleepingMachine()

  private func add(_ id: Int, _ trigger: NotificationTrigger) throws { machine.add(id, trigger) }

  @Test func `notifications due within 50 ms share one wake-up, and none is early`()
    throws
  {
    for id in 1...50 {
      try add(id, .interval(seconds: 60 + Double(id) / 1_000, repeats: false))
    }
    machine.sleep(milliseconds: 120_000)
    #expect(machine.wakeUps == 1)
    #expect(machine.lateness.count == 50)
    #expect(machine.lateness.allSatisfy { (0..<50).contains($0) })
  }

  @Test func `a date fires to the millisecond, and intervals go with it`() throws {
    try add(0, .calendar(MatchingComponents([.minute: 1, .second: 0]), repeats: false))
    for id in 1..<50 {
      try add(id, .interval(seconds: 59.951 + Double(id) / 1_000, repeats: false))
    }
    machine.sleep(milliseconds: 120_000)
    #expect(machine.wakeUps == 1)
    #expect(machine.lateness.count == 50)
    #expect(machine.lateness.last == 0)
    #expect(machine.lateness.allSatisfy { (0..<50).contains($0) })
  }

  @Test func `however many are due, a second has no more than twenty wake-ups`() throws {
    for id in 0..<1_000 {
      try add(id, .interval(seconds: 60 + Double(id * 7 % 2_000) / 1_000, repeats: false))
    }
    machine.sleep(milliseconds: 120_000)
    #expect(machine.wakeUps <= 41)
    #expect(machine.lateness.count == 1_000)
    #expect(machine.lateness.allSatisfy { (0..<50).contains($0) })
  }

  @Test func `nothing wakes up before a notification is due`() throws {
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
