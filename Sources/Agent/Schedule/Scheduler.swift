import BelfryWire

/// Who carries out what the schedule decides.
protocol ScheduleListener: AnyObject {
  /// A notification fires. `changes` are to be kept together with the fact that it has fired,
  /// before it is shown: what is kept and not yet shown is shown after a crash.
  func scheduleFired(_ firing: Firing, _ changes: [ScheduleRecord.Change])
  /// Entries have gone without firing: missed by too long, or without a moment any more.
  func scheduleDropped(_ keys: [ScheduleKey], _ changes: [ScheduleRecord.Change])
  /// Something else is to be kept.
  func scheduleChanged(_ changes: [ScheduleRecord.Change])
  /// Manual clock: may time go on? Called after each moment at which something fired, to carry
  /// that out; when false, `Scheduler.resume()` is called once it may.
  func scheduleMayPass() -> Bool
}

/// The schedule and its clock: arms alarms, asks what is due and passes it on.
///
/// Confined to its loop.
final class Scheduler {
  private var schedule: Schedule<ZoneFolder>
  private var world: ZoneFolder
  private let clock: any ScheduleClock
  private let makeCalendar: (String) -> (any CalendarSystem)?
  private weak var listener: (any ScheduleListener)?
  /// Manual clock: where it is moving, and what to do when it is there.
  private var journey: (end: Int64, arrived: () -> Void)?
  private var isSettling = false

  /// Makes a schedule without entries; `start` puts in those that were kept.
  init(
    clock: any ScheduleClock, policy: Schedule<ZoneFolder>.Policy,
    makeCalendar: @escaping (String) -> (any CalendarSystem)?, listener: any ScheduleListener
  ) {
    self.clock = clock
    self.makeCalendar = makeCalendar
    self.listener = listener
    world = ZoneFolder(clock.zones, deviceZone: clock.zone, makeCalendar: makeCalendar)
    schedule = Schedule(policy: policy, world: world)
  }

  /// Takes in what was kept, fires what was missed, and goes on from there.
  ///
  /// - Returns: The keys of damaged records, which are passed over.
  func start(_ records: [(key: String, value: [UInt8])]) -> [String] {
    var damaged: [String] = []
    var entries: [ScheduleEntry] = []
    entries.reserveCapacity(records.count)
    for (key, value) in records where key != ScheduleRecord.clockKey {
      if let entry = ScheduleRecord.entry(key: key, value: value) {
        entries.append(entry)
      } else {
        damaged.append(key)
      }
    }
    clock.onEvent = { [weak self] in self?.happened($0) }
    keep(schedule.restore(entries, at: clock.now))
    settle()
    return damaged
  }

  func close() { clock.close() }

  /// Milliseconds since 1970, as the device has it.
  var unixMilliseconds: Int64 { clock.now.wall }

  /// How many wait.
  var count: Int { schedule.count }

  // MARK: Requests

  /// What became of a request.
  struct Outcome {
    /// When it fires first, in milliseconds since 1970.
    let next: Int64
    /// To be kept together with the request.
    let changes: [ScheduleRecord.Change]
    /// Requests that are to be forgotten, because sooner ones fill the app's limit: with the same
    /// key as the one that was added when that is the latest of all.
    let dropped: [ScheduleKey]
  }

  /// Adds a request, in place of one with the same key; what is due already fires at the end of
  /// this call.
  ///
  /// - Throws: Why it cannot be scheduled.
  func add(
    _ key: ScheduleKey, _ request: NotificationTrigger
  ) throws(Trigger.Refusal) -> Outcome? {
    guard let trigger = try Trigger(request, in: world) else { return nil }
    let added = try schedule.add(key, trigger, at: clock.now)
    var changes = added.dropped.map(ScheduleRecord.remove)
    changes.append(added.entry.map(ScheduleRecord.put) ?? ScheduleRecord.remove(key))
    return Outcome(
      next: added.next, changes: changes + clockChanges(),
      dropped: added.entry == nil ? added.dropped + [key] : added.dropped)
  }

  /// Takes requests out; gives what is to be kept.
  func remove(_ keys: [ScheduleKey]) -> [ScheduleRecord.Change] {
    let changes = keys.filter { schedule.remove($0) }.map(ScheduleRecord.remove)
    arm()
    return changes
  }

  /// Those that wait, of one app or of all, the soonest first.
  func pending(of app: String? = nil) -> [Schedule<ZoneFolder>.Pending] {
    schedule.pending(of: app, at: clock.now)
  }

