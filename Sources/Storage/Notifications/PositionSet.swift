/// A set of positions in the log, as words of 64 bits: positions that are close together share a word.
struct PositionSet {
  /// The positions that share one word.
  struct Word {
    /// The position of the lowest bit.
    let first: UInt64
    var bits: UInt64
  }

  private var words: [UInt64: UInt64] = [:]

  @inline(__always)
  mutating func insert(_ position: UInt64) {
    words[position >> 6, default: 0] |= 1 << (position & 63)
  }

  @inline(__always)
  func contains(_ position: UInt64) -> Bool {
    guard let word = words[position >> 6] else { return false }
    return word >> (position & 63) & 1 != 0
  }

  /// Removes the positions below `end`, except up to 63 of the highest ones, and returns them in ascending order.
  ///
  /// Removes all positions if `end` is `.max`.
  mutating func take(below end: UInt64) -> [Word] {
    let bound = end == .max ? .max : end >> 6
    var taken: [Word] = []
    var left: [UInt64: UInt64] = [:]
    for (word, bits) in words {
      if word < bound {
        taken.append(Word(first: word << 6, bits: bits))
      } else {
        left[word] = bits
      }
    }
    words = left
    taken.sort { $0.first < $1.first }
    return taken
  }
}
