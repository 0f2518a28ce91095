import Foundation
import TestSupport
import Testing

/// A gateway with a Web Push service, and virtual devices whose endpoints a Matrix homeserver knows.
private struct MatrixScenario {
  let scenario: Scenario
  let gateway: GatewayProgram
  let devices: DevicesProgram

  static func run(
    _ options: [String] = ["--web-push"], _ body: (MatrixScenario) async throws -> Void
  ) async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway(options: ["--web-push-port", "0"])
      let devices = try scenario.devices(of: gateway, topics: [], options: options)
      try await body(MatrixScenario(scenario: scenario, gateway: gateway, devices: devices))
    }
  }

  /// Returns the endpoint of a device that has not been returned yet.
  func endpoint() async throws -> String {
    let line = try await devices.program.event("subscribed")
    return try #require(line["endpoint"].string)
  }

  /// Sends a body to the push gateway on the host of an endpoint; returns the line that describes the answer.
  func send(_ body: String, to endpoint: String, _ options: [String] = []) async throws -> JSONLine
  {
    let sent = try await scenario.command(
      [
        TestTool.python.required(), Installation.root + "/Tests/Clients/matrix-homeserver",
        gateway.caFile, endpoint, body,
      ] + options)
    return try #require(sent.values.last)
  }

  /// Sends a notification about an event to several pushkeys.
  func notify(_ event: String, unread: Int = 1, _ pushkeys: [String]) async throws -> JSONLine {
    let devices = pushkeys.map { #"{"app_id":"org.example.app","pushkey":"\#($0)"}"# }
    let members = #""event_id":"\#(event)","counts":{"unread":\#(unread)}"#
    return try await send(
      #"{"notification":{\#(members),"devices":[\#(devices.joined(separator: ","))]}}"#,
      to: try #require(pushkeys.first))
  }

  /// Returns the payload of the next message.
  func received() async throws -> String {
    let line = try await devices.received()
    let data = try #require(Data(base64Encoded: line["payload"].string ?? ""))
    return String(decoding: data, as: UTF8.self)
  }
}

/// Returns the message about an event.
private func message(_ event: String, unread: Int = 1) -> String {
  #"{"notification":{"event_id":"\#(event)","counts":{"unread":\#(unread)}}}"#
}

/// Returns the pushkeys that an answer rejects.
private func rejected(_ answer: JSONLine) -> Set<String> {
  Set(answer["body"]["rejected"].array.compactMap(\.string))
}

@Suite(.timeLimit(.minutes(60)), .requires(.python)) struct MatrixPushTests {
  @Test func `a homeserver reaches every endpoint, and learns which of them have ended`()
    async throws
  {
    try await MatrixScenario.run(["--web-push", "--count", "2"]) { matrix in
      let endpoints = [try await matrix.endpoint(), try await matrix.endpoint()]
      let foreign = "https://push.example.net/push/" + String(repeating: "A", count: 43)
      let sent = try await matrix.notify("$one", endpoints + [foreign])
      #expect(sent["status"].integer == 200, "\(sent)")
      #expect(rejected(sent) == [foreign])
      for _ in endpoints { #expect(try await matrix.received() == message("$one")) }

      matrix.devices.program.tell(#"{"do":"unregister","topic":"0000001"}"#)
      for _ in endpoints { _ = try await matrix.devices.program.event("unregistered") }
      let later = try await matrix.notify("$two", endpoints)
      #expect(later["status"].integer == 200, "\(later)")
      #expect(rejected(later) == Set(endpoints))
    }
  }

  @Test func `a repeated notification replaces the one that was not delivered`() async throws {
    try await MatrixScenario.run { matrix in
      let endpoint = try await matrix.endpoint()
      try await matrix.devices.goOffline()
      for unread in 1...2 {
        let sent = try await matrix.notify("$one", unread: unread, [endpoint, endpoint])
        #expect(sent["status"].integer == 200 && rejected(sent).isEmpty, "\(sent)")
      }
      _ = try await matrix.notify("$two", [endpoint])
      matrix.devices.goOnline()
      #expect(try await matrix.received() == message("$one", unread: 2))
      #expect(try await matrix.received() == message("$two"))
    }
  }

  @Test func `a restricted subscription gets nothing from a homeserver`() async throws {
    // The point of RFC 8292 section 2.4.
    let key =
      "BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs"
    try await MatrixScenario.run(["--vapid", key]) { matrix in
      let endpoint = try await matrix.endpoint()
      let sent = try await matrix.notify("$one", [endpoint])
      #expect(sent["status"].integer == 200, "\(sent)")
      #expect(rejected(sent) == [endpoint])
      let log = try await matrix.scenario.belfryCommand(
        ["log", "--data", matrix.gateway.data, "--json"])
      let reasons = log.values.compactMap { $0["reason"].string }
      #expect(reasons.contains { $0.contains("restricted to one sender") }, "\(reasons)")
      #expect(!log.values.contains { $0["state"].string == "Received by APNs" }, "\(log.values)")
    }
  }

  @Test func `apps find the push gateway on both ports, and a malformed request is refused`()
    async throws
  {
    try await MatrixScenario.run { matrix in
      let own = try await matrix.endpoint()
      let provider = "https://\(matrix.gateway.host):\(matrix.gateway.port("provider"))/push/x"
      for (endpoint, options, version) in [
        (own, [String](), "HTTP/1.1"), (own, ["http2"], "HTTP/2"), (provider, ["http2"], "HTTP/2"),
      ] {
        let found = try await matrix.send("-", to: endpoint, options)
        #expect(found["status"].integer == 200, "\(found)")
        #expect(found["version"].string == version)
        #expect(found["body"]["unifiedpush"]["gateway"].string == "matrix")
        #expect(found["headers"]["access-control-allow-origin"].string == "*")
        let refused = try await matrix.send("{", to: endpoint, options)
        #expect(refused["status"].integer == 400, "\(refused)")
        #expect(refused["body"]["errcode"].string == "M_BAD_JSON")
        #expect(refused["headers"]["access-control-allow-origin"].string == "*")
      }
      // An event can be longer than a message, and than the window of a stream.
      let content = String(repeating: "x", count: 90_000)
      let sent = try await matrix.send(
        #"{"notification":{"event_id":"$long","content":"\#(content)","#
          + #""devices":[{"pushkey":"\#(own)"}]}}"#, to: provider, ["http2"])
      #expect(sent["status"].integer == 200 && rejected(sent).isEmpty, "\(sent)")
      #expect(try await matrix.received() == #"{"notification":{"event_id":"$long"}}"#)
    }
  }
}
