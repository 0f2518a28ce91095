/// What the providers of a loop hold together, against which each one's share is judged.
struct ProviderMemory {
  /// Bytes that unfinished requests hold.
  private(set) var heldBytes = 0
  /// Bytes that wait for providers to read them, as of their last turns.
  private(set) var unsentBytes = 0

  /// A provider holds that much now, and did hold that much before.
  mutating func changeHeld(from old: Int, to new: Int) {
    assert(old >= 0 && new >= 0, "a request cannot hold less than nothing")
    heldBytes += new - old
    assert(heldBytes >= 0, "providers hold less than nothing")
  }

  /// That much waits for a provider now, and that much did before.
  mutating func changeUnsent(from old: Int, to new: Int) {
    assert(old >= 0 && new >= 0, "less than nothing waits for a provider")
    unsentBytes += new - old
    assert(unsentBytes >= 0, "less than nothing waits for all providers")
  }

  /// Whether unfinished requests hold more than a loop may.
  var isHeldTooMuch: Bool { heldBytes > Limits.loopHeldBytesMax }

  /// Bytes that may wait for one provider before it is not read from any more.
  var unsentBytesMax: Int {
    unsentBytes > Limits.loopOutputBytesMax
      ? Limits.providerOutputShareBytes : Limits.providerOutputBytesMax
  }
}
