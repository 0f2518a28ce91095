/// Whether a body is JSON at all: what a payload must be before its bytes are handed on untouched
/// (apns-protocol 1.3 and section 10).
///
/// Nothing else about it is judged: what a key means, whether one stands twice, how a text is encoded is
/// between the sender and the app. Allocates nothing and reads each byte once.
public struct PayloadSyntax: ~Copyable {
  private enum Expected {
    case value
    /// Behind `[`: a value or the end.
    case valueOrEnd
    case key
    /// Behind `{`: a key or the end.
    case keyOrEnd
    case commaOrEnd
  }

  /// A bit for each open bracket, set for objects: no payload has more brackets than bytes.
  private var objects = InlineArray<80, UInt64>(repeating: 0)
  private var depth = 0
  private var position = 0

  /// Whether `bytes` are one JSON object (RFC 8259), white space around it allowed.
  public static func isObject(_ bytes: Span<UInt8>) -> Bool {
    var syntax = PayloadSyntax()
    return syntax.readObject(bytes)
  }

  private init() {}

  private mutating func readObject(_ bytes: Span<UInt8>) -> Bool {
    skipSpace(bytes)
    guard position < bytes.count, bytes[position] == UInt8(ascii: "{") else { return false }
    var expected = Expected.value
    repeat {
      skipSpace(bytes)
      guard position < bytes.count, let next = step(bytes, expected) else { return false }
      expected = next
    } while depth > 0
    skipSpace(bytes)
    return position == bytes.count
  }

  /// Reads one token, or a key with its colon; what has to come next.
  private mutating func step(_ bytes: Span<UInt8>, _ expected: Expected) -> Expected? {
    let byte = bytes[position]
    switch (expected, byte) {
    case (.keyOrEnd, UInt8(ascii: "}")), (.valueOrEnd, UInt8(ascii: "]")):
      return close()
    case (.keyOrEnd, UInt8(ascii: "\"")), (.key, UInt8(ascii: "\"")):
      guard readString(bytes) else { return nil }
      skipSpace(bytes)
      guard position < bytes.count, bytes[position] == UInt8(ascii: ":") else { return nil }
      position += 1
      return .value
    case (.keyOrEnd, _), (.key, _):
      return nil
    case (.commaOrEnd, UInt8(ascii: ",")):
      position += 1
      return isInObject ? .key : .value
    case (.commaOrEnd, UInt8(ascii: "}")) where isInObject: return close()
    case (.commaOrEnd, UInt8(ascii: "]")) where !isInObject: return close()
    case (.commaOrEnd, _): return nil
    case (.value, UInt8(ascii: "{")), (.valueOrEnd, UInt8(ascii: "{")):
      return open(isObject: true) ? .keyOrEnd : nil
    case (.value, UInt8(ascii: "[")), (.valueOrEnd, UInt8(ascii: "[")):
      return open(isObject: false) ? .valueOrEnd : nil
    case (.value, _), (.valueOrEnd, _):
      return readScalar(bytes, byte) ? .commaOrEnd : nil
    }
  }

  private var isInObject: Bool {
    let innermost = depth - 1
    return objects[innermost >> 6] & (1 << UInt64(innermost & 63)) != 0
  }

  private mutating func open(isObject: Bool) -> Bool {
    guard depth < 80 * 64 else { return false }
    let bit: UInt64 = 1 << UInt64(depth & 63)
    if isObject { objects[depth >> 6] |= bit } else { objects[depth >> 6] &= ~bit }
    depth += 1
    position += 1
    return true
  }

  private mutating func close() -> Expected {
    depth -= 1
    position += 1
    return .commaOrEnd
  }

  private mutating func skipSpace(_ bytes: Span<UInt8>) {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x09, 0x0A, 0x0D: position += 1
      default: return
      }
    }
  }

  private mutating func readScalar(_ bytes: Span<UInt8>, _ first: UInt8) -> Bool {
    switch first {
    case UInt8(ascii: "\""): readString(bytes)
    case UInt8(ascii: "t"): readWord(bytes, "true")
    case UInt8(ascii: "f"): readWord(bytes, "false")
    case UInt8(ascii: "n"): readWord(bytes, "null")
    default: readNumber(bytes)
    }
  }

  private mutating func readWord(_ bytes: Span<UInt8>, _ word: StaticString) -> Bool {
    let end = position + word.utf8CodeUnitCount
    guard end <= bytes.count, bytes.extracting(position..<end).equals(word) else { return false }
    position = end
    return true
  }

  private mutating func readString(_ bytes: Span<UInt8>) -> Bool {
    position += 1
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == UInt8(ascii: "\"") { return true }
      if byte < 0x20 { return false }
      if byte == UInt8(ascii: "\\"), !readEscape(bytes) { return false }
    }
    return false
  }

  private mutating func readEscape(_ bytes: Span<UInt8>) -> Bool {
    guard position < bytes.count else { return false }
    let byte = bytes[position]
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return true
    case UInt8(ascii: "u"):
      guard bytes.count - position >= 4 else { return false }
      for index in position..<(position + 4) where !Self.isHexadecimal(bytes[index]) {
        return false
      }
      position += 4
      return true
    default:
      return false
    }
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
    default: false
    }
  }

  private mutating func readNumber(_ bytes: Span<UInt8>) -> Bool {
    if bytes[position] == UInt8(ascii: "-") { position += 1 }
    let start = position
    guard readDigits(bytes) else { return false }
    if bytes[start] == UInt8(ascii: "0"), position > start + 1 { return false }
    if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
      position += 1
      guard readDigits(bytes) else { return false }
    }
    guard position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") else { return true }
    position += 1
    if position < bytes.count,
      bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-")
    {
      position += 1
    }
    return readDigits(bytes)
  }

  private mutating func readDigits(_ bytes: Span<UInt8>) -> Bool {
    let start = position
    while position < bytes.count, bytes[position] &- 0x30 < 10 { position += 1 }
    return position > start
  }
}
