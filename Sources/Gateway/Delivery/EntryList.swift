/// A device's entries, sorted by ``DeliveryEntry/order``; removing an entry takes O(log n).
///
/// An entry that is removed from the middle leaves a gap. Because the gaps never outnumber the entries by more than
/// ``gapsMin``, iterating takes time proportional to the number of entries.
struct EntryList {
  private struct Slot {
    let order: UInt64
    /// The entry; `nil` for a gap.
    var entry: DeliveryEntry?
  }

  /// The number of gaps beyond the number of entries at which it becomes worthwhile to close the gaps.
  private static let gapsMin = 16
  /// The maximum capacity, in slots, that an empty list retains; a list that was longer frees its memory.
  private static let spareSlotsMax = 64

  private var slots: [Slot] = []
  /// The index of the first slot that isn't a gap; `slots.count` if all are gaps.
  private var head: Int32 = 0
  private var live: Int32 = 0
  #if DEBUG
    /// The number of slots examined or moved so far, which tests use to measure work.
    private(set) var examined = 0
  #endif

  /// The number of entries in the list.
  var count: Int { Int(live) }
  var isEmpty: Bool { live == 0 }

  /// The first entry.
  var first: DeliveryEntry? { isEmpty ? nil : slots[Int(head)].entry }

  /// All entries, in order.
  var entries: [DeliveryEntry] {
    var entries: [DeliveryEntry] = []
    entries.reserveCapacity(count)
    for slot in slots[Int(head)...] {
      if let entry = slot.entry { entries.append(entry) }
    }
    return entries
  }

  /// Inserts an entry in order, usually at the end.
  mutating func insert(_ entry: DeliveryEntry) {
    let order = entry.order
    countExamined(1)
    live += 1
    guard let last = slots.last, last.order >= order else {
      slots.append(Slot(order: order, entry: entry))
      return
    }
    let index = position(of: order)
    if slots[index].order == order {
      assert(slots[index].entry == nil, "#\(entry.sequence) is not in the list yet")
      slots[index].entry = entry
    } else {
      countExamined(slots.count - index)
      slots.insert(Slot(order: order, entry: entry), at: index)
    }
    head = min(head, Int32(index))
  }

  /// Inserts entries that are in order, in a single pass.
  mutating func insert(contentsOf new: [DeliveryEntry]) {
    guard let lowest = new.first?.order, !isEmpty, let last = slots.last?.order, last >= lowest
    else {
      for entry in new { insert(entry) }
      return
    }
    let all = (entries + new).sorted { $0.order < $1.order }
    countExamined(all.count)
    slots = all.map { Slot(order: $0.order, entry: $0) }
    head = 0
    live = Int32(all.count)
  }

  /// Returns the entry with this order.
  mutating func entry(order: UInt64) -> DeliveryEntry? {
    let index = position(of: order)
    guard index < slots.count, slots[index].order == order else { return nil }
    return slots[index].entry
  }

  /// Removes an entry, which must be in the list.
  mutating func remove(_ entry: DeliveryEntry) {
    let index = first === entry ? Int(head) : position(of: entry.order)
    guard index < slots.count, slots[index].entry === entry else {
      assertionFailure("#\(entry.sequence) is not in the list")
      return
    }
    slots[index].entry = nil
    live -= 1
    countExamined(1)
    closeGaps()
  }

  /// Removes and returns the first entry.
  mutating func popFirst() -> DeliveryEntry? {
    guard let entry = first else { return nil }
    remove(entry)
    return entry
  }

  /// Removes and returns the matching entries, in order.
  mutating func removeAll(where matches: (DeliveryEntry) -> Bool) -> [DeliveryEntry] {
    var removed: [DeliveryEntry] = []
    countExamined(slots.count - Int(head))
    for index in slots.indices[Int(head)...] {
      guard let entry = slots[index].entry, matches(entry) else { continue }
      removed.append(entry)
      slots[index].entry = nil
    }
    live -= Int32(removed.count)
    closeGaps()
    return removed
  }

  private mutating func closeGaps() {
    if isEmpty {
      slots.removeAll(keepingCapacity: slots.capacity <= Self.spareSlotsMax)
      head = 0
      return
    }
    while slots[Int(head)].entry == nil {
      head += 1
      countExamined(1)
    }
    guard slots.count - count > count + Self.gapsMin else { return }
    countExamined(slots.count)
    slots.removeAll { $0.entry == nil }
    head = 0
  }

  /// Returns the index of the first slot whose order isn't lower than `order`.
  private mutating func position(of order: UInt64) -> Int {
    var low = Int(head)
    // The position can be among the gaps before the first entry.
    if low > 0, slots[low - 1].order >= order { low = 0 }
    var high = slots.count
    while low < high {
      countExamined(1)
      let middle = low + (high - low) / 2
      if slots[middle].order < order { low = middle + 1 } else { high = middle }
    }
    return low
  }

  @inline(__always)
  private mutating func countExamined(_ number: Int) {
    #if DEBUG
      examined += number
    #endif
  }

  /// Asserts the invariants that hold between calls; `position` is the position that all entries must have.
  func checkInvariants(_ position: DeliveryEntry.QueuePosition) {
    assert(slots.count { $0.entry != nil } == count, "the count matches the entries")
    assert(
      isEmpty ? slots.isEmpty && head == 0 : slots[Int(head)].entry != nil,
      "the head is the first entry")
    assert(slots[..<Int(head)].allSatisfy { $0.entry == nil }, "no entry is before the head")
    assert(
      slots.count - count <= count + Self.gapsMin || isEmpty,
      "the number of gaps is within its limit")
    assert(
      zip(slots, slots.dropFirst()).allSatisfy { $0.order < $1.order },
      "the list is in ascending order")
    for case let entry? in slots.map(\.entry) {
      assert(
        entry.position == position,
        "#\(entry.sequence) is expected to be \(position), but is \(entry.position)")
      assert(!entry.isEnded, "#\(entry.sequence) has not ended while it is \(position)")
    }
    for slot in slots {
      assert(slot.entry.map { $0.order == slot.order } ?? true, "an entry keeps its order")
    }
  }
}
