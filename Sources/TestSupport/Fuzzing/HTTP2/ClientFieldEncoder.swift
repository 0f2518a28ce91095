import Transport

/// An encoder of HPACK field blocks that uses all representations of RFC 7541 section 6.
struct ClientFieldEncoder {
  /// The fields that the peer's dynamic table contains, newest first.
  private var table: [(name: String, value: String)] = []
  private var size = 0

  /// The manner in which a field is encoded.
  struct Manner {
    /// 0: with indexing; 1: without indexing; 2: never indexed.
    var indexing: Int
    var isHuffman: Bool
    /// Encodes the name, even if a table contains it.
    var isNewName: Bool
  }

  mutating func encode(_ name: String, _ value: String, _ manner: Manner) -> [UInt8] {
    if manner.indexing == 0, let index = table.firstIndex(where: { $0 == (name, value) }) {
      return Self.integer(62 + index, pattern: 0x80, prefix: 7)
    }
    if manner.indexing == 0, let index = Self.exact[name + "=" + value] {
      return Self.integer(index, pattern: 0x80, prefix: 7)
    }
    var known = manner.isNewName ? nil : Self.names[name]
    if known == nil, !manner.isNewName, let index = table.firstIndex(where: { $0.name == name }) {
      known = 62 + index
    }
    let (pattern, prefix): (UInt8, Int) = [(0x40, 6), (0x00, 4), (0x10, 4)][manner.indexing]
    var bytes = Self.integer(known ?? 0, pattern: pattern, prefix: prefix)
    if known == nil { bytes += Self.string(Array(name.utf8), manner.isHuffman) }
    bytes += Self.string(Array(value.utf8), manner.isHuffman)
    if manner.indexing == 0 { add(name, value) }
    return bytes
  }

  private mutating func add(_ name: String, _ value: String) {
    table.insert((name, value), at: 0)
    size += name.utf8.count + value.utf8.count + 32
    while size > 4_096, let last = table.popLast() {
      size -= last.name.utf8.count + last.value.utf8.count + 32
    }
  }

  private static let names = [
    ":authority": 1, ":method": 2, ":path": 4, ":scheme": 6, "authorization": 23,
    "content-length": 28, "content-type": 31, "host": 38, "user-agent": 58, "te": 0,
  ].filter { $0.value > 0 }
  private static let exact = [
    ":method=GET": 2, ":method=POST": 3, ":path=/": 4, ":scheme=http": 6, ":scheme=https": 7,
  ]

  static func integer(_ value: Int, pattern: UInt8, prefix: Int) -> [UInt8] {
    let mask = 1 << prefix - 1
    guard value >= mask else { return [pattern | UInt8(value)] }
    var bytes = [pattern | UInt8(mask)]
    var rest = value - mask
    while rest >= 128 {
      bytes.append(UInt8(rest % 128 + 128))
      rest /= 128
    }
    return bytes + [UInt8(rest)]
  }

  static func string(_ text: [UInt8], _ isHuffman: Bool) -> [UInt8] {
    let bytes = isHuffman ? huffman(text) : text
    return integer(bytes.count, pattern: isHuffman ? 0x80 : 0, prefix: 7) + bytes
  }

  /// The codes of all symbols, which follow from their lengths.
  private static let codes: [(code: UInt32, length: Int)] = {
    let lengths = HPACKHuffman.lengths.map(Int.init)
    var codes = lengths.map { (code: UInt32(0), length: $0) }
    var code: UInt32 = 0
    for length in 1...30 {
      code <<= 1
      for symbol in lengths.indices where lengths[symbol] == length {
        codes[symbol].code = code
        code += 1
      }
    }
    return codes
  }()

  /// Returns the Huffman code of a text, with its padding.
  public static func huffman(_ text: [UInt8]) -> [UInt8] {
    var (bytes, window, bits): ([UInt8], UInt64, Int) = ([], 0, 0)
    for byte in text {
      let (code, length) = codes[Int(byte)]
      window = window << UInt64(length) | UInt64(code)
      bits += length
      while bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: window >> UInt64(bits)))
      }
    }
    if bits > 0 {
      bytes.append(UInt8(truncatingIfNeeded: window << UInt64(8 - bits)) | UInt8(0xff >> bits))
    }
    return bytes
  }
}
