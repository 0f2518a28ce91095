/// The first error in a payload that is not a single JSON object, with its position and its cause.
///
/// The text addresses the developer who wrote the payload.
public struct PayloadFault: Error, Hashable, Sendable {
  /// The line number, starting at 1.
  public let line: Int
  /// The character position in the line, starting at 1.
  public let column: Int
  /// A description of the error.
  public let what: String
  /// The change that corrects the error.
  public let remedy: String

  /// Finds the first error in `bytes`.
  ///
  /// Returns nil if `bytes` contains a single JSON object. The check is exactly as strict as the service's check; for
  /// example, text that is not valid UTF-8 passes.
  public init?(in bytes: [UInt8]) {
    guard !PayloadSyntax.isObject(bytes.span) else { return nil }
    let limits = JSONLimits(bytes: .max)
    let offset: Int
    do {
      _ = try JSONValue(parsing: bytes, limits: limits)
      (offset, what, remedy) = (
        bytes.firstIndex { !Self.isSpace($0) } ?? 0, "another JSON value",
        "use an object, such as {\"key\":\"value\"}"
      )
    } catch {
      switch error {
      case .unexpectedByte(let at): (offset, what, remedy) = Self.unexpected(bytes, at: at)
      case .trailingBytes(let at):
        (offset, what, remedy) = (at, "unexpected data after the object", "remove it")
      case .endedEarly where bytes.allSatisfy(Self.isSpace):
        (offset, what, remedy) = (0, "empty input", "enter a JSON object")
      case .endedEarly:
        (offset, what, remedy) = (
          bytes.count, "unexpected end", "close the open string, '[' or '{'"
        )
      case .invalidUTF8(let at):
        (offset, what, remedy) = (at, "invalid UTF-8", "save the file as UTF-8")
      case .numberOutOfRange(let at):
        (offset, what, remedy) = (at, "number out of range", "use a smaller number")
      case .tooDeep, .tooLong:
        (offset, what, remedy) = (0, "\(error)", "simplify it")
      }
    }
    let before = bytes[..<offset]
    let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    line = 1 + before.count { $0 == UInt8(ascii: "\n") }
    column = 1 + String(decoding: before[start...], as: UTF8.self).count
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  /// Recognizes a common mistake by the unexpected byte and the byte before it.
  private static func unexpected(
    _ bytes: [UInt8], at offset: Int
  ) -> (offset: Int, what: String, remedy: String) {
    let rest = bytes[offset...]
    let byte = bytes[offset]
    let previous = bytes[..<offset].lastIndex { !isSpace($0) }
    let closes = byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
    if let previous, closes, bytes[previous] == UInt8(ascii: ",") {
      let character = Character(Unicode.Scalar(byte))
      return (previous, "trailing comma before '\(character)'", "remove the comma")
    }
    if rest.starts(with: [0xEF, 0xBB, 0xBF]) {
      return (offset, "unexpected byte order mark", "save the file as UTF-8 without it")
    }
    if byte < 0x20, !isSpace(byte) || isInText(bytes, offset) {
      return (
        offset, "line break or control character in a string", #"escape it, such as \n or \u0009"#
      )
    }
    if byte == UInt8(ascii: "'") || rest.starts(with: Array("“".utf8))
      || rest.starts(with: Array("”".utf8))
    {
      return (offset, "invalid quotation mark", #"use ""#)
    }
    if byte == UInt8(ascii: "/") || byte == UInt8(ascii: "#") {
      return (offset, "JSON doesn't allow comments", "remove the comment")
    }
    if let previous, bytes[previous] == UInt8(ascii: "\\") {
      return (offset, "invalid escape sequence", #"use \\ for a backslash"#)
    }
    if let previous, endsValue(bytes[previous]), !closes {
      return byte == UInt8(ascii: ":")
        ? (offset, "unexpected colon", "use a colon only after a key")
        : (offset, "missing comma or colon", "add one before this")
    }
    if let previous, bytes[previous] == UInt8(ascii: "{") || bytes[previous] == UInt8(ascii: ",") {
      return (
        offset, "missing key or value, or missing quotation marks", #"use "key": value"#
      )
    }
    let character = String(decoding: rest.prefix(4), as: UTF8.self).first ?? "?"
    return (offset, "unexpected character '\(character)'", "use a valid JSON value")
  }

  /// Returns true if the byte ends a string, a number, a word, an array or an object.
  private static func endsValue(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "}"), UInt8(ascii: "]"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: false
    }
  }

  /// Returns true if `offset` is inside a string: an odd number of quotation marks precedes it.
  private static func isInText(_ bytes: [UInt8], _ offset: Int) -> Bool {
    var isOpen = false
    var isEscaped = false
    for byte in bytes[..<offset] {
      if byte == UInt8(ascii: "\""), !isEscaped { isOpen.toggle() }
      isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
    }
    return isOpen
  }
}
