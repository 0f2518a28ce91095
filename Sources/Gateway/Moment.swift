/// A reading of the monotonic clock and the wall clock, taken once per turn and passed to the state machines.
public struct Moment: Equatable, Sendable {
  /// The monotonic time in nanoseconds, for intervals.
  public var nanoseconds: Int64
  /// The wall-clock time in milliseconds since 1970, for expirations and records.
  public var unixMilliseconds: Int64

  /// Creates a reading of the two clocks.
  public init(nanoseconds: Int64, unixMilliseconds: Int64) {
    self.nanoseconds = nanoseconds
    self.unixMilliseconds = unixMilliseconds
  }

  /// The time in whole seconds since 1970.
  public var unixSeconds: Int64 { unixMilliseconds / 1_000 }
}
