internal import BelfryWire

/// The rules for the value of the field `Topic` (RFC 8030 section 5.4).
enum TopicValue {
  /// Returns true if `text` consists of characters of the base64url alphabet, optionally followed by `=`, which
  /// autopush also accepts.
  static func isWellFormed(_ text: Span<UInt8>) -> Bool {
    let count = text.countWithoutPadding
    guard count > 0 else { return false }
    for index in 0..<count where !text[index].isBase64URL { return false }
    return true
  }

  /// Returns true if `text` is the base64url form of some bytes, as Apple requires: a length of 1 modulo 4 is not.
  static func isBase64(_ text: Span<UInt8>) -> Bool { text.countWithoutPadding % 4 != 1 }
}

extension UInt8 {
  /// True if the byte is a digit of base64url (RFC 4648 section 5).
  package var isBase64URL: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
    default: false
    }
  }
}

extension Span<UInt8> {
  /// The number of bytes before the `=` at the end.
  var countWithoutPadding: Int {
    var count = count
    while count > 0, self[count - 1] == UInt8(ascii: "=") { count -= 1 }
    return count
  }
}
