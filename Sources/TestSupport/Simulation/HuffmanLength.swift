/// Functions that compute the number of bits that the characters of a provider token occupy after HTTP/2 header
/// compression (RFC 7541, appendix B).
enum HuffmanLength {
  /// The mean number of bits that a base64-encoded signature occupies.
  static let signatureBits = 550

  static func bits(_ text: String) -> Int { text.utf8.reduce(0) { $0 + bits($1) } }

  private static func bits(_ character: UInt8) -> Int {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "2"): 5
    case UInt8(ascii: "3")...UInt8(ascii: "9"): 6
    case UInt8(ascii: "X"), UInt8(ascii: "Z"): 8
    case UInt8(ascii: "B")...UInt8(ascii: "Y"): 7
    default: lowercase[character] ?? 6
    }
  }

  private static let lowercase: [UInt8: Int] = {
    var bits: [UInt8: Int] = [:]
    for character in "aceiost".utf8 { bits[character] = 5 }
    for character in "jkqvwxyz".utf8 { bits[character] = 7 }
    return bits
  }()
}
