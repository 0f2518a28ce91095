/// The memory that a loop uses for all of its providers, from which each provider's limit is derived.
struct ProviderMemory {
  /// The number of bytes that unfinished requests hold.
  private(set) var heldBytes = 0
  /// The number of bytes that wait for providers to read them, as of each provider's last turn.
  private(set) var unsentBytes = 0

  /// Replaces one provider's contribution to ``heldBytes``.
  mutating func changeHeld(from old: Int, to new: Int) {
    assert(old >= 0 && new >= 0, "the bytes that a provider holds are not negative")
    heldBytes += new - old
    assert(heldBytes >= 0, "the bytes that all providers hold are not negative")
  }

  /// Replaces one provider's contribution to ``unsentBytes``.
  mutating func changeUnsent(from old: Int, to new: Int) {
    assert(old >= 0 && new >= 0, "a provider's unsent bytes are not negative")
    unsentBytes += new - old
    assert(unsentBytes >= 0, "the unsent bytes of all providers are not negative")
  }

  /// True if unfinished requests hold more than the loop's limit.
  var isHeldTooMuch: Bool { heldBytes > Limits.loopHeldBytesMax }

  /// The number of bytes that can wait for one provider before the gateway stops reading from it.
  var unsentBytesMax: Int {
    unsentBytes > Limits.loopOutputBytesMax
      ? Limits.providerOutputShareBytes : Limits.providerOutputBytesMax
  }
}
