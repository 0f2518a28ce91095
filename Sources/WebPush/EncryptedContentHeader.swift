/// The header of an encrypted body (RFC 8188 section 2.1).
struct EncryptedContentHeader: Equatable {
  /// The number of bytes in a salt.
  static let saltBytes = 16
  /// The minimum record size in bytes: a tag, a delimiter, and one byte of text.
  static let recordBytesMin: UInt32 = 18
  /// The number of bytes before the key's identifier.
  private static let fixedBytes = saltBytes + 5
  /// The number of bytes in an uncompressed point of P-256.
  private static let pointBytes = 65

  let salt: [UInt8]
  /// The number of bytes in each record except the last, which can be shorter.
  let recordBytes: UInt32
  /// The identifier of the key, which is the sender's public key in Web Push: at most 255 bytes.
  let keyID: [UInt8]

  init(salt: [UInt8], recordBytes: UInt32, keyID: [UInt8]) {
    precondition(salt.count == Self.saltBytes, "a salt has 16 bytes")
    precondition(keyID.count <= 255, "one byte contains the length of the identifier")
    self.salt = salt
    self.recordBytes = recordBytes
    self.keyID = keyID
  }

  /// Reads the beginning of a body, or returns nil if the body is too short or the record size is invalid.
  init?(_ body: [UInt8]) {
    guard body.count >= Self.fixedBytes else { return nil }
    let keyIDBytes = Int(body[Self.fixedBytes - 1])
    guard body.count >= Self.fixedBytes + keyIDBytes else { return nil }
    let recordBytes = body[16..<20].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard recordBytes >= Self.recordBytesMin else { return nil }
    self.init(
      salt: Array(body[..<Self.saltBytes]), recordBytes: recordBytes,
      keyID: Array(body[Self.fixedBytes..<(Self.fixedBytes + keyIDBytes)]))
  }

  /// The number of bytes in the header.
  var byteCount: Int { Self.fixedBytes + keyID.count }

  /// The header as it is sent.
  var bytes: [UInt8] {
    let size = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: recordBytes >> $0) }
    return salt + size + [UInt8(keyID.count)] + keyID
  }

  /// True if the identifier has the form of a sender's public key (RFC 8291 section 4).
  var isWebPush: Bool { keyID.count == Self.pointBytes && keyID.first == 0x04 }
}
