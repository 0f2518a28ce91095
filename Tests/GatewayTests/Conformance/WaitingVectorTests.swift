import BelfryWire
import Foundation
import Gateway
import TestSupport
import Testing

/// Tests of the vectors in which time passes, under a clock that the test controls.
///
/// `run-vectors` also runs these vectors against a gateway, whose clock for tokens doesn't advance.
@Suite struct WaitingVectorTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    let id: String
    let request: JSONObject
    let expect: JSONObject

    var testDescription: String { id }
  }

  static let all: [Vector] = {
    let file = Installation.root + "/Tests/Conformance/vectors.jsonl"
    let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").compactMap { line in
      let bytes = Array(line.utf8)
      guard let object = (try? JSONValue(parsing: bytes))?.objectValue,
        let id = object["id"]?.stringValue, let request = object["request"]?.objectValue,
        let expect = object["expect"]?.objectValue
      else { return nil }
      return Vector(id: id, request: request, expect: expect)
    }
  }()

  private static let connections = all.filter { $0.request["one_connection"] != nil }

  @Test(arguments: connections)
  func `requests of one connection`(_ vector: Vector) throws {
    let steps = try #require(vector.request["one_connection"]?.arrayValue)
    let wanted = try #require(vector.expect["per_step"]?.arrayValue)
    try play(steps, wanted)
  }

  /// Tests how time affects a connection's tokens in cases that the vectors don't cover.
  @Test(
    arguments: [
      ("a new token after 25 minutes", [0, 1_500], ["now", "now"], [nil, nil]),
      (
        "too many, then late enough", [0, 600, 600], ["now", "now", "now"],
        [nil, "TooManyProviderTokenUpdates", nil]
      ),
      (
        "the first token goes on beside the one that was too many", [0, 60, 1],
        ["fixed", "now", "fixed"], [nil, "TooManyProviderTokenUpdates", nil]
      ),
      (
        "an hour ends a token", [0, 3_600, 1, 0], ["fixed", "fixed", "fixed", "now"],
        [nil, nil, "ExpiredProviderToken", nil]
      ),
    ] as [(String, [Int64], [String], [String?])])
  func `tokens over time`(_ what: String, after: [Int64], issued: [String], reasons: [String?])
    throws
  {
    let fields: [(String, String)] = [
      (":method", "POST"), (":path", "/3/device/${TOK_A}"), ("apns-topic", "com.example.app"),
    ]
    var connection = try ClockedConnection(ClockedConnection.Keys(), environment: .sandbox)
    for index in after.indices {
      connection.pass(seconds: after[index])
      let token = "bearer ${JWT:KEYTMSBX01;iat=\(issued[index])}"
      let rejection = try connection.send(fields + [("authorization", token)], body: "{}")
      #expect(rejection?.reason == reasons[index], "\(what), step \(index + 1)")
    }
  }

  private func play(_ steps: [JSONValue], _ wanted: [JSONValue]) throws {
    var connection = try ClockedConnection(ClockedConnection.Keys(), environment: .sandbox)
    for (index, step) in steps.enumerated() {
      let step = try #require(step.objectValue)
      let after = try #require(step["after"]?.stringValue?.dropLast())
      connection.pass(seconds: try #require(Int64(after)))
      let fields: [(String, String)] = try #require(step["headers"]?.arrayValue).map { pair in
        let pair = try #require(pair.arrayValue)
        return (try #require(pair[0].stringValue), try #require(pair[1].stringValue))
      }
      let rejection = try connection.send(fields, body: step["body"]?.stringValue ?? "")
      let expected = try #require(wanted[index].objectValue)
      let status = rejection?.status ?? 200
      #expect(expected["status"]?.integerValue == Int64(status), "step \(index + 1)")
      let reasons =
        expected["reason_any_of"]?.arrayValue ?? expected["reason"].map { [$0] } ?? []
      if !reasons.isEmpty {
        #expect(reasons.compactMap(\.stringValue).contains(rejection?.reason ?? ""))
      }
    }
  }

  @Test(arguments: all.filter { $0.id == "I06" })
  func `offline for days`(_ vector: Vector) throws {
    let then = try #require(vector.request["then"]?.stringValue)
    let days = try #require(then.split(separator: " ").compactMap { Int64($0) }.first)
    #expect(then == "connects after \(days) day")
    for (days, wanted) in [(days, names(vector.expect["delivered"])), (31, [])] {
      var bench = DeliveryBench()
      // The values that admission uses for absent headers (apns-protocol section 4).
      bench.push("A", expiresIn: 30 * 86_400)
      try bench.commit()
      #expect(bench.answered == ["A"])
      bench.pass(milliseconds: days * 86_400_000)
      bench.core.tick(now: bench.now)
      try bench.connect()
      // S3-10 part 2 of 3: until the expiration, and no longer
      #expect(bench.sent == wanted, "after \(days) days")
    }
  }

  private func names(_ value: JSONValue?) -> [String] {
    value?.arrayValue?.compactMap(\.stringValue) ?? []
  }

  @Test(arguments: all.filter { $0.id == "I12" })
  func `background pushes over minutes`(_ vector: Vector) throws {
    let pushes = try #require(vector.request["push"]?.stringValue)
    let numbers = pushes.split(separator: " ").compactMap { Int64($0) }
    let (count, minutes) = (numbers[0], numbers[1])
    var bench = DeliveryBench()
    try bench.connect()
    for number in 0..<count {
      bench.push("\(number)", priority: 5, expiresIn: 86_400, type: .background)
      try bench.commit()
      for text in bench.sent where !bench.acknowledged.contains(text) {
        try bench.acknowledge(text)
      }
      bench.pass(milliseconds: minutes * 60_000 / count)
      bench.core.tick(now: bench.now)
      bench.drain()
    }
    #expect((1...4).contains(bench.sent.count), "\(bench.sent)")
    #expect(bench.answered.count == Int(count))
    bench.pass(milliseconds: 3_600_000)
    bench.core.tick(now: bench.now)
    bench.drain()
    #expect(bench.sent.last == "\(count - 1)", "only the newest held push is sent")
    #expect(bench.sent.count <= 5)
  }

  @Test func `every vector that waits is here`() {
    let waiting = Self.all.filter { vector in
      let text = JSONValue.object(vector.request).text
      let hasDelay =
        vector.request["one_connection"]?.arrayValue?.contains {
          $0.objectValue?["after"]?.stringValue != "0s"
        } ?? false
      return hasDelay || text.contains(" day") || text.contains(" minutes")
    }
    #expect(waiting.map(\.id) == ["F30", "F31", "I06", "I12"])
  }
}
