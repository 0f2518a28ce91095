/// The identifier octets that occur in certificate extensions (X.690 section 8.1.2).
package enum DERTag {
  static let boolean: UInt8 = 0x01
  package static let integer: UInt8 = 0x02
  package static let bitString: UInt8 = 0x03
  package static let octetString: UInt8 = 0x04
  package static let null: UInt8 = 0x05
  package static let objectIdentifier: UInt8 = 0x06
  package static let utf8String: UInt8 = 0x0C
  package static let sequence: UInt8 = 0x30

  /// Returns a context-specific tag, which is primitive by default.
  package static func context(_ number: UInt8, constructed: Bool = false) -> UInt8 {
    0x80 | number | (constructed ? 0x20 : 0)
  }
}

/// A writer of definite-length DER (X.690 section 10).
///
/// The writer works bottom-up: each function returns one element.
package enum DER {
  package static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    [tag] + length(content.count) + content
  }

  static func sequence(_ elements: [[UInt8]]) -> [UInt8] {
    element(DERTag.sequence, Array(elements.joined()))
  }

  static func utf8(_ text: String) -> [UInt8] { element(DERTag.utf8String, Array(text.utf8)) }

  static func objectIdentifier(_ oid: ObjectIdentifier) -> [UInt8] {
    element(DERTag.objectIdentifier, oid.encoded)
  }

  private static func length(_ count: Int) -> [UInt8] {
    assert(count >= 0, "the length is not negative")
    if count < 0x80 { return [UInt8(count)] }
    var bytes: [UInt8] = []
    var rest = count
    while rest > 0 {
      bytes.insert(UInt8(rest & 0xFF), at: 0)
      rest >>= 8
    }
    return [0x80 | UInt8(bytes.count)] + bytes
  }
}

/// A reader of definite-length DER that never traps, regardless of the bytes.
package struct DERReader {
  private let bytes: ArraySlice<UInt8>
  private var position: Int

  package init(_ bytes: [UInt8]) { self.init(bytes[...]) }

  package init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  var isAtEnd: Bool { position == bytes.endIndex }

  /// The tag of the next element; nil at the end.
  package var nextTag: UInt8? { isAtEnd ? nil : bytes[position] }

  /// Returns the content of the next element if its tag is `tag`.
  package mutating func element(tag: UInt8) -> ArraySlice<UInt8>? {
    guard nextTag == tag, let content = contentRange() else { return nil }
    position = content.upperBound
    return bytes[content]
  }

  /// Returns a reader of the next element's content if it is a sequence.
  mutating func sequence() -> DERReader? { element(tag: DERTag.sequence).map(DERReader.init) }

  /// Returns the next element's text if it is a UTF8String of valid UTF-8.
  package mutating func utf8() -> String? {
    element(tag: DERTag.utf8String).flatMap { String(validating: $0, as: UTF8.self) }
  }

  private func contentRange() -> Range<Int>? {
    assert(
      (bytes.startIndex...bytes.endIndex).contains(position), "the reader stays within its bytes")
    let rest = bytes[position...].dropFirst()
    guard let first = rest.first else { return nil }
    var count = Int(first)
    var header = 2
    if first >= 0x80 {
      let digits = Int(first & 0x7F)
      guard (1...3).contains(digits), rest.count > digits else { return nil }
      count = rest.dropFirst().prefix(digits).reduce(0) { $0 << 8 | Int($1) }
      header += digits
    }
    guard bytes.endIndex - position - header >= count else { return nil }
    return position + header..<position + header + count
  }
}
