import Testing

@testable import WebPush

@Suite struct IdentifierTests {
  @Test func `an endpoint's identifier has one of four lengths, and goes both ways`() throws {
    var random = SeededGenerator(state: 5)
    for _ in 0..<200 {
      for (bytes, characters) in [(32, 43), (48, 64), (64, 86), (80, 107)] {
        let token = random.bytes(bytes)
        let id = try #require(WebPushEndpointID(token: token))
        #expect(id.text.utf8.count == characters)
        #expect(WebPushEndpointID(utf8(id.text).span) == id)
        #expect(id.token == token)
      }
    }
    for bytes in [0, 16, 31, 33, 47, 49, 63, 65, 79, 81, 96] {
      #expect(WebPushEndpointID(token: random.bytes(bytes)) == nil)
    }
  }

  @Test func `a message's identifier has 64 or 107 characters, and goes both ways`() throws {
    var random = SeededGenerator(state: 6)
    for _ in 0..<200 {
      for (bytes, characters) in [
        (32, WebPushMessageID.textBytes), (64, WebPushMessageID.restrictedTextBytes),
      ] {
        let endpoint = try #require(WebPushEndpointID(token: random.bytes(bytes)))
        let number = random.bytes(16)
        let id = try #require(WebPushMessageID(message: number, endpoint: endpoint))
        #expect(id.text.utf8.count == characters)
        #expect(WebPushMessageID(utf8(id.text).span) == id)
        #expect(id.message == number && id.endpoint == endpoint)
      }
    }
    let endpoint = try #require(WebPushEndpointID(token: random.bytes(32)))
    #expect(WebPushMessageID(message: random.bytes(15), endpoint: endpoint) == nil)
    #expect(WebPushMessageID(message: random.bytes(17), endpoint: endpoint) == nil)
    for bytes in [48, 80] {
      let withChannel = try #require(WebPushEndpointID(token: random.bytes(bytes)))
      #expect(WebPushMessageID(message: random.bytes(16), endpoint: withChannel) == nil)
    }
  }

  @Test func `only the canonical text is accepted`() throws {
    let id = try #require(WebPushEndpointID(token: [UInt8](repeating: 0xFB, count: 32)))
    let text = id.text
    #expect(text == "-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_v7-_s")
    let prefix = String(text.dropLast())
    for other in [
      text + "=", text + "A", prefix, prefix + "t", prefix + "u", prefix + "v",
      "+" + text.dropFirst(),
      " " + text.dropFirst(), text.replacing("_", with: "/"), text.uppercased() + "x", "",
    ] {
      #expect(WebPushEndpointID(utf8(other).span) == nil, "\(other)")
    }
    #expect(WebPushMessageID(utf8(text).span) == nil)
    let long = String(repeating: "A", count: 64)
    #expect(WebPushMessageID(utf8(long).span)?.text == long)
    #expect(WebPushMessageID(utf8(String(repeating: "+", count: 64)).span) == nil)
    #expect(WebPushMessageID(utf8(long + "AAAA").span) == nil)
    #expect(WebPushMessageID(utf8(String(long.dropLast(2)) + "==").span) == nil)
  }
}
