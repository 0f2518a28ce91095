/// The one schedule of a device, over all its apps: decides what fires when, and does nothing.
///
/// It is told what was added and removed and that clocks, zones or their database have changed;
/// it says what fires, what is to be kept on disk, and when it wants to be asked again. A firing
/// costs O(log n). Next dates are computed from the entries and never kept.
public struct Schedule<World: ScheduleWorld>: ~Copyable {
  /// What the schedule may keep and how late it may be.
  public struct Policy: Sendable {
    /// Pending notifications kept for each app: those that fire soonest.
    public var pendingLimit: Int
    /// How late a missed notification may still be shown, in milliseconds.
    public var missedWindow: Int64

    /// Makes a policy; the limit is at least 1.
    public init(
      pendingLimit: Int = ScheduleLimits.pendingPerApp,
      missedWindow: Int64 = ScheduleLimits.missedWindowMilliseconds
    ) {
      self.pendingLimit = max(pendingLimit, 1)
      self.missedWindow = min(max(missedWindow, 0), ScheduleLimits.longestIntervalMilliseconds)
    }
  }

  private struct Slot {
    var entry: ScheduleEntry
    /// On the clock of its trigger.
    var due: Int64
  }

  private let policy: Policy
  private var world: World
  private var slots: ContiguousArray<Slot?> = []
  private var free: [Int] = []
  private var apps: [String: [String: Int]] = [:]
  /// By milliseconds since 1970.
  private var byWall = DueHeap()
  /// By elapsed milliseconds.
  private var byElapsed = DueHeap()
  private var nextOrder: UInt64 = 0

  /// An empty schedule.
  public init(policy: Policy = Policy(), world: World) {
    self.policy = policy
    self.world = world
  }

  /// How many entries there are.
  public var count: Int { byWall.count + byElapsed.count }

  // MARK: Adding and removing

  /// What became of an entry that was added.
  public struct Added: Equatable, Sendable {
    /// To be kept on disk; nil when sooner ones of its app already fill the limit.
    public let entry: ScheduleEntry?
    /// When it fires, in milliseconds since 1970; past when it is due at once.
    public let next: Int64
    /// Entries that the limit pushed out, to be removed from disk.
    public let dropped: [ScheduleKey]
  }

  /// Adds an entry, in place of one with the same key.
  ///
  /// A moment that has passed fires at once, if it is not longer ago than the policy's window.
  ///
  /// - Parameters:
  ///   - key: What names it.
  ///   - trigger: What makes it fire.
  ///   - now: Both clocks.
  /// - Returns: What to keep and what to drop.
  /// - Throws: Why it cannot be scheduled; one with the same key then stays as it was.
  public mutating func add(
    _ key: ScheduleKey, _ trigger: Trigger, at now: ScheduleMoment
  ) throws(Trigger.Refusal) -> Added {
    try trigger.check(in: world)
    let clock = trigger.countsElapsedTime ? now.elapsed : now.wall
    let entry = ScheduleEntry(
      key: key, trigger: trigger, since: trigger.shown(at: now.wall, in: world) ?? clock,
      handled: clock, order: nextOrder)
    guard let due = due(of: entry, at: now), clock - due <= policy.missedWindow else {
      throw .neverFires
    }
    nextOrder += 1
    _ = remove(key)
    insert(Slot(entry: entry, due: due))
    let dropped = enforceLimit(of: key.app, at: now)
    return Added(
      entry: dropped.contains(key) ? nil : entry, next: wall(due, of: trigger, at: now),
      dropped: dropped.filter { $0 != key })
  }

  /// Removes an entry; false when there is none.
  public mutating func remove(_ key: ScheduleKey) -> Bool {
    guard let slot = apps[key.app]?.removeValue(forKey: key.id) else { return false }
    if apps[key.app]?.isEmpty == true { apps[key.app] = nil }
    vacate(slot)
    return true
  }

  /// Removes all entries of an app.
  public mutating func removeAll(of app: String) {
    for slot in (apps.removeValue(forKey: app) ?? [:]).values { vacate(slot) }
  }

  // MARK: Changes around it

  /// What is to be changed on disk after all dates were computed anew.
  public struct Recomputed: Equatable, Sendable {
    /// Entries whose passed moments no longer count.
    public internal(set) var changed: [ScheduleEntry] = []
    /// Entries that can never fire again.
    public internal(set) var lost: [ScheduleKey] = []
  }

