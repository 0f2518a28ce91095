import Foundation
import TestSupport
import Testing

/// Tests of campaigns to Web Push subscriptions, with a real provider, gateway and device.
@Suite(.serialized, .timeLimit(.minutes(60)), .requires(.curl)) struct WebPushCampaignTests {
  private let topic = "com.example.app"

  private func payload(_ line: JSONLine) throws -> JSONLine {
    let data = try #require(Data(base64Encoded: line["payload"].string ?? ""))
    return try #require(JSONLine(String(decoding: data, as: UTF8.self)))
  }

  /// Returns a line that registers a subscription, as a browser's `PushSubscription` contains it.
  private func registration(_ subscribed: JSONLine, endpoint: String, language: String) -> String {
    #"{"topic":"\#(topic)","language":"\#(language)","endpoint":"\#(endpoint)","expirationTime":null,"#
      + #""keys":{"p256dh":"\#(subscribed["p256dh"].string ?? "")","#
      + #""auth":"\#(subscribed["auth"].string ?? "")"}}"#
  }

  @Test func `one campaign reaches a device and a subscription, whose message decrypts`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway(options: ["--web-push-port", "0"])
      let registry = try await scenario.registry(
        of: gateway, topic: topic, options: ["--web-push-private-addresses"])
      let key = try await scenario.ask(registry, "/web-push-key").lines.first
      let devices = try scenario.devices(
        of: gateway, topics: [topic], options: ["--vapid", #require(key)])
      let token = try await devices.token()
      let subscribed = try await devices.program.event("subscribed")
      let endpoint = try #require(subscribed["endpoint"].string)
      let brought = try await scenario.ask(
        registry, "/tokens",
        body: [
          #"{"topic":"\#(topic)","deviceToken":"\#(token)"}"#,
          registration(subscribed, endpoint: endpoint, language: "fr-CA"),
          // The gateway does not know this subscription.
          registration(subscribed, endpoint: endpoint + "AAAA", language: "fr"),
        ].joined(separator: "\n"))
      #expect(brought.values.first?["added"].integer == 3, "\(brought.output)")

      let file = try scenario.write(
        #"{"topic":"\#(topic)","alert":{"en":{"title":"News","body":"Hello"},"fr":{"title":"Infos","body":"Salut"}},"#
          + #""payload":{"article":7}}"#,
        to: "campaign.json")
      let sent = try await scenario.belfryCommand([
        "campaign", "send", file, "--json", "--data", registry.data,
      ])
      let last = try #require(sent.values.last)
      #expect(last["accepted"].integer == 2 && last["dead"].integer == 1, "\(last)")

      let received = [try await devices.received(), try await devices.received()]
      let message = try #require(received.first { $0["pushType"].string == "webpush" })
      let push = try #require(received.first { $0["topic"].string == topic })
      #expect(try payload(push)["aps"]["alert"]["body"].string == "Hello")
      let content = try payload(message)
      #expect(content["body"].string == "Salut" && content["language"].string == "fr")
      #expect(content["data"]["article"].integer == 7)

      let id = try #require(last["id"].string)
      let report = try await scenario.belfryCommand([
        "campaign", "report", id, "--json", "--data", registry.data,
      ])
      let kinds = try #require(report.values.first?["kinds"].array)
      #expect(kinds.map { $0["kind"].string } == ["device", "webPush"])
      #expect(kinds.map { $0["accepted"].integer } == [1, 1])
      #expect(kinds.map { $0["dead"].integer } == [0, 1])

      let list = try await scenario.belfryCommand([
        "web-push", "list", "--json", "--data", registry.data,
      ])
      #expect(list.values.compactMap { $0["endpoint"].string } == [endpoint])
      #expect(try await registry.program.stop() == 0)
      // Without a service, the command reads the data folder.
      let local = try await scenario.belfryCommand([
        "web-push", "list", "--data", registry.data, "--topic", topic,
      ])
      #expect(local.output.contains(endpoint), "\(local.output)")
    }
  }
}
