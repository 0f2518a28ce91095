/// The keep-alive interval of a link, which the gateway sets (`docs/device-link.md` 3).
///
/// The interval grows while the path remains stable. In HELLO, the device reports the interval at which a link was
/// silently lost, so the gateway does not need to retain state between connections.
public struct KeepAliveInterval: Hashable, Sendable {
  /// The limits for the intervals that a gateway sets.
  public struct Policy: Hashable, Sendable {
    /// The first interval on an unknown path, in seconds.
    public var firstSeconds: UInt16
    /// The shortest interval in seconds, which is used even if it failed before.
    public var leastSeconds: UInt16
    /// The longest interval in seconds.
    public var mostSeconds: UInt16
    /// The number of consecutive successful keep-alives after which the interval grows.
    public var proofs: UInt8

    /// Creates the limits specified in `docs/device-link.md`: 60 s for the first interval, and 30 s to 30 minutes for
    /// later intervals.
    public init(
      firstSeconds: UInt16 = 60, leastSeconds: UInt16 = 30, mostSeconds: UInt16 = 1_800,
      proofs: UInt8 = 2
    ) {
      self.firstSeconds = max(1, firstSeconds)
      self.leastSeconds = max(1, leastSeconds)
      self.mostSeconds = max(self.leastSeconds, mostSeconds)
      self.proofs = max(1, proofs)
    }
  }

  /// The number of seconds of silence after which the device sends a ping.
  public private(set) var seconds: UInt16
  private let mostSeconds: UInt16
  private let proofs: UInt8
  private var proved: UInt8 = 0

  /// Creates the first interval for a device that reports these values for its network; 0 means unknown.
  public init(policy: Policy, provedSeconds: UInt16, failedSeconds: UInt16) {
    let least = policy.leastSeconds
    let underFailure = UInt16(UInt32(failedSeconds) * 3 / 4)
    mostSeconds =
      failedSeconds == 0 ? policy.mostSeconds : min(policy.mostSeconds, max(least, underFailure))
    let wished = provedSeconds == 0 ? policy.firstSeconds : provedSeconds
    seconds = min(max(wished, least), mostSeconds)
    proofs = policy.proofs
    assert(
      seconds >= 1 && seconds <= mostSeconds, "the interval is within its limits: \(seconds) s")
  }

  /// Records that a keep-alive arrived after a full interval of silence.
  ///
  /// Its arrival proves that the path survived the silence.
  public mutating func held() {
    assert(proved < proofs, "the interval needs more proofs before it grows")
    proved += 1
    guard proved >= proofs else { return }
    proved = 0
    seconds = UInt16(min(UInt32(mostSeconds), UInt32(seconds) + UInt32(seconds) / 2 + 1))
    assert(seconds <= mostSeconds, "the interval is within its limits: \(seconds) s")
  }

  /// Returns the duration of silence, in nanoseconds, after which the gateway considers the link dead: 125% of the
  /// interval plus `grace`.
  public func silenceNanoseconds(grace: Int64) -> Int64 {
    Int64(seconds) * 1_250_000_000 + grace
  }
}
