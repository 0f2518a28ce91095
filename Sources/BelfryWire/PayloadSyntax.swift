/// A validator that checks whether a body is a JSON object.
///
/// The gateway forwards payload bytes unchanged, so it first checks that they form a JSON object (apns-protocol 1.3 and
/// section 10). The sender and the app are responsible for keys, duplicates, and string encoding. The validator reads
/// each byte once, and allocates no memory for up to 64 levels of nesting.
public struct PayloadSyntax: ~Copyable {
  private enum Expected {
    case value
    /// After `[`: a value or the end.
    case valueOrEnd
    case key
    /// After `{`: a key or the end.
    case keyOrEnd
    case commaOrEnd
  }

  /// The innermost open brackets, one bit each; the lowest bit represents the innermost bracket.
  ///
  /// A bit is 1 for an object and 0 for an array.
  private var inner: UInt64 = 0
  /// The outer brackets, 64 in each element.
  private var outer: [UInt64] = []
  private var depth = 0
  private var position = 0

  /// Returns true if `bytes` contains exactly one JSON object (RFC 8259), optionally surrounded by white space.
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

  /// Reads one token, or a key and its colon, and returns the kind of token that must follow.
  private mutating func step(_ bytes: Span<UInt8>, _ expected: Expected) -> Expected? {
    assert(depth > 0 || expected == .value, "a bracket is open unless a value is expected")
    let byte = bytes[position]
    switch expected {
    case .commaOrEnd:
      switch byte {
      case UInt8(ascii: ","):
        position += 1
        return isInObject ? .key : .value
      case UInt8(ascii: "}") where isInObject: return close()
      case UInt8(ascii: "]") where !isInObject: return close()
      default: return nil
      }
    case .keyOrEnd where byte == UInt8(ascii: "}"): return close()
    case .valueOrEnd where byte == UInt8(ascii: "]"): return close()
    case .key, .keyOrEnd:
      guard byte == UInt8(ascii: "\""), readString(bytes) else { return nil }
      skipSpace(bytes)
      guard position < bytes.count, bytes[position] == UInt8(ascii: ":") else { return nil }
      position += 1
      return .value
    case .value, .valueOrEnd:
      switch byte {
      case UInt8(ascii: "{"): return open(isObject: true)
      case UInt8(ascii: "["): return open(isObject: false)
      default: return readScalar(bytes, byte) ? .commaOrEnd : nil
      }
    }
  }

  private var isInObject: Bool { inner & 1 != 0 }

  private mutating func open(isObject: Bool) -> Expected? {
    guard depth < WireLimits.largePayloadBytesMax else { return nil }
    if depth > 0, depth.isMultiple(of: 64) { outer.append(inner) }
    inner = inner << 1 | (isObject ? 1 : 0)
    depth += 1
    position += 1
    assert(outer.count == (depth - 1) / 64, "every 64 nesting levels fill one saved word")
    return isObject ? .keyOrEnd : .valueOrEnd
  }

  private mutating func close() -> Expected {
    assert(depth > 0, "only an open bracket is closed")
    depth -= 1
    position += 1
    inner >>= 1
    if depth > 0, depth.isMultiple(of: 64), let last = outer.popLast() { inner = last }
    return .commaOrEnd
  }

  @inline(__always)
  private mutating func skipSpace(_ bytes: Span<UInt8>) {
    while position < bytes.count, bytes[position] <= 0x20 {
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
    var index = position + 1
    while true {
      index = Self.endOfPlainText(bytes, from: index)
      guard index < bytes.count else { return false }
      switch bytes[index] {
      case UInt8(ascii: "\""):
        position = index + 1
        return true
      case UInt8(ascii: "\\"):
        guard let end = Self.endOfEscape(bytes, from: index + 1) else { return false }
        index = end
      default: return false
      }
    }
  }

  /// Returns the index of the first quotation mark, backslash, or control character, or the end index if no such byte
  /// exists.
  private static func endOfPlainText(_ bytes: Span<UInt8>, from start: Int) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highBits = ones << 7
    var index = start
    let raw = unsafe bytes.bytes
    // Test eight bytes at a time. A false positive can occur only in a byte above a true match.
    while index + 8 <= raw.byteCount {
      // The bounds are checked, and any eight bytes form a valid integer.
      let word = unsafe raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
      let quotes = word ^ (ones &* 0x22)
      let backslashes = word ^ (ones &* 0x5C)
      let found =
        (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes
        | (word &- ones &* 0x20) & ~word
      guard found & highBits == 0 else { break }
      index += 8
    }
    while index < bytes.count {
      switch bytes[index] {
      case ..<0x20, UInt8(ascii: "\""), UInt8(ascii: "\\"): return index
      default: index += 1
      }
    }
    return index
  }

  /// Returns the index after the escape whose letter is at `start`, or `nil` for an invalid escape.
  private static func endOfEscape(_ bytes: Span<UInt8>, from start: Int) -> Int? {
    guard start < bytes.count else { return nil }
    switch bytes[start] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return start + 1
    case UInt8(ascii: "u"):
      guard bytes.count - start > 4 else { return nil }
      for index in (start + 1)...(start + 4) where Hexadecimal.value(bytes[index]) == nil {
        return nil
      }
      return start + 5
    default:
      return nil
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
