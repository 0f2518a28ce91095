/// Timers that can fire late: each is due from one tick and must fire by another.
///
/// If the loop is awake for another reason between the two ticks, it fires the timers that are due. Otherwise, the loop
/// wakes when the first timer must fire, and also fires all other timers that are due. No other strategy requires fewer
/// wake-ups. The type is intended for a program's few housekeeping timers, because the cost of a search is proportional
/// to their number.
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
  /// The earliest tick from which any timer is due; `.max` if no timers exist.
  private(set) var nextDue = Int64.max
  /// The earliest tick by which any timer must fire; nil if no timers exist.
  private(set) var nextWakeup: Int64?
  var count: Int { entries.count }

  /// Adds a timer that is due from `due` and must fire by `latest`.
  ///
  /// Returns the timer's number.
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

  /// Cancels a timer.
  ///
  /// Has no effect if the timer has fired.
  mutating func cancel(_ number: UInt32) {
    entries.removeAll { $0.number == number }
    look()
  }

  /// Removes and returns the next timer to fire: the due timer that has waited the longest.
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

  /// Traps in debug builds if the fields are inconsistent.
  func checkInvariants() {
    assert(
      entries.allSatisfy { $0.due <= $0.latest }, "a timer's due time is not after its latest time")
    assert(Set(entries.map(\.number)).count == entries.count, "timer numbers are unique")
    assert(
      (nextWakeup == nil) == entries.isEmpty, "a wake-up is set exactly while there are timers")
    assert(nextDue <= nextWakeup ?? .max, "the next due time is not after the next wake-up")
  }

  private mutating func look() {
    nextDue = entries.lazy.map(\.due).min() ?? .max
    nextWakeup = entries.lazy.map(\.latest).min()
  }
}
