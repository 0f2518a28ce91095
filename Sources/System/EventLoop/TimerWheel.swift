/// The identifier of a timer, which is used to cancel the timer and is invalid once the timer has fired.
public struct TimerID: Sendable, Hashable {
  let index: UInt32
  let generation: UInt32
}

/// A timer wheel that consists of four wheels of 256 slots each, with ticks of one millisecond.
///
/// Inserting or cancelling a timer takes a few nanoseconds, regardless of the number of timers. Timers more than 2^32
/// ticks (49 days) ahead stay in the last wheel and are reinserted each round.
struct TimerWheel {
  private struct Node {
    var target: (any TimerTarget)?
    var tag: UInt64
    var deadline: Int64
    var next: Int32
    var previous: Int32
    var slot: Int32
    var generation: UInt32
  }

  private static let none: Int32 = -1
  private static let slotsPerWheel = 256
  private static let wheels = 4

  private var nodes: [Node] = []
  private var freeNode = none
  private var heads = [Int32](repeating: none, count: slotsPerWheel * wheels)
  /// One bit for each slot, set if the slot has timers.
  private var occupied = [UInt64](repeating: 0, count: slotsPerWheel * wheels / 64)
  /// The timers whose tick has been reached, in firing order.
  private var dueHead = none
  private var dueTail = none
  private(set) var now: Int64
  private(set) var count = 0

  private static let dueSlot: Int32 = -2

  init(now: Int64) { self.now = now }

  /// Adds a timer that is due at `deadline`, or at the next advance if the deadline has passed.
  mutating func insert(deadline: Int64, _ target: any TimerTarget, tag: UInt64) -> TimerID {
    let index: Int32
    if freeNode != Self.none {
      index = freeNode
      freeNode = nodes[Int(index)].next
    } else {
      index = Int32(nodes.count)
      nodes.append(
        Node(
          target: nil, tag: 0, deadline: 0, next: Self.none, previous: Self.none,
          slot: Self.none, generation: 0))
    }
    nodes[Int(index)].target = target
    nodes[Int(index)].tag = tag
    nodes[Int(index)].deadline = max(deadline, now &+ 1)
    link(index)
    count += 1
    assert(nodes[Int(index)].deadline > now, "a new timer is due in the future")
    return TimerID(index: UInt32(index), generation: nodes[Int(index)].generation)
  }

  /// Cancels a timer.
  ///
  /// Returns false if the timer has fired or was already cancelled.
  @discardableResult
  mutating func cancel(_ timer: TimerID) -> Bool {
    let index = Int(timer.index)
    guard index < nodes.count, nodes[index].generation == timer.generation,
      nodes[index].target != nil
    else { return false }
    unlink(Int32(index))
    release(Int32(index))
    return true
  }

  /// Advances the time to `tick`.
  ///
  /// Timers that are due at that time wait for `popDue`.
  mutating func advance(to tick: Int64) {
    while let next = nextOccupiedTick, next <= tick {
      now = next
      if now & 255 == 0 { cascade() }
      collect(slot: Int(now & 255))
    }
    now = max(now, tick)
    assert(nextOccupiedTick.map { $0 > now } ?? true, "all slots up to the current tick are empty")
  }

  /// Removes the next timer to fire from the wheel and returns it.
  mutating func popDue() -> (target: any TimerTarget, tag: UInt64)? {
    guard dueHead != Self.none else { return nil }
    let index = dueHead
    unlink(index)
    assert(nodes[Int(index)].deadline <= now, "no timer fires early")
    let tag = nodes[Int(index)].tag
    let target = nodes[Int(index)].target
    release(index)
    return target.map { ($0, tag) }
  }

  /// The next tick at which to check the wheel; nil if no timers exist.
  ///
  /// If there are few timers, this is the tick of the next timer. If there are many, it is that tick or an earlier one.
  var nextWakeup: Int64? {
    guard dueHead == Self.none else { return now }
    // With many timers, the tick of a slot is sufficient: an additional wake-up costs less than checking each timer.
    return count <= Limits.timersLookedAt ? nextDeadline : nextOccupiedTick
  }

  /// The tick of the earliest timer, or, for a parked timer, the end of its slot.
  private var nextDeadline: Int64? {
    guard count > 0 else { return nil }
    var best = Int64.max
    for wheel in 0..<Self.wheels {
      let shift = Int64(8 * wheel)
      let base = (now >> (shift &+ 8)) << (shift &+ 8)
      let start: Int64
      let slot: Int
      if let ahead = nextOccupied(wheel: wheel, after: Int((now >> shift) & 255)) {
        (slot, start) = (ahead, base &+ Int64(ahead) << shift)
      } else if let round = nextOccupied(wheel: wheel, after: -1) {
        // A slot of the wheel's next round.
        (slot, start) = (round, base &+ Int64(round + 256) << shift)
      } else {
        continue
      }
      let end = start &+ (1 << shift) &- 1
      var index = heads[wheel * 256 + slot]
      while index != Self.none {
        best = min(best, max(start, min(nodes[Int(index)].deadline, end)))
        index = nodes[Int(index)].next
      }
    }
    return best
  }

  /// The next tick at which a slot has timers to fire or to move inward.
  private var nextOccupiedTick: Int64? {
    guard count > 0 else { return nil }
    if let slot = nextOccupied(wheel: 0, after: Int(now & 255)) {
      return (now & ~255) &+ Int64(slot)
    }
    // Timers in an outer wheel move inward when the next inner wheel has completed a round.
    var best = Int64.max
    for wheel in 1..<Self.wheels {
      let shift = Int64(8 * wheel)
      let position = Int((now >> shift) & 255)
      let base = (now >> (shift &+ 8)) << (shift &+ 8)
      if let slot = nextOccupied(wheel: wheel, after: position) {
        best = min(best, base &+ Int64(slot) << shift)
      } else if nextOccupied(wheel: wheel, after: -1) != nil {
        best = min(best, base &+ 1 << (shift &+ 8))
      }
    }
    if nextOccupied(wheel: 0, after: -1) != nil { best = min(best, (now | 255) &+ 1) }
    return best
  }

