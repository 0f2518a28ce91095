/// The state machine of a device's schedule, which decides when each app's notifications fire.
///
/// The inputs are additions, removals, and changes to clocks, time zones, or the time-zone database. The outputs are
/// the notifications that fire, the changes to persist, and the next wake-up. A firing costs O(log n). Next dates are
/// computed from the entries and are never stored.
public struct Schedule<World: ScheduleWorld>: ~Copyable {
  /// The limits of the schedule.
  ///
  /// See ``SchedulePolicy``.
  public typealias Policy = SchedulePolicy

  private let policy: Policy
  private var world: World
  private var table = ScheduleTable()
  private var nextOrder: UInt64 = 0
  /// The number of lookups in other calendars before the current turn of the loop.
  private var lookUpsBefore = 0

  /// Creates an empty schedule.
  public init(policy: Policy = Policy(), world: World) {
    self.policy = policy
    self.world = world
  }

  /// The number of entries in the schedule.
  public var count: Int { table.count }

  // MARK: Adding and removing

  /// The result of adding an entry.
  ///
  /// See ``ScheduleAdded``.
  public typealias Added = ScheduleAdded

  /// Adds an entry, replacing any entry with the same key.
  ///
  /// If the entry's moment is in the past but within the policy's window, the entry fires immediately.
  ///
  /// - Parameters:
  ///   - key: The entry's key.
  ///   - trigger: The entry's trigger.
  ///   - now: The current time, on both clocks.
  /// - Returns: The changes to persist.
  /// - Throws: The reason that the entry is not scheduled; an existing entry with the same key stays unchanged.
  public mutating func add(
    _ key: ScheduleKey, _ trigger: Trigger, at now: ScheduleMoment
  ) throws(Trigger.Refusal) -> Added {
    try trigger.check(in: world)
    let clock = trigger.countsElapsedTime ? now.elapsed : now.wall
    let entry = ScheduleEntry(
      key: key, trigger: trigger, since: trigger.shown(at: now.wall, in: world) ?? clock,
      handled: clock, order: nextOrder)
    guard let due = due(of: entry, at: now), clock - due <= policy.missedWindow else {
      throw trigger.hasMatched(before: now.wall, in: world) ? .passed : .neverFires
    }
    nextOrder += 1
    table.insert(entry, due: due)
    let dropped = enforceLimit(of: key.app, at: now)
    assert(
      table.count(of: key.app) <= policy.pendingLimit,
      "the number of an app's entries is within the limit")
    return Added(
      entry: dropped.contains(key) ? nil : entry, next: wall(due, of: trigger, at: now),
      dropped: dropped.filter { $0 != key })
  }

  /// Removes an entry.
  ///
  /// Returns false if no entry has this key.
  public mutating func remove(_ key: ScheduleKey) -> Bool { table.remove(key) }

  /// Removes all entries of an app.
  public mutating func removeAll(of app: String) {
    for slot in table.slots(of: app) {
      if let key = table[slot]?.entry.key { _ = table.remove(key) }
    }
    assert(table.count(of: app) == 0, "no entry of the app is left")
  }

  // MARK: External changes

  /// The result of recomputing all dates.
  ///
  /// See ``ScheduleRecomputed``.
  public typealias Recomputed = ScheduleRecomputed

  /// Restores persisted entries.
  ///
  /// Missed entries are due immediately. Entries that are added later are ordered after the restored entries.
  public mutating func restore(
    _ entries: some Sequence<ScheduleEntry>, at now: ScheduleMoment
  ) -> Recomputed {
    for entry in entries {
      nextOrder = max(nextOrder, entry.order &+ 1)
      table.restore(entry)
    }
    return recompute(at: now)
  }

  /// Handles a change to the device's clock.
  ///
  /// If the clock moved forward, entries with skipped moments are due immediately. If the clock moved backward, nothing
  /// fires. In both cases, all dates are recomputed.
  public mutating func clockWasSet(at now: ScheduleMoment) -> Recomputed {
    recompute(at: now)
  }

  /// Handles a change to the device's time zone or to the time-zone database.
  ///
  /// If a trigger's wall time has already passed in the new zone, a one-time trigger fires immediately, and a repeating
  /// trigger waits for its next occurrence.
  public mutating func zonesChanged(to world: World, at now: ScheduleMoment) -> Recomputed {
    self.world = world
    return recompute(at: now, skippingRepeats: true)
  }

  // MARK: Firing

  /// A step of the schedule.
  ///
  /// See ``ScheduleStep``.
  public typealias Step = ScheduleStep

