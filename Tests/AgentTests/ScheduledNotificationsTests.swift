import AppWire
import Scheduling
import Foundation
import Testing

@testable import Agent

private let hour: Int64 = 3_600_000

private func milliseconds(_ text: String) throws -> Int64 {
  Int64(try Date(text, strategy: .iso8601).timeIntervalSince1970) * 1_000
}

/// A bench with an agent's model and a manual clock.
///
/// The bench carries out the effects that concern the schedule and the clock.
private final class Agenda {
  private(set) var bench: ModelBench
  private let limit: Int
  var fired: [String] = []
  private var apps: [String: ConnectionID] = [:]
  private(set) var hasArrived = false
  private(set) var questions: [Question] = []
  private(set) var zone = Zone.utc

  init(limit: Int = 64) {
    self.limit = limit
    bench = ModelBench(hasManualClock: true, pendingLimit: limit, now: 0)
  }

  /// Starts an agent with the records on disk.
  @discardableResult
  func restart() -> [AgentEffect] {
    let zone = zone
    bench = ModelBench(
      hasManualClock: true, pendingLimit: limit, disk: bench.disk, now: bench.now,
      isStarted: false, zone: zone)
    apps = [:]
    return carryOut(bench.start())
  }

  private func app(_ id: String) throws -> ConnectionID {
    if let known = apps[id] { return known }
    let connection = bench.authorized(try #require(AppID(id)))
    apps[id] = connection
    return connection
  }

  func setState(_ state: AppState) throws {
    carryOut(bench.ask(try app("org.example.a"), .setState(state)))
  }

  @discardableResult
  func add(_ id: String, _ trigger: NotificationTrigger, app: String = "org.example.a") throws
    -> [AgentEffect]
  {
    let connection = try self.app(app)
    return carryOut(bench.ask(connection, .add(ModelBench.request(id, trigger: trigger))))
  }

  func pending() throws -> [PendingNotification] {
    let answer = bench.ask(try app("org.example.a"), .pending).answers.first
    return try #require(answer).pending()
  }

  func moments(_ id: String, count: Int64) -> [String] {
    let answer = bench.command(.nextDates(app: nil, id: id, count: count)).answers.first
    return (answer?.dates ?? []).map(Self.text)
  }

  /// Starts moving the clock by `milliseconds`; returns true if the agent accepted the request.
  @discardableResult
  func leave(for milliseconds: Int64) -> Bool {
    hasArrived = false
    return carryOut(bench.command(.setClock(unixMilliseconds: milliseconds))).refusals.isEmpty
  }

  func travel(_ text: String) throws {
    #expect(leave(for: try milliseconds(text)))
    #expect(hasArrived)
  }

  func travel(toZone name: String) -> Bool {
    carryOut(bench.command(.setZone(name))).refusals.isEmpty
  }

  func answer(_ options: Set<PresentationOption>) throws {
    let question = try #require(questions.first)
    questions.removeFirst()
    carryOut(bench.handle(.appReplied(question, .present(options))))
  }

  @discardableResult
  private func carryOut(_ effects: [AgentEffect]) -> [AgentEffect] {
    for effect in effects {
      switch effect {
      case .present(let presentation):
        #expect(presentation.unixMilliseconds == bench.now)
        fired.append("\(presentation.key.id) \(Self.text(bench.now))")
        bench.handle(.notificationShown(presentation.key))
      case .ask(let question, .willPresent, _): questions.append(question)
      case .moveClock(let wall):
        bench.move(to: wall)
        carryOut(bench.handle(.clockMoved))
      case .moveZone(let name):
        guard let zone = ZoneDatabase.system.zone(named: name) else { continue }
        self.zone = zone
        carryOut(bench.handle(.zonesChanged(BenchDisk.zones(zone))))
      case .answer(_, let answer):
        if answer.rows.first?["time"] != nil { hasArrived = true }
      default: break
      }
    }
    return effects
  }

  private static func text(_ milliseconds: Int64) -> String {
    Date(timeIntervalSince1970: Double(milliseconds) / 1_000).formatted(.iso8601)
  }

  func take() -> [String] {
    defer { fired = [] }
    return fired
  }
}

@Suite struct ScheduledNotificationsTests {
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
    #expect(agenda.bench.now == 0)
    try agenda.travel("2026-03-29T00:59:50Z")
    #expect(agenda.travel(toZone: "Europe/Paris"))
    #expect(!agenda.travel(toZone: "Europe/Nowhere"))
    #expect(agenda.bench.now == (try milliseconds("2026-03-29T00:59:50Z")))
    agenda.restart()
    try agenda.add("summer", matching("hour=2 minute=30"))
    try agenda.travel("2026-03-29T01:00:10Z")
    #expect(agenda.take() == ["summer 2026-03-29T01:00:00Z"])
  }

