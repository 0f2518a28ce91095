internal import BelfryWire

/// The entries of a schedule, by key and by due date on each clock.
struct ScheduleTable {
  struct Slot {
    var entry: ScheduleEntry
    /// The due date on the clock that the trigger uses.
    var due: Int64
    /// True if `due` is only the moment from which the search for the due date must start.
    var isProvisional = false
  }

  /// A due date, or the moment from which the search for the due date starts.
  struct Due {
    var moment: Int64
    var isProvisional = false
  }

  /// The maximum difference between the number of stale heap items and the number of entries.
  ///
  /// An item is stale if its entry was moved or removed.
  ///
  /// Removing fewer stale items would cost more than keeping them.
  private static let staleItemsMax = 1_024

  private var slots: ContiguousArray<Slot?> = []
  private var free: [Int] = []
  private var apps: [UTF8Text: [UTF8Text: Int]] = [:]
  /// The items ordered by milliseconds since 1970; the first item is always current.
  private var byWall = DueHeap()
  /// The items ordered by their time on the elapsed-time clock; the first item is always current.
  private var byElapsed = DueHeap()
  private(set) var count = 0

  var firstByWall: DueHeap.Item? { byWall.first }
  var firstByElapsed: DueHeap.Item? { byElapsed.first }

  subscript(slot: Int) -> Slot? { slots[slot] }

  func slot(of key: ScheduleKey) -> Int? { apps[UTF8Text(key.app)]?[UTF8Text(key.id)] }

  /// Returns the slots of an app, or of all apps, in no particular order.
  func slots(of app: String?) -> [Int] {
    guard let app else { return apps.values.flatMap(\.values) }
    return apps[UTF8Text(app)].map { Array($0.values) } ?? []
  }

  func count(of app: String) -> Int { apps[UTF8Text(app)]?.count ?? 0 }

  /// Adds an entry without a due date; call `replaceDues` afterward.
  mutating func restore(_ entry: ScheduleEntry) {
    _ = remove(entry.key)
    _ = put(Slot(entry: entry, due: .max))
  }

  /// Adds an entry, replacing any entry with the same key.
  mutating func insert(_ entry: ScheduleEntry, due: Int64) {
    _ = remove(entry.key)
    let slot = put(Slot(entry: entry, due: due))
    push(slot)
  }

  /// Changes an entry and its due date.
  mutating func move(_ slot: Int, _ entry: ScheduleEntry, due: Int64) {
    assert(slots[slot]?.entry.key == entry.key, "the slot belongs to the entry")
    slots[slot] = Slot(entry: entry, due: due)
    let item = DueHeap.Item(due: due, order: entry.order, slot: slot)
    if entry.trigger.countsElapsedTime {
      if byElapsed.first?.slot == slot { byElapsed.replaceFirst(with: item) } else { push(slot) }
    } else {
      if byWall.first?.slot == slot { byWall.replaceFirst(with: item) } else { push(slot) }
    }
    removeStaleItems()
  }

  mutating func remove(_ key: ScheduleKey) -> Bool {
    let app = UTF8Text(key.app)
    guard let slot = apps[app]?.removeValue(forKey: UTF8Text(key.id)) else { return false }
    if apps[app]?.isEmpty == true { apps[app] = nil }
    assert(slots[slot]?.entry.key == key, "a key leads to its own entry")
    assert(count > 0, "the count includes the removed entry")
    slots[slot] = nil
    free.append(slot)
    count -= 1
    removeStaleItems()
    return true
  }

