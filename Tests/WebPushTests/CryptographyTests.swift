import Testing

@testable import Transport

/// Tests of the P-256 and AES-GCM parts of `Transport` that Web Push uses.
@Suite struct CryptographyTests {
  @Test func `the test cases 1 and 2 of the specification of GCM`() throws {
    let cipher = try AESGCMCipher(key: [UInt8](repeating: 0, count: 16))
    let nonce = [UInt8](repeating: 0, count: 12)
    let empty = hex("58e2fccefa7e3061367f1d57a4e7455a")
    #expect(try cipher.seal([], nonce: nonce) == empty)
    #expect(cipher.open(empty[...], nonce: nonce) == [])
    let zeros = [UInt8](repeating: 0, count: 16)
    let sealed = hex("0388dace60b6a392f328c2b971b2fe78ab6e47d42cec13bdf53a67b21257bddf")
    #expect(try cipher.seal(zeros, nonce: nonce) == sealed)
    #expect(cipher.open(sealed[...], nonce: nonce) == zeros)
  }

  @Test func `a changed ciphertext, tag or nonce does not open`() throws {
    let cipher = try AESGCMCipher(key: Array(0..<16))
    let nonce = [UInt8](0..<12)
    let text = [UInt8](0..<33)
    let sealed = try cipher.seal(text, nonce: nonce)
    for index in sealed.indices {
      var forged = sealed
      forged[index] ^= 0x80
      #expect(cipher.open(forged[...], nonce: nonce) == nil)
    }
    #expect(cipher.open(sealed[...], nonce: nonce.reversed()) == nil)
    #expect(cipher.open(sealed[..<15], nonce: nonce) == nil)
    #expect(try AESGCMCipher(key: Array(1..<17)).open(sealed[...], nonce: nonce) == nil)
    // The cipher can be used again after a failure.
    #expect(cipher.open(sealed[...], nonce: nonce) == text)
    #expect(try cipher.seal(text, nonce: nonce) == sealed)
  }

  @Test(arguments: [0, 15, 17, 32])
  func `AES-GCM keys of other sizes are refused`(count: Int) {
    #expect(throws: CryptoFailure.self) {
      try AESGCMCipher(key: [UInt8](repeating: 0, count: count))
    }
  }

  @Test func `both owners of a secret agree on it`() throws {
    let (one, other) = (try ECDHPrivateKey(), try ECDHPrivateKey())
    #expect(try one.sharedSecret(with: other.point) == other.sharedSecret(with: one.point))
    #expect(try one.sharedSecret(with: one.point) != other.sharedSecret(with: other.point))
  }

  @Test func `a private number is between 1 and the order of the group`() throws {
    let order = hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
    let last = hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632550")
    let one = [UInt8](repeating: 0, count: 31) + [1]
    let zero = [UInt8](repeating: 0, count: 32)
    for scalar in [zero, order, [UInt8](repeating: 0xFF, count: 32), [1], one + [0], []] {
      #expect(throws: CryptoFailure.malformed(expected: "a private number of P-256 in 32 bytes")) {
        try ECDHPrivateKey(scalar: scalar)
      }
      #expect(throws: CryptoFailure.self) { try ES256PrivateKey(scalar: scalar) }
    }
    let generator = hex(
      "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
        + "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5")
    #expect(try ECDHPrivateKey(scalar: one).point == generator)
    // The last number is the inverse of 1, so its point has the same x.
    #expect(try ECDHPrivateKey(scalar: last).point[..<33] == generator[..<33])
    #expect(try ECDHPrivateKey(scalar: last).scalar() == last)
  }

  @Test func `a signing key survives its private number and its PEM form`() throws {
    let key = try ES256PrivateKey()
    let copy = try ES256PrivateKey(scalar: key.scalar())
    #expect(copy.publicKey == key.publicKey)
    // The PEM form has the same bytes, so it also contains the public key.
    #expect(try copy.pkcs8PEM() == key.pkcs8PEM())
    let signature = try copy.sign([1, 2, 3])
    #expect(key.publicKey.verify(rawSignature: signature, message: [1, 2, 3]))
  }

  @Test func `a public key is read from its point`() throws {
    let key = try ES256PrivateKey().publicKey
    #expect(key.point.count == 65)
    #expect(try ES256PublicKey(point: key.point) == key)
    let compressed: [UInt8] = [2 + (key.point[64] & 1)] + key.point[1..<33]
    let other: [UInt8] = [5] + key.point[1...]
    for point in [compressed, [0], [], key.point + [0], other] {
      #expect(
        throws: CryptoFailure.malformed(expected: "an uncompressed point of P-256 in 65 bytes")
      ) { try ES256PublicKey(point: point) }
    }
    var off = key.point
    off[1] ^= 1
    #expect(throws: CryptoFailure.self) { try ES256PublicKey(point: off) }
  }
}
