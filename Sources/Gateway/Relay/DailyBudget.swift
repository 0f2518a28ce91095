import Storage

/// The count of the pushes that a sender's key has used on a day, and the pushes that wait to be counted.
///
/// A push is granted only after the store has counted it, so a restart, or another node of a cluster, never grants it
/// again. While the store counts some pushes, the following ones wait, and are then counted together.
struct DailyBudget<Waiter> {
  /// A number of pushes that the store must add to the use of the key.
  struct Count: Equatable {
    /// The day, in days since 1970.
    let day: Int64
    let pushes: Int64
  }

  /// The decision about one more push.
  enum Decision: Equatable {
    /// The day's limit is used up.
    case exhausted
    /// The maximum number of pushes is already waiting.
    case busy
    /// The push waits; if there is a count, the store must add it now.
    case waits(Count?)
  }

  /// The pushes that were decided by an answer of the store.
  struct Result {
    var granted: [Waiter] = []
    var exhausted: [Waiter] = []
    /// The pushes that might not have been counted.
    var failed: [Waiter] = []
    /// The next count that the store must add.
    var next: Count?
  }

  private let perDay: Int64
  /// The latest day of a push, in days since 1970.
  private(set) var day: Int64
  /// The number of pushes that the store has counted for `day`, as of its latest answer.
  private var used: Int64
  private var counting: (count: Count, waiters: [Waiter])?
  private var waiting: [Waiter] = []

  /// Creates the budget that the store contains.
  init(perDay: Int64, day: Int64, used: Int64) {
    self.perDay = max(0, perDay)
    self.day = day
    self.used = max(0, used)
  }

  /// The number of pushes that can still be counted on `day`.
  private var left: Int64 {
    let counted = counting.map { $0.count.day == day ? $0.count.pushes : 0 } ?? 0
    return perDay - used - counted - Int64(waiting.count)
  }

  /// Decides about one more push.
  ///
  /// If the clock was set back to an earlier day, the push counts for the later day.
  mutating func add(_ waiter: Waiter, day today: Int64) -> Decision {
    if today > day { (day, used) = (today, 0) }
    guard left > 0 else { return .exhausted }
    guard waiting.count + (counting?.waiters.count ?? 0) < Limits.budgetWaitingMax else {
      return .busy
    }
    waiting.append(waiter)
    return .waits(counting == nil ? beginCount() : nil)
  }

  /// Handles the store's answer to the latest count: the row after the addition; nil if the store has failed.
  ///
  /// If another node has added to the same row in the meantime, its pushes count as earlier ones. The sum of all grants
  /// therefore never exceeds the limit.
  mutating func counted(_ row: BudgetRecord?) -> Result {
    var result = Result()
    guard let (count, waiters) = counting.take() else {
      assertionFailure("the store answers only after it was asked")
      return result
    }
    if let row, row.day >= count.day {
      if row.day >= day { (day, used) = (row.day, row.used) }
      let granted = Int(max(0, min(count.pushes, perDay - (row.used - count.pushes))))
      result.granted = Array(waiters.prefix(granted))
      result.exhausted = Array(waiters.dropFirst(granted))
    } else {
      result.failed = waiters
    }
    let excess = Int(max(0, min(Int64(waiting.count), -left)))
    result.exhausted += waiting.suffix(excess)
    waiting.removeLast(excess)
    result.next = beginCount()
    return result
  }

  /// Starts to count all waiting pushes; returns nil if no push is waiting.
  private mutating func beginCount() -> Count? {
    assert(counting == nil, "the store counts once at a time")
    guard !waiting.isEmpty else { return nil }
    let count = Count(day: day, pushes: Int64(waiting.count))
    counting = (count, waiting)
    waiting = []
    return count
  }

  /// Traps in debug builds if the state is inconsistent.
  func checkInvariants() {
    assert(used >= 0, "the number of used pushes is not negative")
    assert(counting != nil || waiting.isEmpty, "pushes wait only while the store counts")
    assert(
      waiting.count + (counting?.waiters.count ?? 0) <= Limits.budgetWaitingMax,
      "the number of pushes that wait is within its limit")
    if let counting {
      assert(Int64(counting.waiters.count) == counting.count.pushes, "each push is counted once")
      assert(counting.count.day <= day, "no push is counted for a later day")
    }
  }
}
