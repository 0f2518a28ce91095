import BelfryWire
import Testing

@testable import WebPush

@Suite struct RefusalTests {
  private func text(_ refusal: WebPushRefusal, _ dialect: WebPushDialect) -> String {
    String(decoding: refusal.body(dialect), as: UTF8.self)
  }

  @Test func `one body serves the vocabularies of autopush, Apple and KUnifiedPush`() {
    let refusal = WebPushRefusal(
      .audienceOther, "the token's aud is 'https://a', this endpoint's origin is 'https://b'")
    #expect(
      text(refusal, .rfc)
        == #"{"code":403,"errno":109,"error":"Forbidden","message":"the token's aud is 'https://a', this endpoint's origin is 'https://b'","reason":"BadJwtToken"}"#
    )
    #expect(
      text(refusal, .autopush)
        == #"{"code":401,"errno":109,"error":"Unauthorized","message":"the token's aud is 'https://a', this endpoint's origin is 'https://b'","reason":"BadJwtToken"}"#
    )
    #expect(text(refusal, .apple) == #"{"reason":"BadJwtToken"}"#)
  }

  @Test func `a cause for which autopush has no number has none`() {
    #expect(
      text(WebPushRefusal(.urgencyRepeated), .rfc)
        == #"{"code":400,"error":"Bad Request","message":"Urgency occurs more than once","reason":"BadUrgency"}"#
    )
  }

  @Test func `a missing credential is 401, an invalid one 403, and each dialect has its own`() {
    let statuses = { (rule: WebPushRule) in WebPushDialect.allCases.map { rule.row.status($0) } }
    #expect(WebPushDialect.allCases == [.rfc, .autopush, .apple])
    #expect(statuses(.authorizationMissing) == [401, 401, 403])
    for rule in WebPushRule.allCases where rule.row.errorNumber == 109 {
      guard rule != .authorizationMissing, rule != .keyOfOtherSender else { continue }
      #expect(statuses(rule) == [403, 401, 403], "\(rule)")
    }
    #expect(statuses(.keyOfOtherSender) == [403, 401, 400])
    #expect(statuses(.requestIncomplete) == [408, 408, 400])
    #expect(statuses(.subscriptionEnded) == [410, 410, 410])
    #expect(statuses(.endpointUnknown) == [404, 404, 404])
    #expect(statuses(.bodyTooLarge) == [413, 413, 413])
  }

  @Test func `a cause that can pass never has a status that deletes a subscription`() {
    let passing: [WebPushRule] = [
      .requestIncomplete, .tooManyRequests, .internalError, .storeUnavailable, .overloaded,
      .shutdown,
    ]
    for rule in passing {
      let status = rule.row.status(.rfc)
      #expect(status == 408 || status == 429 || status >= 500)
    }
    for rule in WebPushRule.allCases where !passing.contains(rule) {
      #expect((400..<500).contains(rule.row.status(.rfc)))
    }
  }

  @Test func `every row has a title, one of Apple's reasons, and a message in ASCII`() throws {
    let reasons: Set = [
      "BadTtl", "BadUrgency", "BadWebPushRequest", "BadWebPushTopic", "VapidPkHashMismatch",
      "IdleTimeout", "BadAuthorizationHeader", "BadJwtToken", "BadVapidPublicKey", "BadPath",
      "MethodNotAllowed", "Unregistered", "PayloadTooLarge", "TooManyRequests",
      "InternalServerError", "ServiceUnavailable", "Shutdown",
    ]
    let numbers: Set<Int?> = [nil, 102, 104, 106, 109, 110, 111, 113, 114, 201, 202, 999]
    for rule in WebPushRule.allCases {
      let row = rule.row
      #expect(reasons.contains("\(row.reason)"))
      #expect(numbers.contains(row.errorNumber))
      #expect("\(row.when)".utf8.allSatisfy { (0x20..<0x7F).contains($0) })
      for dialect in WebPushDialect.allCases {
        let status = row.status(dialect)
        #expect((WebPushRefusal.title(status).utf8CodeUnitCount == 21) == (status == 500))
        let object = try JSONValue(parsing: WebPushRefusal(rule).body(dialect)).objectValue
        #expect(object?["reason"] == .string("\(row.reason)"))
        #expect(object?["code"]?.integerValue == (dialect == .apple ? nil : Int64(status)))
      }
    }
  }

  @Test func `the status requires header fields`() {
    func fields(_ refusal: WebPushRefusal, _ dialect: WebPushDialect = .rfc) -> [String] {
      refusal.fields(dialect).map { "\($0.name): \($0.value)" }
    }
    #expect(fields(WebPushRefusal(.authorizationMissing)) == ["www-authenticate: vapid"])
    #expect(fields(WebPushRefusal(.authorizationMissing), .apple) == [])
    #expect(fields(WebPushRefusal(.tokenSignature), .autopush) == ["www-authenticate: vapid"])
    #expect(fields(WebPushRefusal(.subscriptionEnded)) == ["cache-control: max-age=86400"])
    #expect(fields(WebPushRefusal(.storeUnavailable)) == ["retry-after: 120"])
    #expect(fields(WebPushRefusal(.shutdown, retryAfterSeconds: 5)) == ["retry-after: 5"])
    #expect(fields(WebPushRefusal(.tooManyRequests)) == [])
    #expect(
      fields(WebPushRefusal(.tooManyRequests, retryAfterSeconds: 3)) == ["retry-after: 3"])
    #expect(fields(WebPushRefusal(.ttlMissing)) == [])
  }

  @Test(arguments: [
    (0, "0 seconds"), (1, "1 second"), (59, "59 seconds"), (60, "1 minute"),
    (61, "1 minute 1 second"), (3_599, "59 minutes 59 seconds"), (3_600, "1 hour"),
    (90_000, "25 hours"), (86_760, "24 hours 6 minutes"), (-7_200, "2 hours"),
    (30 * 86_400, "30 days"),
  ])
  func `times are in their two largest units`(seconds: Int64, expected: String) {
    #expect(TimeText.text(seconds: seconds) == expected)
  }
}
