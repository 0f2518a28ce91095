import BelfryWire
import Foundation
import System
import Testing

@testable import Agent

private let hour: Int64 = 3_600_000

private func milliseconds(_ text: String) throws -> Int64 {
  Int64(try Date(text, strategy: .iso8601).timeIntervalSince1970) * 1_000
}

/// What an agent does with a schedule: keeps what it is told to, and writes down what fires.
private final class Agenda: ScheduleListener {
  var disk: [String: [UInt8]] = [:]
  var fired: [String] = []
  var dropped: [String] = []
  var mayPass: () -> Bool = { true }
  private var started: Scheduler?

  var scheduler: Scheduler {
    guard let started else { preconditionFailure("start the agenda first") }
    return started
  }

  /// An agent's start on what is on disk.
  @discardableResult
  func start(limit: Int = 64) -> [String] {
    let scheduler = Scheduler(
      clock: ManualClock(kept: disk[ScheduleRecord.clockKey]),
      policy: .init(pendingLimit: limit), makeCalendar: { FoundationCalendar(named: $0) },
      listener: self)
    started = scheduler
    return scheduler.start(disk.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
  }

  @discardableResult
  func add(_ id: String, _ trigger: NotificationTrigger, app: String = "org.example.a") throws
    -> Scheduler.Outcome?
  {
    let outcome = try scheduler.add(ScheduleKey(app: app, id: id), trigger)
    scheduleChanged(outcome?.changes ?? [])
    scheduler.settle()
    return outcome
  }

  func travel(_ text: String) throws {
    var hasArrived = false
    let isOn = scheduler.travel(to: try milliseconds(text)) { hasArrived = true }
    #expect(isOn && hasArrived)
  }

  func take() -> [String] {
    defer { fired = [] }
    return fired
  }

  func scheduleFired(_ firing: Firing, _ changes: [ScheduleRecord.Change]) {
    let due = Date(timeIntervalSince1970: Double(firing.due) / 1_000).formatted(.iso8601)
    #expect(firing.missed || scheduler.unixMilliseconds == firing.due)
    fired.append("\(firing.key.id) \(due)\(firing.missed ? " missed" : "")")
    scheduleChanged(changes)
  }

  func scheduleDropped(_ keys: [ScheduleKey], _ changes: [ScheduleRecord.Change]) {
    dropped += keys.map(\.id)
    scheduleChanged(changes)
  }

  func scheduleChanged(_ changes: [ScheduleRecord.Change]) {
    for change in changes {
      switch change {
      case .put(let key, let value): disk[key] = value
      case .remove(let key): disk[key] = nil
      }
    }
  }

  func scheduleMayPass() -> Bool { mayPass() }
}

@Suite struct SchedulerTests {
  private func matching(_ text: String) throws -> NotificationTrigger {
    var components = MatchingComponents([:])
    for pair in text.split(separator: " ") {
      let words = pair.split(separator: "=")
      if let unit = MatchingComponents.Unit(rawValue: String(words[0])) {
        components.values[unit] = Int64(words[1])
      } else if words[0] == "zone" {
        components.zone = String(words[1])
      } else {
        components.calendar = String(words[1])
      }
    }
    return .calendar(components, repeats: true)
  }

  @Test func `a manual clock starts in 1970 in UTC and stays where it was left`() throws {
    let agenda = Agenda()
    agenda.start()
    #expect(agenda.scheduler.unixMilliseconds == 0)
    try agenda.travel("2026-03-29T00:59:50Z")
    #expect(agenda.scheduler.travel(toZone: "Europe/Paris"))
    #expect(!agenda.scheduler.travel(toZone: "Europe/Nowhere"))
    agenda.start()
    #expect(agenda.scheduler.unixMilliseconds == (try milliseconds("2026-03-29T00:59:50Z")))
    try agenda.add("summer", matching("hour=2 minute=30"))
    try agenda.travel("2026-03-29T01:00:10Z")
    #expect(agenda.take() == ["summer 2026-03-29T01:00:00Z"])
  }

