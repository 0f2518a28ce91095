import Testing
import Transport

/// Tests with the cases of RFC 5869, appendix A, that use SHA-256.
@Suite struct HKDFTests {
  @Test(arguments: [0, 1, 2])
  func `the keys of RFC 5869's test cases`(number: Int) throws {
    let elevens = [UInt8](repeating: 0x0B, count: 22)
    let cases: [(secret: [UInt8], salt: [UInt8], info: [UInt8], key: String)] = [
      (
        elevens, Array(0x00...0x0C), Array(0xF0...0xF9),
        "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
      ),
      (
        Array(0x00...0x4F), Array(0x60...0xAF), Array(0xB0...0xFF),
        "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c"
          + "59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71"
          + "cc30c58179ec3e87c14c01d5c1f3434f1d87"
      ),
      (
        elevens, [], [],
        "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
      ),
    ]
    let one = cases[number]
    let expected = Self.bytes(one.key)
    let key = try HKDF.key(
      from: one.secret, salt: one.salt, info: one.info, count: expected.count)
    #expect(key == expected)
  }

  @Test func `no more than 255 hashes are given and none is no key`() throws {
    #expect(try HKDF.key(from: [1], salt: [], info: [], count: 8_160).count == 8_160)
    #expect(throws: CryptoFailure.self) {
      try HKDF.key(from: [1], salt: [], info: [], count: 8_161)
    }
    #expect(throws: CryptoFailure.self) { try HKDF.key(from: [1], salt: [], info: [], count: 0) }
  }

  private static func bytes(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map {
      UInt8(digits[$0] << 4 | digits[$0 + 1])
    }
  }
}
