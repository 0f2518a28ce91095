import BelfryWire

/// The notifications of all apps that wait for a moment, and the journeys of a manual clock.
///
/// Decides what fires when; what is shown of it is `Delivery`'s.
struct ScheduledNotifications: ~Copyable {
  /// What is due.
  enum Step: Hashable {
    /// Show it; `isLast` when it does not wait any more.
    case fire(AppNotificationID, isLast: Bool)
    /// Missed by more than the window, or without any moment left.
    case expire(AppNotificationID)
  }

  /// Why a request or a command is refused.
  typealias Refusal = AppLinkFailure

  /// Where a manual clock is being moved.
  private enum Journey {
    case toTime(end: Int64, Ask)
    case toZone(Ask)
  }

  private var schedule: Schedule<ZoneFolder>
  private var zones: ZoneFolder
  private let isManual: Bool
  private var journey: Journey?
  /// A move was asked for that `clockMoved` or `zonesChanged` has not reported yet.
  private var isClockMoving = false
  /// The clock is being set back: what was dealt with comes again.
  private var isSettingBack = false
  /// Entries that lost every moment, still to be reported by `step`.
  private var lost: [AppNotificationID] = []
  /// What the shell was last told; nil when it is to be told anew.
  private var armed: ScheduleWakeUp?

  /// A schedule without entries.
  init(pendingLimit: Int, zones: ZoneFolder, isManual: Bool) {
    self.zones = zones
    self.isManual = isManual
    schedule = Schedule(policy: SchedulePolicy(pendingLimit: pendingLimit), world: zones)
  }

  /// Takes in what was kept; what was missed is due now.
  mutating func restore(
    _ records: [(key: String, value: [UInt8])], at now: ScheduleMoment,
    _ effects: inout [AgentEffect]
  ) {
    assert(schedule.count == 0, "records are restored once, at the start")
    var entries: [ScheduleEntry] = []
    entries.reserveCapacity(records.count)
    for (key, value) in records where key != ScheduleRecord.clockKey {
      guard let entry = ScheduleRecord.entry(key: key, value: value), AppID(entry.key.app) != nil
      else {
        effects.append(.log(.damagedRecord(.schedule, key: key)))
        effects.append(.persist(.remove(.schedule, key: key)))
        continue
      }
      entries.append(entry)
    }
    persist(schedule.restore(entries, at: now), &effects)
    assert(schedule.count <= entries.count)
  }

  // MARK: Requests

  /// Adds a request, in place of one with the same name; gives those that its app's limit pushes
  /// out, itself among them when it is the latest of all.
  mutating func add(
    _ key: AppNotificationID, _ trigger: NotificationTrigger, at now: ScheduleMoment,
    _ effects: inout [AgentEffect]
  ) throws(Refusal) -> [AppNotificationID] {
    let added: ScheduleAdded?
    do throws(Trigger.Refusal) {
      added = try Trigger(trigger, in: zones).map { trigger throws(Trigger.Refusal) in
        try schedule.add(key.scheduleKey, trigger, at: now)
      }
    } catch {
      throw Self.failure(error)
    }
    guard let added else {
      throw Refusal(.invalidArgument, "only a gateway sends what a push sets off")
    }
    var dropped = added.dropped
    if let entry = added.entry {
      persist(entry, &effects)
    } else {
      dropped.append(key.scheduleKey)
    }
    for key in dropped { persistRemoval(key, &effects) }
    return dropped.map(Self.notification)
  }

  /// Takes requests out; gives those that were there.
  mutating func remove(
    _ keys: [AppNotificationID], _ effects: inout [AgentEffect]
  ) -> [AppNotificationID] {
    var removed: [AppNotificationID] = []
    for key in keys where schedule.remove(key.scheduleKey) {
      removed.append(key)
      persistRemoval(key.scheduleKey, &effects)
    }
    return removed
  }

  /// Those that wait, of one app or of all, the soonest first, with their next moments in
  /// milliseconds since 1970.
  func pending(
    of app: String?, at now: ScheduleMoment
  ) -> [(key: AppNotificationID, next: Int64)] {
    schedule.pending(of: app, at: now).map { (Self.notification($0.entry.key), $0.next) }
  }

  /// The next moments of one of them, in milliseconds since 1970.
  func moments(of key: AppNotificationID, count: Int, at now: ScheduleMoment) -> [Int64] {
    schedule.moments(of: key.scheduleKey, count: count, at: now)
  }

  // MARK: Clock and zones

