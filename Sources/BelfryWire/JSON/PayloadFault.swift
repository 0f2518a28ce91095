/// The position and reason of the first error in a payload that is not a single JSON object, for the developer who
/// wrote it.
public struct PayloadFault: Error, Hashable, Sendable {
  /// The line number, starting at 1.
  public let line: Int
  /// The character position in the line, starting at 1.
  public let column: Int
  /// A description of the error.
  public let what: String
  /// The way to fix it.
  public let remedy: String

  /// Finds the first error in `bytes`.
  ///
  /// Returns nil if they are a single JSON object. It is exactly as strict as the service: for example, text that is
  /// not UTF-8 passes.
  public init?(in bytes: [UInt8]) {
    guard !PayloadSyntax.isObject(bytes.span) else { return nil }
    let limits = JSONLimits(bytes: .max)
    let offset: Int
    do {
      _ = try JSONValue(parsing: bytes, limits: limits)
      (offset, what, remedy) = (
        bytes.firstIndex { !Self.isSpace($0) } ?? 0, "it is no object",
        "put everything between '{' and '}'"
      )
    } catch {
      switch error {
      case .unexpectedByte(let at): (offset, what, remedy) = Self.unexpected(bytes, at: at)
      case .trailingBytes(let at):
        (offset, what, remedy) = (at, "more follows the end of the object", "take it away")
      case .endedEarly where bytes.allSatisfy(Self.isSpace):
        (offset, what, remedy) = (0, "it is empty", "write one JSON object")
      case .endedEarly:
        (offset, what, remedy) = (
          bytes.count, "it ends too early", "close what is still open: a text, '[' or '{'"
        )
      case .invalidUTF8(let at):
        (offset, what, remedy) = (at, "the text is not UTF-8", "save the file as UTF-8")
      case .numberOutOfRange(let at):
        (offset, what, remedy) = (at, "the number is out of range", "write a smaller one")
      case .tooDeep, .tooLong:
        (offset, what, remedy) = (0, "\(error)", "make it simpler")
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

  /// Diagnoses common mistakes by the unexpected byte and the one before it.
  private static func unexpected(
    _ bytes: [UInt8], at offset: Int
  ) -> (offset: Int, what: String, remedy: String) {
    let rest = bytes[offset...]
    let byte = bytes[offset]
    let previous = bytes[..<offset].lastIndex { !isSpace($0) }
    let closes = byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
    if let previous, closes, bytes[previous] == UInt8(ascii: ",") {
      let character = Character(Unicode.Scalar(byte))
      return (previous, "there is a comma before '\(character)'", "take the comma away")
    }
    if rest.starts(with: [0xEF, 0xBB, 0xBF]) {
      return (offset, "there is a byte order mark", "save the file as UTF-8 without one")
    }
    if byte < 0x20, !isSpace(byte) || isInText(bytes, offset) {
      return (offset, "there is a line break or a control in a text", #"write it as \n or \u0009"#)
    }
    if byte == UInt8(ascii: "'") || rest.starts(with: Array("“".utf8))
      || rest.starts(with: Array("”".utf8))
    {
      return (offset, "the quotation mark is not the one of JSON", #"write ""#)
    }
    if byte == UInt8(ascii: "/") || byte == UInt8(ascii: "#") {
      return (offset, "JSON has no comments", "take the comment away")
    }
    if let previous, bytes[previous] == UInt8(ascii: "\\") {
      return (offset, "the text has an unknown escape", #"write \\ for a backslash"#)
    }
    if let previous, endsValue(bytes[previous]), !closes {
      return byte == UInt8(ascii: ":")
        ? (offset, "a colon stands where none belongs", "write it behind a key alone")
        : (offset, "a comma or a colon is missing", "write one before this")
    }
    if let previous, bytes[previous] == UInt8(ascii: "{") || bytes[previous] == UInt8(ascii: ",") {
      return (
        offset, "a key or a value is missing or not in quotation marks", #"write "key": value"#
      )
    }
    let character = String(decoding: rest.prefix(4), as: UTF8.self).first ?? "?"
    return (offset, "'\(character)' does not belong here", "write a value that JSON has")
  }

  /// Returns true if the byte ends a text, a number, a word, an array or an object.
  private static func endsValue(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "}"), UInt8(ascii: "]"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: false
    }
  }

  /// Returns true if a text is open at `offset`: an odd number of quotation marks precedes it.
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
