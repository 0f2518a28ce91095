/// Timers that may be late: each is due from one tick on and must fire by another.
///
/// A loop that is awake anyway in between fires it then; else it wakes when the first of them can
/// wait no longer, and takes all the others along that are due. No other choice of wake-ups is
/// smaller. For the few of a program's housekeeping: a look costs as much as there are timers.
struct SlackTimers {
  private struct Entry {
    let number: UInt32
    let due: Int64
    let latest: Int64
    let target: any TimerTarget
    let tag: UInt64
  }

  private var entries: [Entry] = []
  private var nextNumber: UInt32 = 0
  /// The tick from which something is due; `.max` when there is nothing.
  private(set) var nextDue = Int64.max
  /// The tick at which something can wait no longer; nil when there is nothing.
  private(set) var nextWakeup: Int64?
  var count: Int { entries.count }

  /// A timer that is due from `due` on and fires at `latest` at the latest; gives its number.
  mutating func insert(
    due: Int64, latest: Int64, _ target: any TimerTarget, tag: UInt64
  ) -> UInt32 {
    let number = nextNumber
    nextNumber &+= 1
    entries.append(
      Entry(number: number, due: due, latest: max(due, latest), target: target, tag: tag))
    look()
    checkInvariants()
    return number
  }

  /// Forgets a timer; one that has fired is left alone.
  mutating func cancel(_ number: UInt32) {
    entries.removeAll { $0.number == number }
    look()
  }

  /// The next timer to fire, of those that are due the one that waits longest; it is gone.
  mutating func popDue(at now: Int64) -> (target: any TimerTarget, tag: UInt64)? {
    guard nextDue <= now, let index = entries.firstIndex(where: { $0.due == nextDue }) else {
      return nil
    }
    let entry = entries.remove(at: index)
    assert(entry.due <= now, "no timer fires early")
    look()
    checkInvariants()
    return (entry.target, entry.tag)
  }

  /// Traps in debug builds when the fields contradict each other.
  func checkInvariants() {
    assert(entries.allSatisfy { $0.due <= $0.latest }, "a timer is due before it is late")
    assert(Set(entries.map(\.number)).count == entries.count, "a number names one timer")
    assert((nextWakeup == nil) == entries.isEmpty, "a timer brings a wake-up")
    assert(nextDue <= nextWakeup ?? .max, "something is due before it is late")
  }

  private mutating func look() {
    nextDue = entries.lazy.map(\.due).min() ?? .max
    nextWakeup = entries.lazy.map(\.latest).min()
  }
}