  /// The next moments of one of them, in milliseconds since 1970.
  func moments(of key: ScheduleKey, count: Int) -> [Int64] {
    schedule.moments(of: key, count: count, at: clock.now)
  }

  /// Fires what is due, and sets the alarms; to be called after requests were kept.
  func settle() {
    guard !isSettling, journey == nil else { return }
    isSettling = true
    fireWhatIsDue()
    isSettling = false
    arm()
  }

  // MARK: Manual clock

  /// Whether the clock moves by command alone.
  var isManual: Bool { clock is ManualClock }

  /// Moves a manual clock; every moment in between happens, in order, before `arrived` is called.
  ///
  /// - Returns: False when the clock is not manual, or is still on its way.
  func travel(to wall: Int64, arrived: @escaping () -> Void) -> Bool {
    guard let manual = clock as? ManualClock, journey == nil else { return false }
    let wall = Gregorian.clampedMilliseconds(wall)
    if wall < manual.now.wall {
      manual.move(toWall: wall)
      keep(schedule.clockWasSet(at: manual.now))
    }
    journey = (wall, arrived)
    resume()
    return true
  }

  /// Goes on with a journey that had to wait; nothing when there is none.
  func resume() {
    guard let manual = clock as? ManualClock, let (end, arrived) = journey, !isSettling else {
      return
    }
    isSettling = true
    defer { isSettling = false }
    while true {
      if fireWhatIsDue(), listener?.scheduleMayPass() == false { return }
      let wakeUp = schedule.wakeUp
      let wall = wakeUp.wall ?? .max
      let elapsed = wakeUp.elapsed.map { $0 - manual.now.elapsed + manual.now.wall } ?? .max
      let next = min(wall, elapsed)
      guard next <= end else { break }
      manual.move(toWall: max(next, manual.now.wall))
    }
    if manual.now.wall != end { manual.move(toWall: end) }
    journey = nil
    let changes = clockChanges()
    if !changes.isEmpty { listener?.scheduleChanged(changes) }
    arrived()
  }

  /// Takes the device of a manual clock into a zone; false when there is none of that name, or the
  /// clock is not manual or on its way.
  func travel(toZone name: String) -> Bool {
    guard let manual = clock as? ManualClock, journey == nil,
      let zone = clock.zones.zone(named: name)
    else { return false }
    manual.move(to: zone)
    happened(.zonesChanged)
    return true
  }

  // MARK: Inside

  private func happened(_ event: ScheduleClockEvent) {
    switch event {
    case .due: break
    case .clockWasSet: keep(schedule.clockWasSet(at: clock.now))
    case .zonesChanged:
      // A new world: what the old one has read of the database may be outdated.
      world = ZoneFolder(clock.zones, deviceZone: clock.zone, makeCalendar: makeCalendar)
      keep(schedule.zonesChanged(to: world, at: clock.now))
    }
    let changes = clockChanges()
    if !changes.isEmpty { listener?.scheduleChanged(changes) }
    settle()
  }

  @discardableResult
  private func fireWhatIsDue() -> Bool {
    var hasFired = false
    while true {
      switch schedule.step(at: clock.now) {
      case .rest: return hasFired
      case .expired(let key, _):
        listener?.scheduleDropped([key], [ScheduleRecord.remove(key)])
      case .fire(let firing):
        hasFired = true
        let change = firing.remaining.map(ScheduleRecord.put) ?? ScheduleRecord.remove(firing.key)
        listener?.scheduleFired(firing, [change] + clockChanges())
      }
    }
  }

  private func keep(_ recomputed: Schedule<ZoneFolder>.Recomputed) {
    if !recomputed.changed.isEmpty {
      listener?.scheduleChanged(recomputed.changed.map(ScheduleRecord.put))
    }
    if !recomputed.lost.isEmpty {
      listener?.scheduleDropped(recomputed.lost, recomputed.lost.map(ScheduleRecord.remove))
    }
  }

  private func clockChanges() -> [ScheduleRecord.Change] {
    clock.changedRecord().map { [.put(key: ScheduleRecord.clockKey, $0)] } ?? []
  }

  private func arm() {
    let wakeUp = schedule.wakeUp.coalesced(at: clock.now)
    clock.wake(atWall: wakeUp.wall, elapsed: wakeUp.elapsed)
  }
}
