public import BelfryWire

/// A parser for strings files in the text format (`"key" = "text";` with comments).
///
/// Each error includes its line.
///
/// The bytes are untrusted. The result is always an object or a failure, and parsing takes time linear in the number of
/// bytes.
public struct StringsParser {
  /// An error and its position.
  public struct Failure: Error, Equatable, CustomStringConvertible {
    /// The line number, starting at 1.
    public let line: Int
    /// The error as a clause, such as `missing ';' after the text of 'key'`.
    public let what: String  // text: our own words and at most 40 scalars of the file
    /// The remedy for the error; nil if the error is self-explanatory.
    public let remedy: String?  // text: our own words

    init(line: Int, what: String, remedy: String? = nil) {
      self.line = line
      self.what = what
      self.remedy = remedy
    }

    /// The line number, the error and its remedy.
    public var description: String { "line \(line): \(what)\(remedy.map { ": \($0)" } ?? "")" }
  }

  private let text: [Unicode.Scalar]
  private var index = 0
  private var line = 1

  private init(_ text: String) { self.text = Array(text.unicodeScalars) }

  /// Parses a strings file into an object that maps each key to its string.
  ///
  /// Returns nil for a property list in XML or binary format. If a key occurs more than once, the last string is used.
  public static func parse(file bytes: [UInt8]) throws(Failure) -> JSONObject? {
    guard !bytes.starts(with: Array("bplist".utf8)) else { return nil }
    let text = try text(of: bytes)
    let first = text.unicodeScalars.first { !$0.properties.isWhitespace }
    return first == "<" ? nil : try parse(text)
  }

  /// Parses the text of a strings file into an object that maps each key to its string.
  ///
  /// If a key occurs more than once, the last string is used.
  public static func parse(_ text: String) throws(Failure) -> JSONObject {
    var parser = StringsParser(text)
    try parser.skipSpace()
    let isBraced = parser.accept("{")
    let object = try parser.pairs(depth: 0)
    if isBraced {
      guard parser.accept("}") else { throw parser.failure("missing '}' at the end") }
      try parser.skipSpace()
    }
    guard parser.next == nil else {
      throw Failure(
        line: parser.line, what: "expected a key, found \(parser.found)",
        remedy: "write \"key\" = \"text\";")
    }
    return object
  }

