import Testing

@testable import WebPush

@Suite struct RequestTests {
  private let body = RFC8291Vector.body
  private let encrypted = [("TTL", "10"), ("Content-Encoding", "aes128gcm")]

  @Test func `RFC 8291's request is accepted, with its defaults`() throws {
    let accepted = message(encrypted, body: body)
    let read = try #require(accepted)
    #expect(read.ttlSeconds == 10)
    #expect(read.urgency == .normal)
    #expect(read.topic == nil)
    #expect(read.content == .aes128gcm(body))
    #expect(read.body == body)
    #expect(read.credential == nil)
  }

  @Test(arguments: [
    ("0", 0), ("1", 1), ("007", 7), ("2419200", 2_419_200), ("2147483647", 2_147_483_647),
    ("2147483648", 2_147_483_648), ("2147483649", 2_147_483_648),
    ("99999999999999999999999999999999", 2_147_483_648), (" 5\t", 5),
  ])
  func `TTL is a number of seconds, and at most 2^31`(text: String, seconds: Int64) {
    #expect(message([("ttl", text)])?.ttlSeconds == seconds)
  }

  @Test(arguments: [
    "", " ", "x", "1.5", "+1", "1 2", "0x10", "1e3", "12s", "\u{0661}", "--1", "-x",
  ])
  func `TTL that is no whole number is refused`(text: String) {
    let refused = refusal([("TTL", text)])
    #expect(refused?.rule == .ttlInvalid)
    #expect(refused?.rule.row.errorNumber == 111)
  }