  /// Takes in what was kept on disk.
  ///
  /// What was missed is due now; the order of adding goes on.
  public mutating func restore(
    _ entries: some Sequence<ScheduleEntry>, at now: ScheduleMoment
  ) -> Recomputed {
    for entry in entries {
      nextOrder = max(nextOrder, entry.order &+ 1)
      _ = remove(entry.key)
      let slot = free.popLast() ?? slots.count
      if slot == slots.count { slots.append(nil) }
      slots[slot] = Slot(entry: entry, due: 0)
      apps[entry.key.app, default: [:]][entry.key.id] = slot
    }
    return recompute(at: now)
  }

  /// The device's clock was set, ahead or back.
  ///
  /// What a step ahead has passed is due now; a step back fires nothing and computes anew.
  public mutating func clockWasSet(at now: ScheduleMoment) -> Recomputed {
    recompute(at: now)
  }

  /// The device has moved to another zone, or the database of zones is another one.
  ///
  /// A wall time that has passed in the new zone fires at once when it comes only once; one that
  /// repeats waits for its next.
  public mutating func zonesChanged(to world: World, at now: ScheduleMoment) -> Recomputed {
    self.world = world
    return recompute(at: now, skippingRepeats: true)
  }

  // MARK: Firing

  /// What the schedule wants done.
  public enum Step: Equatable, Sendable {
    /// Keep what remains, then show it.
    case fire(Firing)
    /// Missed by more than the window: remove it from disk and say so in the log.
    case expired(ScheduleKey, due: Int64)
    /// Nothing is due; ask again when `wakeUp` says.
    case rest
  }

  /// The next thing to do; to be asked until it says `rest`.
  public mutating func step(at now: ScheduleMoment) -> Step {
    while let slot = earliest(at: now) {
      guard let (entry, due) = slots[slot].map({ ($0.entry, $0.due) }) else { return .rest }
      let clock = entry.trigger.countsElapsedTime ? now.elapsed : now.wall
      let late = clock - due
      guard late > policy.missedWindow else {
        return fire(slot, entry, due: due, late: late, at: now)
      }
      guard entry.trigger.repeats else {
        _ = remove(entry.key)
        return .expired(entry.key, due: wall(due, of: entry.trigger, at: now))
      }
      // The last of the missed moments may still be young enough.
      var moved = entry
      moved.handled = clock - policy.missedWindow - 1
      guard let next = self.due(of: moved, at: now) else {
        _ = remove(entry.key)
        return .expired(entry.key, due: wall(due, of: entry.trigger, at: now))
      }
      place(slot, Slot(entry: moved, due: next))
    }
    return .rest
  }

  /// When to ask again: the earliest moment on each clock.
  public struct WakeUp: Equatable, Sendable {
    /// Milliseconds since 1970; nil when nothing waits for that clock.
    public let wall: Int64?
    /// Elapsed milliseconds; nil when nothing waits for that clock.
    public let elapsed: Int64?
  }

  /// When to ask again.
  public var wakeUp: WakeUp {
    WakeUp(wall: byWall.first?.due, elapsed: byElapsed.first?.due)
  }

  // MARK: Looking

  /// An entry that waits, and when it fires, in milliseconds since 1970.
  public struct Pending: Equatable, Sendable {
    /// As kept on disk.
    public let entry: ScheduleEntry
    /// When it fires.
    public let next: Int64
  }

  /// What waits, the soonest first: of one app, or of all.
  public func pending(of app: String? = nil, at now: ScheduleMoment) -> [Pending] {
    var found: [Pending] = []
    for (name, ids) in apps where app == nil || app == name {
      for slot in ids.values {
        guard let slot = slots[slot] else { continue }
        found.append(
          Pending(entry: slot.entry, next: wall(slot.due, of: slot.entry.trigger, at: now)))
      }
    }
    return found.sorted { ($0.next, $0.entry.order) < ($1.next, $1.entry.order) }
  }

  /// The entry of a key.
  public func entry(_ key: ScheduleKey) -> ScheduleEntry? {
    apps[key.app]?[key.id].flatMap { slots[$0]?.entry }
  }

  /// The next moments of an entry strictly after now, in milliseconds since 1970.
  public func moments(of key: ScheduleKey, count: Int, at now: ScheduleMoment) -> [Int64] {
    guard count > 0, let slot = apps[key.app]?[key.id].flatMap({ slots[$0] }) else { return [] }
    let trigger = slot.entry.trigger
    let clock = trigger.countsElapsedTime ? now.elapsed : now.wall
    var moments = slot.due > clock ? [slot.due] : []
    while trigger.repeats, moments.count < count,
      let next = trigger.next(after: moments.last ?? clock, anchor: slot.entry.since, in: world)
    {
      moments.append(next)
    }
    return moments.map { wall($0, of: trigger, at: now) }
  }

