import Testing

@testable import WebPush

@Suite struct OriginTests {
  @Test(arguments: [
    ("https://push.example.org", "https://push.example.org"),
    ("https://push.example.org/", "https://push.example.org"),
    ("HTTPS://PUSH.Example.Org", "https://push.example.org"),
    ("https://a:443", "https://a"), ("https://a:0443", "https://a"), ("https://a:", "https://a"),
    ("https://a:80", "https://a:80"), ("http://a:80/", "http://a"),
    ("http://a:443", "http://a:443"),
    ("http://127.0.0.1:9160", "http://127.0.0.1:9160"),
    ("https://[::1]:8443", "https://[::1]:8443"),
    ("https://[FE80::1]", "https://[fe80::1]"), ("https://a_b-c:65535", "https://a_b-c:65535"),
  ])
  func `an origin has a normal form`(text: String, normal: String) throws {
    #expect(try origin(text).text == normal)
    #expect(try origin(text) == origin(normal))
  }

  @Test(arguments: [
    "", "https", "https:", "https://", "https:///", "http://", "ftp://a", "wss://a", "//a", "a",
    "https://a/b", "https://a//", "https://a?b", "https://a#b", "https://u@a", "https://u:p@a",
    "https://a:b", "https://a:65536", "https://a:123456", "https://a:-1", "https://a b",
    " https://a", "https://a ", "https://[::1", "https://[]", "https://[x]", "https://[::1]x",
    "https://\u{e9}.example", "https://a\u{0}", "https:/a", "https://:443",
  ])
  func `another text is no origin`(text: String) {
    #expect(WebPushOrigin(utf8(text).span) == nil)
  }

  @Test func `an origin has at most 300 bytes`() {
    let text = "https://" + String(repeating: "a", count: 292)
    #expect(WebPushOrigin(utf8(text).span)?.text == text)
    #expect(WebPushOrigin(utf8(text + "a").span) == nil)
  }
}
