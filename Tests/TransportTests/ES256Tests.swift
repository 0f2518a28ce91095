import Testing

@testable import Transport

@Suite struct ES256Tests {
  private let message = Array("eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJBQkNERTEyMzQ1In0".utf8)

  @Test
  func `a signature of either form verifies, and only over its message and by its key`() throws {
    let key = try ES256PrivateKey()
    let raw = try key.sign(message)
    let der = try key.signDER(message)
    #expect(raw.count == 64)
    #expect((68...72).contains(der.count))
    #expect(key.publicKey.verify(rawSignature: raw, message: message))
    #expect(key.publicKey.verify(derSignature: der, message: message))
    #expect(!key.publicKey.verify(rawSignature: raw, message: message + [0]))
    #expect(!(try ES256PrivateKey().publicKey.verify(rawSignature: raw, message: message)))
    for index in raw.indices {
      var forged = raw
      forged[index] ^= 1
      #expect(!key.publicKey.verify(rawSignature: forged, message: message))
    }
  }

  @Test
  func `a key is the same however its point is encoded`() throws {
    let spki = try ES256PrivateKey().publicKey.spkiDER
    let (x, y) = (spki[27..<59], spki[59...])
    let parity = (y.last ?? 0) & 1
    let named = Array(spki[..<26])
    let compressed =
      [0x30, 0x39] + named[2..<23] + [0x03, 0x22, 0x00, 0x02 + parity] + x
    let hybrid = named + [0x06 + parity] + x + y
    for encoding in [spki, compressed, hybrid] {
      #expect(try ES256PublicKey(spkiDER: encoding).spkiDER == spki)
    }
  }

  @Test
  func `bytes that are no signature are refused`() throws {
    let key = try ES256PrivateKey().publicKey
    for count in [0, 1, 2, 63, 64, 65, 72, 131, 132, 4_096] {
      for byte: UInt8 in [0, 0x30, 0xFF] {
        let bytes = [UInt8](repeating: byte, count: count)
        #expect(!key.verify(rawSignature: bytes, message: message))
        #expect(!key.verify(derSignature: bytes, message: message))
      }
    }
  }

  @Test
  func `a wider signature over SHA-512 verifies when its excess is zeros (ES512 on P-256)`() throws
  {
    let key = try ES256PrivateKey()
    let raw = try key.sign(message)
    let zeros = [UInt8](repeating: 0, count: 34)
    let wide = zeros + raw[..<32] + zeros + raw[32...]
    #expect(key.publicKey.verify(rawSignature: wide, message: message))
    var other = wide
    other[0] = 1
    #expect(!key.publicKey.verify(rawSignature: other, message: message))
  }

  @Test
  func `RFC 7515 A.3's signature verifies`() throws {
    let point =
      bytes("7fcdce2770f6c45d4183cbee6fdb4b7b580733357be9ef13bacf6e3c7bd15445")
      + bytes("c7f144cd1bbd9b7e872cdfedb9eeb9f4b3695d6ea90b24ad8a4623288588e5ad")
    let header = bytes("3059301306072a8648ce3d020106082a8648ce3d030107034200") + [0x04]
    let key = try ES256PublicKey(spkiDER: header + point)
    let signed =
      "eyJhbGciOiJFUzI1NiJ9"
      + ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
    let signature = bytes(
      "0ed1215379636c483c2f7f155807d402a3b228033af97c7e17819ac3169ea665"
        + "c50a07d38c3c70e5d8f12daf084a5480a66590c5f293509a8f3f7f8a83a354d5")
    #expect(key.verify(rawSignature: signature, message: Array(signed.utf8)))
  }

  @Test
  func `a key survives its .p8 form`() throws {
    let key = try ES256PrivateKey()
    let pem = try key.pkcs8PEM()
    #expect(String(decoding: pem, as: UTF8.self).hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
    let read = try ES256PrivateKey(pkcs8PEM: pem)
    #expect(read.publicKey == key.publicKey)
    #expect(key.publicKey.spkiDER.count == 91)
    #expect(try ES256PublicKey(spkiDER: key.publicKey.spkiDER) == key.publicKey)
  }

  @Test
  func `other kinds of keys, encrypted keys and broken files are refused`() throws {
    let key = try ES256PrivateKey()
    let pem = try key.pkcs8PEM()
    #expect(throws: CryptoFailure.malformed(expected: "an unencrypted private key in PEM")) {
      try ES256PrivateKey(pkcs8PEM: Array(pem.dropLast(60)))
    }
    #expect(throws: CryptoFailure.malformed(expected: "an unencrypted private key in PEM")) {
      try ES256PrivateKey(pkcs8PEM: [])
    }
    #expect(throws: CryptoFailure.unsupportedKey) {
      try ES256PrivateKey(pkcs8PEM: Array(ed25519PEM.utf8))
    }
    #expect(throws: CryptoFailure.malformed(expected: "a SubjectPublicKeyInfo in DER")) {
      try ES256PublicKey(spkiDER: key.publicKey.spkiDER + [0])
    }
    var offCurve = key.publicKey.spkiDER
    offCurve[90] ^= 1
    #expect(throws: CryptoFailure.self) { try ES256PublicKey(spkiDER: offCurve) }
  }
}

private let ed25519PEM = """
  -----BEGIN PRIVATE KEY-----
  MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
  -----END PRIVATE KEY-----

  """