  // MARK: Inside

  /// When an entry is due, on its own clock; past when it was missed.
  private func due(of entry: ScheduleEntry, at now: ScheduleMoment) -> Int64? {
    let trigger = entry.trigger
    // What comes once keeps its moment, however late it is.
    if !trigger.repeats, let first = trigger.first(in: world) { return first }
    if let shown = trigger.shown(at: now.wall, in: world) {
      return trigger.next(afterShown: min(entry.since, shown), in: world)
    }
    // After a step back, what was dealt with comes again.
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
      place(slot, Slot(entry: kept, due: next))
    } else {
      remaining = nil
      _ = remove(entry.key)
    }
    return .fire(
      Firing(
        key: entry.key, trigger: trigger, due: wall(due, of: trigger, at: now),
        missed: late >= ScheduleLimits.lateMilliseconds, remaining: remaining))
  }

  /// The slot that is due first, on either clock; nil when none is due yet.
  private func earliest(at now: ScheduleMoment) -> Int? {
    let wall = byWall.first.flatMap { $0.due <= now.wall ? $0 : nil }
    guard let interval = byElapsed.first, interval.due <= now.elapsed else { return wall?.slot }
    guard let wall else { return interval.slot }
    let shifted = DueHeap.Item(
      due: interval.due - now.elapsed + now.wall, order: interval.order, slot: interval.slot)
    return shifted < wall ? interval.slot : wall.slot
  }

  private mutating func insert(_ new: Slot) {
    let slot = free.popLast() ?? slots.count
    if slot == slots.count { slots.append(nil) }
    apps[new.entry.key.app, default: [:]][new.entry.key.id] = slot
    place(slot, new)
  }

  private mutating func place(_ slot: Int, _ new: Slot) {
    slots[slot] = new
    let item = DueHeap.Item(due: new.due, order: new.entry.order, slot: slot)
    if new.entry.trigger.countsElapsedTime { byElapsed.set(item) } else { byWall.set(item) }
  }

  private mutating func vacate(_ slot: Int) {
    byWall.remove(slot)
    byElapsed.remove(slot)
    slots[slot] = nil
    free.append(slot)
  }

  /// Computes all next dates anew, leaving out those of repeats that have passed if asked to.
  private mutating func recompute(
    at now: ScheduleMoment, skippingRepeats: Bool = false
  ) -> Recomputed {
    var walls: ContiguousArray<DueHeap.Item> = []
    var elapsed: ContiguousArray<DueHeap.Item> = []
    var result = Recomputed()
    for slot in slots.indices {
      guard var entry = slots[slot]?.entry else { continue }
      var next = due(of: entry, at: now)
      let isWall = !entry.trigger.countsElapsedTime
      if skippingRepeats, isWall, entry.trigger.repeats, let due = next, due <= now.wall {
        entry.handled = now.wall
        next = self.due(of: entry, at: now)
        if next != nil { result.changed.append(entry) }
      }
      guard let due = next else {
        result.lost.append(entry.key)
        continue
      }
      slots[slot] = Slot(entry: entry, due: due)
      let item = DueHeap.Item(due: due, order: entry.order, slot: slot)
      if isWall { walls.append(item) } else { elapsed.append(item) }
    }
    byWall.replaceAll(with: walls)
    byElapsed.replaceAll(with: elapsed)
    for key in result.lost { _ = remove(key) }
    return result
  }

  /// Drops the latest entries of an app until the limit holds; of two at one moment the younger.
  private mutating func enforceLimit(of app: String, at now: ScheduleMoment) -> [ScheduleKey] {
    var dropped: [ScheduleKey] = []
    while let ids = apps[app], ids.count > policy.pendingLimit {
      var last: (next: Int64, order: UInt64, key: ScheduleKey)?
      for slot in ids.values {
        guard let slot = slots[slot] else { continue }
        let next = wall(slot.due, of: slot.entry.trigger, at: now)
        if let last, (next, slot.entry.order) < (last.next, last.order) { continue }
        last = (next, slot.entry.order, slot.entry.key)
      }
      guard let last else { break }
      dropped.append(last.key)
      _ = remove(last.key)
    }
    return dropped
  }
}
