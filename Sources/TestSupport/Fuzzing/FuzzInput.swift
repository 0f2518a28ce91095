/// The bytes of a fuzz input, read as decisions.
///
/// Missing bytes are read as zeros.
struct FuzzInput {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isEmpty: Bool { rest.isEmpty }

  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// Reads one byte and returns a number below `bound`.
  mutating func choice(_ bound: Int) -> Int { Int(byte()) % bound }

  /// Returns up to `count` of the remaining bytes.
  mutating func bytes(_ count: Int) -> [UInt8] {
    let taken = Array(rest.prefix(count))
    rest = rest.dropFirst(count)
    return taken
  }

  /// Returns all remaining bytes.
  mutating func remainder() -> [UInt8] { bytes(rest.count) }

  /// Removes the bytes up to and including the separator, and returns the bytes before the separator.
  mutating func piece(before separator: UInt8) -> [UInt8] {
    let taken = Array(rest.prefix { $0 != separator })
    rest = rest.dropFirst(taken.count + 1)
    return taken
  }

  /// Returns a big-endian number of `count` bytes.
  mutating func number(_ count: Int) -> UInt64 {
    (0..<count).reduce(0) { number, _ in number << 8 | UInt64(byte()) }
  }
}
