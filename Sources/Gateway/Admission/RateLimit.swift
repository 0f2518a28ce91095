import Synchronization

/// A rate limit with a burst.
///
/// The limit uses the generic cell rate algorithm, whose entire state is one point in time.
public struct RateLimit: Equatable, Sendable {
  /// The time, in nanoseconds, between two events at the steady rate.
  private let interval: Int64
  /// The time, in nanoseconds, by which the limit's state can run ahead of the clock; it determines the size of a
  /// burst.
  private let tolerance: Int64

  /// Creates a limit of `perSecond` events per second; after an idle second, the limit admits a burst of that size.
  public init(perSecond: UInt32) {
    self.init(intervalNanoseconds: 1_000_000_000 / Int64(max(1, perSecond)), burst: perSecond)
  }

  /// Creates a limit of one event every `intervalNanoseconds`; after a pause, the limit admits a burst of `burst`
  /// events.
  public init(intervalNanoseconds: Int64, burst: UInt32) {
    interval = intervalNanoseconds
    tolerance = intervalNanoseconds * (Int64(max(1, burst)) - 1)
  }

  /// Returns true if one more event is within the limit at `now`, and counts the event if so.
  ///
  /// `next` is the state, initially 0. Both `now` and `next` are in monotonic nanoseconds.
  public func admits(_ next: inout Int64, at now: Int64) -> Bool {
    guard wait(next, at: now) == 0 else { return false }
    next = max(next, now) + interval
    return true
  }

  /// Returns the time, in nanoseconds, until one more event is within the limit.
  public func wait(_ next: Int64, at now: Int64) -> Int64 {
    max(0, max(next, now) - now - tolerance)
  }
}

/// A rate limit that all loops share.
public final class SharedRate: Sendable {
  private let limit: RateLimit
  private let next = Atomic<Int64>(0)

  /// Creates a limit with its full burst available.
  public init(_ limit: RateLimit) { self.limit = limit }

  /// Returns true if one more event is within the limit at `now`, in monotonic nanoseconds, and counts the event if so.
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
