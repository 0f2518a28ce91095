internal import Transport

/// The content coding `aes128gcm`, a header and one or more records (RFC 8188).
enum EncryptedContent {
  /// Decrypts `body` with the keying material that belongs to the key's identifier.
  static func decrypt(
    _ body: [UInt8],
    keyingMaterial: (_ keyID: [UInt8]) throws(WebPushEncryption.Failure) -> [UInt8]
  ) throws(WebPushEncryption.Failure) -> [UInt8] {
    guard body.count <= WebPushLimits.encryptedBytesMax else {
      throw .bodyTooLong(bytes: body.count)
    }
    guard let header = EncryptedContentHeader(body) else { throw .headerInvalid }
    let material = try keyingMaterial(header.keyID)
    let keys = try WebPushEncryption.mapped { () throws(CryptoFailure) in
      try ContentKeys(keyingMaterial: material, salt: header.salt)
    }
    var plaintext: [UInt8] = []
    plaintext.reserveCapacity(body.count)
    var offset = header.byteCount
    var number = 0
    repeat {
      let end = min(offset + Int(header.recordBytes), body.count)
      let sealed = body[offset..<end]
      guard sealed.count > AESGCMCipher.overheadBytes else { throw .truncated }
      guard let record = keys.cipher.open(sealed, nonce: keys.nonce(of: number)) else {
        throw .notAuthentic(record: number)
      }
      plaintext += try text(of: record, number: number, isLast: end == body.count)
      offset = end
      number += 1
    } while offset < body.count
    return plaintext
  }

  /// Returns the text of a record before its delimiter and padding (RFC 8188 section 2).
  private static func text(
    of record: [UInt8], number: Int, isLast: Bool
  ) throws(WebPushEncryption.Failure) -> ArraySlice<UInt8> {
    guard let delimiter = record.lastIndex(where: { $0 != 0 }) else {
      throw .delimiterInvalid(record: number)
    }
    switch record[delimiter] {
    case 2 where isLast, 1 where !isLast: return record[..<delimiter]
    // Only the last record of a message has another delimiter, so records are missing after this one.
    case 1: throw .truncated
    default: throw .delimiterInvalid(record: number)
    }
  }
}
