/// The memory held on behalf of all providers of a loop, which limits each provider's share.
struct ProviderMemory {
  /// The number of bytes that unfinished requests hold.
  private(set) var heldBytes = 0
  /// The number of bytes that wait for providers to read them, as of each provider's last turn.
  private(set) var unsentBytes = 0

  /// Replaces one provider's contribution to ``heldBytes``.
  mutating func changeHeld(from old: Int, to new: Int) {
    assert(old >= 0 && new >= 0, "a request cannot hold less than nothing")
    heldBytes += new - old
    assert(heldBytes >= 0, "providers hold less than nothing")
  }

  /// Replaces one provider's contribution to ``unsentBytes``.
  mutating func changeUnsent(from old: Int, to new: Int) {
    assert(old >= 0 && new >= 0, "less than nothing waits for a provider")
    unsentBytes += new - old
    assert(unsentBytes >= 0, "less than nothing waits for all providers")
  }

  /// True if unfinished requests hold more than the loop's limit.
  var isHeldTooMuch: Bool { heldBytes > Limits.loopHeldBytesMax }

  /// The number of bytes that may wait for one provider before the gateway stops reading from it.
  var unsentBytesMax: Int {
    unsentBytes > Limits.loopOutputBytesMax
      ? Limits.providerOutputShareBytes : Limits.providerOutputBytesMax
  }
}
