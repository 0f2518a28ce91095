import Testing

@testable import Transport
@testable import WebPush

@Suite struct EncryptionVectorTests {
  private typealias Vector = RFC8291Vector

  @Test func `RFC 8291's keys and intermediate values`() throws {
    let sender = try ECDHPrivateKey(scalar: Vector.senderScalar)
    #expect(sender.point == Vector.senderPoint)
    #expect(try sender.scalar() == Vector.senderScalar)
    #expect(try Vector.receiverKeys.point == Vector.receiverPoint)
    let secret = try sender.sharedSecret(with: Vector.receiverPoint)
    #expect(secret == Vector.sharedSecret)
    #expect(try Vector.receiverKeys.key.sharedSecret(with: Vector.senderPoint) == secret)
    #expect(try HKDF.authenticate(secret, key: Vector.auth) == Vector.keyPRK)
    #expect(
      try HKDF.authenticate(Vector.keyInfo + [1], key: Vector.keyPRK) == Vector.keyingMaterial)
    let material = try WebPushEncryption.keyingMaterial(
      secret: secret, auth: Vector.auth, receiver: Vector.receiverPoint,
      sender: Vector.senderPoint)
    #expect(material == Vector.keyingMaterial)
    #expect(try HKDF.authenticate(material, key: Vector.salt) == Vector.prk)
    #expect(try ContentKeys.key(material, Vector.salt) == Vector.key)
    #expect(try ContentKeys.nonce(material, Vector.salt) == Vector.nonce)
  }

  @Test func `RFC 8291's body is encrypted and decrypted`() throws {
    let body = try WebPushEncryption.encrypt(
      Vector.plaintext, to: Vector.receiverPoint, auth: Vector.auth, padding: 0, salt: Vector.salt,
      sender: ECDHPrivateKey(scalar: Vector.senderScalar))
    #expect(body.count == 144)
    #expect(Array(body[..<86]) == Vector.header)
    #expect(Array(body[86...]) == Vector.ciphertext)
    #expect(body == Vector.body)
    #expect(
      try WebPushEncryption.decrypt(Vector.body, with: Vector.receiverKeys) == Vector.plaintext)
  }

  @Test func `RFC 8188 3.1: one record without a key identifier`() throws {
    let material = base64("yqdlZ-tYemfogSmv7Ws5PQ")
    let body = base64("I1BsxtFttlv3u_Oo94xnmwAAEAAA-NAVub2qFgBEuQKRapoZu-IxkIva3MEB1PD-ly8Thjg")
    let salt = base64("I1BsxtFttlv3u_Oo94xnmw")
    #expect(body.count == 53)
    #expect(
      EncryptedContentHeader(body)
        == EncryptedContentHeader(salt: salt, recordBytes: 4_096, keyID: []))
    #expect(
      try HKDF.authenticate(material, key: salt)
        == base64("zyeH5phsIsgUyd4oiSEIy35x-gIi4aM7y0hCF8mwn9g"))
    #expect(try ContentKeys.key(material, salt) == base64("_wniytB-ofscZDh4tbSjHw"))
    #expect(try ContentKeys.nonce(material, salt) == base64("Bcs8gkIRKLI8GeI8"))
    let keys = try ContentKeys(keyingMaterial: material, salt: salt)
    let padded = base64("SSBhbSB0aGUgd2FscnVzAg")
    #expect(try keys.cipher.seal(padded, nonce: keys.nonce(of: 0)) == Array(body[21...]))
    #expect(try EncryptedContent.decrypt(body) { _ in material } == utf8("I am the walrus"))
  }

  @Test func `RFC 8188 3.2: two records and a key identifier`() throws {
    let material = base64("BO3ZVPxUlnLORbVGMpbT1Q")
    let body = base64(
      "uNCkWiNYzKTnBN9ji3-qWAAAABkCYTHOG8chz_gnvgOqdGYovxyjuqRyJFjEDyoF1Fvkj6hQPdPHI51OEUKEpgz3SsLWIqS_uA"
    )
    #expect(body.count == 73)
    let header = try #require(EncryptedContentHeader(body))
    #expect(header.keyID == utf8("a1"))
    #expect(header.recordBytes == 25)
    #expect(
      try HKDF.authenticate(material, key: header.salt)
        == base64("mNHRBFh-eOCdAdmmuVtym8Hf44ov7FPsQZ3f4knYjHE"))
    let keys = try ContentKeys(keyingMaterial: material, salt: header.salt)
    #expect(try ContentKeys.key(material, header.salt) == base64("u_eEOTjjVWUVrH82pQNwpw"))
    #expect(keys.nonce(of: 0) == base64("VqylG1rdt-mJrNgP"))
    #expect(
      keys.cipher.open(body[23..<48], nonce: keys.nonce(of: 0)) == utf8("I am th") + [1, 0])
    #expect(keys.cipher.open(body[48...], nonce: keys.nonce(of: 1)) == utf8("e walrus") + [2])
    var identifiers: [[UInt8]] = []
    let text = try EncryptedContent.decrypt(body) { keyID in
      identifiers.append(keyID)
      return material
    }
    #expect(text == utf8("I am the walrus"))
    #expect(identifiers == [utf8("a1")])
  }

  @Test func `a record's number changes the last eight bytes of the nonce`() throws {
    let keys = try ContentKeys(keyingMaterial: [1], salt: [UInt8](repeating: 2, count: 16))
    let first = keys.nonce(of: 0)
    #expect(
      zip(first, keys.nonce(of: 0x0102)).map { $0 ^ $1 } == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2])
    #expect(
      zip(first, keys.nonce(of: 1 << 56)).map { $0 ^ $1 } == [0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0])
  }
}
