import BelfryWire
import Storage
import Synchronization

/// The limits on the relayed pushes of a sender's key, which all loops share.
final class SenderBudget: Sendable {
  /// The decision about a push.
  enum Verdict: Sendable, Equatable {
    case granted
    /// The budget is used up: the sender can try again after this number of seconds.
    case exhausted(retryAfterSeconds: Int64)
    /// The maximum number of the key's pushes is already waiting to be counted.
    case busy
    /// The store could not count the push.
    case failed
  }

  /// A function that adds to the key's stored number of used pushes, and passes the resulting row to the completion
  /// handler; nil if it failed.
  typealias Counter =
    @Sendable (
      _ count: DailyBudget<Waiter>.Count, _ completion: @escaping @Sendable (BudgetRecord?) -> Void
    ) -> Void

  /// A push that waits until it is counted.
  struct Waiter: Sendable {
    let atUnixMilliseconds: Int64
    let completion: @Sendable (Verdict) -> Void
  }

  /// The row that the budget was created from; nil if the row is damaged.
  let record: BudgetRecord?
  private let rate: SharedRate?
  private let daily: SharedDay?

  /// A day's budget that threads share.
  private final class SharedDay: Sendable {
    let budget: Mutex<DailyBudget<Waiter>>

    init(perDay: Int64, day: Int64, used: Int64) {
      budget = Mutex(DailyBudget(perDay: perDay, day: day, used: used))
    }
  }
  private let counter: Counter

  /// Creates the budget of a row; without a row, no push is granted, because the limits are unknown.
  init(_ record: BudgetRecord?, counter: @escaping Counter) {
    self.record = record
    self.counter = counter
    rate = record?.perSecond.map { SharedRate(RateLimit(perSecond: $0)) }
    daily = record.flatMap { record in
      record.perDay.map {
        SharedDay(perDay: $0, day: record.day, used: record.used)
      }
    }
  }

  /// Returns true if a row contains the same limits, so that this object remains its budget.
  func hasLimits(of other: BudgetRecord) -> Bool {
    record.map { $0.perDay == other.perDay && $0.perSecond == other.perSecond } ?? false
  }

  /// Takes one push from the budget.
  ///
  /// Returns the verdict, or nil if the push must be counted first; in this case, `completion` is called once, on any
  /// thread. `now` is in monotonic nanoseconds.
  func take(
    atUnixMilliseconds milliseconds: Int64, now: Int64,
    completion: @escaping @Sendable (Verdict) -> Void
  ) -> Verdict? {
    guard record != nil else { return .failed }
    if let rate, !rate.admits(at: now) { return .exhausted(retryAfterSeconds: 1) }
    guard let daily else { return .granted }
    let waiter = Waiter(atUnixMilliseconds: milliseconds, completion: completion)
    let (decision, day) = daily.budget.withLock { daily in
      defer { daily.checkInvariants() }
      return (daily.add(waiter, day: milliseconds / Self.dayMilliseconds), daily.day)
    }
    switch decision {
    case .exhausted:
      return .exhausted(retryAfterSeconds: Self.secondsLeft(of: day, at: milliseconds))
    case .busy: return .busy
    case .waits(let count):
      if let count { add(count) }
      return nil
    }
  }

  private func add(_ count: DailyBudget<Waiter>.Count) {
    counter(count) { [self] row in
      guard let daily else { return }
      let (result, day) = daily.budget.withLock { daily in
        defer { daily.checkInvariants() }
        return (daily.counted(row), daily.day)
      }
      // The next count starts before the senders of the previous pushes continue.
      if let next = result.next { add(next) }
      for waiter in result.granted { waiter.completion(.granted) }
      for waiter in result.failed { waiter.completion(.failed) }
      for waiter in result.exhausted {
        let seconds = Self.secondsLeft(of: day, at: waiter.atUnixMilliseconds)
        waiter.completion(.exhausted(retryAfterSeconds: seconds))
      }
    }
  }

  private static let dayMilliseconds: Int64 = 86_400_000

  /// Returns the number of seconds, at least 1, until a day ends.
  private static func secondsLeft(of day: Int64, at milliseconds: Int64) -> Int64 {
    max(1, ((day + 1) * dayMilliseconds - milliseconds + 999) / 1_000)
  }
}
