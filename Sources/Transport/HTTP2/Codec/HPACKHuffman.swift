/// A decoder of HPACK's Huffman code (RFC 7541 appendix B), which looks up 12 bits at a time.
///
/// The codes of digits and lowercase letters have five to seven bits, so that most steps yield two characters of a path
/// or a token.
///
/// The `@unchecked Sendable` conformance is safe because nothing changes after `init`.
@safe package final class HPACKHuffman: @unchecked Sendable {
  static let shared = HPACKHuffman()

  /// The result of looking up 12 bits: up to two symbols and their lengths; see `entry`.
  private let table: UnsafeMutablePointer<UInt32>
  /// The symbols in the order of their codes.
  private let symbols: [UInt16]
  /// The first code of each length, and the position of its symbol in `symbols`.
  private let first: [(code: UInt32, count: UInt32, position: Int)]

  private static let tableBits = 12
  /// The symbol that ends a string, which an encoder must never use.
  private static let endOfString = 256

  private init() {
    let lengths = Self.lengths
    var symbols: [UInt16] = []
    var first: [(code: UInt32, count: UInt32, position: Int)] = []
    unsafe table = .allocate(capacity: 1 << Self.tableBits)
    unsafe table.initialize(repeating: 0, count: 1 << Self.tableBits)
    var code: UInt32 = 0
    for length in 0...30 {
      code <<= 1
      let start = symbols.count
      let begin = code
      for symbol in 0..<lengths.count where Int(lengths[symbol]) == length {
        symbols.append(UInt16(symbol))
        if length <= Self.tableBits {
          let shift = Self.tableBits - length
          for rest in 0..<(1 << shift) {
            unsafe table[Int(code) << shift | rest] = Self.entry(UInt32(symbol), UInt32(length))
          }
        }
        code += 1
      }
      first.append((begin, code - begin, start))
    }
    assert(symbols.count == lengths.count, "each symbol has a code of at most 30 bits")
    self.symbols = symbols
    self.first = first
    addSecondSymbols()
  }

  deinit { unsafe table.deallocate() }

  /// Returns a table entry for one symbol.
  ///
  /// The bits are: the first symbol (0 to 7), the second symbol (8 to 15), the length of both codes (16 to 20), the number
  /// of symbols (21 and 22), and the length of the first code (23 to 26). An entry of zero begins a longer code.
  private static func entry(_ symbol: UInt32, _ length: UInt32) -> UInt32 {
    symbol | length << 16 | 1 << 21 | length << 23
  }

  private func addSecondSymbols() {
    let mask = 1 << Self.tableBits - 1
    let single = (0...mask).map { unsafe table[$0] }
    for index in 0...mask where single[index] != 0 {
      let length = single[index] >> 23
      let next = single[index << Int(length) & mask]
      let both = length + next >> 23
      guard next != 0, both <= UInt32(Self.tableBits) else { continue }
      unsafe table[index] =
        single[index] & 0xff | (next & 0xff) << 8 | both << 16 | 2 << 21 | length << 23
    }
  }

  /// Returns the maximum number of bytes that `decode` writes for `count` bytes: the shortest codes have five bits, and
  /// each step writes two bytes.
  static func capacity(_ count: Int) -> Int { count &* 8 / 5 &+ 2 }

  /// Decodes `input`, and returns the number of decoded bytes, or nil if the code or its padding is invalid.
  ///
  /// `target` must have room for `capacity(input.count)` bytes.
  func decode(_ input: Span<UInt8>, into target: UnsafeMutablePointer<UInt8>) -> Int? {
    var (window, bits, next, count): (UInt64, Int, Int, Int) = (0, 0, 0, 0)
    let end = input.count
    while true {
      // Fill the window, whose highest bits are the next bits of the input, to at least 56 bits if there are as many.
      if end &- next >= 8 {
        let word = unsafe input.bytes.unsafeLoadUnaligned(fromByteOffset: next, as: UInt64.self)
        window |= word.bigEndian >> UInt64(truncatingIfNeeded: bits)
        next &+= (63 &- bits) >> 3
        bits |= 56
      } else {
        while bits <= 56, next < end {
          window |= UInt64(input[next]) << UInt64(truncatingIfNeeded: 56 &- bits)
          next &+= 1
          bits &+= 8
        }
      }
      while bits >= Self.tableBits {
        let entry = unsafe table[Int(truncatingIfNeeded: window >> 52)]
        guard entry != 0 else {
          if bits < 30, next < end { break }
          guard let (symbol, length) = longCode(window), length <= bits else { return nil }
          unsafe target[count] = symbol
          count &+= 1
          window <<= UInt64(truncatingIfNeeded: length)
          bits &-= length
          continue
        }
        unsafe target[count] = UInt8(truncatingIfNeeded: entry)
        unsafe target[count &+ 1] = UInt8(truncatingIfNeeded: entry >> 8)
        count &+= Int(entry >> 21 & 3)
        let length = Int(entry >> 16 & 31)
        window <<= UInt64(truncatingIfNeeded: length)
        bits &-= length
      }
      if next == end, bits < Self.tableBits { break }
    }
    return unsafe decodeEnd(window, bits, into: target, count)
  }

  /// Decodes the last bits, of which up to seven are padding with the highest bits of the end-of-string code.
  private func decodeEnd(
    _ lastBits: UInt64, _ lastCount: Int, into target: UnsafeMutablePointer<UInt8>, _ decoded: Int
  ) -> Int? {
    var (window, bits, count) = (lastBits, lastCount, decoded)
    while bits > 0 {
      let padding = UInt64.max >> UInt64(bits)
      let entry = unsafe table[Int((window | padding) >> 52)]
      let length = Int(entry >> 23)
      guard entry != 0, length <= bits else {
        return bits < 8 && window | padding == .max ? count : nil
      }
      unsafe target[count] = UInt8(truncatingIfNeeded: entry)
      count &+= 1
      window <<= UInt64(length)
      bits &-= length
    }
    return count
  }

  /// Returns the symbol whose code, of more than 12 bits, begins the window; nil for the end of the string.
  private func longCode(_ window: UInt64) -> (UInt8, Int)? {
    for length in (Self.tableBits + 1)...30 {
      let code = UInt32(window >> UInt64(64 - length))
      let (start, count, position) = first[length]
      guard code >= start, code - start < count else { continue }
      let symbol = symbols[position + Int(code - start)]
      return symbol < Self.endOfString ? (UInt8(truncatingIfNeeded: symbol), length) : nil
    }
    return nil
  }

  /// The lengths of the codes in bits, by symbol; the codes of each length are consecutive.
  package static let lengths: [UInt8] = [
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28,
    28, 28, 28, 28, 28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
    5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7,
    7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
    15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7,
    7, 7, 7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
    24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22, 23, 23, 21,
    23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
    26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24,
    21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
    26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, 30,
  ]
}
