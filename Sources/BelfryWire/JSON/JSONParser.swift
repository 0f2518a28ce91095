/// The error for bytes that are not a JSON document within the given limits.
public enum JSONFailure: Error, Hashable, Sendable, CustomStringConvertible {
  case tooLong(limit: Int)
  case tooDeep(limit: Int)
  case endedEarly
  case unexpectedByte(offset: Int)
  case invalidUTF8(offset: Int)
  /// The number at this offset is outside the range of a 64-bit float.
  case numberOutOfRange(offset: Int)
  case trailingBytes(offset: Int)

  /// A description of the error and its position.
  public var description: String {
    switch self {
    case .tooLong(let limit): "JSON is longer than \(limit) bytes"
    case .tooDeep(let limit): "JSON is nested deeper than \(limit) levels"
    case .endedEarly: "JSON ends in the middle of a value"
    case .unexpectedByte(let offset): "JSON has an unexpected byte at offset \(offset)"
    case .invalidUTF8(let offset): "JSON has a string at offset \(offset) that is not UTF-8"
    case .numberOutOfRange(let offset): "JSON has a number out of range at offset \(offset)"
    case .trailingBytes(let offset): "JSON is followed by more bytes at offset \(offset)"
    }
  }
}

/// The limits for a JSON document.
public struct JSONLimits: Sendable {
  /// The maximum size of the document, in bytes.
  public var bytes: Int
  /// The maximum nesting depth of arrays and objects.
  public var depth: Int

  /// Creates limits; the defaults are sufficient for the largest frame of the app link.
  public init(bytes: Int = WireLimits.jsonBytesMax, depth: Int = WireLimits.jsonDepthMax) {
    self.bytes = bytes
    self.depth = depth
  }
}

extension JSONValue {
  /// Parses a JSON document strictly according to RFC 8259: without comments, trailing commas or a byte order mark.
  ///
  /// The RFC leaves two cases open. If two members have the same key, the later member is used. An unpaired surrogate
  /// becomes U+FFFD.
  public init(parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONFailure) {
    guard bytes.count <= limits.bytes else { throw .tooLong(limit: limits.bytes) }
    var parser = JSONParser(bytes: bytes, depthLimit: limits.depth)
    self = try parser.document()
  }

  /// Parses a JSON document strictly, but omits the numbers that a 64-bit float cannot represent.
  ///
  /// A member whose number is out of range is omitted; an array element out of range becomes null, so that the other
  /// elements keep their positions. `omitted` contains the keys of the first omitted members; array elements do not
  /// have keys.
  public static func omittingNumbersOutOfRange(
    in bytes: [UInt8], limits: JSONLimits = JSONLimits()
  ) throws(JSONFailure) -> (value: JSONValue, omitted: [String]) {
    guard bytes.count <= limits.bytes else { throw .tooLong(limit: limits.bytes) }
    var parser = JSONParser(bytes: bytes, depthLimit: limits.depth)
    parser.omitsNumbersOutOfRange = true
    let value = try parser.document()
    return (value, parser.omittedKeys)
  }

  /// Returns the first key that occurs twice in the same object of a JSON document.
  ///
  /// Parsing keeps only the later of the two members. Use this method for text that a user wrote, because the user
  /// intended both members to have an effect. Returns nil if no key occurs twice, or if the text is not JSON.
  public static func doubledKey(in bytes: [UInt8], limits: JSONLimits = JSONLimits()) -> String? {
    guard bytes.count <= limits.bytes else { return nil }
    var parser = JSONParser(bytes: bytes, depthLimit: limits.depth)
    _ = try? parser.document()
    return parser.doubledKey
  }

  /// Parses a JSON document from a string.
  public init(parsing text: String, limits: JSONLimits = JSONLimits()) throws(JSONFailure) {
    try self.init(parsing: Array(text.utf8), limits: limits)
  }
}

/// A recursive-descent parser for an array of bytes.
///
/// Every read is checked against the end of the array.
private struct JSONParser {
  /// The maximum number of keys of omitted members to return: enough for a log line.
  static let omittedKeysMax = 4

  let bytes: [UInt8]
  let depthLimit: Int
  var offset = 0
  var depth = 0
  var doubledKey: String?
  var omitsNumbersOutOfRange = false
  /// True if the value that was just parsed is a number to omit.
  var isOmitted = false
  /// The keys of the first omitted members.
  var omittedKeys: [String] = []

  init(bytes: [UInt8], depthLimit: Int) {
    self.bytes = bytes
    self.depthLimit = depthLimit
  }

  mutating func document() throws(JSONFailure) -> JSONValue {
    let value = try value()
    assert(depth == 0, "every bracket was closed")
    skipSpace()
    guard offset == bytes.count else { throw .trailingBytes(offset: offset) }
    return value
  }

