import Foundation
import TestSupport
import Testing

/// Tests of apps that send their token and language to Belfry's own registry.
@Suite(.serialized, .timeLimit(.minutes(60)), .requires(.curl)) struct RegistryExamples {
  @Test
  func `An app sends its token to the registry in a URL, and a campaign reaches the app`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let id = "org.example.RestaurantAlert"
      let registry = try await scenario.registry(of: gateway, topic: id)
      let app = try await scenario.example(
        "RestaurantAlert", on: agent, environment: ["REGISTRY": registry.address + "/register"])
      let token = try await scenario.token(of: app)
      #expect(try await app.text("registry") == "registry 200")
      let tokens = try await scenario.ask(registry, "/tokens").values
      // S2-7
      #expect(tokens.map { $0["deviceToken"].string } == [token])
      #expect(tokens.map { $0["topic"].string } == [id])
      try await scenario.tell(agent, "state", "front=none")
      let file = try scenario.write(
        #"{"topic":"\#(id)","alert":{"en":{"body":"Fresh fish"}}}"#, to: "campaign.json")
      let sent = try await scenario.belfryCommand([
        "campaign", "send", file, "--json", "--data", registry.data,
      ])
      #expect(sent.values.last?["accepted"].integer == 1)
      #expect(await agent.nextPresented(id)["body"].string == "Fresh fish")
    }
  }

  @Test
  func `A provider of one's own sends to a stream of tokens, and learns which are dead`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let topic = "com.example.news"
      let devices = try scenario.devices(of: gateway, topics: [topic])
      let token = try await devices.token()
      let sender = try scenario.start(
        [try await Examples.executable("NewsSender"), gateway.file, topic, "Fresh fish"],
        name: "NewsSender")
      let invented = String(repeating: "ab", count: 32)
      for line in [token, "not a token", invented] { sender.tell(line) }
      sender.closeInput()
      _ = try await sender.text("done")
      #expect(try await sender.end() == 0)
      #expect(sender.lines.contains("sent \(token)"))
      #expect(sender.lines.contains("refused \(invented) BadDeviceToken"))
      #expect(sender.lines.contains { $0.hasPrefix("skipped not a token: ") })
      #expect(payload(try await devices.received()).contains("Fresh fish"))
    }
  }

  @Test
  func `A provider of one's own makes a channel, broadcasts to who listens, and removes it`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let topic = "com.example.scores"
      _ = try await scenario.belfryCommand([
        "topic", "add", topic, "--team", gateway.teamID, "--broadcast", "on", "--data",
        gateway.data,
      ])
      let sender = try scenario.start(
        [try await Examples.executable("ScoreBroadcaster"), gateway.file, topic],
        name: "ScoreBroadcaster")
      let channel = try await sender.text("channel ").dropFirst(8)
      let devices = try scenario.devices(
        of: gateway, topics: [], options: ["--channel", "\(topic)/\(channel)"])
      _ = try await devices.program.event("subscribed")
      sender.tell("1:0")
      #expect(payload(try await devices.received()).contains("1:0"))
      sender.closeInput()
      _ = try await sender.text("left 0")
      #expect(try await sender.end() == 0)
    }
  }

  @Test(arguments: [false, true])
  func `The registry accepts both forms of a token, and campaigns use the reported language`(
    isBinary: Bool
  ) async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let id = "org.example.TokenCourier"
      let registry = try await scenario.registry(of: gateway, topic: id)
      let file = try scenario.write(
        """
        {"topic":"\(id)","alert":{"en":{"body":"Burger today"},"fr":{"body":"Burger aujourd'hui"}}}
        """, to: "campaign.json")
      for (language, text) in [("fr-CA", "Burger aujourd'hui"), ("fi", "Burger today")] {
        try await scenario.tell(agent, "settings", "--languages", language)
        let app = try await scenario.example(
          "TokenCourier", on: agent, arguments: isBinary ? ["--binary"] : [],
          environment: ["TOKEN_SERVER": registry.address])
        #expect(try await app.text("delivered") == "delivered 200")
        let tokens = try await scenario.ask(registry, "/tokens").values
        let token = try await scenario.tell(agent, "app", "token", id).output
        // S0-24, S0-31
        #expect(tokens.map { $0["deviceToken"].string } == [token])
        #expect(tokens.map { $0["language"].string } == [language])
        try await scenario.tell(agent, "state", "front=none")
        let sent = try await scenario.belfryCommand([
          "campaign", "send", file, "--json", "--data", registry.data,
        ])
        #expect(sent.values.last?["accepted"].integer == 1)
        // S0-56
        #expect(await agent.nextPresented(id)["body"].string == text)
        try await app.stop()
      }
    }
  }
}