  /// Returns the next step.
  ///
  /// Call this method until it returns `rest`.
  public mutating func step(at now: ScheduleMoment) -> Step {
    while let slot = earliest(at: now) {
      guard let current = table[slot] else {
        preconditionFailure("a heap's first item has no entry")
      }
      let (entry, due) = (current.entry, current.due)
      guard !current.isProvisional else {
        if isSliceOver { break }
        guard let due = self.due(of: entry, at: now) else {
          _ = remove(entry.key)
          return .expired(entry.key, due: now.wall)
        }
        table.move(slot, entry, due: due)
        continue
      }
      let clock = entry.trigger.countsElapsedTime ? now.elapsed : now.wall
      let late = clock - due
      assert(late >= 0, "only due entries fire")
      guard late > policy.missedWindow else {
        return fire(slot, entry, due: due, late: late, at: now)
      }
      guard entry.trigger.repeats else {
        _ = remove(entry.key)
        return .expired(entry.key, due: wall(due, of: entry.trigger, at: now))
      }
      // A later repetition that was also missed can still be within the window.
      var moved = entry
      moved.handled = clock - policy.missedWindow - 1
      guard let next = self.due(of: moved, at: now) else {
        _ = remove(entry.key)
        return .expired(entry.key, due: wall(due, of: entry.trigger, at: now))
      }
      table.move(slot, moved, due: next)
    }
    lookUpsBefore = world.calendarLookUps
    return .rest
  }

  /// The next wake-up.
  ///
  /// See ``ScheduleWakeUp``.
  public typealias WakeUp = ScheduleWakeUp

  /// The time at which to call ``step(at:)`` again.
  public var wakeUp: WakeUp {
    WakeUp(wall: table.firstByWall?.due, elapsed: table.firstByElapsed?.due)
  }

  // MARK: Queries

  /// A pending entry with its due date.
  ///
  /// See ``SchedulePending``.
  public typealias Pending = SchedulePending

  /// Returns the pending entries of one app, or of all apps, soonest first.
  public func pending(of app: String? = nil, at now: ScheduleMoment) -> [Pending] {
    var found: [Pending] = []
    for slot in table.slots(of: app) {
      guard let slot = table[slot] else { continue }
      let due = app == nil ? slot.due : due(of: slot, at: now)
      found.append(Pending(entry: slot.entry, next: wall(due, of: slot.entry.trigger, at: now)))
    }
    return found.sorted { ($0.next, $0.entry.order) < ($1.next, $1.entry.order) }
  }

  /// Returns the entry with a key.
  public func entry(_ key: ScheduleKey) -> ScheduleEntry? {
    table.slot(of: key).flatMap { table[$0]?.entry }
  }

  /// Returns the next moments of an entry strictly after `now`, in milliseconds since 1970.
  ///
  /// For a calendar other than the Gregorian calendar, the result can contain fewer than `count` moments, because the
  /// search stops after twice the number of lookups that a turn of the loop allows.
  public func moments(of key: ScheduleKey, count: Int, at now: ScheduleMoment) -> [Int64] {
    guard count > 0, let slot = table.slot(of: key).flatMap({ table[$0] }) else { return [] }
    let trigger = slot.entry.trigger
    let clock = trigger.countsElapsedTime ? now.elapsed : now.wall
    let due = due(of: slot, at: now)
    var moments = due > clock ? [due] : []
    let before = world.calendarLookUps
    while trigger.repeats, moments.count < count,
      !trigger.usesOtherCalendar || (world.calendarLookUps - before) / 2 < policy.calendarLookUps,
      let next = trigger.next(after: moments.last ?? clock, anchor: slot.entry.since, in: world)
    {
      assert(next > clock, "the next moment is after the current time")
      assert(moments.last.map { $0 < next } ?? true, "moments are in ascending order")
      moments.append(next)
    }
    assert(moments.count <= count, "no more moments than requested")
    return moments.map { wall($0, of: trigger, at: now) }
  }

  /// Checks the invariants that hold between calls.
  ///
  /// Tests and the simulation call this method after each call to another method.
  public func checkInvariants() {
    table.checkInvariants()
    precondition(table.slots(of: nil).count == count, "the table lists every entry")
  }

  // MARK: Implementation

  /// Returns the moment at which an entry is due, on the entry's clock; for a missed entry, the moment is in the past.
  private func due(of entry: ScheduleEntry, at now: ScheduleMoment) -> Int64? {
    Self.due(of: entry, at: now, in: world)
  }

  /// Returns the moment at which a slot's entry is due.
  ///
  /// If the slot's due date is provisional, computes the moment.
  private func due(of slot: ScheduleTable.Slot, at now: ScheduleMoment) -> Int64 {
    slot.isProvisional ? due(of: slot.entry, at: now) ?? slot.due : slot.due
  }

