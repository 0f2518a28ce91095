import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60)), .requires(.python)) struct AutopushTests {
  private let channel = "d1c0de00-0004-0008-0000-000000000001"

  /// Runs a browser until it has done what its options say; returns the lines that it printed.
  private func browser(
    _ scenario: Scenario, _ gateway: GatewayProgram, path: String, _ options: [String] = []
  ) async throws -> [JSONLine] {
    let words = try [
      TestTool.python.required(), Installation.root + "/Tests/Clients/autopush-client",
      gateway.caFile, "127.0.0.1", String(gateway.port("webPush")), path,
    ]
    return try await scenario.command(words + options).values
  }

  /// Sends a message without a body, or another request if the options say so; returns the answer.
  private func send(
    _ scenario: Scenario, _ gateway: GatewayProgram, to endpoint: String, _ options: [String]
  ) async throws -> JSONLine {
    let sent = try await scenario.command(
      [
        TestTool.python.required(), Installation.root + "/Tests/Clients/web-push-client",
        gateway.caFile, #"{"endpoint":"\#(endpoint)"}"#, "-",
      ] + options)
    return try #require(sent.values.last)
  }

  @Test func `a browser gets a message that was sent before the gateway restarted`() async throws {
    try await Scenario.run { scenario in
      let first = try await scenario.gateway(options: ["--web-push-port", "0"])
      let began = try await browser(
        scenario, first, path: "/\(first.enrollmentCode)", ["register=\(channel)"])
      let uaid = try #require(began.first?["uaid"].string)
      #expect(uaid.utf8.count == 32, "\(began)")
      let endpoint = try #require(began.last?["pushEndpoint"].string, "\(began)")
      #expect(began.last?["channelID"].string == channel)
      let sent = try await send(scenario, first, to: endpoint, ["ttl=3600"])
      #expect(sent["status"].integer == 201, "\(sent)")
      let address = try #require(sent["headers"]["location"].string)
      try await first.stop()

      let gateway = try await scenario.restart(first)
      let port = (":\(first.port("webPush"))/", ":\(gateway.port("webPush"))/")
      // The identifier is enough, so a browser does not need the code, which the operator might have changed.
      let received = try await browser(
        scenario, gateway, path: "/", ["uaid=\(uaid)", "messages=1"])
      #expect(received.first?["uaid"].string == uaid, "\(received)")
      #expect(received.last?["messageType"].string == "notification", "\(received)")
      #expect(received.last?["channelID"].string == channel)
      let state = try await send(
        scenario, gateway, to: endpoint,
        ["method=GET", "address=\(address.replacingOccurrences(of: port.0, with: port.1))"])
      #expect(state["body"].string?.contains(#""state":"delivered""#) == true, "\(state)")

      let ended = try await browser(
        scenario, gateway, path: "/?x=1", ["uaid=\(uaid)", "unregister=\(channel)"])
      #expect(ended.last?["status"].integer == 200, "\(ended)")
      let gone = try await send(
        scenario, gateway, to: endpoint.replacingOccurrences(of: port.0, with: port.1), [])
      #expect(gone["status"].integer == 410, "\(gone)")
    }
  }

  @Test func `a browser needs the enrollment code, and an unknown one is told to stay away`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway(options: ["--web-push-port", "0"])
      for path in ["/", "/wrong", "/wrong/\(gateway.enrollmentCode)"] {
        let lines = try await browser(scenario, gateway, path: path)
        #expect(lines.last?["closed"].integer == 4_774, "\(path): \(lines)")
      }
      let unknown = try await browser(
        scenario, gateway, path: "/\(gateway.enrollmentCode)/a?b=c",
        ["uaid=\(String(repeating: "0", count: 32))"])
      let uaid = try #require(unknown.first?["uaid"].string, "\(unknown)")
      #expect(uaid != String(repeating: "0", count: 32))
      // One wrong digit of the secret part makes the identifier another one.
      let last = uaid.hasSuffix("0") ? "1" : "0"
      let guessed = try await browser(
        scenario, gateway, path: "/", ["uaid=\(uaid.dropLast())\(last)"])
      #expect(guessed.last?["closed"].integer == 4_774, "\(guessed)")
      let known = try await browser(scenario, gateway, path: "/", ["uaid=\(uaid)"])
      #expect(known.first?["uaid"].string == uaid, "\(known)")
    }
  }

  @Test func `a web page needs the enrollment code even if anybody may enroll`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway(
        options: ["--web-push-port", "0", "--enroll", "open"])
      for origin in ["https://example.org", "null"] {
        let lines = try await browser(scenario, gateway, path: "/", ["origin=\(origin)"])
        #expect(lines.last?["closed"].integer == 4_774, "\(origin): \(lines)")
      }
      let lines = try await browser(scenario, gateway, path: "/", ["origin=moz-extension://0"])
      #expect(lines.last?["uaid"].string?.utf8.count == 32, "\(lines)")
    }
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway(options: ["--web-push-port", "0"])
      let lines = try await browser(
        scenario, gateway, path: "/\(gateway.enrollmentCode)", ["origin=https://example.org"])
      #expect(lines.last?["uaid"].string?.utf8.count == 32, "\(lines)")
    }
  }

  @Test func `browsers of every loop are served if anybody may enroll`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway(
        options: ["--web-push-port", "0", "--enroll", "open", "--loops", "3"])
      for number in 1...6 {
        let name = "d1c0de00-0004-0008-0000-00000000000\(number)"
        let lines = try await browser(scenario, gateway, path: "/", ["register=\(name)"])
        let uaid = try #require(lines.first?["uaid"].string, "\(lines)")
        let endpoint = try #require(lines.last?["pushEndpoint"].string, "\(lines)")
        let sent = try await send(scenario, gateway, to: endpoint, ["ttl=3600"])
        #expect(sent["status"].integer == 201, "\(sent)")
        let received = try await browser(
          scenario, gateway, path: "/", ["uaid=\(uaid)", "messages=1"])
        #expect(received.last?["channelID"].string == name, "\(received)")
      }
    }
  }
}
