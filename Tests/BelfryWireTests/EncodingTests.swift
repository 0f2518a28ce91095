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
      device: 0x0018_090A_0B0C_0D0E)
    #expect(
      contents.bytes == [1, 2, 1, 2, 3, 4, 5, 6, 0, 24, 9, 10, 11, 12, 13, 14])
    #expect(TokenContents(contents.bytes.span) == contents)
    #expect(TokenContents([UInt8](repeating: 0xFF, count: 16).span) == nil)
    #expect(TokenContents([1, 2].span) == nil)
  }

  @Test func `a token's contents name the cell of its device`() {
    let contents = TokenContents(
      environment: .sandbox, kind: .alert, generation: 0, app: 1, device: 0x0018_090A_0B0C_0D0E)
    let last = contents.inCell(1_023)
    #expect(last.bytes == [0, 1, 0, 0, 0, 0, 0, 1, 0xFF, 0xD8, 9, 10, 11, 12, 13, 14])
    #expect(last.device == contents.device)
    #expect(TokenContents(last.bytes.span) == last && last != contents)
    #expect(last.inCell(0) == contents)
    // Bit 53 is in no device number and in no cell.
    var bytes = last.bytes
    bytes[9] |= 0x20
    #expect(TokenContents(bytes.span) == nil)
  }
}