  @Test func `a refused TTL is named in the message, at most 64 bytes of it`() {
    #expect(
      refusal([("TTL", "1 day")])?.message == "TTL is '1 day'; it must be a whole number of seconds"
    )
    #expect(
      refusal([("TTL", "\u{7F}é")])?.message == "TTL is '???'; it must be a whole number of seconds"
    )
    let long = String(repeating: "x", count: 65)
    #expect(
      refusal([("Urgency", long), ("TTL", "1")])?.message.utf8.count
        == "Urgency is ''; it must be very-low, low, normal or high".utf8.count + 64)
  }

  @Test func `TTL that is missing, negative or repeated is refused`() {
    #expect(refusal([])?.rule == .ttlMissing)
    #expect(refusal([("TTL", "-1")])?.rule == .ttlNegative)
    #expect(refusal([("TTL", "-1")])?.rule.row.errorNumber == 114)
    #expect(refusal([("TTL", "1"), ("ttl", "1")])?.rule == .ttlRepeated)
  }

  @Test func `a TTL of any length is read`() {
    let zeros = String(repeating: "0", count: 65_536)
    #expect(message([("TTL", zeros + "9")])?.ttlSeconds == 9)
    #expect(refusal([("TTL", zeros + "x")])?.rule == .ttlInvalid)
  }

  @Test(arguments: [
    ("very-low", WebPushUrgency.veryLow, 1), ("low", .low, 1), ("normal", .normal, 5),
    ("high", .high, 10), ("HIGH", .high, 10), ("Very-Low", .veryLow, 1),
  ])
  func `an urgency has a priority`(text: String, urgency: WebPushUrgency, priority: UInt8) {
    #expect(message([("TTL", "1"), ("Urgency", text)])?.urgency == urgency)
    #expect(urgency.priority == priority)
  }

  @Test func `urgencies are in order, and have their words`() {
    #expect(WebPushUrgency.allCases.sorted() == [.veryLow, .low, .normal, .high])
    for urgency in WebPushUrgency.allCases {
      #expect(WebPushUrgency(utf8("\(urgency.word)").span) == urgency)
    }
  }

  @Test(arguments: ["", "urgent", "low,high", "very_low", "lo"])
  func `an unknown urgency is refused`(text: String) {
    #expect(refusal([("TTL", "1"), ("Urgency", text)])?.rule == .urgencyInvalid)
  }

  @Test func `two urgencies are refused`() {
    #expect(
      refusal([("TTL", "1"), ("Urgency", "low"), ("urgency", "low")])?.rule == .urgencyRepeated)
  }

  @Test(arguments: [
    "a", "Inbox", "upd", "A-z_09", "a-test-topic-which-is-just-right", "YQ==", "YWI=", "a=====",
  ])
  func `a topic of the base64url alphabet is accepted, also with padding`(text: String) {
    #expect(message([("TTL", "1"), ("Topic", text)])?.topic == utf8(text))
  }

  @Test(arguments: ["", "=", "a b", "a.b", "a+b", "a/b", "é", "a=b", "a,b"])
  func `another topic is refused`(text: String) {
    #expect(refusal([("TTL", "1"), ("Topic", text)])?.rule == .topicInvalid)
  }

  @Test func `a topic of 33 characters, and two topics, are refused`() {
    let long = "test-topic-which-is-too-long-1234"
    let refused = refusal([("TTL", "1"), ("Topic", long)])
    #expect(refused?.rule == .topicTooLong)
    #expect(refused?.message == "Topic is '\(long)'; at most 32 characters are allowed")
    let repeated = refusal([("TTL", "1"), ("Topic", "a"), ("Topic", "a")])
    #expect(repeated?.rule == .topicRepeated)
  }

  @Test func `a message without a body needs no encoding, and may have any`() {
    for encoding in [[], [("Content-Encoding", "aes128gcm")], [("Content-Encoding", "aesgcm")]] {
      let accepted = message([("TTL", "0")] + encoding)
      #expect(accepted?.content == .empty)
      #expect(accepted?.body == [])
    }
  }

  @Test func `a body needs exactly one known encoding`() {
    #expect(refusal([("TTL", "1")], body: body)?.rule == .encodingMissing)
    for encoding in ["gzip", "", "aes128gcm, gzip", "aes256gcm", "identity"] {
      let refused = refusal([("TTL", "1"), ("Content-Encoding", encoding)], body: body)
      #expect(refused?.rule == .encodingUnknown)
    }
    let repeated = refusal(encrypted + [("Content-Encoding", "aes128gcm")], body: body)
    #expect(repeated?.rule == .encodingRepeated)
    let upper = message([("TTL", "1"), ("CONTENT-ENCODING", "AES128GCM")], body: [1])
    #expect(upper?.content == .aes128gcm([1]))
  }

  @Test func `a body of 4,096 bytes is accepted, and a longer one refused`() {
    let body = [UInt8](repeating: 1, count: 4_096)
    #expect(message(encrypted, body: body)?.body == body)
    let refused = refusal(encrypted, body: body + [1])
    #expect(refused?.rule == .bodyTooLarge)
    #expect(refused?.message == "the body has 4097 bytes; at most 4096 are allowed")
    #expect(refusal([], body: body + [1])?.rule == .bodyTooLarge)
    #expect(request(encrypted).bodyBytesMax() == 4_096)
    #expect(request([("content-encoding", "AESGCM")]).bodyBytesMax() == 5_630)
    #expect(request([("content-encoding", "aesgcm")]).bodyBytesMax(.apple) == 4_096)
  }

  @Test func `unknown fields and names that are nearly known are ignored`() {
    let fields = [
      ("User-Agent", "x"), ("Unsubscribe-URL", "https://x"), ("x-unifiedpush", "1"),
      ("Content-Type", "application/octet-stream"), ("Prefer", "respond-async"), ("", ""),
      ("TTL2", "x"), ("Topics", "!"), ("Urgenc", "!"), ("Authorizatio", "!"),
    ]
    #expect(message(fields + [("Ttl", "3")])?.ttlSeconds == 3)
  }

  @Test func `a key that encrypts the body must not sign the token`() throws {
    let key = "vapid t=a.b.c, k="
    let same =
      "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"
    let other = refusal(encrypted + [("Authorization", key + same)], body: body)
    #expect(other?.rule == .keyIsEncryptionKey)
    let different = message(
      encrypted + [("Authorization", key + String(same.reversed()))], body: body)
    #expect(different?.credential?.key == utf8(String(same.reversed())))
    let legacy = refusal(
      [
        ("TTL", "1"), ("Content-Encoding", "aesgcm"), ("Encryption", "salt=AAAA"),
        ("Crypto-Key", "dh=\(same);p256ecdsa=\(same)="), ("Authorization", "WebPush a.b.c"),
      ], body: [1])
    #expect(legacy?.rule == .keyIsEncryptionKey)
  }

  @Test
  func `the size, the credential, TTL, urgency, topic and encoding are checked in this order`() {
    var fields: [(String, String)] = [
      ("Content-Encoding", "gzip"), ("Topic", "!"), ("Urgency", "!"), ("TTL", "!"),
      ("Authorization", "Basic x"),
    ]
    let large = [UInt8](repeating: 0, count: 4_097)
    #expect(refusal(fields, body: large)?.rule == .bodyTooLarge)
    var rules: [WebPushRule?] = []
    while !fields.isEmpty {
      rules.append(refusal(fields, body: [1])?.rule)
      fields.removeLast()
      // TTL is required, so it must be valid for the others to be reached.
      if rules.count == 2 { fields.insert(("TTL", "1"), at: 0) }
      if fields.count == 1 { break }
    }
    #expect(
      rules == [
        .authorizationInvalid, .ttlInvalid, .urgencyInvalid, .topicInvalid, .encodingUnknown,
      ])
  }
}
