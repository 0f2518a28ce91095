/// How long a device waits before it connects again (`docs/device-link.md` 3, Leaving).
public struct ReconnectPause: Hashable, Sendable {
  /// Nanoseconds after the first failure, at most.
  public var first: Int64 = 250_000_000
  /// Nanoseconds that no pause after a failure exceeds.
  public var most: Int64 = 60_000_000_000
  /// Nanoseconds for which a link has to be up to count as a success.
  public var steady: Int64 = 30_000_000_000
  /// Nanoseconds after another connection of the same device replaced the link.
  public var replaced: Int64 = 60_000_000_000
  private var failures: UInt8 = 0

  /// The pauses of `docs/device-link.md`.
  public init() {}

  /// The pause after one more failure: between half and the whole of a time that doubles.
  public mutating func next(random: UInt64) -> Int64 {
    if failures < .max { failures += 1 }
    return Backoff(firstNanoseconds: first, longestNanoseconds: most)
      .nanoseconds(afterFailures: Int(failures), random: random)
  }

  /// A link was up for long enough.
  public mutating func succeeded() { failures = 0 }

  /// Nanoseconds of a wait that a gateway asks for, at most ten minutes: a hint that is wrong, or not the
  /// gateway's own, must not keep a device away for weeks.
  static func bounded(milliseconds: UInt32) -> Int64 {
    min(Int64(milliseconds) * 1_000_000, LinkLimits.reconnectHintNanosecondsMax)
  }

  /// A part of `whole` that `random` chooses.
  static func part(of whole: Int64, random: UInt64) -> Int64 {
    assert(whole >= 0, "a pause that is over")
    guard whole > 0 else { return 0 }
    return Int64(truncatingIfNeeded: random % UInt64(whole))
  }
}
