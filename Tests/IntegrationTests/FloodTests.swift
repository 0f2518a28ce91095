import TestSupport
import Testing

/// One way to make a server work more than the client does, and what it should come to.
struct Flood: Sendable, CustomTestStringConvertible {
  let name: String
  /// Whether the connection has to go; else its one request is refused.
  var ends = true
  /// Whether the end is said with a GOAWAY, and whether that blames the peer.
  var farewell = Farewell.blame

  enum Farewell { case blame, noBlame, either, none }

  var testDescription: String { name }

  static let all: [Flood] = [
    Flood(name: "rapid-reset"), Flood(name: "continuation"), Flood(name: "made-you-reset"),
    Flood(name: "settings"), Flood(name: "ping"), Flood(name: "priority"), Flood(name: "window"),
    Flood(name: "empty-data"), Flood(name: "unknown"), Flood(name: "header-bomb"),
    Flood(name: "long-header", ends: false), Flood(name: "streams"),
    Flood(name: "window-stall"), Flood(name: "unread", farewell: .none),
    // The block's next byte meets an answered stream: that is a fault of its own.
    Flood(name: "slow-headers", farewell: .either), Flood(name: "slow-body", farewell: .noBlame),
    Flood(name: "slow-frame", farewell: .noBlame), Flood(name: "silence", farewell: .noBlame),
    Flood(name: "held-bodies"), Flood(name: "handshakes", farewell: .none),
  ]
}

/// HTTP/2's known floods against the provider port, beside a provider that behaves.
@Suite(.timeLimit(.minutes(60)), .requires(.python)) struct FloodTests {
  @Test(arguments: Flood.all)
  func `a flood ends its connection and touches no other`(_ flood: Flood) async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(of: gateway, topics: ["com.example.app"])
      let token = try await devices.token()
      let result = try await scenario.command(
        [
          TestTool.python.required(), Installation.root + "/Tests/Clients/flooding-client",
          gateway.file, flood.name, "com.example.app", token,
        ], within: TestTimeout.long)
      let line = try #require(result.values.last, "\(result.errors)")
      if flood.ends {
        #expect(line["ended"].boolean == true, "\(line)")
        switch flood.farewell {
        case .blame:
          #expect(line["code"].integer != nil, "a GOAWAY says why: \(line)")
          #expect(line["code"].integer != 0, "\(line)")
          #expect(line["why"].string?.hasPrefix(#"{"reason":""#) == true, "\(line)")
        case .noBlame: #expect(line["code"].integer == 0, "\(line)")
        case .either: #expect(line["code"].integer != nil, "\(line)")
        case .none: break
        }
      } else {
        #expect(line["ended"].boolean == true || line["reset"] != .null || line["status"] != .null)
      }
      // A handshake holds some 60 KB of OpenSSL's, and a thousand of them are let begin on each loop.
      var bound = flood.name == "handshakes" ? 192 << 20 : 32 << 20
      #if SANITIZED
        // AddressSanitizer holds back 256 MB of what was released, and pads all that is there.
        bound = bound * 2 + (256 << 20)
      #endif
      #expect((line["grownBytes"].integer ?? .max) < bound, "\(line)")
      guard case .object(let answers) = line["bystander"] else {
        Issue.record("\(line)")
        return
      }
      #expect(Array(answers.keys) == ["200"], "the other provider was disturbed: \(line)")
      #expect(gateway.program.isRunning)
    }
  }
}
