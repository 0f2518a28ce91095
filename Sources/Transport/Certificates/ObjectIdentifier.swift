/// An ASN.1 object identifier.
public struct ObjectIdentifier: Hashable, Sendable, CustomStringConvertible {
  /// The arcs; `1.2.840` is `[1, 2, 840]`.
  public let arcs: [UInt32]

  /// Creates an identifier with these arcs.
  ///
  /// An identifier has at least two arcs. The first is at most 2, and the second is less than 40 if the first is less
  /// than 2 (X.690 section 8.19.4).
  public init(_ arcs: UInt32...) {
    precondition(
      arcs.count >= 2 && arcs[0] <= 2 && (arcs[0] == 2 || arcs[1] < 40),
      "the arcs form a valid object identifier")
    self.arcs = arcs
  }

  /// The content octets, without the tag and the length.
  var encoded: [UInt8] {
    var bytes = Self.base128(UInt64(arcs[0]) * 40 + UInt64(arcs[1]))
    for arc in arcs.dropFirst(2) { bytes += Self.base128(UInt64(arc)) }
    return bytes
  }

  /// The arcs, separated by dots.
  public var description: String { arcs.map(String.init).joined(separator: ".") }

  private static func base128(_ arc: UInt64) -> [UInt8] {
    var bytes = [UInt8(arc & 0x7F)]
    var rest = arc >> 7
    while rest > 0 {
      bytes.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
      rest >>= 7
    }
    return bytes
  }
}