  private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      offset += 1
    }
  }

  private func unexpected() -> JSONFailure {
    offset < bytes.count ? .unexpectedByte(offset: offset) : .endedEarly
  }

  private mutating func expect(_ byte: UInt8) throws(JSONFailure) {
    guard next == byte else { throw unexpected() }
    offset += 1
  }

  private mutating func literal(_ rest: StaticString, _ value: JSONValue) throws(JSONFailure)
    -> JSONValue
  {
    for scalar in rest.description.utf8 { try expect(scalar) }
    return value
  }

  private mutating func value() throws(JSONFailure) -> JSONValue {
    skipSpace()
    guard let first = next else { throw .endedEarly }
    switch first {
    case UInt8(ascii: "{"): return try nested { parser throws(JSONFailure) in try parser.object() }
    case UInt8(ascii: "["): return try nested { parser throws(JSONFailure) in try parser.array() }
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try literal("true", .bool(true))
    case UInt8(ascii: "f"): return try literal("false", .bool(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    default: throw unexpected()
    }
  }

  private mutating func nested(
    _ body: (inout JSONParser) throws(JSONFailure) -> JSONValue
  ) throws(JSONFailure) -> JSONValue {
    guard depth < depthLimit else { throw .tooDeep(limit: depthLimit) }
    assert(
      next == UInt8(ascii: "{") || next == UInt8(ascii: "["),
      "an object or array begins with a bracket")
    depth += 1
    offset += 1
    let value = try body(&self)
    depth -= 1
    return value
  }

  private mutating func array() throws(JSONFailure) -> JSONValue {
    var elements: [JSONValue] = []
    skipSpace()
    if next == UInt8(ascii: "]") {
      offset += 1
      return .array(elements)
    }
    while true {
      elements.append(try value())
      isOmitted = false
      skipSpace()
      if next == UInt8(ascii: ",") {
        offset += 1
        continue
      }
      try expect(UInt8(ascii: "]"))
      return .array(elements)
    }
  }

  private mutating func object() throws(JSONFailure) -> JSONValue {
    var members = JSONKeyIndex()
    skipSpace()
    if next == UInt8(ascii: "}") {
      offset += 1
      return .object(JSONObject())
    }
    while true {
      skipSpace()
      let key = try string()
      skipSpace()
      try expect(UInt8(ascii: ":"))
      let value = try value()
      if isOmitted {
        isOmitted = false
        if omittedKeys.count < Self.omittedKeysMax { omittedKeys.append(key) }
      } else if members.set(key, value), doubledKey == nil {
        doubledKey = key
      }
      skipSpace()
      if next == UInt8(ascii: ",") {
        offset += 1
        continue
      }
      try expect(UInt8(ascii: "}"))
      return .object(JSONObject(members))
    }
  }

  private mutating func string() throws(JSONFailure) -> String {
    try expect(UInt8(ascii: "\""))
    let start = offset
    var text: [UInt8] = []
    var runStart = offset
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        text.append(contentsOf: bytes[runStart..<offset])
        offset += 1
        guard let string = String(validating: text, as: UTF8.self) else {
          throw .invalidUTF8(offset: start)
        }
        return string
      case UInt8(ascii: "\\"):
        text.append(contentsOf: bytes[runStart..<offset])
        offset += 1
        text.append(contentsOf: UTF8.encode(try escape()) ?? UTF8.encodedReplacementCharacter)
        runStart = offset
      case 0..<0x20:
        throw .unexpectedByte(offset: offset)
      default:
        offset += 1
      }
    }
    throw .endedEarly
  }

  /// Parses the character after a backslash.
  private mutating func escape() throws(JSONFailure) -> Unicode.Scalar {
    guard let byte = next else { throw .endedEarly }
    let scalar: Unicode.Scalar
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): scalar = Unicode.Scalar(byte)
    case UInt8(ascii: "b"): scalar = "\u{8}"
    case UInt8(ascii: "f"): scalar = "\u{C}"
    case UInt8(ascii: "n"): scalar = "\n"
    case UInt8(ascii: "r"): scalar = "\r"
    case UInt8(ascii: "t"): scalar = "\t"
    case UInt8(ascii: "u"):
      offset += 1
      return try unicodeEscape()
    default: throw unexpected()
    }
    offset += 1
    return scalar
  }

  private mutating func unicodeEscape() throws(JSONFailure) -> Unicode.Scalar {
    let first = try fourHexDigits()
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard first < 0xDC00, offset + 1 < bytes.count, bytes[offset] == UInt8(ascii: "\\"),
      bytes[offset + 1] == UInt8(ascii: "u")
    else { return "\u{FFFD}" }
    let beforeSecond = offset
    offset += 2
    let second = try fourHexDigits()
    guard (0xDC00...0xDFFF).contains(second) else {
      offset = beforeSecond
      return "\u{FFFD}"
    }
    let joined = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)
    return Unicode.Scalar(joined) ?? "\u{FFFD}"
  }

  private mutating func fourHexDigits() throws(JSONFailure) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = next else { throw .endedEarly }
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
      default: throw unexpected()
      }
      value = value << 4 | UInt32(digit)
      offset += 1
    }
    return value
  }

  private mutating func digits() throws(JSONFailure) {
    guard let first = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
      throw unexpected()
    }
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { offset += 1 }
  }

  private mutating func number() throws(JSONFailure) -> JSONValue {
    let start = offset
    var isWhole = true
    if next == UInt8(ascii: "-") { offset += 1 }
    if next == UInt8(ascii: "0") { offset += 1 } else { try digits() }
    if next == UInt8(ascii: ".") {
      isWhole = false
      offset += 1
      try digits()
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      isWhole = false
      offset += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { offset += 1 }
      try digits()
    }
    assert(offset > start, "a number has a digit")
    let text = String(decoding: bytes[start..<offset], as: UTF8.self)
    if isWhole, let integer = Int64(text) { return .integer(integer) }
    guard let double = Double(text), double.isFinite else {
      guard omitsNumbersOutOfRange else { throw .numberOutOfRange(offset: start) }
      isOmitted = true
      return .null
    }
    return .double(double)
  }
}
