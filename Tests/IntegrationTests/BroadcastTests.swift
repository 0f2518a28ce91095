import Foundation
import TestSupport
import Testing

private let bundleID = "com.example.app"

/// A provider that manages channels and broadcasts with curl.
private struct ChannelProvider {
  struct Answer {
    var status = 0
    var headers: [String: String] = [:]
    var body = ""

    var reason: String? { JSONLine(body)?["reason"].string }
  }

  let scenario: Scenario
  let gateway: GatewayProgram
  let token: String

  init(_ scenario: Scenario, _ gateway: GatewayProgram) async throws {
    self.scenario = scenario
    self.gateway = gateway
    _ = try await scenario.belfryCommand([
      "topic", "add", bundleID, "--team", gateway.teamID, "--broadcast", "on", "--data",
      gateway.data,
    ])
    let printed = try await scenario.belfryCommand(["key", "jwt", "--data", gateway.data])
    token = printed.output
  }

  func request(
    _ method: String, _ path: String, _ headers: [String: String] = [:], body: String? = nil,
    port: String = "provider", options: [String] = ["--http2"]
  ) async throws -> Answer {
    var arguments = [
      try TestTool.curl.required(), "--silent", "--include", "--write-out", "\\n", "--cacert",
      gateway.caFile,
      "--request", method, "--header", "authorization: bearer \(token)",
    ]
    for (name, value) in headers { arguments += ["--header", "\(name): \(value)"] }
    if let body { arguments += ["--data-binary", body] }
    arguments += options + ["https://localhost:\(gateway.port(port))\(path)"]
    let printed = try await scenario.command(arguments)
    var answer = Answer()
    var lines = printed.lines.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }[...]
    let first = lines.popFirst()
    let status = try #require(first)
    #expect(status.hasPrefix("HTTP/2 "))
    answer.status = Int(status.split(separator: " ")[1]) ?? 0
    while let line = lines.popFirst(), let colon = line.firstIndex(of: ":") {
      answer.headers[String(line[..<colon])] =
        line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    }
    answer.body = lines.joined(separator: "\n")
    return answer
  }

  func make(storing: Bool) async throws -> String {
    let answer = try await request(
      "POST", "/1/apps/\(bundleID)/channels",
      body: #"{"message-storage-policy":\#(storing ? 1 : 0),"push-type":"LiveActivity"}"#)
    #expect(answer.status == 201)
    return try #require(answer.headers["apns-channel-id"])
  }

  func send(_ text: String, to channel: String, expiration: Int = 0, priority: Int = 10)
    async throws -> Answer
  {
    try await request(
      "POST", "/4/broadcasts/apps/\(bundleID)",
      [
        "apns-channel-id": channel, "apns-push-type": "liveactivity",
        "apns-expiration": "\(expiration)", "apns-priority": "\(priority)",
      ], body: #"{"aps":{"event":"update","content-state":{"text":"\#(text)"}}}"#)
  }

  /// Returns the gateway's count of broadcast copies in this state.
  func copies(_ state: String) async throws -> Int {
    let printed = try await scenario.command([
      try TestTool.curl.required(), "--silent",
      "http://127.0.0.1:\(gateway.port("console"))/metrics",
    ])
    let line = try #require(
      printed.lines.first { $0.hasPrefix(#"belfry_broadcast_copies_total{state="\#(state)"}"#) })
    return Int(Double(line.split(separator: " ").last ?? "") ?? -1)
  }
}

private var hour: Int { Int(Date().timeIntervalSince1970) + 3_600 }

/// Tests of channels and broadcasts (apns-protocol section 5) with a provider, a gateway, and devices.
@Suite(.timeLimit(.minutes(60)), .requires(.curl)) struct BroadcastTests {
  private func channel(_ id: String) -> String { "\(bundleID)/\(id)" }

  @Test(arguments: ["provider", "binary", "feedback"])
  func `a channel is made read listed and removed`(on port: String) async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let provider = try await ChannelProvider(scenario, gateway)
      // The legacy ports recognize HTTP/2 by ALPN or by its preface.
      let options =
        port == "feedback" ? ["--no-alpn", "--http2-prior-knowledge"] : ["--http2"]
      func request(
        _ method: String, _ path: String, _ headers: [String: String] = [:], body: String? = nil
      ) async throws -> ChannelProvider.Answer {
        try await provider.request(
          method, path, headers, body: body, port: port, options: options)
      }
      let channels = "/1/apps/\(bundleID)/channels"
      let requestID = "123e4567-e89b-12d3-a456-4266554400a0"
      let made = try await request(
        "POST", channels, ["apns-request-id": requestID],
        body: #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#)
      #expect(made.status == 201)
      #expect(made.headers["apns-request-id"] == requestID)
      #expect(made.body.isEmpty)
      let id = try #require(made.headers["apns-channel-id"])
      let read = try await request("GET", channels, ["apns-channel-id": id])
      #expect(read.status == 200)
      #expect(read.body == #"{"message-storage-policy":1,"push-type":"LiveActivity"}"#)
      let list = try await request("GET", "/1/apps/\(bundleID)/all-channels")
      #expect(list.body == #"{"channels":["\#(id)"]}"#)
      let listed = try await scenario.belfryCommand([
        "channel", "list", "--json", "--data", gateway.data,
      ])
      #expect(listed.values.first?["channel"].string == id)
      let removed = try await request("DELETE", channels, ["apns-channel-id": id])
      #expect(removed.status == 204 && removed.body.isEmpty)
      let gone = try await request("GET", channels, ["apns-channel-id": id])
      #expect(gone.status == 400 && gone.reason == "ChannelNotRegistered")
      #expect(gone.headers["apns-request-id"] != nil)
      #expect(try await request("PUT", channels).reason == "MethodNotAllowed")
      // A response to HEAD has no content; curl fails if there is any.
      let head = try await provider.request(
        "HEAD", channels, port: port, options: options + ["--head"])
      #expect(head.status == 405 && head.body.isEmpty)
      if port != "provider" {
        #expect(try await request("POST", "/3/device/00ff").reason == "BadPath")
        #expect(try await request("GET", "/nowhere").reason == "BadPath")
      }
    }
  }

  @Test func `a broadcast reaches every subscriber once on every loop`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway(options: ["--loops", "3"])
      let provider = try await ChannelProvider(scenario, gateway)
      let id = try await provider.make(storing: false)
      let devices = try scenario.devices(
        of: gateway, topics: [], options: ["--count", "7", "--channel", channel(id)])
      for _ in 0..<7 { _ = try await devices.program.event("subscribed") }
      let sent = try await provider.send("goal", to: id)
      #expect(sent.status == 200 && sent.body.isEmpty)
      #expect(sent.headers["apns-request-id"] != nil)
      let uniqueID = try #require(sent.headers["apns-unique-id"])
      var reached: Set<Int> = []
      for _ in 0..<7 {
        let line = try await devices.received()
        #expect(line["uniqueID"].string == uniqueID)
        #expect(line["channel"].string == id)
        #expect(line["topic"].string == bundleID)
        #expect(line["pushType"].string == "liveactivity")
        #expect(line["stored"].boolean == false)
        #expect(payload(line).contains("goal"))
        reached.insert(line["device"].integer ?? 0)
      }
      #expect(reached.count == 7)
      let late = try await provider.send("late", to: id, expiration: hour)
      #expect(late.reason == "BadExpirationDate")
      // The log shows each device's copy and the broadcast itself.
      var states: [String] = []
      for _ in 0..<100 where states.filter({ $0 == "Delivered to Device" }).count < 7 {
        let log = try await scenario.belfryCommand([
          "log", uniqueID, "--json", "--data", gateway.data,
        ])
        states = log.values.compactMap { $0["state"].string }
      }
      #expect(states.filter { $0 == "Received by APNs" }.count == 1)
      #expect(states.filter { $0 == "Sent" }.count == 7)
      #expect(states.filter { $0 == "Delivered to Device" }.count == 7)
      #expect(try await provider.copies("Delivered to Device") == 7)
    }
  }

  @Test func `the newest message waits for those who are away and outlives a crash`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let provider = try await ChannelProvider(scenario, gateway)
      let id = try await provider.make(storing: true)
      let here = try scenario.devices(
        "here", of: gateway, topics: [], options: ["--channel", channel(id)])
      let away = try scenario.devices(
        "away", of: gateway, topics: [], options: ["--channel", channel(id)])
      for devices in [here, away] { _ = try await devices.program.event("subscribed") }
      try await away.goOffline()
      #expect(try await provider.send("first", to: id, expiration: hour).status == 200)
      #expect(try await provider.send("second", to: id, expiration: hour).status == 200)
      for text in ["first", "second"] {
        _ = try await here.received { payload($0).contains(text) }
      }
      #expect(try await here.program.stop() == 0)
      #expect(try await away.program.stop() == 0)
      // Deliveries to a device are recorded within a second or when the gateway stops.
      #expect(try await gateway.stop() == 0)
      let again = try await scenario.restart(gateway)
      try await again.crash()
      let third = try await scenario.restart(again)
      let back = try scenario.devices(
        "away", of: third, topics: [], options: ["--channel", channel(id)])
      let line = try await back.received()
      #expect(payload(line).contains("second"))
      #expect(line["stored"].boolean == true)
      let old = try scenario.devices(
        "here", of: third, topics: [], options: ["--channel", channel(id)])
      _ = try await old.program.event("subscribed")
      let after = try await ChannelProvider(scenario, third)
      #expect(try await after.send("third", to: id, expiration: hour).status == 200)
      // The other device receives only the new broadcast; earlier ones aren't resent.
      #expect(payload(try await old.received()).contains("third"))
      _ = try await back.received { payload($0).contains("third") }
      #expect(try await after.copies("Sent") == 3)
    }
  }

  @Test func `without storage, a broadcast reaches only connected devices`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let provider = try await ChannelProvider(scenario, gateway)
      let id = try await provider.make(storing: false)
      let devices = try scenario.devices(
        of: gateway, topics: [], options: ["--channel", channel(id)])
      _ = try await devices.program.event("subscribed")
      try await devices.goOffline()
      #expect(try await provider.send("missed", to: id).status == 200)
      devices.goOnline()
      _ = try await devices.program.event("subscribed")
      #expect(try await provider.send("seen", to: id).status == 200)
      #expect(payload(try await devices.received()).contains("seen"))
    }
  }

  @Test func `devices subscribe to channels and unsubscribe from them`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let provider = try await ChannelProvider(scenario, gateway)
      let one = try await provider.make(storing: true)
      let added = try await scenario.belfryCommand([
        "channel", "add", "--app", bundleID, "--storage", "1", "--data", gateway.data, "--json",
      ])
      let two = try #require(added.values.first?["channel"].string)
      #expect(try await provider.send("early", to: one, expiration: hour).status == 200)
      let devices = try scenario.devices(of: gateway, topics: [bundleID])
      _ = try await devices.token()
      // A new subscriber receives the newest broadcast.
      devices.program.tell(#"{"do":"subscribe","channel":"\#(channel(one))"}"#)
      _ = try await devices.program.event("subscribed")
      #expect(payload(try await devices.received()).contains("early"))
      devices.program.tell(#"{"do":"subscribe","channel":"\#(channel(two))"}"#)
      _ = try await devices.program.event("subscribed") { $0["channel"].string == two }
      devices.program.tell(#"{"do":"unsubscribe","channel":"\#(channel(one))"}"#)
      _ = try await devices.program.event("unsubscribed") { $0["channel"].string == one }
      #expect(try await provider.send("to one", to: one, expiration: hour).status == 200)
      #expect(try await provider.send("to two", to: two, expiration: hour).status == 200)
      #expect(payload(try await devices.received()).contains("to two"))
      // Subscribing and immediately unsubscribing leaves no state.
      for order in ["subscribe", "unsubscribe"] {
        devices.program.tell(#"{"do":"\#(order)","channel":"\#(channel(one))"}"#)
      }
      _ = try await devices.program.event("unsubscribed") { $0["channel"].string == one }
      #expect(try await provider.send("after", to: one, expiration: hour).status == 200)
      #expect(try await provider.send("more", to: two, expiration: hour).status == 200)
      _ = try await devices.received { payload($0).contains("more") }
      #expect(!devices.program.untaken.contains { payload($0).contains("after") })
      _ = try await scenario.belfryCommand(["channel", "remove", two, "--data", gateway.data])
      #expect(
        try await provider.send("gone", to: two, expiration: hour).reason
          == "ChannelNotRegistered")
      devices.program.tell(#"{"do":"subscribe","channel":"\#(channel(two))"}"#)
      let refused = try await devices.program.event("refused")
      #expect(refused["reason"].string == "unknown channel")
    }
  }
}
