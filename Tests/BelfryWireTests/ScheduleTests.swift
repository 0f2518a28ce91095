import Scheduling
import Testing

private let hour: Int64 = 3_600_000

@Suite struct ScheduleTests {
  /// A device whose two clocks a test controls, with a log of the notifications that fired.
  private struct Device: ~Copyable {
    var world: SystemZones
    var schedule: Schedule<SystemZones>
    var now: ScheduleMoment
    var fired: [String] = []
    var disk: [ScheduleKey: ScheduleEntry] = [:]

    init(
      _ start: String = "2026-01-05T08:00:00Z", zone: String = "UTC", limit: Int = 64,
      window: Int64 = 24 * hour
    ) throws {
      let zones = try SystemZones(zone)
      let wall = Int64(try instant(start)) * 1_000
      world = zones
      now = ScheduleMoment(wall: wall, elapsed: 5_000)
      schedule = Schedule(policy: .init(pendingLimit: limit, missedWindow: window), world: world)
    }

    @discardableResult
    mutating func add(_ id: String, _ trigger: Trigger, app: String = "a") throws
      -> Schedule<SystemZones>.Added
    {
      let added = try schedule.add(ScheduleKey(app: app, id: id), trigger, at: now)
      if schedule.count <= 1_000 { schedule.checkInvariants() }
      if let entry = added.entry { disk[entry.key] = entry }
      for key in added.dropped { disk[key] = nil }
      return added
    }

    /// Allows time to pass while the agent is running, and wakes the agent at each due time.
    mutating func pass(_ milliseconds: Int64) {
      let end = now.elapsed + milliseconds
      while true {
        settle()
        let wakeUp = schedule.wakeUp
        let wait = min(
          wakeUp.wall.map { $0 - now.wall } ?? .max, wakeUp.elapsed.map { $0 - now.elapsed } ?? .max
        )
        guard wait <= end - now.elapsed else { break }
        now.wall += wait
        now.elapsed += wait
      }
      now.wall += end - now.elapsed
      now.elapsed = end
    }

    /// Allows time to pass while the agent isn't running.
    mutating func off(_ milliseconds: Int64) {
      now.wall += milliseconds
      now.elapsed += milliseconds
      schedule = Schedule(policy: .init(), world: world)
      keep(schedule.restore(disk.values.sorted { $0.order < $1.order }, at: now))
      settle()
    }

    mutating func setClock(_ text: String) throws {
      now.wall = Int64(try instant(text)) * 1_000
      keep(schedule.clockWasSet(at: now))
      settle()
    }

    mutating func move(to zone: String) throws {
      world = try SystemZones(zone)
      keep(schedule.zonesChanged(to: world, at: now))
      settle()
    }

    mutating func keep(_ recomputed: Schedule<SystemZones>.Recomputed) {
      for entry in recomputed.changed { disk[entry.key] = entry }
      for key in recomputed.lost { disk[key] = nil }
    }

    mutating func settle() {
      while true {
        schedule.checkInvariants()
        switch schedule.step(at: now) {
        case .fire(let firing):
          let at = (firing.due - 1_767_571_200_000) / 60_000  // minutes since 2026-01-05T00:00Z
          fired.append("\(firing.key.id)@\(at)\(firing.missed ? "!" : "")")
          disk[firing.key] = firing.remaining
        case .expired(let key, _):
          fired.append("\(key.id) expired")
          disk[key] = nil
        case .rest:
          return
        }
      }
    }

    mutating func take() -> [String] {
      defer { fired = [] }
      return fired
    }
  }

  private func daily(_ text: String) throws -> Trigger {
    .calendar(try CalendarMatch(matching: text), repeats: true)
  }

