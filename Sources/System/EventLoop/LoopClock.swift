/// Both clocks as an event loop reads them: the machine's, or those of a simulation.
public protocol LoopClock: AnyObject {
  /// Nanoseconds that never go back.
  var monotonicNanoseconds: Int64 { get }
  /// Wall clock: milliseconds since 1970 in UTC; may step in both directions.
  var unixMilliseconds: Int64 { get }
}

/// The machine's clocks.
public final class SystemLoopClock: LoopClock, Sendable {
  /// The only instance that is needed: it holds nothing.
  public static let shared = SystemLoopClock()

  /// The kernel's monotonic clock.
  public var monotonicNanoseconds: Int64 { SystemClock.monotonicNanoseconds }

  /// The kernel's wall clock.
  public var unixMilliseconds: Int64 { SystemClock.unixMilliseconds }
}
