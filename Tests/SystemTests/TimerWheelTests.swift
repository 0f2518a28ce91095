import Testing

@testable import System

/// A target that records timers in firing order.
private final class Journal: TimerTarget {
  var fired: [UInt64] = []
  func timerFired(tag: UInt64) { fired.append(tag) }
}

@Suite struct TimerWheelTests {
  private let journal = Journal()

  /// Advances the wheel and fires the timers that are due.
  private func advance(_ wheel: inout TimerWheel, to tick: Int64) {
    wheel.advance(to: tick)
    wheel.checkInvariants()
    while let due = wheel.popDue() { due.target.timerFired(tag: due.tag) }
  }

  @Test(
    arguments: [
      1, 2, 255, 256, 257, 511, 512, 65_535, 65_536, 65_537, 70_000, 16_777_216, 16_777_300,
      4_294_967_296, 5_000_000_000,
    ] as [Int64], [0, 1, 254, 255, 65_535, 1_000_003] as [Int64])
  func `a timer fires at its tick and not before`(delay: Int64, start: Int64) {
    var wheel = TimerWheel(now: start)
    _ = wheel.insert(deadline: start + delay, journal, tag: 7)
    // Advance in steps, like a loop that sleeps until each wake-up.
    var steps = 0
    while let next = wheel.nextWakeup, steps < 1_000 {
      #expect(next > wheel.now)
      #expect(next <= start + delay)
      advance(&wheel, to: next - 1)
      #expect(journal.fired.isEmpty)
      advance(&wheel, to: next)
      steps += 1
    }
    #expect(wheel.now == start + delay)
    #expect(journal.fired == [7])
    #expect(steps < 1_000)
  }

  @Test(arguments: [0, 77, 255, 65_535, 1_000_003] as [Int64])
  func `among few timers the next is known to the tick, so that a sleeping loop wakes once for it`(
    start: Int64
  ) {
    var wheel = TimerWheel(now: start)
    var delays: [Int64] = [900_000, 255, 256, 3_600_000, 65_537, 16_777_215, 700, 90_000_000]
    for delay in delays { _ = wheel.insert(deadline: start + delay, journal, tag: UInt64(delay)) }
    delays.sort()
    for delay in delays {
      #expect(wheel.nextWakeup == start + delay)
      wheel.advance(to: start + delay)
      #expect(wheel.popDue()?.tag == UInt64(delay))
      #expect(wheel.popDue() == nil)
    }
    #expect(wheel.nextWakeup == nil)
  }

  @Test
  func `timers of one tick fire in the order in which they were set`() {
    var wheel = TimerWheel(now: 0)
    for tag: UInt64 in 1...5 { _ = wheel.insert(deadline: 300, journal, tag: tag) }
    for tag: UInt64 in 6...8 { _ = wheel.insert(deadline: 299, journal, tag: tag) }
    advance(&wheel, to: 1_000)
    #expect(journal.fired == [6, 7, 8, 1, 2, 3, 4, 5])
  }

  @Test
  func `a deadline that has passed fires with the next advance`() {
    var wheel = TimerWheel(now: 1_000)
    _ = wheel.insert(deadline: 5, journal, tag: 1)
    advance(&wheel, to: 1_001)
    #expect(journal.fired == [1])
  }

  @Test
  func `a cancelled timer does not fire, and its number is worth nothing afterwards`() {
    var wheel = TimerWheel(now: 0)
    let first = wheel.insert(deadline: 10, journal, tag: 1)
    _ = wheel.insert(deadline: 10, journal, tag: 2)
    let wasThere = wheel.cancel(first)
    let again = wheel.cancel(first)
    let third = wheel.insert(deadline: 10, journal, tag: 3)
    let stale = wheel.cancel(first)
    #expect(wasThere)
    #expect(!again && !stale)
    #expect(third != first)
    advance(&wheel, to: 20)
    #expect(journal.fired == [2, 3])
    let late = wheel.cancel(third)
    #expect(!late)
    #expect(wheel.count == 0)
    #expect(wheel.nextWakeup == nil)
  }

  @Test
  func `timers that are due may be cancelled before they fire`() {
    var wheel = TimerWheel(now: 0)
    let ids = (1...3).map { wheel.insert(deadline: 5, journal, tag: UInt64($0)) }
    wheel.advance(to: 5)
    if let due = wheel.popDue() { due.target.timerFired(tag: due.tag) }
    wheel.cancel(ids[2])
    while let due = wheel.popDue() { due.target.timerFired(tag: due.tag) }
    #expect(journal.fired == [1, 2])
  }

  @Test(arguments: 0..<5)
  func `thousands of timers fire as a sorted list would have them`(seed: UInt64) {
    var state = seed &* 0x9e37_79b9_7f4a_7c15 | 1
    func random(_ bound: UInt64) -> UInt64 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return state % bound
    }
    var wheel = TimerWheel(now: Int64(random(100_000)))
    var model: [(deadline: Int64, tag: UInt64, id: TimerID)] = []
    var tag: UInt64 = 0
    for _ in 0..<2_000 {
      switch random(4) {
      case 0, 1:
        let reach = ([10, 1_000, 100_000, 20_000_000] as [UInt64])[Int(random(4))]
        let deadline = wheel.now + 1 + Int64(random(reach))
        tag += 1
        model.append((deadline, tag, wheel.insert(deadline: deadline, journal, tag: tag)))
      case 2 where !model.isEmpty:
        let index = Int(random(UInt64(model.count)))
        let wasThere = wheel.cancel(model[index].id)
        #expect(wasThere)
        model.remove(at: index)
      default:
        let target = wheel.now + Int64(random(random(2) == 0 ? 300 : 300_000))
        advance(&wheel, to: target)
        let due = model.filter { $0.deadline <= target }
        #expect(Set(journal.fired) == Set(due.map(\.tag)))
        let deadlines = journal.fired.compactMap { tag in due.first { $0.tag == tag }?.deadline }
        #expect(deadlines == deadlines.sorted())
        journal.fired = []
        model.removeAll { $0.deadline <= target }
        #expect(wheel.count == model.count)
      }
    }
  }
}
