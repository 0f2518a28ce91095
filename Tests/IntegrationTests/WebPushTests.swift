import Foundation
import TestSupport
import Testing

/// A gateway with a Web Push service, and one virtual device with a subscription.
private struct WebPushScenario {
  let scenario: Scenario
  let gateway: GatewayProgram
  let devices: DevicesProgram

  /// The subscription, as a browser gives it to its server.
  func subscription() async throws -> JSONText {
    let line = try await devices.program.event("subscribed")
    let endpoint = try #require(line["endpoint"].string)
    let text =
      #"{"endpoint":"\#(endpoint)","keys":{"p256dh":"\#(line["p256dh"].string ?? "")","#
      + #""auth":"\#(line["auth"].string ?? "")"}}"#
    return JSONText(endpoint: endpoint, text: text)
  }

  struct JSONText {
    let endpoint: String
    let text: String
  }

  /// Sends a text with pywebpush; returns the line that describes the answer.
  func send(_ text: String, to subscription: JSONText, _ options: [String] = []) async throws
    -> JSONLine
  {
    let sent = try await scenario.command(
      [
        TestTool.python.required(), Installation.root + "/Tests/Clients/web-push-client",
        gateway.caFile,
        subscription.text, text,
      ] + options)
    return try #require(sent.values.last)
  }

  /// Sends `GET` or `DELETE` to the address of a message; returns the line that describes the answer.
  func request(_ method: String, _ address: String, _ options: [String] = []) async throws
    -> JSONLine
  {
    let sent = try await scenario.command(
      [
        TestTool.python.required(), Installation.root + "/Tests/Clients/web-push-client",
        gateway.caFile, "{}", "-", "method=\(method)", "address=\(address)",
      ] + options)
    return try #require(sent.values.last)
  }

  static func run(
    _ options: [String] = [], devices words: [String] = ["--web-push"],
    _ body: (WebPushScenario) async throws -> Void
  ) async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway(options: ["--web-push-port", "0"] + options)
      let devices = try scenario.devices(of: gateway, topics: [], options: words)
      try await body(WebPushScenario(scenario: scenario, gateway: gateway, devices: devices))
    }
  }
}

/// Returns the decoded payload of a received line.
private func text(_ line: JSONLine) throws -> String {
  let data = try #require(Data(base64Encoded: line["payload"].string ?? ""))
  return String(decoding: data, as: UTF8.self)
}

