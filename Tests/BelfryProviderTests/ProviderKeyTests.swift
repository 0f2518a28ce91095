import BelfryWire
import Foundation
import Testing
import Transport

@testable import BelfryProvider

@Test func `a provider token says who signed it and when and verifies`() throws {
  let key = try ES256PrivateKey()
  let provider = try ProviderKey(
    p8: key.pkcs8PEM(), keyID: "ABC123DEFG", teamID: "TEAMAAAAAA")
  let token = try provider.token(issuedAt: 1_700_000_000)
  let segments = token.split(separator: ".").map(String.init)
  try #require(segments.count == 3)
  func decode(_ text: String) -> [UInt8] { Base64.decode(Array(text.utf8).span) ?? [] }
  #expect(
    String(decoding: decode(segments[0]), as: UTF8.self) == #"{"alg":"ES256","kid":"ABC123DEFG"}"#)
  #expect(
    String(decoding: decode(segments[1]), as: UTF8.self)
      == #"{"iss":"TEAMAAAAAA","iat":1700000000}"#)
  let signature = decode(segments[2])
  #expect(signature.count == 64)
  #expect(
    key.publicKey.verify(
      rawSignature: signature, message: Array("\(segments[0]).\(segments[1])".utf8)))
}

@Test(arguments: ["", "A\"B", "A B", "Ä"])
func `an identifier that would have to be escaped is refused`(_ identifier: String) throws {
  let pem = try ES256PrivateKey().pkcs8PEM()
  #expect(throws: ProviderFailure.self) {
    try ProviderKey(p8: pem, keyID: identifier, teamID: "TEAMAAAAAA")
  }
  #expect(throws: ProviderFailure.self) {
    try ProviderKey(p8: pem, keyID: "ABC123DEFG", teamID: identifier)
  }
}

@Test func `a file that is no key is refused`() {
  #expect(throws: ProviderFailure.self) {
    try ProviderKey(p8: Array("no key".utf8), keyID: "ABC123DEFG", teamID: "TEAMAAAAAA")
  }
}

@Test func `a push becomes the header fields of the interface`() {
  let push = Push(
    to: "00ff", topic: "com.example.app", payload: [], type: .background, priority: 5,
    expiration: .once, collapseID: "score", id: "123e4567-e89b-12d3-a456-4266554400a0")
  let fields = push.fields(authority: "localhost:2197", authorization: "bearer x")
  #expect(
    fields.map { "\($0.name): \($0.value)" } == [
      ":method: POST", ":scheme: https", ":authority: localhost:2197", ":path: /3/device/00ff",
      "authorization: bearer x", "apns-topic: com.example.app", "apns-push-type: background",
      "apns-id: 123e4567-e89b-12d3-a456-4266554400a0", "apns-expiration: 0", "apns-priority: 5",
      "apns-collapse-id: score",
    ])
}

@Test(arguments: ["", "00/ff", "00 ff", "00\r\n"])
func `a token that is invalid in a path is refused`(_ token: String) {
  let fault = Push(to: token, topic: "com.example.app", payload: []).fault
  #expect(
    fault == "the device token is " + (token.isEmpty ? "empty" : "not hexadecimal text"))
}

@Test func `an answer is read with its reason and timestamp`() {
  func answer(_ fields: [(String, String)], _ body: String) -> PushOutcome {
    var response = ResponseAccumulator(bodyBytesMax: 4_096)
    for (name, value) in fields {
      Array(name.utf8).withUnsafeBytes { name in
        Array(value.utf8).withUnsafeBytes { response.appendField(name: name, value: $0) }
      }
    }
    Array(body.utf8).withUnsafeBytes { response.appendBody($0) }
    return response.answer().outcome
  }
  #expect(
    answer([(":status", "200"), ("apns-id", "A"), ("apns-unique-id", "U")], "")
      == .accepted(.init(id: "A", uniqueID: "U")))
  let gone = answer(
    [(":status", "410"), ("apns-id", "A")], #"{"reason":"Unregistered","timestamp":1700000000123}"#)
  #expect(
    gone
      == .rejected(
        .init(
          status: 410, reason: "Unregistered", timestampMilliseconds: 1_700_000_000_123, id: "A")))
  guard case .rejected(let refusal) = answer([(":status", "502")], "<html>") else {
    Issue.record("a proxy's error was treated as acceptance")
    return
  }
  #expect(refusal.reason == "")
  #expect(refusal.advice == .retryWithBackoff)
}
