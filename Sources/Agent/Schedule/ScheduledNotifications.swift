import AppWire
import Scheduling

/// The scheduled notifications of all apps, and the moves of a manual clock.
///
/// This type decides when each notification fires; `Delivery` decides which effects the notification has.
struct ScheduledNotifications: ~Copyable {
  /// A scheduled notification that is due.
  enum Step: Hashable {
    /// Shows the notification; `isLast` is true if it will not fire again.
    case fire(AppNotificationID, isLast: Bool)
    /// Drops a notification whose date was missed by more than the allowed window, or that has no future date.
    case expire(AppNotificationID)
  }

  /// The reason that a request or a command is refused.
  typealias Refusal = AppLinkFailure

  /// The move of a manual clock in progress.
  private enum ClockMove {
    case toTime(end: Int64, RequestID)
    case toZone(RequestID)
  }

  private var schedule: Schedule<ZoneFolder>
  private var zones: ZoneFolder
  private let isManual: Bool
  private var clockMove: ClockMove?
  /// True if a move is in progress that `clockMoved` or `zonesChanged` has not reported yet.
  private var isClockMoving = false
  /// True if the clock is being set back, so that past dates fire again.
  private var isSettingBack = false
  /// Entries without a future date, still to be reported by `step`.
  private var lost: [AppNotificationID] = []
  /// The wake-up last armed; nil if it must be armed again.
  private var armed: ScheduleWakeUp?

  /// Creates a schedule without entries.
  init(pendingLimit: Int, zones: ZoneFolder, isManual: Bool) {
    self.zones = zones
    self.isManual = isManual
    // A manual clock advances only after everything that is due at the current time has fired, so the number of lookups
    // per turn is not limited.
    let lookUps = isManual ? Int.max : ScheduleLimits.calendarLookUpsPerTurn
    schedule = Schedule(
      policy: SchedulePolicy(pendingLimit: pendingLimit, calendarLookUps: lookUps), world: zones)
  }

