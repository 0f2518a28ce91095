import Testing

@testable import WebPush

@Suite struct AuthorizationTests {
  private func credential(
    _ authorization: String, cryptoKey: [String] = []
  ) -> VAPIDCredential? {
    message(
      [("TTL", "1"), ("Authorization", authorization)] + cryptoKey.map { ("Crypto-Key", $0) })?
      .credential
  }

  private func rule(_ authorization: String, cryptoKey: [String] = []) -> WebPushRule? {
    refusal(
      [("TTL", "1"), ("Authorization", authorization)] + cryptoKey.map { ("Crypto-Key", $0) })?.rule
  }

  private let expected = VAPIDCredential(token: utf8("a.b.c"), key: utf8("KEY"))

  @Test(arguments: [
    "vapid t=a.b.c, k=KEY", "vapid t=a.b.c,k=KEY", "vapid k=KEY, t=a.b.c", "VAPID t=a.b.c, k=KEY",
    "Vapid T=a.b.c,  K=KEY", "vapid t=\"a.b.c\", k=\"KEY\"", "vapid\tt=a.b.c , k=KEY ",
    "vapid t=a.b.c, k=KEY, realm=x, other=\"a, b\"", "vapid ,t=a.b.c,,k=KEY,",
    "vapid t = a.b.c, k = KEY", "vapid t=a.b.c; k=KEY",
  ])
  func `the scheme vapid is read in every spelling`(text: String) {
    #expect(credential(text) == expected)
  }

  @Test func `padding and the standard alphabet stay in the texts`() {
    let padded = credential("vapid t=a=.b=.c==, k=K+/Y==")
    #expect(padded == VAPIDCredential(token: utf8("a=.b=.c=="), key: utf8("K+/Y==")))
  }

  @Test(arguments: ["WebPush", "webpush", "Bearer", "BEARER"])
  func `the drafts' schemes have their key in Crypto-Key`(scheme: String) {
    let expected = VAPIDCredential(token: utf8("a.b.c"), key: utf8("KEY"), isLegacy: true)
    for keys in [
      ["p256ecdsa=KEY"], ["dh=DH;p256ecdsa=KEY"], ["dh=DH,p256ecdsa=KEY"],
      ["keyid=\"a1\"; dh=\"DH\";p256ecdsa=\"KEY\""], [";p256ecdsa=KEY"], ["P256ECDSA=KEY"],
      ["dh=DH", "p256ecdsa=KEY"],
    ] {
      #expect(credential("\(scheme) a.b.c", cryptoKey: keys) == expected, "\(keys)")
    }
    #expect(rule("\(scheme) a.b.c") == .keyMissing)
    #expect(rule("\(scheme) a.b.c", cryptoKey: ["dh=DH"]) == .keyMissing)
    #expect(rule("\(scheme) a.b.c", cryptoKey: ["p256ecdsa"]) == .keyMissing)
    #expect(rule("\(scheme) a.b.c", cryptoKey: ["p256ecdsa="]) == .keyMissing)
    #expect(rule(scheme, cryptoKey: ["p256ecdsa=KEY"]) == .tokenMissing)
  }

  @Test func `a Crypto-Key above the limit has no key`() {
    let key = "p256ecdsa=KEY;x=" + String(repeating: "a", count: 512 - 16)
    #expect(credential("WebPush a.b.c", cryptoKey: [key])?.key == utf8("KEY"))
    #expect(rule("WebPush a.b.c", cryptoKey: [key + "a"]) == .keyMissing)
    #expect(rule("WebPush a.b.c", cryptoKey: [key, ""]) == .keyMissing)
  }

  @Test func `a missing token or key has its own refusal`() {
    #expect(rule("vapid k=KEY") == .tokenMissing)
    #expect(rule("vapid t=, k=KEY") == .tokenMissing)
    #expect(rule("vapid t=a.b.c") == .keyMissing)
    #expect(rule("vapid t=a.b.c, k=") == .keyMissing)
    #expect(rule("vapid") == .tokenMissing)
  }

  @Test(arguments: [
    "", "Basic dXNlcjpwYXNz", "vapidt=a.b.c,k=KEY", "vapid t, k=KEY", "vapid t=a.b.c k=KEY",
    "vapid t=a, t=b, k=KEY", "vapid t=a, k=1, K=2", "vapid t=\"a.b.c, k=KEY",
    "vapid t=a\u{1}b, k=KEY", "vapid t=é, k=KEY", "vapid =a, t=a, k=b", "vapid t=\"a\"b, k=KEY",
    "vapid t=\"a\\", "vapid t x=a, k=KEY",
  ])
  func `another authorization is refused`(text: String) {
    #expect(rule(text) == .authorizationInvalid)
  }

  @Test func `two authorizations, and one above the limit, are refused`() {
    let valid = "vapid t=a.b.c, k=KEY"
    let twice = refusal([("TTL", "1"), ("Authorization", valid), ("Authorization", valid)])
    #expect(twice?.rule == .authorizationInvalid)
    let filled = valid + ", x=" + String(repeating: "y", count: 2_048 - valid.utf8.count - 4)
    #expect(credential(filled) == expected)
    #expect(rule(filled + "y") == .authorizationInvalid)
  }

  @Test func `an unknown scheme is named`() {
    #expect(
      refusal([("TTL", "1"), ("Authorization", "Basic dXNlcjpwYXNz")])?.message
        == "the scheme of Authorization is 'Basic'; it must be vapid, WebPush or Bearer")
  }
}
