import Testing

@testable import WebPush

@Suite struct AutopushIdentifierTests {
  private func channel(_ text: String) -> AutopushChannel? { AutopushChannel(utf8(text).span) }

  private func userAgent(_ text: String) -> AutopushUserAgentID? {
    AutopushUserAgentID(utf8(text).span)
  }

  @Test func `a channel has one text`() throws {
    let text = "d1c0de00-0004-0008-0000-00000000000a"
    let id = try #require(channel(text))
    #expect(id.bytes == hex("d1c0de0000040008000000000000000a"))
    #expect(id.text == text)
    #expect(AutopushChannel(bytes: id.bytes) == id)
  }

  @Test(arguments: [
    "", "d1c0de00", "D1C0DE00-0004-0008-0000-00000000000A", "d1c0de0000040008000000000000000a",
    "d1c0de00-0004-0008-0000-00000000000", "d1c0de00-0004-0008-0000-00000000000aa",
    "{1c0de00-0004-0008-0000-00000000000}", "d1c0de00_0004_0008_0000_00000000000a",
    "d1c0de000-004-0008-0000-00000000000a", "d1c0de00-0004-0008-0000-00000000000g",
    "d1c0de00-0004-0008-0000-0000000000\u{E9}",
  ])
  func `another text is not a channel`(text: String) {
    #expect(channel(text) == nil)
  }

  @Test func `the number of a channel is a hash of 28 bits, which never changes`() throws {
    let id = try #require(AutopushChannel(bytes: hex("d1c0de00000400080000000000000001")))
    #expect(id.number == 131_076_092)
    var generator = SeededGenerator(state: 9)
    let numbers = (0..<500).compactMap { _ in
      AutopushChannel(bytes: generator.bytes(16))?.number
    }
    #expect(numbers.count == 500)
    #expect(numbers.allSatisfy { $0 < 1 << 28 })
    #expect(Set(numbers).count == 500)
  }

  @Test func `a user agent has one text`() throws {
    let text = "00112233445566778899aabbccddeeff"
    let id = try #require(userAgent(text))
    #expect(id.bytes == hex(text))
    #expect(id.text == text)
  }

  @Test(arguments: [
    "", "00112233445566778899aabbccddeef", "00112233445566778899aabbccddeeff0",
    "00112233445566778899AABBCCDDEEFF", "00112233-4455-6677-8899-aabbccddeeff",
    "00112233445566778899aabbccddeefg", "0011223344556677889\u{E9}aabbccddeef",
  ])
  func `another text is not a user agent`(text: String) {
    #expect(userAgent(text) == nil)
  }
}
