/// The two clocks of an event loop: the machine's, or those of a simulation.
public protocol LoopClock: AnyObject {
  /// Nanoseconds that never go backward.
  var monotonicNanoseconds: Int64 { get }
  /// The wall clock: milliseconds since 1970 in UTC; may step in both directions.
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
