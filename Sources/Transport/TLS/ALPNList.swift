import Glibc

/// A list of protocol names in the wire format of ALPN, in which a length byte precedes each name.
struct ALPNList: Sendable {
  let names: [String]
  let wire: [UInt8]

  init(_ names: [String]) throws(TLSFailure) {
    var wire: [UInt8] = []
    for name in names {
      guard (1...255).contains(name.utf8.count) else {
        throw .library("the ALPN name '\(name)' does not have 1 to 255 bytes")
      }
      wire.append(UInt8(name.utf8.count))
      wire += name.utf8
    }
    guard wire.count <= Limits.alpnBytes else { throw .library("the ALPN list is too long") }
    self.names = names
    self.wire = wire
  }

  /// Returns the first name in this list that the client offers, as an offset and a length in the client's list.
  func choose(from offered: UnsafeRawBufferPointer) -> (offset: Int, count: Int)? {
    for name in names {
      var offset = 0
      while offset < offered.count {
        let count = Int(unsafe offered[offset])
        guard offset + 1 + count <= offered.count else { return nil }
        let candidate = unsafe UnsafeRawBufferPointer(
          rebasing: offered[offset + 1..<offset + 1 + count])
        if unsafe name.utf8.elementsEqual(candidate) { return (offset + 1, count) }
        offset += 1 + count
      }
    }
    return nil
  }
}