  /// Recomputes the due date of every entry, and removes entries without a due date.
  mutating func replaceDues(_ due: (inout ScheduleEntry) -> Due?) {
    var walls: ContiguousArray<DueHeap.Item> = []
    var elapsed: ContiguousArray<DueHeap.Item> = []
    var lost: [ScheduleKey] = []
    for slot in slots.indices {
      guard var entry = slots[slot]?.entry else { continue }
      guard let due = due(&entry) else {
        lost.append(entry.key)
        continue
      }
      slots[slot] = Slot(entry: entry, due: due.moment, isProvisional: due.isProvisional)
      let item = DueHeap.Item(due: due.moment, order: entry.order, slot: slot)
      if entry.trigger.countsElapsedTime { elapsed.append(item) } else { walls.append(item) }
    }
    byWall.replaceAll(with: walls)
    byElapsed.replaceAll(with: elapsed)
    for key in lost { _ = remove(key) }
  }

  /// Checks that the slots, the keys, and the two heaps are consistent with each other.
  func checkInvariants() {
    byWall.checkInvariants()
    byElapsed.checkInvariants()
    precondition(slots.count == count + free.count, "each slot is used or free")
    precondition(free.allSatisfy { slots[$0] == nil }, "a free slot has no entry")
    precondition(apps.values.allSatisfy { !$0.isEmpty }, "an app without entries is forgotten")
    precondition(
      apps.values.reduce(0) { $0 + $1.count } == count, "every entry is listed under its app")
    var scheduled: Set<Int> = []
    for item in byWall.items where isCurrent(item) { scheduled.insert(item.slot) }
    for item in byElapsed.items where isCurrent(item) { scheduled.insert(item.slot) }
    for (index, slot) in slots.enumerated() {
      guard let slot else { continue }
      precondition(self.slot(of: slot.entry.key) == index, "a key leads to its own entry")
      precondition(scheduled.contains(index), "every entry is scheduled on its clock")
    }
    precondition(
      byWall.items.count + byElapsed.items.count <= 2 * count + Self.staleItemsMax,
      "the number of stale items is within its limit")
    precondition(byWall.first.map(isCurrent) ?? true, "the first item is current")
    precondition(byElapsed.first.map(isCurrent) ?? true, "the first item is current")
  }

  // MARK: Implementation

  private mutating func put(_ new: Slot) -> Int {
    var new = new
    let key = new.entry.key
    assert(slot(of: key) == nil, "the key's previous entry was removed")
    let app = UTF8Text(key.app)
    if let known = apps.index(forKey: app) {
      // All entries of an app share a single copy of its ID.
      new.entry = ScheduleEntry(
        key: ScheduleKey(app: apps.keys[known].string, id: key.id), trigger: new.entry.trigger,
        since: new.entry.since, handled: new.entry.handled, order: new.entry.order)
    }
    let slot = free.popLast() ?? slots.count
    assert(slot == slots.count || slots[slot] == nil, "a free slot has no entry")
    if slot == slots.count { slots.append(new) } else { slots[slot] = new }
    apps[app, default: [:]][UTF8Text(key.id)] = slot
    count += 1
    return slot
  }

  private mutating func push(_ slot: Int) {
    guard let new = slots[slot] else { preconditionFailure("a free slot was scheduled") }
    let item = DueHeap.Item(due: new.due, order: new.entry.order, slot: slot)
    if new.entry.trigger.countsElapsedTime { byElapsed.push(item) } else { byWall.push(item) }
  }

  private func isCurrent(_ item: DueHeap.Item) -> Bool {
    guard let slot = slots[item.slot] else { return false }
    return slot.due == item.due && slot.entry.order == item.order
  }

  /// Removes stale items from the top of each heap.
  ///
  /// If there are too many stale items, removes all of them.
  private mutating func removeStaleItems() {
    while let first = byWall.first, !isCurrent(first) { byWall.removeFirst() }
    while let first = byElapsed.first, !isCurrent(first) { byElapsed.removeFirst() }
    guard byWall.items.count + byElapsed.items.count > 2 * count + Self.staleItemsMax else {
      return
    }
    byWall.replaceAll(with: byWall.items.filter(isCurrent))
    byElapsed.replaceAll(with: byElapsed.items.filter(isCurrent))
  }
}