  /// The name of the device's zone.
  var zoneName: String { zones.deviceZone.name }

  /// The machine's clock was set, ahead or back.
  mutating func onClockSet(at now: ScheduleMoment, _ effects: inout [AgentEffect]) {
    armed = nil
    persist(schedule.clockWasSet(at: now), &effects)
    effects.append(.persistClock)
  }

  /// The device has moved to another zone, or its database was updated; gives the request that waited
  /// for that.
  mutating func onZonesChanged(
    to zones: ZoneFolder, at now: ScheduleMoment, _ effects: inout [AgentEffect]
  ) -> Ask? {
    self.zones = zones
    armed = nil
    persist(schedule.zonesChanged(to: zones, at: now), &effects)
    effects.append(.persistClock)
    guard case .toZone(let ask)? = journey else { return nil }
    journey = nil
    isClockMoving = false
    return ask
  }

  /// The alarms may have gone off: they are set anew with the next look.
  mutating func onWakeUp() { armed = nil }

  // MARK: Firing

  /// The next thing that is due; nil when nothing is.
  mutating func step(at now: ScheduleMoment, _ effects: inout [AgentEffect]) -> Step? {
    if let key = lost.popLast() { return .expire(key) }
    switch schedule.step(at: now) {
    case .rest: return nil
    case .expired(let key, _):
      persistRemoval(key, &effects)
      return .expire(Self.notification(key))
    case .fire(let firing):
      if let entry = firing.remaining {
        persist(entry, &effects)
      } else {
        persistRemoval(firing.key, &effects)
      }
      return .fire(Self.notification(firing.key), isLast: firing.remaining == nil)
    }
  }

  /// Sets the alarms where they have to be others.
  mutating func arm(at now: ScheduleMoment, _ effects: inout [AgentEffect]) {
    let wakeUp = schedule.wakeUp
    guard wakeUp != armed else { return }
    armed = wakeUp
    effects.append(.armSchedule(wakeUp.coalesced(at: now)))
  }

  // MARK: Manual clock

  private var isOnJourney: Bool {
    if case .toTime? = journey { true } else { false }
  }

  /// Whether what is due at this moment may fire: on a journey of a manual clock only where it stands,
  /// once apps in front have said what to show of what fired there before.
  func mayFire(isAsking: Bool) -> Bool { !isOnJourney || (!isClockMoving && !isAsking) }

  /// What a command wants of a manual clock.
  enum ClockCommand {
    /// To that moment, in milliseconds since 1970: every one in between happens, in order, before the
    /// command is answered.
    case set(Int64)
    /// On by so many milliseconds; less than none is none.
    case advance(Int64)
    /// Into that zone.
    case moveZone(String)
  }

  /// Starts what a command wants of a manual clock.
  mutating func travel(
    _ command: ClockCommand, _ ask: Ask, at now: ScheduleMoment, _ effects: inout [AgentEffect]
  ) throws(Refusal) {
    switch command {
    case .set(let wall): try travel(to: wall, ask, at: now, &effects)
    case .advance(let milliseconds):
      let target = now.wall.addingReportingOverflow(max(0, milliseconds))
      try travel(to: target.overflow ? .max : target.partialValue, ask, at: now, &effects)
    case .moveZone(let name): try travel(toZone: name, ask, &effects)
    }
  }

  private mutating func travel(
    to wall: Int64, _ ask: Ask, at now: ScheduleMoment, _ effects: inout [AgentEffect]
  ) throws(Refusal) {
    try checkMayTravel()
    let end = Gregorian.clampedMilliseconds(wall)
    journey = .toTime(end: end, ask)
    guard end < now.wall else { return }
    isSettingBack = true
    move(to: end, &effects)
  }

  private mutating func travel(
    toZone name: String, _ ask: Ask, _ effects: inout [AgentEffect]
  ) throws(Refusal) {
    guard zones.zone(named: name) != nil else {
      throw Refusal(.invalidArgument, "no time zone \(name): use one like Europe/Paris")
    }
    try checkMayTravel()
    journey = .toZone(ask)
    isClockMoving = true
    effects.append(.moveZone(name))
  }

  /// A manual clock stands where it was moved to.
  mutating func onClockMoved(at now: ScheduleMoment, _ effects: inout [AgentEffect]) {
    assert(isManual, "only a manual clock is moved")
    assert(isClockMoving && isOnJourney, "a clock moves when it was asked to")
    isClockMoving = false
    if isSettingBack {
      isSettingBack = false
      persist(schedule.clockWasSet(at: now), &effects)
    }
  }

