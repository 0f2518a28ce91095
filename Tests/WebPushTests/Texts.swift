import BelfryWire

/// Returns the bytes of a text.
func utf8(_ text: String) -> [UInt8] { Array(text.utf8) }

/// Returns the bytes that a base64url text encodes, or no bytes if it is invalid.
func base64(_ text: String) -> [UInt8] { Base64.decode(utf8(text).span) ?? [] }

/// Returns the bytes for pairs of hexadecimal digits, or no bytes if they are invalid.
func hex(_ text: String) -> [UInt8] { Hexadecimal.decode(text) ?? [] }

/// A generator that is determined by its seed, so that a failure can be repeated (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }

  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
  }
}
