import Testing

@testable import WebPush

@Suite struct EndpointURLTests {
  private let sealed = WebPushEndpointID(token: [UInt8](repeating: 7, count: 32))

  private func parsed(
    _ url: String, origin: String = "https://push.example.org:2194"
  ) -> WebPushEndpointID? {
    WebPushEndpointID(url: utf8(url).span, origin: utf8(origin).span)
  }

  @Test func `the URL that an app received names its endpoint`() throws {
    let id = try #require(sealed)
    #expect(parsed("https://push.example.org:2194/push/\(id.text)") == id)
    let restricted = try #require(WebPushEndpointID(token: [UInt8](repeating: 9, count: 64)))
    #expect(parsed("https://push.example.org:2194/push/\(restricted.text)") == restricted)
  }

  @Test func `another text is no endpoint of the service`() throws {
    let text = try #require(sealed).text
    for url in [
      "", "https://push.example.org:2194", "https://push.example.org:2194/",
      "https://push.example.org:2194/push/", "https://push.example.org:2194/push\(text)",
      "https://push.example.org:2194/message/\(text)", "https://push.example.org/push/\(text)",
      "http://push.example.org:2194/push/\(text)", "https://push.example.org:21945/push/\(text)",
      "https://push.example.net:2194/push/\(text)", "HTTPS://push.example.org:2194/push/\(text)",
      "https://push.example.org:2194//push/\(text)", "https://push.example.org:2194/push/\(text)/",
      "https://push.example.org:2194/push/\(text)?up=1",
      "https://push.example.org:2194/push/\(text.dropLast())",
      "https://push.example.org:2194.evil.example/push/\(text)", "/push/\(text)", text,
      " https://push.example.org:2194/push/\(text)",
    ] {
      #expect(parsed(url) == nil, "\(url)")
    }
  }
}
