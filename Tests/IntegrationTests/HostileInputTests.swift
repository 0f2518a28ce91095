import Foundation
import TestSupport
import Testing

/// The expected outcome of a connection that violates the protocol.
struct HostileCase: Sendable, CustomTestStringConvertible {
  let name: String
  /// The error code of the GOAWAY frame or the reason of the CLOSE frame; `nil` if the protocol specifies none.
  var code: Int?

  init(_ name: String, code: Int? = nil) {
    self.name = name
    self.code = code
  }

  var testDescription: String { name }

  /// All cases of hostile input.
  ///
  /// The codes of HTTP/2 errors are from RFC 9113 section 7, and the codes of link errors are from docs/device-link.md
  /// section 5.
  static let all: [HostileCase] = [
    HostileCase("garbage"), HostileCase("half-open"), HostileCase("http1"),
    HostileCase("alpn-http1"), HostileCase("oversize-frame", code: 6),
    HostileCase("data-on-idle", code: 1), HostileCase("even-stream", code: 1),
    HostileCase("headers-on-zero", code: 1), HostileCase("bad-hpack", code: 9),
    HostileCase("settings-length", code: 6), HostileCase("window-overflow", code: 3),
    HostileCase("ping-length", code: 6), HostileCase("continuation-alone", code: 1),
    HostileCase("push-promise", code: 1), HostileCase("link-garbage"),
    HostileCase("link-half-open"), HostileCase("link-no-alpn"),
    HostileCase("link-unknown", code: 4), HostileCase("link-oversize", code: 5),
    HostileCase("link-truncated", code: 6), HostileCase("link-trailing", code: 7),
    HostileCase("link-unexpected", code: 9), HostileCase("link-without-certificate", code: 10),
    HostileCase("link-version", code: 3), HostileCase("link-window", code: 8),
  ]
}

@Suite(.timeLimit(.minutes(60))) struct HostileInputTests {
  /// Runs all cases against one gateway, with a device and a provider in normal operation.
  @Test(.requires(.python))
  func `a connection that breaks the rules is refused and no other is touched`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(of: gateway, topics: ["com.example.app"])
      let token = try await devices.token()
      for hostile in HostileCase.all {
        let result = try await scenario.command([
          TestTool.python.required(), Installation.root + "/Tests/Clients/hostile-client",
          gateway.file, hostile.name,
        ])
        let line = try #require(result.values.last, "\(hostile.name): \(result.errors)")
        #expect(line["ended"].boolean == true, "\(hostile.name): \(line)")
        if let code = hostile.code {
          #expect(line["code"].integer == code, "\(hostile.name): \(line)")
        }
        if hostile.name == "link-no-alpn" {
          #expect(line["welcomed"].boolean == false, "\(hostile.name): \(line)")
        }
        let answer = try await scenario.push(hostile.name, to: token, through: gateway)
        #expect(answer["status"].integer == 200, "after \(hostile.name)")
        let received = try await devices.received()
        #expect(payload(received).contains(hostile.name))
      }
      #expect(gateway.program.isRunning)
      let lost = devices.program.untaken.filter {
        $0["event"].string == "link" && $0["state"].string == "down"
          && $0["reason"].string != "enrolled"
      }
      #expect(lost.isEmpty, "the device lost its link: \(lost)")
    }
  }

  /// RFC 9113 section 8.2.1: this request is malformed, which is a stream error rather than a connection error.
  @Test(.requires(.python)) func `an upper case header name is malformed`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let result = try await scenario.command([
        TestTool.python.required(), Installation.root + "/Tests/Clients/hostile-client",
        gateway.file, "uppercase",
      ])
      let line = try #require(result.values.last)
      #expect(line["reset"].integer == 1 || line["ended"].boolean == true)
    }
  }
}
