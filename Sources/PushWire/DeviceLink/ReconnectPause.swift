internal import BelfryWire

/// The pauses that a device makes before it reconnects (`docs/device-link.md` 3, Leaving).
public struct ReconnectPause: Hashable, Sendable {
  /// The upper bound, in nanoseconds, of the pause after the first failure.
  public var first: Int64 = 250_000_000
  /// The longest pause after any failure, in nanoseconds.
  public var most: Int64 = 60_000_000_000
  /// The time, in nanoseconds, for which a link must stay up before the connection counts as a success.
  public var steady: Int64 = 30_000_000_000
  /// The pause, in nanoseconds, after another connection of the same device has replaced the link.
  public var replaced: Int64 = 60_000_000_000
  private var failures: UInt8 = 0

  /// Creates the pauses specified in `docs/device-link.md`.
  public init() {}

  /// Returns the pause, in nanoseconds, after another failure.
  ///
  /// The pause is chosen at random between 50 % and 100 % of a duration that doubles with each failure.
  public mutating func next(random: UInt64) -> Int64 {
    if failures < .max { failures += 1 }
    return Backoff(firstNanoseconds: first, longestNanoseconds: most)
      .nanoseconds(afterFailures: Int(failures), random: random)
  }

  /// Resets the failure count after a link has been up long enough.
  public mutating func succeeded() { failures = 0 }

  /// Returns the delay that a gateway requests, in nanoseconds, limited to ten minutes.
  ///
  /// Without this limit, a wrong or forged hint could keep a device offline for weeks.
  static func bounded(milliseconds: UInt32) -> Int64 {
    min(Int64(milliseconds) * 1_000_000, LinkLimits.reconnectHintNanosecondsMax)
  }

  /// Returns a random duration that is shorter than `whole`; 0 if `whole` is 0.
  static func part(of whole: Int64, random: UInt64) -> Int64 {
    assert(whole >= 0, "the pause is not negative")
    guard whole > 0 else { return 0 }
    return Int64(truncatingIfNeeded: random % UInt64(whole))
  }
}
