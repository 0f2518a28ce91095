/// The extensions after a chunk's size (RFC 9112 section 7.1.1), which are checked and then ignored.
enum HTTP1ChunkExtensions {
  /// Returns true if `bytes` is a sequence of any number of `;name`, `;name=token`, and `;name="text"`.
  ///
  /// Whitespace around an extension, which the grammar calls "bad whitespace", is rejected, because other parsers treat
  /// it as the end of the chunk size.
  static func isWellFormed(_ bytes: ArraySlice<UInt8>) -> Bool {
    var rest = bytes
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: ";"), takeToken(&rest) else { return false }
      guard rest.first == UInt8(ascii: "=") else { continue }
      rest.removeFirst()
      guard takeToken(&rest) || takeQuotedText(&rest) else { return false }
    }
    return true
  }

  private static func takeToken(_ rest: inout ArraySlice<UInt8>) -> Bool {
    let token = rest.prefix(while: HTTP1RequestHead.isTokenByte)
    rest = rest.dropFirst(token.count)
    return !token.isEmpty
  }

  /// Reads a quoted string (RFC 9110 section 5.6.4).
  private static func takeQuotedText(_ rest: inout ArraySlice<UInt8>) -> Bool {
    guard rest.first == UInt8(ascii: "\"") else { return false }
    rest.removeFirst()
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\"") { return true }
      guard byte == UInt8(ascii: "\\") else {
        guard isText(byte) else { return false }
        continue
      }
      guard let escaped = rest.popFirst(), isText(escaped) else { return false }
    }
    return false
  }

  private static func isText(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F || byte == 0x09 }
}
