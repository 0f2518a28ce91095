import BelfryWire
import PushWire
import Testing

@Suite struct EncodingTests {
  @Test func `hexadecimal goes both ways`() {
    let bytes: [UInt8] = [0, 1, 0x7F, 0x80, 0xFF]
    #expect(Hexadecimal.encode(bytes) == "00017f80ff")
    #expect(Hexadecimal.decode("00017F80fF") == bytes)
    #expect(Hexadecimal.decode("0") == nil)
    #expect(Hexadecimal.decode("0g") == nil)
  }

  @Test func `base64 goes both ways in both alphabets`() {
    for count in 0..<64 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + 200) }
      for url in [true, false] {
        let text = Array(Base64.encode(bytes, url: url).utf8)
        #expect(Base64.decode(text.span) == bytes)
      }
    }
    #expect(Base64.encode([0xFB, 0xFF], url: true) == "-_8")
    #expect(Base64.encode([0xFB, 0xFF], url: false) == "+/8=")
  }

  @Test(arguments: ["a", "ab c", "abc*", "====", "ab=c"])
  func `text that is not base64 is refused`(text: String) {
    #expect(Base64.decode(Array(text.utf8).span) == nil)
  }

  @Test func `a token's contents go both ways`() {
    let contents = TokenContents(
      environment: .production, kind: .voip, generation: 0x0102, app: 0x0304_0506,
      device: 0x0708_090A_0B0C_0D0E)
    #expect(
      contents.bytes == [1, 2, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14])
    #expect(TokenContents(contents.bytes.span) == contents)
    #expect(TokenContents([UInt8](repeating: 0xFF, count: 16).span) == nil)
    #expect(TokenContents([1, 2].span) == nil)
  }
}
