import TestSupport
import Testing

/// A flood that causes more work for the server than for the client, and the expected outcome.
struct Flood: Sendable, CustomTestStringConvertible {
  let name: String
  /// True if the connection must be closed.
  ///
  /// Otherwise, its only request must be refused.
  var ends = true
  /// The expected end of the connection: whether the gateway sends GOAWAY, and whether the GOAWAY blames the peer.
  var farewell = Farewell.blame

  enum Farewell { case blame, noBlame, either, none }

  var testDescription: String { name }

  static let all: [Flood] = [
    Flood(name: "rapid-reset"), Flood(name: "continuation"), Flood(name: "made-you-reset"),
    Flood(name: "settings"), Flood(name: "ping"), Flood(name: "priority"), Flood(name: "window"),
    Flood(name: "empty-data"), Flood(name: "unknown"), Flood(name: "header-bomb"),
    Flood(name: "long-header", ends: false), Flood(name: "streams"),
    Flood(name: "window-stall"), Flood(name: "unread", farewell: .none),
    // If the stream is answered before the next byte of its header block arrives, that byte is a separate error.
    Flood(name: "slow-headers", farewell: .either), Flood(name: "slow-body", farewell: .noBlame),
    Flood(name: "slow-frame", farewell: .noBlame), Flood(name: "silence", farewell: .noBlame),
    Flood(name: "held-bodies"), Flood(name: "handshakes", farewell: .none),
  ]
}

/// Tests of the known HTTP/2 floods against the provider port, alongside a well-behaved provider.
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
          #expect(line["code"].integer != nil, "a GOAWAY has the reason: \(line)")
          #expect(line["code"].integer != 0, "\(line)")
          #expect(line["why"].string?.hasPrefix(#"{"reason":""#) == true, "\(line)")
        case .noBlame: #expect(line["code"].integer == 0, "\(line)")
        case .either: #expect(line["code"].integer != nil, "\(line)")
        case .none: break
        }
      } else {
        #expect(line["ended"].boolean == true || line["reset"] != .null || line["status"] != .null)
      }
      // A handshake takes up about 60 KB of OpenSSL's memory, and each loop allows a thousand handshakes at a time.
      var bound = flood.name == "handshakes" ? 192 << 20 : 32 << 20
      #if SANITIZED
        // AddressSanitizer retains 256 MB of released memory and pads all allocations.
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