  /// Decodes a file in UTF-8, or in UTF-16 with a byte order mark.
  static func text(of bytes: [UInt8]) throws(Failure) -> String {
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      let isLittle = bytes[0] == 0xFF
      guard bytes.count.isMultiple(of: 2) else {
        throw Failure(line: 1, what: "not valid UTF-16: it has an odd number of bytes")
      }
      let units = stride(from: 2, to: bytes.count, by: 2).map { place in
        let (first, second) = (UInt16(bytes[place]), UInt16(bytes[place + 1]))
        return isLittle ? second << 8 | first : first << 8 | second
      }
      return String(decoding: units, as: UTF16.self)
    }
    let plain = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    if let text = String(validating: plain, as: UTF8.self) { return text }
    let lines = plain.split(separator: 0x0A, omittingEmptySubsequences: false)
    let bad = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil } ?? 0
    throw Failure(line: bad + 1, what: "not valid UTF-8", remedy: "save the file as UTF-8")
  }

  // MARK: the grammar

  private mutating func pairs(depth: Int) throws(Failure) -> JSONObject {
    guard depth < WireLimits.stringsDepthMax else {
      throw failure("more than \(WireLimits.stringsDepthMax) nested '{'")
    }
    var pairs: [(String, JSONValue)] = []
    try skipSpace()
    while let first = next, Self.isWordScalar(first) || first == "\"" || first == "'" {
      let key = try string()
      let shown = Substring(key.unicodeScalars.prefix(40))
      var keyEnd = line
      try skipSpace()
      var value = JSONValue.string(key)
      if accept("=") {
        try skipSpace()
        value = try self.value(of: shown, depth: depth)
        keyEnd = line
        try skipSpace()
      } else if next != ";" {
        // Do not include the key in the message: if the file is not a strings file, the key can be any word in the
        // file.
        throw Failure(line: keyEnd, what: "missing '=' after the key")
      }
      guard accept(";") else {
        throw Failure(line: keyEnd, what: "missing ';' after the text of '\(shown)'")
      }
      pairs.append((key, value))
      try skipSpace()
    }
    return JSONObject(pairs)
  }

  private mutating func value(
    of key: Substring, depth: Int
  ) throws(Failure) -> JSONValue {
    if accept("{") {
      let inner = try pairs(depth: depth + 1)
      guard accept("}") else { throw failure("missing '}' after '\(key)'") }
      return .object(inner)
    }
    guard let first = next, Self.isWordScalar(first) || first == "\"" || first == "'" else {
      throw failure("expected the text of '\(key)', found \(found)")
    }
    return .string(try string())
  }

  private mutating func string() throws(Failure) -> String {
    guard let quote = next, quote == "\"" || quote == "'" else {
      var word = String.UnicodeScalarView()
      while let scalar = next, Self.isWordScalar(scalar) {
        word.append(scalar)
        index += 1
      }
      return String(word)
    }
    let start = line
    index += 1
    var units: [UInt16] = []
    while let scalar = next {
      advance()
      if scalar == quote { return String(decoding: units, as: UTF16.self) }
      if scalar == "\\" {
        units += escaped()
      } else {
        units += Array(String(scalar).utf16)
      }
    }
    throw Failure(
      line: start, what: "missing closing \(quote) of the text that begins on this line")
  }

  /// Reads the escape sequence after a backslash and returns the character that it represents.
  private mutating func escaped() -> [UInt16] {
    guard let scalar = next else { return [] }
    advance()
    switch scalar {
    case "a": return [0x07]
    case "b": return [0x08]
    case "f": return [0x0C]
    case "n": return [0x0A]
    case "r": return [0x0D]
    case "t": return [0x09]
    case "v": return [0x0B]
    case "U", "u": return [number(radix: 16, digits: 4) ?? UInt16(truncatingIfNeeded: scalar.value)]
    case "0"..."7":
      assert(index > 0, "the first digit was already read")
      index -= 1
      return [number(radix: 8, digits: 3) ?? 0]
    default: return Array(String(scalar).utf16)
    }
  }

  private mutating func number(radix: UInt16, digits: Int) -> UInt16? {
    var value: UInt16?
    for _ in 0..<digits {
      guard let digit = next.flatMap({ Character($0).hexDigitValue }), digit < Int(radix) else {
        break
      }
      value = (value ?? 0) &* radix &+ UInt16(digit)
      index += 1
    }
    return value
  }

  // MARK: scalars

  private var next: Unicode.Scalar? { index < text.count ? text[index] : nil }

  /// A description of the next scalar, for error messages.
  private var found: String { next.map { "'\($0)'" } ?? "the end of the file" }

  private func failure(_ what: String) -> Failure { Failure(line: line, what: what) }

  private mutating func accept(_ scalar: Unicode.Scalar) -> Bool {
    guard next == scalar else { return false }
    index += 1
    return true
  }

  private mutating func advance() {
    guard let scalar = next else { return }
    index += 1
    assert(
      index <= text.count && line <= index,
      "the reader stays within the text, and its line does not exceed its position")
    // A line is terminated by LF, CR or CR LF.
    if scalar == "\n" || scalar == "\r" && next != "\n" { line += 1 }
  }

  private mutating func skipSpace() throws(Failure) {
    while let scalar = next {
      if scalar.properties.isWhitespace || scalar.value < 0x20 {
        advance()
      } else if scalar == "/", index + 1 < text.count, text[index + 1] == "/" {
        while let scalar = next, scalar != "\n", scalar != "\r" { index += 1 }
      } else if scalar == "/", index + 1 < text.count, text[index + 1] == "*" {
        try skipComment()
      } else {
        return
      }
    }
  }

  private mutating func skipComment() throws(Failure) {
    let start = line
    assert(index + 2 <= text.count, "a comment begins with two scalars")
    index += 2
    while let scalar = next {
      advance()
      if scalar == "*", accept("/") { return }
    }
    throw Failure(line: start, what: "missing '*/' after the comment that begins on this line")
  }

  /// Returns true if an unquoted string can contain the scalar.
  private static func isWordScalar(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "_", "$", ".", ":", "-": true
    default: false
    }
  }
}
