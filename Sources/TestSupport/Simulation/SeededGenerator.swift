/// A random number generator whose sequence is determined by a seed (SplitMix64), so that a failing run can be
/// replayed.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a generator for the sequence that `seed` determines.
  public init(seed: UInt64) { state = seed }

  /// A value that identifies the current position in the sequence.
  var fingerprint: UInt64 { state }

  /// Returns the next number.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