  /// Goes on to the next moment at which something is due, once nothing is due at this one; gives the
  /// request that is answered when the journey is over.
  mutating func advance(at now: ScheduleMoment, _ effects: inout [AgentEffect]) -> Ask? {
    guard case .toTime(let end, let ask)? = journey, !isClockMoving else { return nil }
    let next = nextMoment(at: now)
    assert(next > now.wall, "what is due has fired before time goes on")
    guard next <= end || now.wall < end else {
      assert(now.wall == end, "a journey ends where it was to end")
      journey = nil
      effects.append(.persistClock)
      return ask
    }
    move(to: min(next, end), &effects)
    return nil
  }

  /// A connection is gone: the clock goes on to where it was sent, and nobody waits for that.
  mutating func onDisconnected(_ connection: ConnectionID) {
    switch journey {
    case .toTime(let end, let ask) where ask.connection == connection:
      journey = .toTime(end: end, ask.unanswered)
    case .toZone(let ask) where ask.connection == connection: journey = .toZone(ask.unanswered)
    case .toTime, .toZone, nil: break
    }
  }

  private func nextMoment(at now: ScheduleMoment) -> Int64 {
    let wakeUp = schedule.wakeUp
    return min(wakeUp.wall ?? .max, wakeUp.elapsed.map { $0 - now.elapsed + now.wall } ?? .max)
  }

  private mutating func move(to wall: Int64, _ effects: inout [AgentEffect]) {
    assert(!isClockMoving, "one move at a time")
    isClockMoving = true
    effects.append(.moveClock(toUnixMilliseconds: wall))
  }

  private func checkMayTravel() throws(Refusal) {
    guard isManual else {
      throw Refusal(
        .invalidArgument, "the agent follows the machine: start it with --clock manual")
    }
    guard journey == nil else {
      throw Refusal(.invalidArgument, "the clock is being moved already: wait for that")
    }
  }

  // MARK: Inside

  private func persist(_ entry: ScheduleEntry, _ effects: inout [AgentEffect]) {
    effects.append(
      .persist(
        .put(.schedule, key: ScheduleRecord.key(entry.key), ScheduleRecord.value(entry))))
    effects.append(.persistClock)
  }

  private func persistRemoval(_ key: ScheduleKey, _ effects: inout [AgentEffect]) {
    effects.append(.persist(.remove(.schedule, key: ScheduleRecord.key(key))))
    effects.append(.persistClock)
  }

  private mutating func persist(
    _ recomputed: ScheduleRecomputed, _ effects: inout [AgentEffect]
  ) {
    for entry in recomputed.changed { persist(entry, &effects) }
    for key in recomputed.lost {
      persistRemoval(key, &effects)
      lost.append(Self.notification(key))
    }
  }

  private static func notification(_ key: ScheduleKey) -> AppNotificationID {
    guard let app = AppID(key.app) else {
      preconditionFailure("only the requests of apps are scheduled")
    }
    return AppNotificationID(app: app, id: key.id)
  }

  private static func failure(_ refusal: Trigger.Refusal) -> AppLinkFailure {
    switch refusal {
    case .intervalOutOfRange:
      AppLinkFailure(.invalidArgument, "the interval must be longer than 0 s: choose another")
    case .repeatsTooOften:
      AppLinkFailure(
        .invalidArgument,
        "a repeating interval must be at least \(ScheduleLimits.shortestRepeatSeconds) s: "
          + "choose a longer one, or do not repeat")
    case .neverFires:
      AppLinkFailure(.notificationInvalidNoDate, "no such moment lies ahead: choose another")
    case .unknownZone(let name):
      AppLinkFailure(.invalidArgument, "no time zone \(name): use one like Europe/Paris")
    case .unknownCalendar(let name):
      AppLinkFailure(.invalidArgument, "no calendar \(name): use one like gregorian")
    }
  }

  /// Stops in a debug build when the journey and its moves contradict each other.
  func checkInvariants() {
    assert(journey == nil || isManual, "only a manual clock travels")
    assert(!isClockMoving || journey != nil, "a clock moves on a journey alone")
    assert(!isSettingBack || isClockMoving, "a clock is set back by a move")
    assert(lost.isEmpty, "what lost its moments was reported")
    assert(armed == nil || armed == schedule.wakeUp, "the alarms stand where they have to")
  }
}

extension AppNotificationID {
  /// Its name in the schedule.
  fileprivate var scheduleKey: ScheduleKey { ScheduleKey(app: app.text, id: id) }
}