  // MARK: slots

  private mutating func link(_ index: Int32) {
    let deadline = nodes[Int(index)].deadline
    let distance = deadline &- now
    let wheel: Int
    switch distance {
    case ..<256: wheel = 0
    case ..<65_536: wheel = 1
    case ..<16_777_216: wheel = 2
    default: wheel = 3
    }
    // The deadline is beyond the range of the last wheel: park the timer one round ahead, and check it again at that
    // time.
    let reachable = min(deadline, now &+ (1 << 32) &- 1)
    let slot = wheel * 256 + Int((reachable >> Int64(8 * wheel)) & 255)
    let head = heads[slot]
    nodes[Int(index)].slot = Int32(slot)
    nodes[Int(index)].next = head
    nodes[Int(index)].previous = Self.none
    if head != Self.none { nodes[Int(head)].previous = index }
    heads[slot] = index
    occupied[slot >> 6] |= 1 << UInt64(slot & 63)
  }

  private mutating func unlink(_ index: Int32) {
    let node = (
      next: nodes[Int(index)].next, previous: nodes[Int(index)].previous,
      slot: nodes[Int(index)].slot
    )
    if node.next != Self.none {
      nodes[Int(node.next)].previous = node.previous
    } else if node.slot == Self.dueSlot {
      dueTail = node.previous
    }
    if node.previous != Self.none {
      nodes[Int(node.previous)].next = node.next
    } else if node.slot == Self.dueSlot {
      dueHead = node.next
    } else {
      let slot = Int(node.slot)
      heads[slot] = node.next
      if node.next == Self.none { occupied[slot >> 6] &= ~(1 << UInt64(slot & 63)) }
    }
  }

  private mutating func release(_ index: Int32) {
    nodes[Int(index)].target = nil
    nodes[Int(index)].generation &+= 1
    nodes[Int(index)].next = freeNode
    freeNode = index
    count -= 1
    assert(count >= 0, "a timer is released only once")
  }

  /// Traps in debug builds if the lists, bits, and counts are inconsistent.
  ///
  /// The check visits every timer.
  func checkInvariants() {
    var linked = 0
    for (slot, head) in heads.enumerated() {
      let isMarked = occupied[slot >> 6] & 1 << UInt64(slot & 63) != 0
      assert(isMarked == (head != Self.none), "a slot is marked exactly while it has timers")
      linked += checkList(from: head, slot: Int32(slot))
    }
    linked += checkList(from: dueHead, slot: Self.dueSlot)
    assert((dueHead == Self.none) == (dueTail == Self.none), "a list has both ends or none")
    assert(linked == count, "every timer is in one list")
    var free = 0
    var index = freeNode
    while index != Self.none {
      assert(nodes[Int(index)].target == nil, "a free node has no target")
      free += 1
      index = nodes[Int(index)].next
    }
    assert(free + count == nodes.count, "every node is free or has a timer")
  }

  private func checkList(from head: Int32, slot: Int32) -> Int {
    var (count, index, previous) = (0, head, Self.none)
    while index != Self.none {
      let node = nodes[Int(index)]
      assert(node.slot == slot && node.previous == previous, "the links of a list are consistent")
      assert(node.target != nil, "a timer has a target")
      assert(
        (node.deadline <= now) == (slot == Self.dueSlot),
        "exactly the due timers are in the due list")
      (count, previous, index) = (count + 1, index, node.next)
    }
    return count
  }

  /// Empties a slot and returns its timers, oldest first (slots hold the newest timer first).
  private mutating func takeSlot(_ slot: Int) -> Int32 {
    var index = heads[slot]
    heads[slot] = Self.none
    occupied[slot >> 6] &= ~(1 << UInt64(slot & 63))
    var reversed = Self.none
    while index != Self.none {
      let next = nodes[Int(index)].next
      nodes[Int(index)].next = reversed
      reversed = index
      index = next
    }
    return reversed
  }

  private mutating func distribute(_ first: Int32) {
    var index = first
    while index != Self.none {
      let next = nodes[Int(index)].next
      if nodes[Int(index)].deadline <= now { appendDue(index) } else { link(index) }
      index = next
    }
  }

  /// Moves the timers in the current slots of the outer wheels inward.
  private mutating func cascade() {
    var wheel = 1
    while wheel < Self.wheels {
      let position = Int((now >> Int64(8 * wheel)) & 255)
      distribute(takeSlot(wheel * 256 + position))
      if position != 0 { return }
      wheel += 1
    }
  }

  private mutating func collect(slot: Int) {
    distribute(takeSlot(slot))
  }

  private mutating func appendDue(_ index: Int32) {
    nodes[Int(index)].slot = Self.dueSlot
    nodes[Int(index)].next = Self.none
    nodes[Int(index)].previous = dueTail
    if dueTail != Self.none { nodes[Int(dueTail)].next = index } else { dueHead = index }
    dueTail = index
  }

  /// Returns the first slot of `wheel` after `position` that has timers.
  private func nextOccupied(wheel: Int, after position: Int) -> Int? {
    var slot = position + 1
    while slot < 256 {
      let word = occupied[wheel * 4 + slot >> 6] >> UInt64(slot & 63)
      if word != 0 { return slot + word.trailingZeroBitCount }
      slot = (slot | 63) + 1
    }
    return nil
  }
}
