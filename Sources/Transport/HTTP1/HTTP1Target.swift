/// The target of a request in its origin form (RFC 9112 section 3.2.1), decoded.
package struct HTTP1Target {
  package let path: String
  /// The names and values in order; a name without "=" has an empty value.
  package let query: [(name: String, value: String)]

  /// Decodes the percent escapes (RFC 3986 section 2.1), and leaves invalid escapes unchanged.
  ///
  /// An escaped slash in the path is also left unchanged: it is part of a segment, and decoding it would split the
  /// segment in two (RFC 3986 section 2.2).
  package init(_ target: [UInt8]) {
    let parts = target.split(separator: 0x3F, maxSplits: 1, omittingEmptySubsequences: false)
    path = Self.decoded(parts.first ?? [], retainsSlashes: true)
    query = (parts.count > 1 ? parts[1] : []).split(separator: 0x26).map { pair in
      let sides = pair.split(separator: 0x3D, maxSplits: 1, omittingEmptySubsequences: false)
        // HTML forms encode a space as "+".
        .map { side in Self.decoded(side.map { $0 == 0x2B ? 0x20 : $0 }[...]) }
      return (sides.first ?? "", sides.count > 1 ? sides[1] : "")
    }
  }

  private static func decoded(
    _ text: ArraySlice<UInt8>, retainsSlashes: Bool = false
  ) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var rest = text
    while let byte = rest.popFirst() {
      if byte == 0x25, let escaped = octet(rest.prefix(2)),
        !retainsSlashes || escaped != 0x2F
      {
        bytes.append(escaped)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func octet(_ digits: ArraySlice<UInt8>) -> UInt8? {
    let values = digits.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
    return values.count == 2 ? UInt8(values[0] << 4 | values[1]) : nil
  }
}
