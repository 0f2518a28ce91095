import Testing

@testable import WebPush

@Suite struct AppleDialectTests {
  private let fields = [
    ("TTL", "10"), ("Content-Encoding", "aes128gcm"), ("Authorization", "vapid t=a.b.c, k=KEY"),
  ]

  private func reason(_ fields: [(String, String)], body: [UInt8] = RFC8291Vector.body) -> String? {
    refusal(fields, body: body, dialect: .apple).map {
      "\($0.status(.apple)) \($0.rule.row.reason)"
    }
  }

  /// Returns the fields with other values.
  private func fields(_ name: String, _ value: String) -> [(String, String)] {
    fields.filter { $0.0 != name } + [(name, value)]
  }

  @Test func `a valid request is accepted`() {
    #expect(message(fields, body: RFC8291Vector.body, dialect: .apple) != nil)
  }

  @Test func `TTL must be positive`() {
    #expect(reason(fields("TTL", "0")) == "400 BadTtl")
    #expect(reason(fields("TTL", "000")) == "400 BadTtl")
    #expect(reason(fields("TTL", "-1")) == "400 BadTtl")
    #expect(reason(fields("TTL", "1")) == nil)
    #expect(message([("TTL", "0")]) != nil)
  }

  @Test(arguments: [
    ("neue-angebote", false), ("spike", false), ("a", false), ("a====", false),
    ("twelve-chars", true), ("ab", true), ("abc", true), ("YWI=", true),
  ])
  func `a topic's length must be one of base64url`(topic: String, isAccepted: Bool) {
    let refused = reason(fields + [("Topic", topic)])
    #expect(refused == (isAccepted ? nil : "400 BadWebPushTopic"))
    #expect(message([("TTL", "1"), ("Topic", topic)]) != nil)
  }

  @Test func `only the scheme vapid is accepted`() {
    let missing = fields.filter { $0.0 != "Authorization" }
    #expect(reason(missing) == "403 BadJwtToken")
    for scheme in ["WebPush", "Bearer"] {
      let legacy = fields("Authorization", "\(scheme) a.b.c") + [("Crypto-Key", "p256ecdsa=K;dh=D")]
      #expect(reason(legacy) == "403 BadAuthorizationHeader")
    }
    #expect(reason(fields("Authorization", "Basic x")) == "403 BadAuthorizationHeader")
  }

  @Test func `only aes128gcm is accepted, and only with its header`() {
    let legacy =
      fields("Content-Encoding", "aesgcm")
      + [("Encryption", "salt=S"), ("Crypto-Key", "dh=D")]
    #expect(reason(legacy) == "400 BadWebPushRequest")
    #expect(message(legacy, body: [1]) != nil)
    let json = utf8(#"{"web_push":8030,"notification":{"title":"not encrypted"}}"#)
    #expect(reason(fields, body: json) == "400 BadWebPushRequest")
    #expect(message(fields, body: json) != nil)
    #expect(reason(fields, body: Array(RFC8291Vector.body[..<85])) == "400 BadWebPushRequest")
    var other = RFC8291Vector.body
    other[21] = 3
    #expect(reason(fields, body: other) == "400 BadWebPushRequest")
  }

  @Test func `a body above 4,096 bytes is refused, also with aesgcm`() {
    let large = [UInt8](repeating: 0, count: 4_097)
    #expect(reason(fields, body: large) == "413 PayloadTooLarge")
    #expect(reason(fields("Content-Encoding", "aesgcm"), body: large) == "413 PayloadTooLarge")
  }

  @Test func `urgency has Apple's reason`() {
    #expect(reason(fields + [("Urgency", "soon")]) == "400 BadUrgency")
  }
}