  @Test func `every moment in between happens, in order, whatever clock it is on`() throws {
    let agenda = Agenda()
    agenda.start()
    try agenda.travel("2026-01-05T08:00:00Z")
    try agenda.add("interval", .interval(seconds: 5_400, repeats: true))
    try agenda.add("nine", matching("hour=9"))
    try agenda.add(
      "date",
      .date(
        unixMilliseconds: milliseconds("2026-01-05T09:15:00Z"), zone: nil, recurrence: .unit(256),
        recurrenceCalendar: nil))
    try agenda.travel("2026-01-05T11:00:00Z")
    #expect(
      agenda.take() == [
        "nine 2026-01-05T09:00:00Z", "date 2026-01-05T09:15:00Z", "interval 2026-01-05T09:30:00Z",
        "interval 2026-01-05T11:00:00Z",
      ])
    #expect(
      agenda.scheduler.moments(of: ScheduleKey(app: "org.example.a", id: "date"), count: 1)
        == [try milliseconds("2026-01-12T09:15:00Z")])
  }

  @Test func `setting the clock back fires nothing`() throws {
    let agenda = Agenda()
    agenda.start()
    try agenda.travel("2026-01-05T08:00:00Z")
    try agenda.add("nine", matching("hour=9"))
    try agenda.travel("2026-01-05T10:00:00Z")
    #expect(agenda.take() == ["nine 2026-01-05T09:00:00Z"])
    try agenda.travel("2026-01-04T08:00:00Z")
    #expect(agenda.take() == [])
    #expect(agenda.scheduler.pending().map(\.next) == [try milliseconds("2026-01-04T09:00:00Z")])
  }

  @Test func `time waits while an app is asked, and goes on when it may`() throws {
    let agenda = Agenda()
    agenda.start()
    try agenda.add("minutely", .interval(seconds: 60, repeats: true))
    agenda.mayPass = { false }
    var hasArrived = false
    #expect(agenda.scheduler.travel(to: 180_000) { hasArrived = true })
    #expect(agenda.take() == ["minutely 1970-01-01T00:01:00Z"])
    #expect(agenda.scheduler.unixMilliseconds == 60_000)
    // One journey at a time; what is added on the way is on the way, too.
    #expect(!agenda.scheduler.travel(to: 240_000) {})
    try agenda.add("soon", .interval(seconds: 30, repeats: false))
    agenda.scheduler.resume()
    #expect(agenda.take() == ["soon 1970-01-01T00:01:30Z"])
    agenda.mayPass = { true }
    agenda.scheduler.resume()
    #expect(hasArrived)
    #expect(agenda.take() == ["minutely 1970-01-01T00:02:00Z", "minutely 1970-01-01T00:03:00Z"])
  }

  @Test func `a restart loses nothing and fires nothing twice`() throws {
    let agenda = Agenda()
    agenda.start()
    try agenda.travel("2026-01-05T08:00:00Z")
    for id in 0..<20 {
      try agenda.add("\(id)", .interval(seconds: Double(60 + id), repeats: false))
    }
    try agenda.add("nine", matching("hour=9"))
    var fired: [String] = []
    var now = try milliseconds("2026-01-05T08:00:00Z")
    for _ in 0..<50 {
      now += 7_000
      #expect(agenda.scheduler.travel(to: now) {})
      fired += agenda.take()
      #expect(agenda.start() == [])
    }
    #expect(fired.count == 20 && Set(fired).count == 20)
    #expect(agenda.disk.count == 2)  // the daily one and the clock
    agenda.disk["org.example.a\nbroken"] = [1, 2, 3]
    #expect(agenda.start() == ["org.example.a\nbroken"])
  }

  @Test func `wall time follows the zone of a manual clock (S3-26)`() throws {
    let agenda = Agenda()
    agenda.start()
    #expect(agenda.scheduler.travel(toZone: "America/Los_Angeles"))
    try agenda.travel("2010-06-10T10:00:00Z")
    let nine =
      Int64(Date(timeIntervalSinceReferenceDate: 297_878_400).timeIntervalSince1970) * 1_000
    try agenda.add(
      "wall",
      .date(unixMilliseconds: nine, zone: "US/Pacific", recurrence: nil, recurrenceCalendar: nil))
    try agenda.add(
      "game",
      .date(
        unixMilliseconds: nine + 5 * hour + 18_000, zone: nil, recurrence: nil,
        recurrenceCalendar: nil))
    #expect(agenda.scheduler.travel(toZone: "America/New_York"))
    try agenda.travel("2010-06-11T00:00:00Z")
    #expect(agenda.take().first == "wall 2010-06-10T13:00:00Z")
  }

  @Test func `the limit drops the latest and says so`() throws {
    let agenda = Agenda()
    agenda.start(limit: 2)
    try agenda.add("b", .interval(seconds: 200, repeats: false))
    try agenda.add("c", .interval(seconds: 300, repeats: false))
    let outcome = try agenda.add("a", .interval(seconds: 100, repeats: false))
    #expect(outcome?.dropped.map(\.id) == ["c"])
    let last = try agenda.add("d", .interval(seconds: 400, repeats: false))
    #expect(last?.dropped.map(\.id) == ["d"])
    #expect(agenda.disk.keys.sorted() == ["org.example.a\na", "org.example.a\nb"])
  }

  @Test(arguments: [
    ("month=1 day=1 hour=9 calendar=hebrew", ["2026-09-12T09:00:00Z", "2027-10-02T09:00:00Z"]),
    ("month=1 day=1 calendar=chinese", ["2026-02-17T00:00:00Z", "2027-02-06T00:00:00Z"]),
    ("month=9 calendar=islamic-umalqura", ["2026-02-18T00:00:00Z", "2027-02-08T00:00:00Z"]),
    ("year=2570 month=1 day=1 calendar=buddhist", ["2027-01-01T00:00:00Z"]),
  ])
  func `other calendars are asked of Foundation`(matching text: String, expected: [String]) throws {
    let agenda = Agenda()
    agenda.start()
    try agenda.travel("2026-01-01T00:00:00Z")
    try agenda.add("x", matching(text))
    let moments = agenda.scheduler.moments(of: ScheduleKey(app: "org.example.a", id: "x"), count: 2)
    #expect(
      moments.map { Date(timeIntervalSince1970: Double($0) / 1_000).formatted(.iso8601) }
        == expected)
  }

  @Test func `a birthday in another calendar repeats by that calendar`() throws {
    let agenda = Agenda()
    agenda.start()
    try agenda.travel("2026-01-01T00:00:00Z")
    try agenda.add(
      "x",
      .date(
        unixMilliseconds: milliseconds("2026-09-12T09:00:00Z"), zone: nil, recurrence: .unit(4),
        recurrenceCalendar: "hebrew"))
    let moments = agenda.scheduler.moments(of: ScheduleKey(app: "org.example.a", id: "x"), count: 3)
    #expect(
      moments.map { Date(timeIntervalSince1970: Double($0) / 1_000).formatted(.iso8601) }
        == ["2026-09-12T09:00:00Z", "2027-10-02T09:00:00Z", "2028-09-21T09:00:00Z"])
  }
}

