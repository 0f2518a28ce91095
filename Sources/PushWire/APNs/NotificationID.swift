internal import BelfryWire

/// The identifier of a notification: the 128 bits of `apns-id`.
///
/// Use this value for comparison and storage. A response instead echoes the client's text byte for byte. The value also
/// records whether that text was in lowercase, so that a device receives the client's spelling. Two spellings of one
/// identifier are equal.
public struct NotificationID: Hashable, Sendable {
  /// The first eight bytes, big-endian.
  public let high: UInt64
  /// The last eight bytes, big-endian.
  public let low: UInt64
  /// True if ``text`` is in lowercase.
  public let isLowercase: Bool

  /// Creates an identifier from its two halves.
  @inlinable public init(high: UInt64, low: UInt64, isLowercase: Bool = false) {
    self.high = high
    self.low = low
    self.isLowercase = isLowercase
  }

  /// Returns true if the 128 bits are equal, regardless of the case of the text.
  @inlinable public static func == (one: NotificationID, other: NotificationID) -> Bool {
    one.high == other.high && one.low == other.low
  }

  /// Hashes the 128 bits.
  @inlinable public func hash(into hasher: inout Hasher) {
    hasher.combine(high)
    hasher.combine(low)
  }

  /// Parses canonical text: 8-4-4-4-12 hexadecimal digits of either case.
  ///
  /// Returns `nil` for any other text.
  public init?(_ text: Span<UInt8>) {
    guard text.count == 36 else { return nil }
    var high: UInt64 = 0
    var low: UInt64 = 0
    var isLowercase = false
    for index in text.indices {
      if index == 8 || index == 13 || index == 18 || index == 23 {
        guard text[index] == 0x2D else { return nil }
        continue
      }
      guard let digit = Hexadecimal.value(text[index]) else { return nil }
      if text[index] >= 0x61 { isLowercase = true }
      if index < 18 {
        high = high << 4 | UInt64(digit)
      } else {
        low = low << 4 | UInt64(digit)
      }
    }
    self.init(high: high, low: low, isLowercase: isLowercase)
  }

  /// The length of the canonical text in bytes.
  public static let textBytes = 36

  /// Calls `write` with each of the text's 36 bytes, in order.
  ///
  /// The text is in uppercase, as in the IDs that APNs generates, unless the parsed text was in lowercase.
  @inlinable public func forEachTextByte(_ write: (UInt8) -> Void) {
    let letters: UInt64 = isLowercase ? 0x27 : 0x07
    let first = Self.digits(UInt32(truncatingIfNeeded: high >> 32), letters)
    let second = Self.digits(UInt32(truncatingIfNeeded: high), letters)
    let third = Self.digits(UInt32(truncatingIfNeeded: low >> 32), letters)
    let fourth = Self.digits(UInt32(truncatingIfNeeded: low), letters)
    for index in 0..<8 { write(Self.byte(index, of: first)) }
    write(0x2D)
    for index in 0..<4 { write(Self.byte(index, of: second)) }
    write(0x2D)
    for index in 4..<8 { write(Self.byte(index, of: second)) }
    write(0x2D)
    for index in 0..<4 { write(Self.byte(index, of: third)) }
    write(0x2D)
    for index in 4..<8 { write(Self.byte(index, of: third)) }
    for index in 0..<8 { write(Self.byte(index, of: fourth)) }
  }

  /// Returns eight hexadecimal digits in ASCII, with the most significant digit in the lowest byte.
  ///
  /// `letters` is the offset from the character after "9" to the letter "A" or "a".
  @inlinable static func digits(_ value: UInt32, _ letters: UInt64) -> UInt64 {
    var nibbles = UInt64(value.byteSwapped)
    nibbles = (nibbles | nibbles << 16) & 0x0000_FFFF_0000_FFFF
    nibbles = (nibbles | nibbles << 8) & 0x00FF_00FF_00FF_00FF
    nibbles = (nibbles >> 4 | nibbles << 8) & 0x0F0F_0F0F_0F0F_0F0F
    let ones: UInt64 = 0x0101_0101_0101_0101
    let isLetter = (nibbles &+ 6 &* ones) >> 4 & ones
    return nibbles &+ 0x30 &* ones &+ isLetter &* letters
  }

  @inlinable static func byte(_ index: Int, of word: UInt64) -> UInt8 {
    UInt8(truncatingIfNeeded: word >> UInt64(index &* 8))
  }

  /// Creates an identifier from its 16 bytes; returns nil for any other number of bytes.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    func word(_ part: ArraySlice<UInt8>) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
    self.init(high: word(bytes[..<8]), low: word(bytes[8...]))
  }

  /// The 16 bytes of the identifier.
  public var bytes: [UInt8] {
    [high, low].flatMap { word in
      stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
    }
  }

  /// The canonical text of the identifier.
  public var text: String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(36)
    forEachTextByte { bytes.append($0) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
