import BelfryProvider
import Foundation
import TestSupport
import Testing

/// Runs `body` with a gateway, and with a device that has a token for an app.
private func withDevice<Result>(
  _ body: (Scenario, GatewayProgram, DevicesProgram, String) async throws -> Result
) async throws -> Result {
  try await Scenario.run { scenario in
    let gateway = try await scenario.gateway()
    let devices = try scenario.devices(of: gateway, topics: ["com.example.app"])
    let token = try await devices.token()
    return try await body(scenario, gateway, devices, token)
  }
}

/// Returns the path of a client in `Tests/Clients`.
private func script(_ name: String) -> String { Installation.root + "/Tests/Clients/" + name }

@Suite(.timeLimit(.minutes(60))) struct SendingTests {
  @Test func `belfry send reads the gateways file and prints a line a token`() async throws {
    try await withDevice { scenario, gateway, devices, token in
      let sent = try await scenario.belfryCommand([
        "send", token, "--topic", "com.example.app", "--title", "Hello", "--gateway", gateway.file,
      ])
      let line = try #require(sent.values.first)
      #expect(line["status"].integer == 200)
      let id = try #require(line["apnsID"].string)
      #expect(line["uniqueID"].string != nil)
      let received = try await devices.received()
      #expect(received["apnsID"].string == id)
      #expect(payload(received) == #"{"aps":{"alert":{"title":"Hello"}}}"#)
    }
  }

  @Test func `a gateway with several provider ports says each in its ready line`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway(options: ["--provider-port", "0"])
      let ports = gateway.ready["ports"]["providers"]
      let names = try [ports[0], ports[1]].map { try #require($0.integer) }
      // The log line follows the ready file.
      #expect(try await gateway.stop() == 0)
      #expect(
        gateway.program.errors.contains(" provider=\(names[0]),\(names[1]) "),
        "\(gateway.program.errors)")
    }
  }

  @Test func `a gateway on another loopback address is trusted there`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway(options: ["--host", "127.0.0.2"])
      let devices = try scenario.devices(of: gateway, topics: ["com.example.app"])
      let sent = try await scenario.belfryCommand([
        "send", try await devices.token(), "--topic", "com.example.app", "--body", "Hello",
        "--gateway", gateway.file,
      ])
      #expect(sent.values.first?["status"].integer == 200)
      #expect(payload(try await devices.received()).contains("Hello"))
    }
  }

  @Test func `belfry send says why a token was refused and ends with one`() async throws {
    try await withDevice { scenario, gateway, _, token in
      let invented = String(repeating: "ab", count: 32)
      let sent = try await scenario.belfryCommand(
        [
          "send", token, invented, "--topic", "com.example.app", "--body", "Hello", "--gateway",
          gateway.file,
        ], succeeding: false)
      #expect(sent.status == 1)
      // S4-8 part 2 of 2: a token that was never issued addresses no device
      #expect(sent.values.map { $0["status"].integer } == [200, 400])
      #expect(sent.values.map { $0["reason"].string } == [nil, "BadDeviceToken"])
      #expect(sent.errors.hasPrefix("belfry: BadDeviceToken ("), "\(sent.errors)")
      let topicless = try await scenario.belfryCommand(
        ["send", token, token, "--title", "Hello", "--gateway", gateway.file], succeeding: false)
      // The advice is printed once, although two pushes were refused.
      #expect(
        topicless.errors
          == "belfry: MissingTopic (apns-topic is missing, and the credential is not a certificate with only one "
          + "topic): add --topic BUNDLE-ID\n")
    }
  }

  @Test func `belfry send says what to check if it cannot connect to a gateway`() async throws {
    try await withDevice { scenario, gateway, _, token in
      let address = "127.0.0.1:\(gateway.port("provider"))"
      let words = [
        "send", token, "--topic", "com.example.app", "--title", "Hi", "--timeout", "2",
        "--gateway", address, "--key", gateway.keyFile, "--key-id", gateway.keyID, "--team",
        gateway.teamID,
      ]
      let untrusted = try await scenario.belfryCommand(words, succeeding: false)
      #expect(
        untrusted.errors
          == "belfry: cannot connect to \(address): an unknown CA signed the gateway's certificate: "
          + "add --ca FILE with the ca.pem in the gateway's folder\n")
      #expect(
        untrusted.values.first?["error"].string.map { "belfry: \($0)\n" } == untrusted.errors)
      #expect(try await gateway.stop() == 0)
      let stopped = try await scenario.belfryCommand(
        words + ["--ca", gateway.caFile], succeeding: false)
      #expect(stopped.errors.contains("connection refused"), "\(stopped.errors)")
      #expect(
        stopped.errors.hasSuffix("; check the address, and that the gateway is running\n"),
        "\(stopped.errors)")
    }
  }

  @Test func `A payload in place of its file is an error with the form of the option`() async throws
  {
    try await Scenario.run { scenario in
      let payload = #"{"aps":{"alert":"Hello"}}"#
      let sent = try await scenario.belfryCommand(
        ["send", "0a", "--topic", "com.example.app", "--payload", payload], succeeding: false)
      #expect(sent.status == 2)
      #expect(
        sent.errors
          == "belfry: invalid value '\(payload)' for --payload: expected a file, or - for standard input\n"
      )
    }
  }

  @Test func `belfry send refuses a payload that is nearly JSON and sends nothing`() async throws {
    try await withDevice { scenario, gateway, devices, token in
      func send(_ payload: String) async throws -> Scenario.CommandResult {
        try await scenario.belfryCommand(
          [
            "send", token, "--topic", "com.example.app", "--payload", "-", "--gateway",
            gateway.file,
          ], input: payload, succeeding: false)
      }
      let refused = try await send("{\"aps\": {\n  \"alert\": \"Hello\",\n}}")
      #expect(refused.status == 1)
      #expect(refused.lines.isEmpty)
      #expect(
        refused.errors
          == "belfry: the payload is not a JSON object at line 2, column 19 (trailing comma before '}'): "
          + "remove the comma\n")
      let sent = try await send("{\"aps\": {\n  \"alert\": \"Hello\"\n}}")
      #expect(sent.status == 0)
      #expect(
        payload(try await devices.received()).contains("Hello"), "the first push that arrives")
    }
  }

  @Test func `belfry send gets everything through a service that keeps going away`() async throws {
    try await withDevice { scenario, gateway, _, token in
      _ = try await scenario.belfryCommand([
        "fault", "add", "--goaway-after", "3", "--data", gateway.data,
      ])
      let sent = try await scenario.belfryCommand(
        ["send"] + Array(repeating: token, count: 100) + [
          "--topic", "com.example.app", "--body", "Hello", "--gateway", gateway.file,
        ], succeeding: false)
      let accepted = sent.values.count { $0["status"].integer == 200 }
      #expect(accepted == 100, "\(sent.errors)")
    }
  }

  @Test
  func `the log says where a payload of the HTTP2 interface is no JSON, once for a connection`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(of: gateway, topics: ["com.example.app"])
      let token = try await devices.token()
      let client = try ProviderClient(.init(gatewayFile: gateway.file))
      defer { client.close() }
      for _ in 0..<3 {
        let body = Array("{\"aps\": {\n  \"alert\": \"Hello\",\n}}".utf8)
        let outcome = try await client.send(
          Push(to: token, topic: "com.example.app", payload: body))
        guard case .rejected(let refusal) = outcome else {
          Issue.record("the push was accepted")
          return
        }
        #expect(refusal.rejection == .payloadEmpty)
      }
      #expect(try await gateway.stop() == 0)
      let lines = gateway.program.errors.split(separator: "\n").filter {
        $0.contains("refused a payload")
      }
      #expect(lines.count == 1)
      #expect(lines.first?.contains("line=2 column=19") == true, "\(gateway.program.errors)")
    }
  }

  @Test func `belfry send adds the suffix to an app whose own id ends in it`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      for (app, topic) in [
        ("org.real.voip", "org.real.voip"), ("org.real.voip", "org.real.voip.voip"),
        ("com.example.app", "com.example.app"), ("com.example.app", "com.example.app.voip"),
      ] {
        let devices = try scenario.devices(topic, of: gateway, topics: [app + ":voip"])
        let sent = try await scenario.belfryCommand(
          [
            "send", try await devices.token(), "--topic", topic, "--type", "voip", "--payload", "-",
            "--gateway", gateway.file,
          ], input: #"{"caller":"Anna"}"#)
        #expect(sent.values.first?["status"].integer == 200, "\(app) by \(topic): \(sent.output)")
      }
    }
  }

  @Test func `a key whose ID is unknown is not sent under the default key's ID`() async throws {
    try await withDevice { scenario, gateway, _, token in
      func send(_ key: String) async throws -> Scenario.CommandResult {
        try await scenario.belfryCommand(
          [
            "send", token, "--topic", "com.example.app", "--body", "Hello", "--gateway",
            gateway.file, "--key", key,
          ], succeeding: false)
      }
      let other = scenario.folder.file("other.p8")
      _ = try await scenario.belfryCommand([
        "key", "add", "--team", gateway.teamID, "--out", other, "--data", gateway.data,
      ])
      let refused = try await send(other)
      #expect(refused.status == 2 && refused.lines.isEmpty, "\(refused.output)")
      #expect(refused.errors.contains("--key requires --key-id: add it"), "\(refused.errors)")
      #expect(try await send(gateway.keyFile).values.first?["status"].integer == 200)
    }
  }

  @Test func `belfry send says where no gateway is`() async throws {
    try await Scenario.run { scenario in
      let sent = try await scenario.belfryCommand(
        ["send", "00ff", "--topic", "com.example.app", "--body", "Hello"], succeeding: false)
      #expect(sent.status == 1)
      #expect(sent.errors.contains("belfry gateway"))
      #expect(sent.lines.isEmpty)
    }
  }

  @Test(.requires(.python)) func `aioapns gets an answer and a reason without ALPN`() async throws {
    try await withDevice { scenario, gateway, devices, token in
      let accepted = try await aioapns(scenario, gateway, token)
      #expect(accepted["answers"]["200"].integer == 1)
      _ = try await devices.received()
      let refused = try await aioapns(scenario, gateway, String(repeating: "ab", count: 32))
      #expect(refused["answers"]["400 BadDeviceToken"].integer == 1)
    }
  }

  @Test(.requires(.python))
  func `two hundred pushes at once on one new connection are all answered`()
    async throws
  {
    try await withDevice { scenario, gateway, _, token in
      let sent = try await aioapns(scenario, gateway, token, ["200", "200"])
      #expect(sent["answers"]["200"].integer == 200)
      #expect(sent["connections"].integer == 1)
    }
  }

  @Test(.requires(.python)) func `a connection is reused for a thousand pushes`() async throws {
    try await withDevice { scenario, gateway, _, token in
      let sent = try await aioapns(scenario, gateway, token, ["1000", "100"])
      #expect(sent["answers"]["200"].integer == 1_000)
      #expect(sent["connections"].integer == 1)
      let httpx = try await scenario.command(
        [
          TestTool.python.required(), script("httpx-client"), gateway.file, "com.example.app",
          token, "1000",
        ], within: TestTimeout.long)
      let line = try #require(httpx.values.last)
      #expect(line["answers"]["200"].integer == 1_000)
      #expect(line["connections"].integer == 1)
      #expect(line["versions"] == .array([.string("HTTP/2")]))
    }
  }

  @Test(.requires(.python))
  func `streams that are reset after their answer cost the client nothing`()
    async throws
  {
    try await withDevice { scenario, gateway, _, token in
      let sent = try await scenario.command(
        [
          TestTool.python.required(), script("resetting-client"), gateway.file, "com.example.app",
          token, "5000",
        ], within: TestTimeout.long)
      let line = try #require(sent.values.last, "\(sent.errors)")
      #expect(line["answers"]["200"].integer == 5_000, "\(line)")
      #expect(line["goaways"] == .array([]), "\(line)")
    }
  }

  @Test(.requires(.python)) func `a client on BoringSSL trusts the gateway by name and by address`()
    async throws
  {
    try await withDevice { scenario, gateway, _, token in
      let sent = try await scenario.command([
        TestTool.python.required(), script("boringssl-client"), gateway.file, "com.example.app",
        token,
      ])
      let line = try #require(sent.values.last)
      for name in ["localhost", "127.0.0.1", "api.sandbox.push.apple.com"] {
        #expect(line["answers"][name].string == "200", "\(line)")
      }
    }
  }

  @Test(arguments: ["console", "device", "binary"])
  func `A push to a wrong port of the gateway fails with an error that gives the provider port`(
    listener: String
  )
    async throws
  {
    try await withDevice { scenario, gateway, _, token in
      let port = gateway.port(listener)
      let sent = try await scenario.belfryCommand(
        [
          "send", token, "--topic", "com.example.app", "--title", "Hi", "--timeout", "2",
          "--gateway", "127.0.0.1:\(port)", "--ca", gateway.caFile, "--key", gateway.keyFile,
          "--key-id", gateway.keyID, "--team", gateway.teamID,
        ], succeeding: false)
      #expect(sent.status == 1)
      #expect(
        sent.errors
          == "belfry: cannot send to 127.0.0.1:\(port), which is the gateway's \(listener) "
          + "port: use its provider port, \(gateway.port("provider"))\n", "\(sent.errors)")
      #expect(!sent.output.contains("again"), "\(sent.output)")
    }
  }

  @Test(.requires(.curl, .openssl)) func `apples recipe of openssl and curl works`() async throws {
    try await withDevice { scenario, gateway, devices, token in
      let sent = try await scenario.command([
        script("apple-recipe"), gateway.keyFile, gateway.keyID, gateway.teamID, "com.example.app",
        token, "127.0.0.1:\(gateway.port("provider"))", gateway.caFile,
      ])
      #expect(sent.lines.first?.hasPrefix("HTTP/2 200") == true)
      #expect(payload(try await devices.received()) == #"{"aps":{"alert":"test"}}"#)
    }
  }

  /// Tests the legacy binary interface, on which the gateway answers only errors.
  ///
  /// The gateway answers an invalid token with an error packet. The client then resends the later frames on another
  /// connection.
  @Test(.requires(.python))
  func
    `The binary interface accepts a thousand frames on one connection and answers only errors`()
    async throws
  {
    try await withDevice { scenario, gateway, devices, token in
      let certificate = scenario.folder.file("provider.pem")
      _ = try await scenario.belfryCommand([
        "certificate", "add", "--team", gateway.teamID, "--topic", "com.example.app", "--out",
        certificate, "--data", gateway.data,
      ])
      let client = [
        try TestTool.python.required(), script("pushjack-client"), gateway.file, certificate,
      ]
      let good = try #require(
        try await scenario.command(client + ["0", token, token + "*1000"]).values.last)
      #expect(good["sent"][0]["connections"].integer == 1)
      // S3-6
      #expect(
        good["sent"][1]["connections"].integer == 0, "a thousand pushes use the open connection")
      #expect(good["sent"][0]["errors"] == .array([]))
      #expect(good["sent"][1]["errors"] == .array([]))
      // The client exits without waiting for an error. The gateway still handles the frames that the client has
      // written.
      for number in 0...1_000 {
        #expect(payload(try await devices.received()).contains("number \(min(number, 1))"))
      }
      let invented = String(repeating: "ab", count: 32)
      let bad = try #require(
        try await scenario.command(client + ["15", invented + "," + token]).values.last)
      // S3-9
      #expect(bad["sent"][0]["errors"] == .array([.number(8)]), "\(bad)")
      #expect(
        bad["sent"][0]["connections"].integer == 2,
        "the frames after the error use another connection")
      #expect(payload(try await devices.received()).contains("number 0"))
    }
  }

  /// Tests RSA keys: Apple's certificates have RSA keys, and apnotic accepts no others in PEM files.
  @Test(.requires(.python, .curl, .openssl))
  func `a certificate with an RSA key is served on every port`() async throws {
    try await withDevice { scenario, gateway, devices, token in
      let files = ["pem", "p12"].map { scenario.folder.file("provider.\($0)") }
      for file in files {
        _ = try await scenario.command(
          [
            Installation.belfry, "certificate", "add", "--team", gateway.teamID, "--topic",
            "com.example.app", "--key", "rsa", "--out", file, "--data", gateway.data,
          ], within: TestTimeout.long)
      }
      let text = try await scenario.command([
        TestTool.openssl.required(), "x509", "-in", files[0], "-noout", "-text",
      ]).output
      #expect(text.contains("rsaEncryption"), "\(text)")
      let sent = try await scenario.belfryCommand([
        "send", token, "--topic", "com.example.app", "--body", "Hello", "--gateway",
        "127.0.0.1:\(gateway.port("provider"))", "--ca", gateway.caFile, "--certificate", files[0],
      ])
      #expect(sent.values.first?["status"].integer == 200)
      _ = try await devices.received()
      let curl = try await scenario.command([
        TestTool.curl.required(), "--silent", "--show-error", "--include", "--http2", "--cacert",
        gateway.caFile, "--cert-type", "P12", "--cert", files[1] + ":", "--header",
        "apns-topic: com.example.app", "--data", #"{"aps":{"alert":"test"}}"#,
        "https://127.0.0.1:\(gateway.port("provider"))/3/device/\(token)",
      ])
      #expect(curl.lines.first?.hasPrefix("HTTP/2 200") == true, "\(curl.output)\(curl.errors)")
      _ = try await devices.received()
      // Test the binary interface, and then the feedback service.
      let legacy = try await scenario.command([
        TestTool.python.required(), script("pushjack-client"), gateway.file, files[0], "0", token,
      ])
      let line = try #require(legacy.values.last, "\(legacy.errors)")
      #expect(line["sent"][0]["errors"] == .array([]), "\(line)")
      #expect(line["expired"] == .array([]), "\(line)")
      #expect(payload(try await devices.received()).contains("number 0"))
    }
  }

  /// Sends the requests of pushy, APNSwift, kalyke, PyAPNs2, and dotAPNS (apns-protocol 2.1).
  @Test(
    .requires(.python, .curl),
    arguments: [
      "sig=raw64", "sig=der", "iat=float", "iat=string", "b64=standard_padded",
      "iat=string;sig=der",
    ])
  func `a provider token is read in each shape that real clients send`(_ shape: String) async throws
  {
    try await withDevice { scenario, gateway, _, token in
      let jwt = try await scenario.command([
        TestTool.python.required(), script("provider-token"), gateway.file, shape,
      ]).output
      let sent = try await curl(scenario, gateway, token, jwt: jwt)
      #expect(sent.lines.first?.hasPrefix("HTTP/2 200") == true, "\(sent.output)")
    }
  }

  @Test(.requires(.curl)) func `the token that belfry key prints is accepted`()
    async throws
  {
    try await withDevice { scenario, gateway, _, token in
      let jwt = try await scenario.belfryCommand(["key", "jwt", "--data", gateway.data]).output
      let sent = try await curl(scenario, gateway, token, jwt: jwt)
      #expect(sent.lines.first?.hasPrefix("HTTP/2 200") == true, "\(sent.output)")
      #expect(sent.lines.contains { $0.hasPrefix("apns-id: ") })
      #expect(sent.lines.contains { $0.hasPrefix("apns-unique-id: ") })
    }
  }

  @Test func `a token of another gateway is a bad device token`() async throws {
    try await withDevice { scenario, gateway, _, _ in
      let other = try await scenario.gateway("other")
      let token = try await scenario.devices("others", of: other, topics: ["com.example.app"])
        .token()
      let sent = try await scenario.belfryCommand(
        [
          "send", token, "--topic", "com.example.app", "--body", "Hello", "--gateway",
          gateway.file,
        ], succeeding: false)
      #expect(sent.values.first?["reason"].string == "BadDeviceToken")
    }
  }

  // MARK: clients

  private func aioapns(
    _ scenario: Scenario, _ gateway: GatewayProgram, _ token: String, _ counts: [String] = []
  ) async throws -> JSONLine {
    let result = try await scenario.command(
      [
        TestTool.python.required(), script("aioapns-client"), gateway.file, "com.example.app",
        token,
      ] + counts, within: TestTimeout.long)
    return try #require(result.values.last, "\(result.output)\(result.errors)")
  }

  private func curl(_ scenario: Scenario, _ gateway: GatewayProgram, _ token: String, jwt: String)
    async throws -> Scenario.CommandResult
  {
    try await scenario.command([
      TestTool.curl.required(), "--silent", "--show-error", "--include", "--http2", "--cacert",
      gateway.caFile, "--header", "authorization: bearer \(jwt)", "--header",
      "apns-topic: com.example.app", "--header", "apns-push-type: alert", "--data",
      #"{"aps":{"alert":"test"}}"#,
      "https://127.0.0.1:\(gateway.port("provider"))/3/device/\(token)",
    ])
  }
}

/// Returns the payload of a device's `received` line as text.
func payload(_ received: JSONLine) -> String {
  let bytes = received["payload"].string.flatMap { Data(base64Encoded: $0) } ?? Data()
  return String(decoding: bytes, as: UTF8.self)
}