@Suite struct ElapsedTimeTests {
  @Test func `elapsed time goes on within one run of the kernel, whatever the wall clock does`() {
    let first = ElapsedTime(kept: nil, boot: "a", kernel: 1_000, wall: 500_000)
    #expect(first.offset == 0)
    let again = ElapsedTime(kept: first, boot: "a", kernel: 9_000, wall: 0)
    #expect(again.offset == 0)
  }

  @Test func `after a restart the wall clock says how long the machine was off`() {
    let first = ElapsedTime(kept: nil, boot: "a", kernel: 100_000, wall: 1_000_000)
    let second = ElapsedTime(kept: first, boot: "b", kernel: 50, wall: 1_060_000)
    #expect(50 + second.offset == 160_000)
    // A wall clock that has gone back: no time has passed.
    let third = ElapsedTime(kept: second, boot: "c", kernel: 10, wall: 0)
    #expect(10 + third.offset == 160_000)
  }

  @Test func `what is kept is read back, and anything else is none`() {
    var time = ElapsedTime(kept: nil, boot: "a-b", kernel: 5, wall: 7)
    #expect(ElapsedTime(record: time.record) == time)
    let noted = [(107, 105), (90_007, 90_005), (990_007, 90_006)].map {
      time.note(ScheduleMoment(wall: $0, elapsed: $1))
    }
    #expect(noted == [false, true, true])
    for text in [
      "", "elapsed a 1 2", "elapsed a 1 2 x", "manual 1 2 UTC", "elapsed a 1 2 9223372036854775807",
    ] {
      #expect(ElapsedTime(record: Array(text.utf8)) == nil)
    }
  }
}
