/// The two clocks that an event loop uses: the machine's clocks, or a simulation's clocks.
public protocol LoopClock: AnyObject {
  /// The time in nanoseconds, which never goes backward.
  var monotonicNanoseconds: Int64 { get }
  /// The wall clock, in milliseconds since 1970 in UTC, which can step in either direction.
  var unixMilliseconds: Int64 { get }
}

/// The clocks of the machine.
public final class SystemLoopClock: LoopClock, Sendable {
  /// The shared instance; the type has no state.
  public static let shared = SystemLoopClock()

  /// The kernel's monotonic clock.
  public var monotonicNanoseconds: Int64 { SystemClock.monotonicNanoseconds }

  /// The kernel's wall clock.
  public var unixMilliseconds: Int64 { SystemClock.unixMilliseconds }
}