  @Test func `triggers on elapsed time and on the wall clock fire in order, each when it is due`()
    throws
  {
    var device = try Device()
    try device.add("interval", .interval(milliseconds: 90 * 60_000, repeats: true))
    try device.add("nine", daily("hour=9"))
    try device.add("once", .interval(milliseconds: 60 * 60_000, repeats: false))
    device.pass(4 * hour)
    #expect(
      device.take() == ["nine@540", "once@540", "interval@570", "interval@660"])
    #expect(device.schedule.count == 2)
  }

  @Test func `entries that are due at the same moment fire in the order in which they were added`()
    throws
  {
    var device = try Device()
    for id in ["b", "a", "c"] { try device.add(id, daily("hour=9")) }
    try device.add("d", .interval(milliseconds: hour, repeats: false))
    device.pass(hour)
    #expect(device.take() == ["b@540", "a@540", "c@540", "d@540"])
  }

  @Test func `an entry that replaces one fires after the entries that were added in between`()
    throws
  {
    var device = try Device()
    // The replaced entry is not the first to fire.
    try device.add("first", daily("hour=8 minute=30"))
    for id in ["x", "y", "x"] { try device.add(id, daily("hour=9")) }
    device.pass(hour)
    #expect(device.take() == ["first@510", "y@540", "x@540"])
    device.pass(24 * hour)
    #expect(device.take() == ["first@1950", "y@1980", "x@1980"])
  }

  @Test func `the same id replaces, another app's id is another notification`() throws {
    var device = try Device()
    try device.add("x", daily("hour=9"))
    try device.add("x", daily("hour=10"))
    try device.add("x", daily("hour=11"), app: "b")
    device.pass(4 * hour)
    #expect(device.take() == ["x@600", "x@660"])
    let key = ScheduleKey(app: "a", id: "x")
    let removed = [device.schedule.remove(key), device.schedule.remove(key)]
    #expect(removed == [true, false])
    device.schedule.removeAll(of: "b")
    let (count, wakeUp) = (device.schedule.count, device.schedule.wakeUp)
    #expect(count == 0 && wakeUp.wall == nil && wakeUp.elapsed == nil)
  }

  @Test func `the 64 soonest of 10,000 offered are kept`() throws {
    var device = try Device(limit: 64)
    var dice = Dice(seed: 64)
    let minutes = (1...10_000).shuffled(using: &dice)
    for minute in minutes {
      let due = device.now.wall + Int64(minute) * 60_000
      let trigger =
        minute % 2 == 0
        ? Trigger.moment(.instant(due), every: .once)
        : .interval(milliseconds: Int64(minute) * 60_000, repeats: false)
      try device.add("\(minute)", trigger)
    }
    try device.add("other", daily("hour=20"), app: "b")
    let pending = device.schedule.pending(of: "a", at: device.now)
    #expect(pending.map(\.entry.key.id) == (1...64).map { "\($0)" })
    #expect(Set(device.disk.keys) == Set(device.schedule.pending(at: device.now).map(\.entry.key)))
    #expect(device.schedule.count == 65)
  }

  @Test func `one repeating notification counts once, and a later one is not even kept`() throws {
    var device = try Device(limit: 2)
    try device.add("every", daily("minute=0"))
    try device.add("soon", .interval(milliseconds: 120_000, repeats: false))
    let late = try device.add("late", daily("hour=20"))
    #expect(late.entry == nil && late.dropped.isEmpty)
    let sooner = try device.add("sooner", .interval(milliseconds: 60_000, repeats: false))
    #expect(sooner.entry != nil && sooner.dropped.map(\.id) == ["every"])
  }

  @Test func `a moment just passed fires at once, an old one is refused`() throws {
    var device = try Device()
    try device.add("late", .moment(.instant(device.now.wall - 30_000), every: .once))
    device.pass(0)
    #expect(device.take() == ["late@479"])
    #expect(throws: Trigger.Refusal.neverFires) {
      try device.add("old", .moment(.instant(device.now.wall - 25 * hour), every: .once))
    }
    #expect(throws: Trigger.Refusal.neverFires) {
      try device.add("never", daily("month=4 day=31"))
    }
    // A repeating trigger with a start in the past waits for its next date.
    let start = device.now.wall - 49 * hour
    try device.add("daily", .moment(.instant(start), every: Period(calendarUnit: 16)))
    #expect(device.schedule.pending(at: device.now).first?.next == device.now.wall + 23 * hour)
  }

  @Test func `a notification that is a minute late counts as missed`() throws {
    var device = try Device()
    for late in [59_999, 60_000] as [Int64] {
      try device.add("\(late)", .moment(.instant(device.now.wall - late), every: .once))
    }
    device.pass(0)
    #expect(device.take() == ["60000@479!", "59999@479"])
  }

  @Test
  func `a calendar trigger whose moments have passed is distinguished from an impossible one`()
    throws
  {
    var device = try Device("2026-01-05T08:00:30Z")
    // A match of a minute applies only to the minute's first second, so a minute that has already begun no longer
    // matches.
    for text in ["year=2001", "year=2026 month=1 day=5 hour=8 minute=0"] {
      #expect(throws: Trigger.Refusal.passed) { try device.add("x", daily(text)) }
    }
    for text in ["month=2 day=30", "year=2001 month=2 day=30"] {
      #expect(throws: Trigger.Refusal.neverFires) { try device.add("x", daily(text)) }
    }
    #expect(try device.add("x", daily("year=2026 month=1 day=5 hour=8 minute=1")).entry != nil)
  }

  @Test func `a refused request leaves the one with its id as it was`() throws {
    var device = try Device()
    try device.add("x", daily("hour=9"))
    #expect(throws: Trigger.Refusal.self) { try device.add("x", daily("month=2 day=30")) }
    device.pass(2 * hour)
    #expect(device.take() == ["x@540"])
  }

  @Test
  func `entries missed while off fire once within the window, and otherwise at the next moment`()
    throws
  {
    var device = try Device()
    try device.add("daily", daily("hour=9"))
    try device.add("hourly", daily("minute=0"))
    try device.add("once", .moment(.instant(device.now.wall + hour / 2), every: .once))
    try device.add("interval", .interval(milliseconds: hour / 4, repeats: false))
    device.off(5 * hour)
    #expect(device.take() == ["interval@495!", "once@510!", "daily@540!", "hourly@540!"])
    device.pass(hour)
    #expect(device.take() == ["hourly@840"])
    try device.add("soon", .interval(milliseconds: hour, repeats: false))
    // After 60 hours, the one-shot notification is too old, but the repeating ones were due within the last day.
    device.off(60 * hour)
    #expect(device.take() == ["soon expired", "hourly@3000!", "daily@3420!"])
    device.pass(24 * hour)
    #expect(device.take().filter { $0.hasPrefix("daily") } == ["daily@4860"])
  }

  @Test func `a short stop is no miss: nothing is lost, nothing fires twice`() throws {
    var device = try Device()
    try device.add("nine", daily("hour=9"))
    device.pass(hour)
    #expect(device.take() == ["nine@540"])
    device.off(20)
    #expect(device.take() == [])
    device.off(23 * hour)
    device.pass(hour)
    #expect(device.take() == ["nine@1980"])
  }

  @Test func `setting the clock back fires nothing and recomputes the next moments`() throws {
    var device = try Device()
    try device.add("nine", daily("hour=9"))
    try device.add("half", .interval(milliseconds: 5 * hour / 2, repeats: false))
    device.pass(2 * hour)
    #expect(device.take() == ["nine@540"])
    try device.setClock("2026-01-05T07:00:00Z")
    #expect(device.take() == [])
    #expect(
      device.schedule.pending(at: device.now).map(\.next) == [
        device.now.wall + hour / 2, device.now.wall + 2 * hour,
      ])
    device.pass(3 * hour)
    #expect(device.take() == ["half@450", "nine@540"])
  }

  @Test func `setting the clock ahead brings what it passed, once, and no interval`() throws {
    var device = try Device()
    try device.add("nine", daily("hour=9"))
    try device.add("interval", .interval(milliseconds: hour, repeats: false))
    try device.setClock("2026-01-05T12:00:00Z")
    #expect(device.take() == ["nine@540!"])
    device.pass(hour)
    #expect(device.take() == ["interval@780"])
  }

  @Test func `a clock that starts in 1970 and is then set right brings nothing twice`() throws {
    var device = try Device()
    try device.add("nine", daily("hour=9"))
    device.pass(2 * hour)
    #expect(device.take() == ["nine@540"])
    try device.setClock("1970-01-01T00:00:10Z")
    device.off(1_000)
    try device.setClock("2026-01-05T10:05:00Z")
    #expect(device.take() == [])
  }

  @Test func `Wall time moves with the device, universal time does not`() throws {
    var device = try Device("2026-01-05T08:00:00Z", zone: "America/Los_Angeles")  // midnight there
    try device.add("wall", .moment(.wall(1_767_603_600, .floating), every: .once))  // 09:00
    try device.add("instant", .moment(.instant(device.now.wall + 9 * hour), every: .once))
    try device.add("paris", daily("hour=18 zone=Europe/Paris"))
    try device.add("daily", daily("hour=9"))
    try device.move(to: "America/New_York")
    #expect(
      device.schedule.pending(at: device.now).map {
        "\($0.entry.key.id) \(($0.next - device.now.wall) / hour)"
      }
        == ["wall 6", "daily 6", "instant 9", "paris 9"])
    // In Auckland, it is long past 9 AM on that day. The one-shot notification fires immediately, and the repeating one
    // waits.
    try device.move(to: "Pacific/Auckland")
    #expect(device.take() == ["wall@-240!"])
    let left = device.schedule.pending(at: device.now).map {
      "\($0.entry.key.id) \(($0.next - device.now.wall) / hour)"
    }
    #expect(left == ["instant 9", "paris 9", "daily 12"])
    device.off(60_000)
    #expect(device.take() == [])
  }

  @Test func `a one-time match keeps its wall time when the device changes its zone`() throws {
    var device = try Device("2026-01-05T08:00:00Z", zone: "America/Los_Angeles")  // midnight there
    let match = try CalendarMatch(matching: "day=5 hour=9")
    try device.add("once", .calendar(match, repeats: false))
    try device.move(to: "America/New_York")
    let next = device.schedule.pending(at: device.now).map(\.next)
    #expect(next == [device.now.wall + 6 * hour])
    try device.move(to: "Asia/Tokyo")  // 17:00 there
    #expect(device.take() == ["once@0!"])
  }

  @Test func `listing the next moments of an entry does not change it`() throws {
    var device = try Device()
    try device.add("nine", daily("hour=9"))
    try device.add("once", .interval(milliseconds: hour, repeats: false))
    let key = ScheduleKey(app: "a", id: "nine")
    let nine = device.now.wall + hour
    #expect(
      device.schedule.moments(of: key, count: 3, at: device.now)
        == [nine, nine + 24 * hour, nine + 48 * hour])
    #expect(
      device.schedule.moments(of: ScheduleKey(app: "a", id: "once"), count: 3, at: device.now)
        == [nine])
    #expect(
      device.schedule.moments(of: ScheduleKey(app: "b", id: "x"), count: 3, at: device.now) == [])
    #expect(device.schedule.moments(of: key, count: 0, at: device.now) == [])
    device.now.wall += hour
    #expect(
      device.schedule.moments(of: key, count: 1, at: device.now) == [nine + 24 * hour],
      "a moment that has arrived is not the next one")
    device.now.wall -= hour
    device.pass(hour)
    #expect(device.take() == ["nine@540", "once@540"])
  }

  @Test func `the list of an entry's next moments in another calendar ends after enough lookups`()
    throws
  {
    let calendar = DailyCalendar()
    var schedule = Schedule(
      policy: SchedulePolicy(calendarLookUps: 3), world: DailyWorld(calendar: calendar))
    var match = CalendarMatch()
    match.calendar = .other("daily")
    let key = ScheduleKey(app: "a", id: "x")
    let now = ScheduleMoment(wall: 0, elapsed: 0)
    _ = try schedule.add(key, .calendar(match, repeats: true), at: now)
    let before = calendar.lookUps
    let days = schedule.moments(of: key, count: 100, at: now).map { $0 / (24 * hour) }
    // The first date is already known. Each of the other dates requires one lookup.
    #expect(days == Array(1...7))
    #expect(calendar.lookUps - before == 6)
    let fewer = schedule.moments(of: key, count: 2, at: now)
    #expect(fewer == [24 * hour, 48 * hour])
  }

  @Test(arguments: [0, 1, 30 * 60_000] as [Int64])
  func `a repeat that becomes due by a change of zone waits for its next moment`(
    since: Int64
  ) throws {
    var device = try Device()
    try device.add("nine", daily("hour=9"))
    device.pass(24 * hour + since)
    #expect(device.take() == ["nine@540"])
    // In Berlin, it is 09:00 or slightly later.
    try device.move(to: "Europe/Berlin")
    #expect(device.take() == [])
    let persisted = device.disk.values.first?.handled
    #expect(persisted == device.now.wall)
    device.off(1)
    device.pass(24 * hour)
    #expect(device.take() == ["nine@\(2 * 24 * 60 + 8 * 60)"])
  }

  @Test(arguments: [
    Trigger.interval(milliseconds: 48 * hour, repeats: false),
    .moment(.instant(1_900_000_000_000), every: .once),
  ])
  func `an entry that is replaced repeatedly leaves nothing behind`(trigger: Trigger) throws {
    var device = try Device()
    try device.add("first", .interval(milliseconds: hour, repeats: false))
    try device.add("first of the day", daily("hour=9"))
    for _ in 0..<3_000 { try device.add("replaced", trigger) }
    #expect(device.schedule.count == 3)
    device.pass(hour)
    #expect(device.take() == ["first@540", "first of the day@540"])
  }

  @Test func `a year passes in order`() throws {
    var device = try Device("2026-01-01T00:00:00Z", zone: "Europe/Paris")
    for weekday in 1...7 {
      try device.add("w\(weekday)", daily("weekday=\(weekday) hour=2 minute=30"))
    }
    try device.add("leap", daily("month=2 day=29"))
    device.pass(365 * 24 * hour)
    let fired = device.take()
    #expect(fired.count == 365)
    let minutes = fired.compactMap { $0.split(separator: "@").last.flatMap { Int($0) } }
    #expect(minutes.count == 365 && minutes == minutes.sorted())
  }

  /// Compares the heap with a plain sorted list while random changes are made to both.
  @Test func `any order of adding, removing and firing agrees with a plain list`() throws {
    var dice = Dice(seed: 2026)
    var device = try Device(limit: 1_000)
    var plain: [String: Int64] = [:]
    for round in 0..<4_000 {
      let id = "\(Int.random(in: 0..<200, using: &dice))"
      switch Int.random(in: 0..<10, using: &dice) {
      case 0..<6:
        let due = device.now.wall + Int64.random(in: 1...100_000, using: &dice)
        let wall = Bool.random(using: &dice)
        try device.add(
          id,
          wall
            ? .moment(.instant(due), every: .once)
            : .interval(milliseconds: due - device.now.wall, repeats: false))
        plain[id] = due
      case 6..<8:
        let removed = device.schedule.remove(ScheduleKey(app: "a", id: id))
        #expect(removed == (plain.removeValue(forKey: id) != nil))
      default:
        device.pass(Int64.random(in: 0...2_000, using: &dice))
        let due = plain.filter { $0.value <= device.now.wall }
        for id in due.keys { plain[id] = nil }
        #expect(
          Set(device.take().map { String($0.prefix { $0 != "@" }) }) == Set(due.keys), "\(round)")
      }
    }
    #expect(
      device.schedule.pending(at: device.now).map(\.next) == plain.values.sorted())
  }
}

/// A calendar in which everything matches at the beginning of each day.
private final class DailyCalendar: CalendarSystem {
  private(set) var lookUps = 0

  func next(matching match: CalendarMatch, after instant: Int, in zone: Zone) -> Int? {
    lookUps += 1
    return (instant / Gregorian.secondsPerDay + 1) * Gregorian.secondsPerDay
  }

  func repeatedDay(_ count: Int, from day: Int, months: Int, days: Int) -> RepeatedDay? { nil }
}

private struct DailyWorld: ScheduleWorld {
  let calendar: DailyCalendar
  var deviceZone: Zone { .utc }
  var calendarLookUps: Int { calendar.lookUps }

  func zone(named name: String) -> Zone? { nil }
  func calendar(named name: String) -> (any CalendarSystem)? { calendar }
}