  @Test func `every moment in between happens, in order, whatever clock it is on`() throws {
    let agenda = Agenda()
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
    #expect(agenda.moments("date", count: 1) == ["2026-01-12T09:15:00Z"])
  }

  @Test func `setting the clock back fires nothing`() throws {
    let agenda = Agenda()
    try agenda.travel("2026-01-05T08:00:00Z")
    try agenda.add("nine", matching("hour=9"))
    try agenda.travel("2026-01-05T10:00:00Z")
    #expect(agenda.take() == ["nine 2026-01-05T09:00:00Z"])
    try agenda.travel("2026-01-04T08:00:00Z")
    #expect(agenda.take() == [])
    #expect(
      try agenda.pending().map(\.nextUnixMilliseconds) == [milliseconds("2026-01-04T09:00:00Z")])
  }

  @Test func `if the machine's clock is set back, a repeating notification is due again`() throws {
    let nine = try milliseconds("2026-01-05T09:00:00Z")
    let bench = ModelBench(now: nine - hour)
    bench.ask(
      bench.authorized(), .add(ModelBench.request(trigger: try matching("hour=9"))))
    bench.move(to: nine)
    #expect(bench.handle(.scheduleDue).presented.count == 1)
    #expect(bench.armedSchedule == ScheduleWakeUp(wall: nine + 24 * hour, elapsed: nil))
    bench.move(to: nine - hour)
    #expect(bench.handle(.clockWasSet).presented.isEmpty)
    #expect(bench.armedSchedule == ScheduleWakeUp(wall: nine, elapsed: nil))
    bench.move(to: nine)
    #expect(bench.handle(.scheduleDue).presented.count == 1)
  }

  @Test func `the manual clock waits while an app is asked and continues after the answer`() throws
  {
    let agenda = Agenda()
    try agenda.add("minutely", .interval(seconds: 60, repeats: true))
    try agenda.setState(.foreground)
    #expect(agenda.leave(for: 180_000))
    #expect(agenda.questions.count == 1 && !agenda.hasArrived)
    #expect(agenda.bench.now == 60_000)
    // The clock makes only one move at a time; a move also covers notifications that are added during the move.
    #expect(!agenda.leave(for: 240_000))
    try agenda.add("soon", .interval(seconds: 30, repeats: false))
    try agenda.answer([.banner])
    #expect(agenda.take() == ["minutely 1970-01-01T00:01:00Z"])
    #expect(agenda.bench.now == 90_000 && !agenda.hasArrived)
    try agenda.answer([.banner])
    try agenda.setState(.background)
    try agenda.answer([.banner])
    #expect(agenda.hasArrived)
    #expect(
      agenda.take() == [
        "soon 1970-01-01T00:01:30Z", "minutely 1970-01-01T00:02:00Z",
        "minutely 1970-01-01T00:03:00Z",
      ])
  }

  @Test func `a restart loses nothing and fires nothing twice`() throws {
    let agenda = Agenda()
    try agenda.travel("2026-01-05T08:00:00Z")
    for id in 0..<20 {
      try agenda.add("\(id)", .interval(seconds: Double(60 + id), repeats: false))
    }
    try agenda.add("nine", matching("hour=9"))
    var fired: [String] = []
    var now = try milliseconds("2026-01-05T08:00:00Z")
    for _ in 0..<50 {
      now += 7_000
      #expect(agenda.leave(for: now))
      fired += agenda.take()
      #expect(!agenda.restart().contains { if case .log = $0 { true } else { false } })
      #expect(agenda.take() == [])
    }
    #expect(fired.count == 20 && Set(fired).count == 20)
    #expect(agenda.bench.disk.keys(.schedule) == ["org.example.a\nnine"])
    #expect(agenda.bench.disk.keys(.pending) == ["org.example.a/nine"])
    agenda.bench.disk[.schedule, "org.example.a\nbroken"] = [1, 2, 3]
    #expect(
      agenda.restart().contains(.log(.damagedRecord(.schedule, key: "org.example.a\nbroken"))))
    #expect(agenda.bench.disk.keys(.schedule) == ["org.example.a\nnine"])
  }

  @Test func `wall time follows the zone of a manual clock`() throws {
    let agenda = Agenda()
    #expect(agenda.travel(toZone: "America/Los_Angeles"))
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
    #expect(agenda.travel(toZone: "America/New_York"))
    try agenda.travel("2010-06-11T00:00:00Z")
    #expect(agenda.take().first == "wall 2010-06-10T13:00:00Z")
  }

  @Test func `the limit drops the latest and says so`() throws {
    let agenda = Agenda(limit: 2)
    try agenda.add("b", .interval(seconds: 200, repeats: false))
    try agenda.add("c", .interval(seconds: 300, repeats: false))
    try agenda.add("a", .interval(seconds: 100, repeats: false))
    #expect(try agenda.pending().map(\.request.id) == ["a", "b"])
    try agenda.add("d", .interval(seconds: 400, repeats: false))
    #expect(try agenda.pending().map(\.request.id) == ["a", "b"])
    #expect(agenda.bench.disk.keys(.schedule) == ["org.example.a\na", "org.example.a\nb"])
    #expect(agenda.bench.disk.keys(.pending) == ["org.example.a/a", "org.example.a/b"])
  }

  @Test(arguments: [
    ("month=1 day=1 hour=9 calendar=hebrew", ["2026-09-12T09:00:00Z", "2027-10-02T09:00:00Z"]),
    ("month=1 day=1 calendar=chinese", ["2026-02-17T00:00:00Z", "2027-02-06T00:00:00Z"]),
    ("month=9 calendar=islamic-umalqura", ["2026-02-18T00:00:00Z", "2027-02-08T00:00:00Z"]),
    ("year=2570 month=1 day=1 calendar=buddhist", ["2027-01-01T00:00:00Z"]),
  ])
  func `other calendars are asked of Foundation`(matching text: String, expected: [String]) throws {
    let agenda = Agenda()
    try agenda.travel("2026-01-01T00:00:00Z")
    try agenda.add("x", matching(text))
    #expect(agenda.moments("x", count: Int64(expected.count)) == expected)
  }

  @Test func `a birthday in another calendar repeats by that calendar`() throws {
    let agenda = Agenda()
    try agenda.travel("2026-01-01T00:00:00Z")
    try agenda.add(
      "x",
      .date(
        unixMilliseconds: milliseconds("2026-09-12T09:00:00Z"), zone: nil, recurrence: .unit(4),
        recurrenceCalendar: "hebrew"))
    #expect(
      agenda.moments("x", count: 3)
        == ["2026-09-12T09:00:00Z", "2027-10-02T09:00:00Z", "2028-09-21T09:00:00Z"])
  }
}

@Suite struct ElapsedTimeTests {
  @Test func `elapsed time continues within one boot of the kernel, whatever the wall clock does`()
  {
    let first = ElapsedTime(kept: nil, boot: "a", kernel: 1_000, wall: 500_000)
    #expect(first.offset == 0)
    let again = ElapsedTime(kept: first, boot: "a", kernel: 9_000, wall: 0)
    #expect(again.offset == 0)
  }

  @Test func `after a restart the wall clock says how long the machine was off`() {
    let first = ElapsedTime(kept: nil, boot: "a", kernel: 100_000, wall: 1_000_000)
    let second = ElapsedTime(kept: first, boot: "b", kernel: 50, wall: 1_060_000)
    #expect(50 + second.offset == 160_000)
    // The wall clock has moved back, so no time counts as elapsed.
    let third = ElapsedTime(kept: second, boot: "c", kernel: 10, wall: 0)
    #expect(10 + third.offset == 160_000)
  }

  @Test func `a stored record is read back, and invalid records are rejected`() {
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