  /// Restores the stored entries; missed entries are due now.
  mutating func restore(
    _ records: [(key: String, value: [UInt8])], at now: ScheduleMoment,
    _ effects: inout [AgentEffect]
  ) {
    assert(schedule.count == 0, "records are restored only once, at startup")
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

  /// Adds a request, replacing any request with the same identifier.
  ///
  /// Returns the requests that exceed the app's limit, which can include the new request if it fires last; returns nil
  /// if all dates of the trigger have passed.
  mutating func add(
    _ key: AppNotificationID, _ trigger: NotificationTrigger, at now: ScheduleMoment,
    _ effects: inout [AgentEffect]
  ) throws(Refusal) -> [AppNotificationID]? {
    let added: ScheduleAdded?
    do throws(Trigger.Refusal) {
      added = try Trigger(trigger, in: zones).map { trigger throws(Trigger.Refusal) in
        try schedule.add(key.scheduleKey, trigger, at: now)
      }
    } catch {
      guard error == .passed else { throw Self.failure(error) }
      return nil
    }
    guard let added else {
      throw Refusal(.invalidArgument, "invalid trigger: only the gateway sends push triggers")
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

  /// Throws if a request with this trigger would not be scheduled.
  func check(_ trigger: NotificationTrigger, at now: ScheduleMoment) throws(Refusal) {
    var schedule = Schedule(policy: SchedulePolicy(pendingLimit: 1), world: zones)
    do throws(Trigger.Refusal) {
      guard let trigger = try Trigger(trigger, in: zones) else { return }
      _ = try schedule.add(ScheduleKey(app: "", id: ""), trigger, at: now)
    } catch {
      throw Self.failure(error)
    }
  }

  /// Removes requests, and returns those that existed.
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

  /// Returns the pending requests of one app or of all apps, soonest first, with their next dates in milliseconds since
  /// 1970.
  func pending(
    of app: String?, at now: ScheduleMoment
  ) -> [(key: AppNotificationID, next: Int64)] {
    schedule.pending(of: app, at: now).map { (Self.notification($0.entry.key), $0.next) }
  }

  /// Returns the next dates of a request, in milliseconds since 1970.
  func moments(of key: AppNotificationID, count: Int, at now: ScheduleMoment) -> [Int64] {
    schedule.moments(of: key.scheduleKey, count: count, at: now)
  }

  // MARK: Clock and zones

  /// The name of the device's time zone.
  var zoneName: String { zones.deviceZone.name }

  /// Handles a change to the machine's clock.
  mutating func onClockSet(at now: ScheduleMoment, _ effects: inout [AgentEffect]) {
    armed = nil
    persist(schedule.clockWasSet(at: now), &effects)
    effects.append(.persistClock)
  }

  /// Handles a change to the time zone or to the time-zone database; returns the command that waited for the change.
  mutating func onZonesChanged(
    to zones: ZoneFolder, at now: ScheduleMoment, _ effects: inout [AgentEffect]
  ) -> RequestID? {
    self.zones = zones
    armed = nil
    persist(schedule.zonesChanged(to: zones, at: now), &effects)
    effects.append(.persistClock)
    guard case .toZone(let requestID)? = clockMove else { return nil }
    clockMove = nil
    isClockMoving = false
    return requestID
  }

  /// Handles a wake-up: the alarms might have fired, so they are armed again.
  mutating func onWakeUp() { armed = nil }

  // MARK: Firing

  /// Returns the next due step, or nil if nothing is due.
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

  /// Arms the alarms if they must change.
  mutating func arm(at now: ScheduleMoment, _ effects: inout [AgentEffect]) {
    let wakeUp = schedule.wakeUp
    guard wakeUp != armed else { return }
    armed = wakeUp
    effects.append(.armSchedule(wakeUp.coalesced(at: now)))
  }

  // MARK: Manual clock

  private var isMovingToTime: Bool {
    if case .toTime? = clockMove { true } else { false }
  }

  /// Returns true if due notifications may fire.
  ///
  /// During a move of a manual clock, notifications fire only while the clock has stopped at their date. Foreground
  /// apps must also have answered the questions about notifications that fired earlier.
  func mayFire(isAsking: Bool) -> Bool { !isMovingToTime || (!isClockMoving && !isAsking) }

  /// A command to a manual clock.
  enum ClockCommand {
    /// Move to this time, in milliseconds since 1970.
    ///
    /// Everything that is due between the current time and this time fires, in order, before the command is answered.
    case set(Int64)
    /// Advance by this number of milliseconds; a negative number counts as 0.
    case advance(Int64)
    /// Move to this time zone.
    case moveZone(String)
  }

  /// Starts a move of the manual clock.
  mutating func travel(
    _ command: ClockCommand, _ requestID: RequestID, at now: ScheduleMoment,
    _ effects: inout [AgentEffect]
  ) throws(Refusal) {
    switch command {
    case .set(let wall): try travel(to: wall, requestID, at: now, &effects)
    case .advance(let milliseconds):
      let target = now.wall.addingReportingOverflow(max(0, milliseconds))
      try travel(to: target.overflow ? .max : target.partialValue, requestID, at: now, &effects)
    case .moveZone(let name): try travel(toZone: name, requestID, &effects)
    }
  }

  private mutating func travel(
    to wall: Int64, _ requestID: RequestID, at now: ScheduleMoment, _ effects: inout [AgentEffect]
  ) throws(Refusal) {
    try checkMayTravel()
    let end = Gregorian.clampedMilliseconds(wall)
    clockMove = .toTime(end: end, requestID)
    guard end < now.wall else { return }
    isSettingBack = true
    move(to: end, &effects)
  }

  private mutating func travel(
    toZone name: String, _ requestID: RequestID, _ effects: inout [AgentEffect]
  ) throws(Refusal) {
    guard zones.zone(named: name) != nil else {
      throw Refusal(.invalidArgument, "unknown time zone \(name): use one such as Europe/Paris")
    }
    try checkMayTravel()
    clockMove = .toZone(requestID)
    isClockMoving = true
    effects.append(.moveZone(name))
  }

  /// Handles the completion of one step of a manual clock's move.
  mutating func onClockMoved(at now: ScheduleMoment, _ effects: inout [AgentEffect]) {
    assert(isManual, "only a manual clock is moved")
    assert(isClockMoving && isMovingToTime, "the clock is moving to a requested time")
    isClockMoving = false
    if isSettingBack {
      isSettingBack = false
      persist(schedule.clockWasSet(at: now), &effects)
    }
  }

  /// Moves to the next time at which a notification is due, once everything that is due at the current time has fired;
  /// returns the command to answer when the move is complete.
  mutating func advance(at now: ScheduleMoment, _ effects: inout [AgentEffect]) -> RequestID? {
    guard case .toTime(let end, let requestID)? = clockMove, !isClockMoving else { return nil }
    let next = nextMoment(at: now)
    assert(next > now.wall, "everything due has fired before the clock moves")
    guard next <= end || now.wall < end else {
      assert(now.wall == end, "a move of the clock ends at its target")
      clockMove = nil
      effects.append(.persistClock)
      return requestID
    }
    move(to: min(next, end), &effects)
    return nil
  }

  /// Handles a lost connection: the clock still moves to its target, but no answer is sent.
  mutating func onDisconnected(_ connection: ConnectionID) {
    switch clockMove {
    case .toTime(let end, let requestID) where requestID.connection == connection:
      clockMove = .toTime(end: end, requestID.unanswered)
    case .toZone(let requestID) where requestID.connection == connection:
      clockMove = .toZone(requestID.unanswered)
    case .toTime, .toZone, nil: break
    }
  }

  private func nextMoment(at now: ScheduleMoment) -> Int64 {
    let wakeUp = schedule.wakeUp
    return min(wakeUp.wall ?? .max, wakeUp.elapsed.map { $0 - now.elapsed + now.wall } ?? .max)
  }

  private mutating func move(to wall: Int64, _ effects: inout [AgentEffect]) {
    assert(!isClockMoving, "only one clock move runs at a time")
    isClockMoving = true
    effects.append(.moveClock(toUnixMilliseconds: wall))
  }

  private func checkMayTravel() throws(Refusal) {
    guard isManual else {
      throw Refusal(
        .invalidArgument, "the agent uses the machine's clock: start it with --clock manual")
    }
    guard clockMove == nil else {
      throw Refusal(
        .invalidArgument, "another command is moving the clock: wait until it has finished")
    }
  }

  // MARK: Helpers

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
      preconditionFailure("a schedule key contains an invalid app ID")
    }
    return AppNotificationID(app: app, id: key.id)
  }

  private static func failure(_ refusal: Trigger.Refusal) -> AppLinkFailure {
    switch refusal {
    case .intervalOutOfRange:
      AppLinkFailure(
        .invalidArgument,
        "invalid interval: expected more than 0 s and less than 3,000 years")
    case .repeatsTooOften:
      AppLinkFailure(
        .invalidArgument,
        "a repeating interval must be at least \(ScheduleLimits.shortestRepeatSeconds) s: "
          + "use a longer interval, or do not repeat")
    case .neverFires:
      AppLinkFailure(
        .notificationInvalidNoDate,
        "the notification would never fire: no calendar date matches its components; change them")
    case .passed:
      AppLinkFailure(
        .notificationInvalidNoDate, "the notification would never fire: choose a date in the future"
      )
    case .unknownZone(let name):
      AppLinkFailure(.invalidArgument, "unknown time zone \(name): use one such as Europe/Paris")
    case .unknownCalendar(let name):
      AppLinkFailure(.invalidArgument, "unknown calendar \(name): use one such as gregorian")
    }
  }

  /// Traps in debug builds if the move of a manual clock or the alarms are inconsistent with the schedule.
  func checkInvariants() {
    assert(clockMove == nil || isManual, "only a manual clock is moved")
    assert(!isClockMoving || clockMove != nil, "the clock is moving only during a requested move")
    assert(!isSettingBack || isClockMoving, "the clock is set back only while it is moving")
    assert(lost.isEmpty, "all lost notifications were reported as expired")
    assert(
      armed == nil || armed == schedule.wakeUp, "the alarm is unset or set to the next wake-up")
  }
}

extension AppNotificationID {
  /// The notification's key in the schedule.
  fileprivate var scheduleKey: ScheduleKey { ScheduleKey(app: app.text, id: id) }
}
