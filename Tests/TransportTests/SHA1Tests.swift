import Testing

@testable import Transport

@Suite struct SHA1Tests {
  /// Examples of FIPS 180-4 and RFC 3174 section 7.3, and the handshake of RFC 6455 section 1.3.
  @Test(arguments: [
    ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
    ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
    ),
    (
      "dGhlIHNhbXBsZSBub25jZQ==258EAFA5-E914-47DA-95CA-C5AB0DC85B11",
      "b37a4f2cc0624f1690f64606cf385945b2bec4ea"
    ),
  ])
  func `the hashes of known texts are those of the standards`(text: String, digest: String) {
    let bytes = SHA1.hash(Array(text.utf8))
    let digits = bytes.map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    #expect(digits.joined() == digest)
  }
}
