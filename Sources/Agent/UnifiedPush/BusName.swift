import BelfryWire

/// The syntax of names on a message bus (D-Bus specification, "Valid Names").
enum BusName {
  /// The maximum length of a name, in bytes.
  private static let bytesMax = 255

  /// Returns true if a text is a valid well-known name, such as `org.example.App`.
  static func isWellKnown(_ text: UTF8Text) -> Bool {
    isValid(text.utf8.prefix(text.utf8.count), mayStartWithDigit: false)
  }

  /// Returns true if a text is a valid unique name, such as `:1.42`, which a bus assigns to a connection.
  static func isUnique(_ text: UTF8Text) -> Bool {
    text.utf8.first == UInt8(ascii: ":") && text.utf8.count <= bytesMax
      && isValid(text.utf8.dropFirst(), mayStartWithDigit: true)
  }

  private static func isValid(_ text: Substring.UTF8View, mayStartWithDigit: Bool) -> Bool {
    guard text.count <= bytesMax else { return false }
    let elements = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard elements.count >= 2 else { return false }
    return elements.allSatisfy { element in
      guard let first = element.first else { return false }
      return (mayStartWithDigit || !isDigit(first)) && element.allSatisfy(isAllowed)
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: isDigit(byte)
    }
  }
}
