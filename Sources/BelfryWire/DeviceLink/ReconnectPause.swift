/// The pauses of a device before it reconnects (`docs/device-link.md` 3, Leaving).
public struct ReconnectPause: Hashable, Sendable {
  /// The longest pause after the first failure, in nanoseconds.
  public var first: Int64 = 250_000_000
  /// The longest pause after any failure, in nanoseconds.
  public var most: Int64 = 60_000_000_000
  /// The time in nanoseconds for which a link must be up to count as a success.
  public var steady: Int64 = 30_000_000_000
  /// The pause in nanoseconds after another connection of the same device replaced the link.
  public var replaced: Int64 = 60_000_000_000
  private var failures: UInt8 = 0

  /// Creates the pauses of `docs/device-link.md`.
  public init() {}

  /// Returns the pause in nanoseconds after one more failure.
  ///
  /// The pause is random, between half and all of a time that doubles with each failure.
  public mutating func next(random: UInt64) -> Int64 {
    if failures < .max { failures += 1 }
    return Backoff(firstNanoseconds: first, longestNanoseconds: most)
      .nanoseconds(afterFailures: Int(failures), random: random)
  }

  /// Resets the failure count, because a link was up for long enough.
  public mutating func succeeded() { failures = 0 }

  /// Returns the wait in nanoseconds that a gateway asks for, limited to ten minutes.
  ///
  /// A wrong or forged hint must not keep a device offline for weeks.
  static func bounded(milliseconds: UInt32) -> Int64 {
    min(Int64(milliseconds) * 1_000_000, LinkLimits.reconnectHintNanosecondsMax)
  }

  /// Returns a random part of `whole`, chosen by `random`.
  static func part(of whole: Int64, random: UInt64) -> Int64 {
    assert(whole >= 0, "the pause is not negative")
    guard whole > 0 else { return 0 }
    return Int64(truncatingIfNeeded: random % UInt64(whole))
  }
}
