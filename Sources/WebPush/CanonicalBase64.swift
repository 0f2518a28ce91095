internal import BelfryWire

/// Base64url without padding, in which each sequence of bytes has only one text (RFC 4648 section 3.5).
enum CanonicalBase64 {
  /// Returns the bytes that `text` encodes, or nil if there are not exactly `count` or the text is not canonical.
  static func decode(_ text: Span<UInt8>, bytes count: Int) -> [UInt8]? {
    guard text.count == (count * 4 + 2) / 3, let bytes = Base64.decode(text),
      Array(Base64.encode(bytes, url: true).utf8).span.equals(text)
    else { return nil }
    assert(bytes.count == count, "the length of the text determines the number of bytes")
    return bytes
  }
}
