internal import BelfryWire
internal import System
internal import Transport

/// The encryption between a sender and an app (RFC 8291), which the push service cannot read.
public enum WebPushEncryption {
  /// The reason that a text could not be encrypted or decrypted.
  public enum Failure: Error, Equatable, CustomStringConvertible {
    /// The plaintext and its padding have more than ``WebPushLimits/plaintextBytesMax`` bytes.
    case plaintextTooLong(bytes: Int)
    /// The body has more than ``WebPushLimits/encryptedBytesMax`` bytes.
    case bodyTooLong(bytes: Int)
    /// `auth` does not have 16 bytes.
    case authInvalid(bytes: Int)
    /// A public or private key is not a key of P-256.
    case keyInvalid
    /// The body does not begin with a header (RFC 8188 section 2.1), or its record size is less than 18.
    case headerInvalid
    /// The body ends before its last record does.
    case truncated
    /// A record was encrypted for another subscription or was changed.
    case notAuthentic(record: Int)
    /// A record does not have the delimiter of its position: 2 for the last record, and 1 for the others.
    case delimiterInvalid(record: Int)
    /// The library failed; the text is its message.
    case cryptography(String)  // text: the cryptography library wrote it

    /// A description of the error with its values.
    public var description: String {
      switch self {
      case .plaintextTooLong(let bytes):
        "the text has \(bytes) bytes; at most \(WebPushLimits.plaintextBytesMax) are allowed"
      case .bodyTooLong(let bytes):
        "the body has \(bytes) bytes; at most \(WebPushLimits.encryptedBytesMax) are allowed"
      case .authInvalid(let bytes): "auth has \(bytes) bytes; it must have 16"
      case .keyInvalid: "the key is not a key of P-256"
      case .headerInvalid: "the body does not begin with the header of aes128gcm"
      case .truncated: "the body is incomplete"
      case .notAuthentic(let record): "record \(record) was encrypted with other keys"
      case .delimiterInvalid(let record): "record \(record) does not have a valid delimiter"
      case .cryptography(let message): message
      }
    }
  }

  /// Encrypts `plaintext` for the subscription with the public key `point` and the secret `auth`.
  ///
  /// `padding` is the number of zero bytes that hide the length of the plaintext. The body has 103 more bytes than the
  /// plaintext and the padding.
  public static func encrypt(
    _ plaintext: [UInt8], to point: [UInt8], auth: [UInt8], padding: Int = 0
  ) throws(Failure) -> [UInt8] {
    let sender = try mapped { () throws(CryptoFailure) in try ECDHPrivateKey() }
    return try encrypt(
      plaintext, to: point, auth: auth, padding: padding,
      salt: SystemRandom.bytes(EncryptedContentHeader.saltBytes), sender: sender)
  }

  /// Encrypts with a salt and a sender's key that were used before, which is secure only once.
  static func encrypt(
    _ plaintext: [UInt8], to point: [UInt8], auth: [UInt8], padding: Int, salt: [UInt8],
    sender: ECDHPrivateKey
  ) throws(Failure) -> [UInt8] {
    guard padding >= 0, padding <= WebPushLimits.plaintextBytesMax,
      plaintext.count + padding <= WebPushLimits.plaintextBytesMax
    else { throw .plaintextTooLong(bytes: plaintext.count.addingReportingOverflow(padding).0) }
    guard auth.count == WebPushLimits.authBytes else { throw .authInvalid(bytes: auth.count) }
    guard let secret = try? sender.sharedSecret(with: point) else { throw .keyInvalid }
    let header = EncryptedContentHeader(
      salt: salt, recordBytes: WebPushLimits.recordBytes, keyID: sender.point)
    let key = try keyingMaterial(
      secret: secret, auth: auth, receiver: point, sender: sender.point)
    let padded = plaintext + [2] + [UInt8](repeating: 0, count: padding)
    let sealed = try mapped { () throws(CryptoFailure) in
      let keys = try ContentKeys(keyingMaterial: key, salt: salt)
      return try keys.cipher.seal(padded, nonce: keys.nonce(of: 0))
    }
    let body = header.bytes + sealed
    assert(body.count <= WebPushLimits.bodyBytesMax, "every service accepts the body")
    return body
  }

  /// Decrypts a body that was encrypted for the subscription with `keys`.
  ///
  /// A sender must use a single record (RFC 8291 section 4); several records are accepted too.
  public static func decrypt(
    _ body: [UInt8], with keys: WebPushSubscriptionKeys
  ) throws(Failure) -> [UInt8] {
    try EncryptedContent.decrypt(body) { keyID throws(Failure) in
      guard let secret = try? keys.key.sharedSecret(with: keyID) else { throw .keyInvalid }
      return try keyingMaterial(
        secret: secret, auth: keys.auth, receiver: keys.point, sender: keyID)
    }
  }

  /// Combines the shared secret with the subscription's secret (RFC 8291 section 3.4).
  static func keyingMaterial(
    secret: [UInt8], auth: [UInt8], receiver: [UInt8], sender: [UInt8]
  ) throws(Failure) -> [UInt8] {
    try mapped { () throws(CryptoFailure) in
      try HKDF.key(
        from: secret, salt: auth, info: Array("WebPush: info".utf8) + [0] + receiver + sender,
        count: 32)
    }
  }

  static func mapped<Value>(
    _ body: () throws(CryptoFailure) -> Value
  ) throws(Failure) -> Value {
    do {
      return try body()
    } catch {
      switch error {
      case .malformed, .unsupportedKey: throw .keyInvalid
      case .legacyProviderMissing, .library: throw .cryptography(error.description)
      }
    }
  }
}
