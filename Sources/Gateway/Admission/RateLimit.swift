import Synchronization

/// A rate with a burst: the generic cell rate algorithm, whose whole state is one point in time.
public struct RateLimit: Equatable, Sendable {
  /// Nanoseconds between two events at the steady rate.
  private let interval: Int64
  /// Nanoseconds by which the state may run ahead of the clock.
  private let tolerance: Int64

  /// Allows `perSecond` events a second, and as many at once after a second without any.
  public init(perSecond: UInt32) {
    self.init(intervalNanoseconds: 1_000_000_000 / Int64(max(1, perSecond)), burst: perSecond)
  }

  /// Allows one event each `intervalNanoseconds`, and `burst` of them at once after a pause.
  public init(intervalNanoseconds: Int64, burst: UInt32) {
    interval = intervalNanoseconds
    tolerance = intervalNanoseconds * (Int64(max(1, burst)) - 1)
  }

  /// Returns whether one more event is within the limit at `now`, and counts it if so.
  ///
  /// `next` is the state, 0 at first; both are monotonic nanoseconds.
  public func admits(_ next: inout Int64, at now: Int64) -> Bool {
    guard wait(next, at: now) == 0 else { return false }
    next = max(next, now) + interval
    return true
  }

  /// Returns the nanoseconds until one more event is within the limit.
  public func wait(_ next: Int64, at now: Int64) -> Int64 {
    max(0, max(next, now) - now - tolerance)
  }
}

/// A limit shared by all loops.
public final class SharedRate: Sendable {
  private let limit: RateLimit
  private let next = Atomic<Int64>(0)

  /// A limit of which nothing is used.
  public init(_ limit: RateLimit) { self.limit = limit }

  /// Whether one more is within the limit at `now`, in monotonic nanoseconds.
  func admits(at now: Int64) -> Bool {
    var seen = next.load(ordering: .relaxed)
    while true {
      var changed = seen
      guard limit.admits(&changed, at: now) else { return false }
      let outcome = next.weakCompareExchange(
        expected: seen, desired: changed, ordering: .relaxed)
      if outcome.exchanged { return true }
      seen = outcome.original
    }
  }
}
