internal import Glibc

/// Decoded text that is compared, sorted, and hashed by its UTF-8 bytes.
///
/// `String` compares by Unicode normalization: "é" as one scalar equals "é" as two scalars, and the comparison of
/// strings of combining marks takes time quadratic in their length. For this reason, text that a peer wrote is never
/// compared, hashed, or looked up as a `String`.
public struct UTF8Text: Sendable {
  /// The same text as a `String`, for display, for output, or for an interface that takes a `String`.
  public let string: String

  /// Creates the text from a string.
  public init(_ string: String) { self.string = string }

  /// The UTF-8 bytes of the text.
  public var utf8: String.UTF8View { string.utf8 }

  /// True if the text is empty.
  public var isEmpty: Bool { string.isEmpty }

  /// True if no byte is above 0x7F.
  public var isASCII: Bool { string.isASCII }
}

extension UTF8Text: Hashable, Comparable {
  /// Returns true if both texts have the same bytes.
  public static func == (one: UTF8Text, other: UTF8Text) -> Bool {
    one.string.hasSameBytes(as: other.string)
  }

  /// Returns true if both texts have the same bytes.
  public static func == (one: UTF8Text, other: String) -> Bool {
    one.string.hasSameBytes(as: other)
  }
  /// Returns true if both texts have the same bytes.
  public static func == (one: String, other: UTF8Text) -> Bool {
    one.hasSameBytes(as: other.string)
  }
  /// Returns true if any byte differs.
  public static func != (one: UTF8Text, other: String) -> Bool { !(one == other) }
  /// Returns true if any byte differs.
  public static func != (one: String, other: UTF8Text) -> Bool { !(one == other) }

  /// Compares the bytes, which yields the same order as comparing the scalars.
  public static func < (one: UTF8Text, other: UTF8Text) -> Bool {
    one.string.byteOrder(to: other.string) < 0
  }

  /// Hashes the UTF-8 bytes.
  public func hash(into hasher: inout Hasher) { string.hashBytes(into: &hasher) }
}

extension UTF8Text: ExpressibleByStringLiteral, ExpressibleByStringInterpolation,
  CustomStringConvertible, CustomDebugStringConvertible
{
  /// Creates the text from a literal.
  public init(stringLiteral value: String) { self.init(value) }
  /// The text itself, for display.
  public var description: String { string }
  /// The text as a literal.
  public var debugDescription: String { string.debugDescription }
}

extension RawRepresentable where RawValue == String {
  /// Creates the case for a word that a peer wrote.
  ///
  /// Returns nil if the word is unknown. The initializer does not use `init(rawValue:)`, because Swift compares two
  /// strings by their bytes only if both are ASCII, and a peer's word might not be. All raw values are ASCII.
  public init?(word: String) {
    guard word.isASCII else { return nil }
    self.init(rawValue: word)
  }
}

extension String {
  /// True if no byte is above 0x7F.
  ///
  /// Swift compares two ASCII strings by their bytes.
  public var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }

  /// Returns true if both strings have the same UTF-8 bytes.
  ///
  /// Use this method for values that remain strings, such as an argument or a filename.
  public func hasSameBytes(as other: String) -> Bool {
    utf8.count == other.utf8.count && byteOrder(to: other) == 0
  }

  /// Returns a negative, zero or positive number if the bytes sort before, are equal to, or sort after the bytes of
  /// `other`.
  func byteOrder(to other: String) -> Int {
    let order = unsafe utf8.withContiguousStorageIfAvailable { one in
      unsafe other.utf8.withContiguousStorageIfAvailable { two -> Int in
        let common = min(one.count, two.count)
        if common > 0, let first = one.baseAddress, let second = two.baseAddress {
          let difference = unsafe memcmp(first, second, common)
          if difference != 0 { return Int(difference) }
        }
        return one.count - two.count
      }
    }
    // Native strings are contiguous; other strings do not occur on this platform.
    if let order, let order { return order }
    if utf8.elementsEqual(other.utf8) { return 0 }
    return utf8.lexicographicallyPrecedes(other.utf8) ? -1 : 1
  }

  /// Hashes the UTF-8 bytes, followed by a byte that never occurs in UTF-8 and separates adjacent strings.
  func hashBytes(into hasher: inout Hasher) {
    let wasFed: Void? = unsafe utf8.withContiguousStorageIfAvailable {
      unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0))
    }
    if wasFed == nil { for byte in utf8 { hasher.combine(byte) } }
    hasher.combine(0xFF as UInt8)
  }
}

extension Sequence<String> {
  /// Returns true if an element has the same UTF-8 bytes as `text`.
  public func containsBytes(of text: String) -> Bool {
    contains { $0.hasSameBytes(as: text) }
  }
}
