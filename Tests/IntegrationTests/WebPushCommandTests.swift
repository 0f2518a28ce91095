import BelfryProvider
import BelfryWire
import Foundation
import System
import TestSupport
import Testing

@testable import Tool

/// Tests of `belfry web-push`, with a real gateway and a virtual device.
@Suite(.timeLimit(.minutes(60))) struct WebPushCommandTests {
  /// Starts a gateway and a device whose subscription is restricted to the sender's key in `key.pem`.
  ///
  /// The device's line with the subscription is in `subscription.json`.
  private func run(
    _ body: (Scenario, GatewayProgram, DevicesProgram) async throws -> Void
  ) async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway(options: ["--web-push-port", "0"])
      let printed = try await scenario.belfryCommand(
        ["web-push", "keys", "--out", scenario.folder.file("key.pem")])
      let key = try #require(printed.lines.first)
      let devices = try scenario.devices(of: gateway, topics: [], options: ["--vapid", key])
      let line = try await devices.program.event("subscribed")
      let text =
        #"{"event":"subscribed","endpoint":"\#(line["endpoint"].string ?? "")","#
        + #""p256dh":"\#(line["p256dh"].string ?? "")","auth":"\#(line["auth"].string ?? "")"}"#
      try text.write(
        toFile: scenario.folder.file("subscription.json"), atomically: true, encoding: .utf8)
      try await body(scenario, gateway, devices)
    }
  }

  private func text(_ line: JSONLine) throws -> String {
    let data = try #require(Data(base64Encoded: line["payload"].string ?? ""))
    return String(decoding: data, as: UTF8.self)
  }

  @Test func `a message is sent to a subscription file, and to an endpoint with its keys`()
    async throws
  {
    try await run { scenario, gateway, devices in
      let options = ["--vapid", scenario.folder.file("key.pem"), "--ca", gateway.caFile]
      let file = scenario.folder.file("subscription.json")
      let first = try await scenario.belfryCommand(
        ["web-push", "send", file, "Hello", "--ttl", "3600", "--subject", "mailto:you@example.org"]
          + options)
      let line = try #require(first.values.last)
      #expect(line["status"].integer == 201, "\(line)")
      #expect(line["ttl"].integer == 3_600)
      #expect(line["location"].string?.contains("/message/") == true, "\(line)")
      #expect(try text(try await devices.received()) == "Hello")

      let subscription = try WebPushSubscription(
        json: FileSystem.read(file, limit: 65_536))
      let keys = [
        "--p256dh", Base64.encode(subscription.point ?? [], url: true),
        "--auth=" + Base64.encode(subscription.auth ?? [], url: true),
      ]
      let second = try await scenario.belfryCommand(
        ["web-push", "send", subscription.endpoint, "--payload", "-", "--urgency", "high"] + keys
          + options, input: "from a pipe")
      #expect(second.values.last?["status"].integer == 201, "\(second.output)")
      #expect(
        try text(try await devices.received()).trimmingCharacters(in: .newlines) == "from a pipe")
    }
  }

  @Test func `a refusal prints the reason and the rule, and exits with 1`() async throws {
    try await run { scenario, gateway, _ in
      let file = scenario.folder.file("subscription.json")
      let sent = try await scenario.belfryCommand(
        ["web-push", "send", file, "Hello", "--ca", gateway.caFile], succeeding: false)
      #expect(sent.status == 1)
      let line = try #require(sent.values.last)
      #expect(line["status"].integer == 401, "\(line)")
      #expect(line["reason"].string == "BadJwtToken")
      #expect(line["rule"].string?.contains("restricted to one sender") == true, "\(line)")
      #expect(sent.errors.contains("add --vapid FILE"), "\(sent.errors)")
    }
  }

  @Test func `a gateway with an unknown CA is not trusted, and the error names the option`()
    async throws
  {
    try await run { scenario, _, _ in
      let sent = try await scenario.belfryCommand(
        ["web-push", "send", scenario.folder.file("subscription.json"), "Hello"], succeeding: false)
      #expect(sent.status == 1)
      #expect(sent.values.last?["status"].integer == nil)
      #expect(sent.errors.contains("add --ca FILE"), "\(sent.errors)")
    }
  }

  @Test func `a sender's key is created once, for its owner only`() async throws {
    try await Scenario.run { scenario in
      let file = scenario.folder.file("key.pem")
      let command = ["web-push", "keys", "--out", file]
      let first = try await scenario.belfryCommand(command)
      let bytes = try FileSystem.read(file, limit: 65_536)
      #expect(first.lines.count == 1)
      #expect(first.lines.first?.utf8.count == 87)
      #expect(try FileSystem.mode(of: file) & 0o777 == 0o600)
      let second = try await scenario.belfryCommand(command)
      #expect(second.lines == first.lines)
      #expect(try FileSystem.read(file, limit: 65_536) == bytes)
      try "no key".write(toFile: file, atomically: true, encoding: .utf8)
      let third = try await scenario.belfryCommand(command, succeeding: false)
      #expect(third.status == 1)
      #expect(third.errors.contains(file), "\(third.errors)")
      #expect(try FileSystem.read(file, limit: 65_536) == Array("no key".utf8))
    }
  }

  @Test(arguments: [
    ["https://push.example.net/a"], ["https://push.example.net/a", "t", "--p256dh", "B"],
    ["https://push.example.net/a", "t", "--payload", "f"], ["http://push.example.net/a", ""],
    ["https://push.example.net/a", "t", "--ttl", "-1"],
    ["https://push.example.net/a", "t", "--urgency", "urgent"],
    ["https://push.example.net/a", "", "--subject", "mailto:you@example.org"],
    ["subscription.json", "t", "--auth", "A"],
  ])
  func `incorrect usage exits with 2`(arguments: [String]) {
    #expect(WebPushSendCommand.run(arguments) == 2)
  }

  @Test func `the advice for a refusal names the option or the next step`() {
    func message(_ status: Int, retryAfter: Int64? = nil, hasKey: Bool = false) -> String {
      let refusal = WebPushOutcome.Refusal(
        status: status, reason: "", message: "", retryAfterSeconds: retryAfter)
      let advice = WebPushAdvice(hasKey: hasKey, hasAuthority: false)
      return advice.message(.success(.rejected(refusal))) ?? ""
    }
    #expect(message(401).contains("add --vapid"))
    #expect(message(403, hasKey: true).contains("check --vapid"))
    #expect(message(404).hasSuffix("delete the subscription"))
    #expect(message(410).hasSuffix("delete the subscription"))
    #expect(message(413).hasSuffix("send a shorter text"))
    #expect(message(429, retryAfter: 7).hasSuffix("wait 7 seconds, then send the message again"))
    #expect(message(503).hasSuffix("wait, then send the message again"))
    #expect(message(400) == "status 400: check the options before you send the message again")
  }

  @Test func `a service cannot write lines of its own, or change the direction of the text`() {
    let refusal = WebPushOutcome.Refusal(
      status: 400, reason: "\u{1B}[31mBad\n",
      message: "x\r\nbelfry: accepted\u{202E}\u{2066}\u{E9}a\u{200D}b")
    let advice = WebPushAdvice(hasKey: false, hasAuthority: false)
    #expect(
      advice.message(.success(.rejected(refusal)))
        == " [31mBad , status 400 (x  belfry: accepted  \u{E9}a\u{200D}b): check the options before "
        + "you send the message again")
  }

  @Test func `the user's own gateway is recognized by host and port`() {
    let gateway: JSONObject = [
      "host": "0.0.0.0", "ports": .object(["provider": 2197, "webPush": 2194, "device": 5223]),
    ]
    func serves(_ host: String, _ port: UInt16) -> Bool {
      WebPushAuthority.serves(ProviderEndpoint(host: host, port: port), gateway)
    }
    #expect(serves("127.0.0.1", 2_194))
    #expect(serves("localhost", 2_197))
    #expect(!serves("127.0.0.1", 5_223))
    #expect(!serves("push.example.net", 2_194))
  }
}