@Suite(.timeLimit(.minutes(60)), .requires(.python)) struct WebPushTests {
  @Test func `pywebpush sends to a subscription, which decrypts the message`() async throws {
    try await WebPushScenario.run { web in
      let subscription = try await web.subscription()
      let sent = try await web.send("Hello from the web", to: subscription, ["ttl=3600"])
      #expect(sent["status"].integer == 201, "\(sent)")
      #expect(sent["headers"]["ttl"].string == "3600")
      let location = try #require(sent["headers"]["location"].string)
      let origin = try #require(subscription.endpoint.components(separatedBy: "/push/").first)
      #expect(location.hasPrefix(origin + "/message/"), "\(location)")
      let received = try await web.devices.received()
      #expect(try text(received) == "Hello from the web")
      #expect(received["pushType"].string == "webpush")
    }
  }

  @Test func `a message for a device that is offline is delivered when it returns`() async throws {
    try await WebPushScenario.run { web in
      let subscription = try await web.subscription()
      try await web.devices.goOffline()
      let first = try await web.send("first", to: subscription, ["topic=news", "ttl=3600"])
      let second = try await web.send("second", to: subscription, ["topic=news", "ttl=3600"])
      let never = try await web.send("never", to: subscription, ["ttl=0"])
      #expect([first, second, never].allSatisfy { $0["status"].integer == 201 })
      web.devices.goOnline()
      // The second message replaced the first one, and the third one was for a connected device only.
      #expect(try text(try await web.devices.received()) == "second")
      let last = try await web.send("last", to: subscription)
      #expect(last["status"].integer == 201)
      #expect(try text(try await web.devices.received()) == "last")
    }
  }

  @Test func `a connection with too many wrong endpoints is closed`() async throws {
    try await WebPushScenario.run(["--connection-bad-tokens", "20"]) { web in
      for version in ["--http1.1", "--http2"] {
        let sent = try await web.scenario.command([
          TestTool.curl.required(), "-sk", version, "-o", "/dev/null", "-d", "x",
          "-w", "%{http_code} %{num_connects}\n",
          "https://127.0.0.1:\(web.gateway.port("webPush"))/push/[1-40]",
        ])
        #expect(sent.lines.count == 40)
        #expect(sent.lines.allSatisfy { $0.hasPrefix("404 ") }, "\(sent.lines)")
        // 40 requests need at least two connections.
        #expect(sent.lines.filter { $0 == "404 1" }.count >= 2, "\(sent.lines)")
      }
    }
  }

  @Test func `a restricted subscription refuses every other sender, and says why`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway(options: ["--web-push-port", "0"])
      let own = scenario.folder.file("own.pem")
      let other = scenario.folder.file("other.pem")
      let printed = try await scenario.command([
        TestTool.python.required(), Installation.root + "/Tests/Clients/web-push-client", "-", "{}",
        "-", "key=\(own)", "print=1",
      ])
      let key = try #require(printed.values.last?["key"].string)
      let devices = try scenario.devices(of: gateway, topics: [], options: ["--vapid", key])
      let web = WebPushScenario(scenario: scenario, gateway: gateway, devices: devices)
      let subscription = try await web.subscription()

      let accepted = try await web.send("from the sender", to: subscription, ["key=\(own)"])
      #expect(accepted["status"].integer == 201, "\(accepted)")
      #expect(try text(try await devices.received()) == "from the sender")

      let missing = try await web.send("without a key", to: subscription)
      #expect(missing["status"].integer == 401, "\(missing)")
      let wrong = try await web.send("with another key", to: subscription, ["key=\(other)"])
      #expect(wrong["status"].integer == 403, "\(wrong)")
      #expect(wrong["body"].string?.contains("VapidPkHashMismatch") == true, "\(wrong)")
      let audience = try await web.send(
        "for another service", to: subscription, ["key=\(own)", "aud=https://push.example.net"])
      #expect(audience["status"].integer == 403, "\(audience)")
      #expect(audience["body"].string?.contains("https://push.example.net") == true, "\(audience)")

      let address = try #require(accepted["headers"]["location"].string)
      for (options, reading, withdrawal) in [
        ([], 401, 401), (["key=\(other)"], 403, 403), (["key=\(own)"], 200, 204),
      ] as [([String], Int, Int)] {
        let read = try await web.request("GET", address, options)
        #expect(read["status"].integer == reading, "\(read)")
        let withdrawn = try await web.request("DELETE", address, options)
        #expect(withdrawn["status"].integer == withdrawal, "\(withdrawn)")
      }

      let log = try await scenario.belfryCommand(["log", "--data", gateway.data, "--json"])
      let reasons = log.values.compactMap { $0["reason"].string }
      #expect(reasons.contains { $0.hasPrefix("BadJwtToken") }, "\(reasons)")
      #expect(reasons.contains { $0.hasPrefix("VapidPkHashMismatch") }, "\(reasons)")
    }
  }

  @Test func `a sender reads the state of its message, and withdraws it`() async throws {
    try await WebPushScenario.run { web in
      let subscription = try await web.subscription()
      try await web.devices.goOffline()
      let sent = try await web.send("withdrawn", to: subscription, ["ttl=3600"])
      let address = try #require(sent["headers"]["location"].string)
      let stored = try await web.request("GET", address)
      #expect(stored["status"].integer == 200, "\(stored)")
      let body = try #require(stored["body"].string)
      #expect(body.hasPrefix(#"{"state":"stored","accepted":"20"#), "\(body)")
      #expect(!body.contains("device") && !body.contains("topic"), "\(body)")

      for _ in 1...2 {
        let deleted = try await web.request("DELETE", address)
        #expect(deleted["status"].integer == 204, "\(deleted)")
        #expect(deleted["body"].string?.isEmpty == true)
      }
      let withdrawn = try await web.request("GET", address)
      #expect(withdrawn["body"].string?.contains(#""state":"withdrawn""#) == true, "\(withdrawn)")

      let last = try await web.send("last", to: subscription, ["ttl=3600"])
      web.devices.goOnline()
      // The withdrawn message was accepted first, so it would also be delivered first.
      #expect(try text(try await web.devices.received()) == "last")
      let delivered = try #require(last["headers"]["location"].string)
      let deleted = try await web.request("DELETE", delivered)
      #expect(deleted["status"].integer == 204, "\(deleted)")
      let known = try await web.request("GET", delivered)
      #expect(known["body"].string?.contains(#""state":"delivered"#) == true, "\(known)")

      let unknown = delivered.components(separatedBy: "/message/")[0] + "/message/unknown"
      for method in ["GET", "DELETE"] {
        let answer = try await web.request(method, unknown)
        #expect(answer["status"].integer == 404, "\(answer)")
      }
      let other = try await web.request("PUT", delivered)
      #expect(other["status"].integer == 405, "\(other)")
      let log = try await web.scenario.belfryCommand([
        "log", "--data", web.gateway.data, "--json",
      ])
      let states = log.values.compactMap { $0["state"].string }
      #expect(states.filter { $0 == "Withdrawn" }.count == 1, "\(states)")
    }
  }

  @Test func `a sender that pipelines more than the gateway holds gets every answer`() async throws
  {
    try await WebPushScenario.run { web in
      let subscription = try await web.subscription()
      try await web.devices.goOffline()
      let text = String(repeating: "x", count: 3_000)
      let sent = try await web.send(text, to: subscription, ["pipelined=300", "ttl=3600"])
      let statuses = sent["statuses"].array.compactMap(\.integer)
      #expect(statuses == [Int](repeating: 201, count: 300), "\(statuses)")
    }
  }

  @Test func `the draft's encoding is delivered with its fields before the body`() async throws {
    try await WebPushScenario.run { web in
      let subscription = try await web.subscription()
      let sent = try await web.send("old", to: subscription, ["encoding=aesgcm"])
      #expect(sent["status"].integer == 201, "\(sent)")
      let received = try await web.devices.received()
      #expect(try text(received).hasPrefix("aesgcm\nEncryption: "))
    }
  }
}
