import Testing

@testable import WebPush

@Suite struct WebSocketHandshakeTests {
  /// The fields that Firefox sends, with the key of RFC 6455 section 1.3.
  private static let firefox = [
    ("host", "push.example.org"), ("upgrade", "websocket"), ("connection", "keep-alive, Upgrade"),
    ("origin", "wss://push.example.org/CODE"), ("sec-websocket-version", "13"),
    ("sec-websocket-protocol", "push-notification"),
    ("sec-websocket-extensions", "permessage-deflate"),
    ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
  ]

  private func opened(
    _ fields: [(String, String)], method: String = "GET"
  ) throws(WebSocketHandshake.Refusal) -> WebSocketHandshake {
    try WebSocketHandshake(
      method: utf8(method), fields: fields.map { (name: utf8($0.0), value: utf8($0.1)) },
      subprotocol: AutopushLimits.subprotocol)
  }

  private func refusal(
    _ fields: [(String, String)], method: String = "GET"
  ) -> WebSocketHandshake.Refusal? {
    do throws(WebSocketHandshake.Refusal) {
      _ = try opened(fields, method: method)
      return nil
    } catch {
      return error
    }
  }

  /// Returns Firefox's fields with another value of one field; nil removes the field.
  private func changed(_ name: String, to value: String?) -> [(String, String)] {
    Self.firefox.compactMap { field -> (String, String)? in
      guard field.0 == name else { return field }
      return value.map { (name, $0) }
    }
  }

  @Test func `Firefox's request is answered without compression`() throws {
    let handshake = try opened(Self.firefox)
    #expect(handshake.acceptValue == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    #expect(
      String(decoding: handshake.response, as: UTF8.self)
        == "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n"
        + "sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
        + "sec-websocket-protocol: push-notification\r\n\r\n")
  }

  @Test func `a client that offers no known subprotocol gets none`() throws {
    for value in [nil, "", "chat", "push-notification2", "PUSH-NOTIFICATION"] {
      #expect(try opened(changed("sec-websocket-protocol", to: value)).subprotocol == nil)
    }
    let several = try opened(changed("sec-websocket-protocol", to: "chat,\tpush-notification ,x"))
    #expect(several.subprotocol == "push-notification")
  }

  @Test func `words in lists can have letters of any case`() throws {
    _ = try opened(changed("upgrade", to: "h2c, WebSocket"))
    _ = try opened(changed("connection", to: "UPGRADE"))
  }

  @Test func `a request without an upgrade to WebSocket is an ordinary request`() {
    for value in [nil, "", "h2c", "websocket2", "web socket"] {
      #expect(refusal(changed("upgrade", to: value)) == .notUpgrade)
    }
    #expect(refusal([]) == .notUpgrade)
  }

  @Test func `a malformed handshake is refused with 400`() {
    for (name, value) in [
      ("connection", nil), ("connection", "keep-alive"), ("sec-websocket-key", nil),
      ("sec-websocket-key", ""), ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ"),
      ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZTEy"), ("sec-websocket-version", nil),
      ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZ***"),
    ] as [(String, String?)] {
      guard case .malformed = refusal(changed(name, to: value)) else {
        Issue.record("\(name): \(value ?? "absent")")
        continue
      }
    }
    let twice = Self.firefox + [("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==")]
    for refused in [refusal(twice), refusal(Self.firefox, method: "POST")] {
      guard case .malformed = refused else {
        Issue.record("\(String(describing: refused))")
        continue
      }
    }
    let response = WebSocketHandshake.Refusal.malformed("x").response
    #expect(String(decoding: response, as: UTF8.self).hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
  }

  @Test func `another version gets 426 and the supported version`() {
    for value in ["8", "14", "013", "13 8"] {
      #expect(refusal(changed("sec-websocket-version", to: value)) == .unsupportedVersion)
    }
    let text = String(
      decoding: WebSocketHandshake.Refusal.unsupportedVersion.response, as: UTF8.self)
    #expect(text.hasPrefix("HTTP/1.1 426 Upgrade Required\r\n"))
    #expect(text.contains("\r\nsec-websocket-version: 13\r\n"))
  }

  @Test func `a WebSocket of a web page is recognized by its origin`() {
    for (origin, isFromWebPage) in [
      ("https://example.org", true), ("HTTP://example.org:80", true), ("null", true),
      ("wss://push.example.org/CODE", false), ("moz-extension://0123", false), ("", false),
      ("app", false), (nil, false),
    ] as [(String?, Bool)] {
      let fields = changed("origin", to: origin).map { (name: utf8($0.0), value: utf8($0.1)) }
      let opening = AutopushOpening(target: utf8("/CODE"), fields: fields)
      #expect(opening.isFromWebPage == isFromWebPage, "\(origin ?? "absent")")
      #expect(opening.code == utf8("CODE"))
    }
  }

  @Test func `the first segment of the path is the enrollment code`() {
    for (target, code) in [
      ("/", ""), ("", ""), ("*", ""), ("/?x=1", ""), ("/CODE", "CODE"), ("/CODE/", "CODE"),
      ("/CODE/a/b", "CODE"), ("/CODE?x=/y", "CODE"), ("//CODE", ""), ("/C%20E", "C%20E"),
    ] {
      #expect(AutopushPath.enrollmentCode(utf8(target)) == utf8(code), "\(target)")
    }
  }
}