  /// True if this turn of the loop has used up its lookups in other calendars.
  private var isSliceOver: Bool {
    world.calendarLookUps - lookUpsBefore >= policy.calendarLookUps
  }

  private static func due(
    of entry: ScheduleEntry, at now: ScheduleMoment, in world: World
  ) -> Int64? {
    let trigger = entry.trigger
    // A trigger that does not repeat keeps its original moment, no matter how late it is.
    if !trigger.repeats, let first = trigger.first(in: world) { return first }
    if let shown = trigger.shown(at: now.wall, in: world) {
      return trigger.next(afterShown: min(entry.since, shown), in: world)
    }
    // After the clock moves backward, moments that were already handled occur again.
    let clock = trigger.countsElapsedTime ? now.elapsed : now.wall
    return trigger.next(after: min(entry.handled, clock), anchor: entry.since, in: world)
  }

  private func wall(_ due: Int64, of trigger: Trigger, at now: ScheduleMoment) -> Int64 {
    trigger.countsElapsedTime ? due - now.elapsed + now.wall : due
  }

  private mutating func fire(
    _ slot: Int, _ entry: ScheduleEntry, due: Int64, late: Int64, at now: ScheduleMoment
  ) -> Step {
    let trigger = entry.trigger
    var remaining: ScheduleEntry? = entry
    remaining?.handled = trigger.countsElapsedTime ? now.elapsed : now.wall
    if trigger.repeats, let kept = remaining, let next = self.due(of: kept, at: now) {
      table.move(slot, kept, due: next)
    } else {
      remaining = nil
      _ = remove(entry.key)
    }
    return .fire(
      Firing(
        key: entry.key, trigger: trigger, due: wall(due, of: trigger, at: now),
        missed: late >= ScheduleLimits.lateMilliseconds, remaining: remaining))
  }

  /// Returns the slot that is due first, on either clock, or nil if no slot is due yet.
  private func earliest(at now: ScheduleMoment) -> Int? {
    let wall = table.firstByWall.flatMap { $0.due <= now.wall ? $0 : nil }
    guard let interval = table.firstByElapsed, interval.due <= now.elapsed else {
      return wall?.slot
    }
    guard let wall else { return interval.slot }
    let shifted = DueHeap.Item(
      due: interval.due - now.elapsed + now.wall, order: interval.order, slot: interval.slot)
    return shifted < wall ? interval.slot : wall.slot
  }

  /// Recomputes all due dates, optionally skipping the repetitions that have passed.
  private mutating func recompute(
    at now: ScheduleMoment, skippingRepeats: Bool = false
  ) -> Recomputed {
    var result = Recomputed()
    let world = world
    let before = world.calendarLookUps
    let bound = policy.calendarLookUps
    lookUpsBefore = before
    table.replaceDues { entry in
      // An app's dates must not block the loop, so leave the remaining dates to later steps.
      if entry.trigger.usesOtherCalendar, world.calendarLookUps - before >= bound {
        if skippingRepeats, entry.trigger.repeats {
          entry.handled = now.wall
          result.changed.append(entry)
        }
        return ScheduleTable.Due(moment: now.wall, isProvisional: true)
      }
      var next = Self.due(of: entry, at: now, in: world)
      if skippingRepeats, !entry.trigger.countsElapsedTime, entry.trigger.repeats, let due = next,
        due <= now.wall
      {
        entry.handled = now.wall
        next = Self.due(of: entry, at: now, in: world)
        if next != nil { result.changed.append(entry) }
      }
      if next == nil { result.lost.append(entry.key) }
      return next.map { ScheduleTable.Due(moment: $0) }
    }
    return result
  }

  /// Drops an app's entries, starting with those that fire last, until the app is within the limit.
  ///
  /// If two entries are due at the same moment, the entry that was added later is dropped.
  private mutating func enforceLimit(of app: String, at now: ScheduleMoment) -> [ScheduleKey] {
    var dropped: [ScheduleKey] = []
    while table.count(of: app) > policy.pendingLimit {
      var last: (next: Int64, order: UInt64, key: ScheduleKey)?
      for slot in table.slots(of: app) {
        guard let slot = table[slot] else { continue }
        let next = wall(due(of: slot, at: now), of: slot.entry.trigger, at: now)
        if let last, (next, slot.entry.order) < (last.next, last.order) { continue }
        last = (next, slot.entry.order, slot.entry.key)
      }
      guard let last else { preconditionFailure("an app over its limit has no entries") }
      dropped.append(last.key)
      _ = table.remove(last.key)
    }
    return dropped
  }
}
