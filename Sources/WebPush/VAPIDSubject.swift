internal import BelfryWire

/// Apple's rules for `sub`, as its users observed them.
enum VAPIDSubject {
  /// Returns true for a `mailto:` URI with one address in a domain that has a dot, and for an `https:` URI with such a
  /// domain.
  ///
  /// White space and angle brackets, `localhost`, and addresses without a scheme are refused.
  static func isAccepted(_ text: Span<UInt8>) -> Bool {
    for index in text.indices {
      let byte = text[index]
      guard (0x21..<0x7F).contains(byte), byte != UInt8(ascii: "<"), byte != UInt8(ascii: ">")
      else { return false }
    }
    if text.count > 8, text.extracting(0..<8).equalsIgnoringCase("https://") {
      var end = 8
      while end < text.count, text[end].isBase64URL || text[end] == UInt8(ascii: ".") { end += 1 }
      return isDomain(text.extracting(8..<end))
    }
    guard text.count > 7, text.extracting(0..<7).equalsIgnoringCase("mailto:") else { return false }
    let address = text.extracting(7..<text.count)
    var at: Int?
    for index in address.indices where address[index] == UInt8(ascii: "@") {
      guard at == nil else { return false }
      at = index
    }
    guard let at, at > 0 else { return false }
    return isDomain(address.extracting((at + 1)..<address.count))
  }

  /// Returns true for a domain name with at least two labels.
  private static func isDomain(_ text: Span<UInt8>) -> Bool {
    var labels = 1
    var labelBytes = 0
    for index in text.indices {
      if text[index] == UInt8(ascii: ".") {
        guard labelBytes > 0 else { return false }
        labels += 1
        labelBytes = 0
      } else {
        guard text[index].isBase64URL else { return false }
        labelBytes += 1
      }
    }
    return labels > 1 && labelBytes > 0
  }
}
