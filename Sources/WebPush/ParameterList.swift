internal import BelfryWire

/// The parameters of `Authorization`, `Encryption` and `Crypto-Key`: `name=value`, separated by `;` and `,`.
///
/// Values can be quoted. Empty parameters and white space around names and values are ignored. Parsing reads each byte
/// once.
struct ParameterList {
  /// A name with its value, without quotation marks.
  struct Parameter: Equatable {
    /// The number of commas before the parameter.
    let section: Int
    let name: [UInt8]
    let value: [UInt8]
  }

  private(set) var parameters: [Parameter] = []

  /// Parses `text`, or returns nil if a parameter has no name or no value, if a quotation mark is missing, or if a byte
  /// is not printable ASCII.
  init?(_ text: Span<UInt8>) {
    var index = 0
    var section = 0
    while index < text.count {
      guard let parameter = Self.parameter(text, at: &index, in: section) else { return nil }
      if let parameter = parameter.value { parameters.append(parameter) }
      if index < text.count {
        assert(Self.isSeparator(text[index]), "a parameter ends at a separator")
        if text[index] == UInt8(ascii: ",") { section += 1 }
        index += 1
      }
    }
  }

  /// A parameter, or nothing between two separators.
  private struct Item { var value: Parameter? }

  private static func parameter(
    _ text: Span<UInt8>, at index: inout Int, in section: Int
  ) -> Item? {
    skipSpace(text, at: &index)
    if index == text.count || isSeparator(text[index]) { return Item() }
    let start = index
    while index < text.count, text[index] != UInt8(ascii: "=") {
      guard isPrintable(text[index]), !isSeparator(text[index]) else { return nil }
      index += 1
    }
    let end = endWithoutSpace(text, from: start, to: index)
    guard index < text.count, isBare(text, from: start, to: end), end > start else { return nil }
    let name = text.extracting(start..<end).copied()
    index += 1
    skipSpace(text, at: &index)
    guard let value = value(text, at: &index) else { return nil }
    return Item(value: Parameter(section: section, name: name, value: value))
  }

  private static func value(_ text: Span<UInt8>, at index: inout Int) -> [UInt8]? {
    if index < text.count, text[index] == UInt8(ascii: "\"") {
      guard let value = quoted(text, at: &index) else { return nil }
      skipSpace(text, at: &index)
      return index == text.count || isSeparator(text[index]) ? value : nil
    }
    let start = index
    while index < text.count, !isSeparator(text[index]) {
      guard isPrintable(text[index]) else { return nil }
      index += 1
    }
    let end = endWithoutSpace(text, from: start, to: index)
    return isBare(text, from: start, to: end) ? text.extracting(start..<end).copied() : nil
  }

  /// Reads a quoted string, in which a backslash precedes a literal character (RFC 9110 section 5.6.4).
  private static func quoted(_ text: Span<UInt8>, at index: inout Int) -> [UInt8]? {
    var value: [UInt8] = []
    index += 1
    while index < text.count {
      var byte = text[index]
      index += 1
      if byte == UInt8(ascii: "\"") { return value }
      if byte == UInt8(ascii: "\\") {
        guard index < text.count else { return nil }
        byte = text[index]
        index += 1
      }
      guard isPrintable(byte) else { return nil }
      value.append(byte)
    }
    return nil
  }

  /// Returns the value of the first parameter with this name, which is in lowercase.
  ///
  /// Names are compared without regard to case (RFC 9110 section 11.2).
  func first(_ name: StaticString) -> [UInt8]? {
    parameters.first { $0.name.span.equalsIgnoringCase(name) }?.value
  }

  /// Returns true if a name occurs more than once.
  func isRepeated(_ name: StaticString) -> Bool {
    parameters.count { $0.name.span.equalsIgnoringCase(name) } > 1
  }

  /// Returns the list without quotation marks, without base64 padding, and without the parameters called `omitted`.
  ///
  /// This is autopush's form of `Encryption` and `Crypto-Key`. A value that contains a separator keeps its quotation
  /// marks.
  func text(omitting omitted: StaticString) -> [UInt8] {
    var text: [UInt8] = []
    var section = 0
    for parameter in parameters where !parameter.name.span.equalsIgnoringCase(omitted) {
      if !text.isEmpty {
        text.append(section == parameter.section ? UInt8(ascii: ";") : UInt8(ascii: ","))
      }
      section = parameter.section
      text += parameter.name
      text.append(UInt8(ascii: "="))
      Self.append(parameter.value, to: &text)
    }
    return text
  }

  private static func append(_ value: [UInt8], to text: inout [UInt8]) {
    let value = value.prefix(value.span.countWithoutPadding)
    guard value.contains(where: { isSeparator($0) || isSpecial($0) }) else {
      text += value
      return
    }
    text.append(UInt8(ascii: "\""))
    for byte in value {
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        text.append(UInt8(ascii: "\\"))
      }
      text.append(byte)
    }
    text.append(UInt8(ascii: "\""))
  }

  private static func isSeparator(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ";") || byte == UInt8(ascii: ",")
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  private static func isSpecial(_ byte: UInt8) -> Bool {
    isSpace(byte) || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private static func isPrintable(_ byte: UInt8) -> Bool {
    (0x20..<0x7F).contains(byte) || byte == 0x09
  }

  /// Returns true if the text needs no quotation marks, so that a list does not become longer when it is written.
  private static func isBare(_ text: Span<UInt8>, from start: Int, to end: Int) -> Bool {
    for index in start..<end where isSpecial(text[index]) { return false }
    return true
  }

  private static func skipSpace(_ text: Span<UInt8>, at index: inout Int) {
    while index < text.count, isSpace(text[index]) { index += 1 }
  }

  private static func endWithoutSpace(_ text: Span<UInt8>, from start: Int, to end: Int) -> Int {
    var end = end
    while end > start, isSpace(text[end - 1]) { end -= 1 }
    return end
  }
}
