import Storage

/// The order in which a home verifies the claims on its connected devices: in rounds, each of which contains all of
/// them.
struct VerificationRounds {
  /// The devices that are still to be verified in this round; some of them might have disconnected.
  private var waiting: [UInt64] = []

  /// Returns the next devices to verify, at most ``Limits/linksVerifiedPerTick``.
  mutating func next(of linked: [UInt64: SessionID]) -> [UInt64] {
    if waiting.isEmpty { waiting = Array(linked.keys) }
    let count = min(Limits.linksVerifiedPerTick, waiting.count)
    let next = waiting.suffix(count).filter { linked[$0] != nil }
    waiting.removeLast(count)
    assert(next.count <= Limits.linksVerifiedPerTick, "a part of a round is bounded")
    return next
  }
}
