internal import COpenSSL

/// The forms of a P-256 key with a fixed length: the private number and the uncompressed point.
extension EVPKey {
  /// The number of bytes in a private number (SEC 1 section 2.3.7).
  static let scalarBytes = 32
  /// The number of bytes in an uncompressed point: 0x04 and two coordinates (SEC 1 section 2.3.3).
  static let pointBytes = 65

  /// The order of the curve's group, which every private number is below (SEC 2 section 2.4.2).
  private static let order: [UInt8] = [
    0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
    0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
  ]
  /// The bytes of an `ECPrivateKey` between its length and the private number (RFC 5915 section 3).
  private static let versionAndNumber: [UInt8] = [0x02, 0x01, 0x01, 0x04, 0x20]
  /// The `parameters` of an `ECPrivateKey`: the named curve P-256.
  private static let curve: [UInt8] = [
    0xA0, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07,
  ]
  /// The bytes of an `ECPrivateKey` between its parameters and the point.
  private static let pointHeader: [UInt8] = [0xA1, 0x44, 0x03, 0x42, 0x00]

  /// Returns the key pair with this private number, which has 32 bytes and is in the range 1..<order.
  static func reading(scalar: [UInt8]) throws(CryptoFailure) -> EVPKey {
    guard scalar.count == scalarBytes, scalar.contains(where: { $0 != 0 }),
      scalar.lexicographicallyPrecedes(order)
    else { throw .malformed(expected: "a private number of P-256 in 32 bytes") }
    // Without a point, OpenSSL computes it, but remembers to omit it from the key's other forms. The second read
    // supplies the point.
    let bare = try reading(ecPrivateKey: versionAndNumber + scalar + curve)
    return try reading(
      ecPrivateKey: versionAndNumber + scalar + curve + pointHeader + bare.publicPoint())
  }

  /// Reads an `ECPrivateKey` from the contents of its sequence, which are shorter than 128 bytes.
  private static func reading(ecPrivateKey contents: [UInt8]) throws(CryptoFailure) -> EVPKey {
    precondition(contents.count < 128, "one byte of length is sufficient")
    let der = [0x30, UInt8(contents.count)] + contents
    let read = unsafe der.withUnsafeBufferPointer { buffer -> OpaquePointer? in
      var cursor = buffer.baseAddress
      return unsafe d2i_PrivateKey(EVP_PKEY_EC, nil, &cursor, buffer.count)
    }
    guard let pointer = unsafe read else { throw OpenSSLErrors.failure("read a private key") }
    return try unsafe EVPKey(owning: pointer)
  }

  /// Returns the private number in 32 bytes.
  func scalar() throws(CryptoFailure) -> [UInt8] {
    var number: OpaquePointer?
    guard unsafe EVP_PKEY_get_bn_param(pointer, "priv", &number) == 1 else {
      throw OpenSSLErrors.failure("read a private key")
    }
    defer { unsafe BN_clear_free(number) }
    var bytes = [UInt8](repeating: 0, count: Self.scalarBytes)
    guard unsafe BN_bn2binpad(number, &bytes, Int32(Self.scalarBytes)) == Self.scalarBytes else {
      throw OpenSSLErrors.failure("read a private key")
    }
    return bytes
  }
}
