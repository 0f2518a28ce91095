import TestSupport
import Testing

@testable import WebPush

@Suite struct MatrixNotificationTests {
  private func notification(_ text: String) throws(MatrixRefusal) -> MatrixNotification {
    let bytes = utf8(text)
    return try MatrixNotification(bytes, bodyBytes: bytes.count)
  }

  /// Returns a request with these members of the notification, and with one device.
  private func request(_ members: String) -> String {
    #"{"notification":{\#(members),"devices":[{"app_id":"a","pushkey":"https://a/push/1"}]}}"#
  }

  /// Returns the refusal of a body, or nil if it is accepted.
  private func refusal(_ text: String) -> MatrixRefusal? {
    let bytes = utf8(text)
    return refusal(bytes, bodyBytes: bytes.count)
  }

  private func refusal(_ bytes: [UInt8], bodyBytes: Int) -> MatrixRefusal? {
    do throws(MatrixRefusal) {
      _ = try MatrixNotification(bytes, bodyBytes: bodyBytes)
      return nil
    } catch {
      return error
    }
  }

  /// A request that is nested more deeply than the parser allows.
  private static let deep =
    #"{"notification":"# + String(repeating: "[", count: 70) + String(repeating: "]", count: 70)
    + "}"

  @Test func `the message is the request without its devices`() throws {
    let made = try notification(
      #"{"notification":{"event_id":"$e","room_id":"!r:example.org","counts":{"unread":2},"#
        + #""devices":[{"app_id":"a","pushkey":"https://a/push/1","pushkey_ts":12,"#
        + #""data":{"format":"event_id_only"},"tweaks":{"sound":"default"}}],"#
        + #""prio":"high","content":{"body":"caf\u00e9 \"x\""}},"other":[1.5,null,true]}"#)
    #expect(
      String(decoding: made.body, as: UTF8.self)
        == #"{"notification":{"event_id":"$e","room_id":"!r:example.org","counts":{"unread":2},"#
        + #""prio":"high","content":{"body":"café \"x\""}},"other":[1.5,null,true]}"#)
    #expect(made.pushkeys == [utf8("https://a/push/1")])
  }

  @Test func `each pushkey gets one message, and pushkeys are compared by their bytes`() throws {
    let keys = ["b", "a", "b", "\u{E9}", "e\u{301}", "a", ""]
    let devices = keys.map { #"{"pushkey":"\#($0)"}"# }.joined(separator: ",")
    let made = try notification(#"{"notification":{"devices":[\#(devices)]}}"#)
    #expect(made.pushkeys == ["b", "a", "\u{E9}", "e\u{301}", ""].map(utf8))
  }

  @Test func `a notification without devices is for nobody`() throws {
    #expect(try notification(#"{"notification":{"devices":[]}}"#).pushkeys.isEmpty)
  }

  @Test(arguments: [
    (#""prio":"high""#, WebPushUrgency.high), (#""prio":"low""#, .normal), (#""x":1"#, .high),
    (#""prio":"LOW""#, .high), (#""prio":0"#, .high), (#""prio":"low","prio":"high""#, .high),
  ])
  func `a low priority is a normal urgency, and every other one is high`(
    members: String, urgency: WebPushUrgency
  ) throws {
    #expect(try notification(request(members)).urgency == urgency)
  }

  @Test func `a repeated request replaces its message, and another event does not`() throws {
    func identifier(_ members: String) throws -> [UInt8] {
      try notification(request(members)).collapseID
    }
    let first = try identifier(#""event_id":"$one","counts":{"unread":1}"#)
    #expect(try identifier(#""counts":{"unread":7},"event_id":"$one""#) == first)
    #expect(try identifier(#""event_id":"$two""#) != first)
    let long = String(repeating: "x", count: 255)
    for id in [first, try identifier(#""event_id":"\#(long)""#)] {
      // No `Topic` is as long, and the link to the device allows no more than 64 bytes.
      #expect(id.count > WebPushLimits.topicBytesMax && id.count <= 64)
      #expect(id.allSatisfy { $0.isBase64URL })
    }
  }

  @Test(arguments: [#""counts":{"unread":0}"#, #""event_id":"""#, #""event_id":5"#])
  func `a notification that is not about an event replaces nothing`(members: String) throws {
    #expect(try notification(request(members)).collapseID.isEmpty)
  }

  @Test(arguments: [
    ("", MatrixRefusal.Code.badJSON), ("{", .badJSON), ("\u{FEFF}{}", .badJSON), ("[]", .badJSON),
    ("null", .badJSON), ("{} {}", .badJSON), ("{}", .missingParameter),
    (#"{"notification":null}"#, .badJSON), (#"{"notification":[]}"#, .badJSON),
    (#"{"notification":{}}"#, .missingParameter),
    (#"{"notification":{"devices":null}}"#, .badJSON),
    (#"{"notification":{"devices":{}}}"#, .badJSON),
    (#"{"notification":{"devices":["https://a/push/1"]}}"#, .badJSON),
    (#"{"notification":{"devices":[{}]}}"#, .missingParameter),
    (#"{"notification":{"devices":[{"pushkey":"a"},{"app_id":"a"}]}}"#, .missingParameter),
    (#"{"notification":{"devices":[{"pushkey":null}]}}"#, .badJSON),
    (#"{"notification":{"devices":[{"pushkey":1}]}}"#, .badJSON),
    (deep, .badJSON),
  ])
  func `a malformed request is refused with the word of its error`(
    text: String, code: MatrixRefusal.Code
  ) {
    #expect(refusal(text)?.code == code, "\(text)")
  }

  @Test func `a request has at most 100 devices`() throws {
    func request(_ count: Int) -> String {
      let devices = (0..<count).map { #"{"pushkey":"\#($0)"}"# }.joined(separator: ",")
      return #"{"notification":{"devices":[\#(devices)]}}"#
    }
    #expect(try notification(request(100)).pushkeys.count == 100)
    #expect(refusal(request(101))?.code == .tooLarge)
  }

  @Test func `a request has at most 131,072 bytes`() throws {
    let empty = request(#""content":"""#)
    let room = 131_072 - empty.utf8.count
    let longest = request(#""content":"\#(String(repeating: "x", count: room))""#)
    #expect(longest.utf8.count == 131_072)
    #expect(refusal(longest) == nil)
    #expect(refusal(longest + " ")?.code == .tooLarge)
    // The connection retains nothing of a longer body.
    #expect(refusal([], bodyBytes: 131_073)?.code == .tooLarge)
  }

  @Test func `a message that is too long does not have the content of its event`() throws {
    let start = #""event_id":"$e","room_id":"!r""#
    let end = #","sender":"@a:example.org","counts":{"unread":1},"prio":"low""#
    func body(_ content: Int, _ name: Int = 0) throws -> String {
      let made = try notification(
        request(
          start + #","content":"\#(String(repeating: "x", count: content))""#
            + #","room_name":"\#(String(repeating: "y", count: name))""# + end))
      #expect(made.urgency == .normal && !made.collapseID.isEmpty)
      return String(decoding: made.body, as: UTF8.self)
    }
    let room = 4_096 - (try body(0).utf8.count)
    #expect(try body(room).utf8.count == 4_096)
    #expect(
      try body(room + 1) == #"{"notification":{\#(start),"room_name":""\#(end)}}"#)
    #expect(
      try body(60_000, 5_000)
        == #"{"notification":{\#(start),"counts":{"unread":1},"prio":"low"}}"#)
  }

  @Test func `a message that is too long without its content is refused`() {
    let members = #""event_id":"\#(String(repeating: "x", count: 4_096))""#
    #expect(refusal(request(members))?.code == .tooLarge)
  }

  @Test func `a refusal has the form of every Matrix error`() {
    let refusal = MatrixRefusal(.badJSON, #"devices is "not" an array"#)
    #expect(
      String(decoding: refusal.body, as: UTF8.self)
        == #"{"errcode":"M_BAD_JSON","error":"devices is \"not\" an array"}"#)
    let rows = MatrixRefusal.Code.allCases.map { "\($0.status) \($0.word)" }
    #expect(
      rows == [
        "400 M_BAD_JSON", "400 M_MISSING_PARAM", "413 M_TOO_LARGE", "405 M_UNRECOGNIZED",
        "408 M_UNKNOWN", "503 M_UNKNOWN",
      ])
  }

  @Test func `the answer repeats the rejected pushkeys as the homeserver wrote them`() {
    func answer(_ pushkeys: [String]) -> String {
      String(decoding: MatrixNotification.answer(rejecting: pushkeys.map(utf8)), as: UTF8.self)
    }
    #expect(answer([]) == #"{"rejected":[]}"#)
    #expect(
      answer(["https://a/push/1", "\"\u{E9}"]) == #"{"rejected":["https://a/push/1","\"é"]}"#)
    #expect("\(MatrixNotification.discovery)" == #"{"unifiedpush":{"gateway":"matrix"}}"#)
  }
}

// The test doesn't run in sanitized builds, because it would measure the sanitizer rather than the code.
#if !SANITIZED
  extension MatrixNotificationTests {
    @Test(arguments: [
      #"{"pushkey":"x"},"#, #"{"pushkey":"a\u0301\u0316"},"#, #"{"a":1,"b":2,"c":3},"#, "{},",
      "[[[]]],",
    ])
    func `a byte of a hostile request costs no more in a longer request`(unit: String) {
      let ratio = CostGrowth.ratio { bytes in
        utf8(
          #"{"notification":{"devices":["#
            + String(repeating: unit, count: bytes / unit.utf8.count) + "0]}}")
      } _: { body in
        _ = try? MatrixNotification(body, bodyBytes: body.count)
      }
      #expect(ratio <= CostGrowth.most)
    }
  }
#endif
