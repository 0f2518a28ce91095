/// Conversions between the two forms of an ECDSA signature: raw `r‖s` (RFC 7518 section 3.4) and DER `ECDSA-Sig-Value`
/// (RFC 3279 section 2.2.3).
package enum ECDSASignature {
  /// The number of bytes in a P-256 integer.
  static let integerBytes = 32
  /// The maximum number of bytes in DER: two integers of at most 33 bytes with their headers, and the sequence's
  /// header.
  package static let derBytesMax = 2 + 2 * (2 + integerBytes + 1)

  /// Writes the DER form of `raw`, two integers of the same width, to `der`.
  ///
  /// Integers wider than P-256's are accepted if the excess bytes are zeros. Signers that use ES512 with a P-256 key
  /// produce such integers (apns-protocol.md 2.1). Returns the number of bytes written, or nil if `raw` isn't a
  /// signature.
  package static func writeDER(
    of raw: UnsafeRawBufferPointer, into der: UnsafeMutableRawBufferPointer
  ) -> Int? {
    guard raw.count >= 2, raw.count % 2 == 0, der.count >= derBytesMax else { return nil }
    let width = raw.count / 2
    var end = 2
    for offset in [0, width] {
      let integer = unsafe UnsafeRawBufferPointer(rebasing: raw[offset..<offset + width])
      guard let next = unsafe writeInteger(integer, into: der, at: end) else { return nil }
      end = next
    }
    unsafe der[0] = 0x30
    unsafe der[1] = UInt8(end - 2)
    return end
  }

  private static func writeInteger(
    _ integer: UnsafeRawBufferPointer, into der: UnsafeMutableRawBufferPointer, at start: Int
  ) -> Int? {
    guard let first = unsafe integer.firstIndex(where: { $0 != 0 }) else { return nil }
    let significant = integer.count - first
    guard significant <= integerBytes else { return nil }
    let padding = unsafe integer[first] >= 0x80 ? 1 : 0
    unsafe der[start] = 0x02
    unsafe der[start + 1] = UInt8(significant + padding)
    if padding == 1 { unsafe der[start + 2] = 0 }
    for index in 0..<significant {
      unsafe der[start + 2 + padding + index] = integer[first + index]
    }
    return start + 2 + padding + significant
  }

  /// Returns the raw 64-byte form of a DER signature that one of this module's keys created, or nil if `der` isn't a
  /// signature.
  package static func raw(fromDER der: [UInt8]) -> [UInt8]? {
    var reader = DERReader(der)
    guard var sequence = reader.sequence(), reader.isAtEnd else { return nil }
    var raw: [UInt8] = []
    raw.reserveCapacity(2 * integerBytes)
    for _ in 0..<2 {
      guard let integer = sequence.element(tag: DERTag.integer) else { return nil }
      let digits = integer.drop { $0 == 0 }
      guard digits.count <= integerBytes else { return nil }
      raw += [UInt8](repeating: 0, count: integerBytes - digits.count)
      raw += digits
    }
    return sequence.isAtEnd ? raw : nil
  }
}
