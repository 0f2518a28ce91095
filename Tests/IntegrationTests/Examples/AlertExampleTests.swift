import Foundation
import TestSupport
import Testing

/// The programs of the push documents, run against a real gateway and a real agent.
@Suite(.serialized, .timeLimit(.minutes(60))) struct AlertExamples {
  private let special =
    #"{"aps":{"alert":{"title":"Get your","body":"Avocado Bacon Burger"},"sound":"default","#
    + #""badge":1},"special":"avocado_bacon_burger","price":"9.99"}"#

  @Test
  func
    `S1-20 S1-48 S1-55 S2-1 S2-3 S2-4 S2-5 S2-6 S2-7 S2-8 S2-11 S2-13 S4-3 a tapped alert puts the dish in the cart`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let app = try await scenario.example("RestaurantAlert", on: agent)
      let token = try await scenario.token(of: app)
      #expect(try await app.text("permission") == "permission true")

      // S1-38, S3-32: in front of the user the app shows it by itself, if at all.
      try await scenario.push(
        special, to: token, topic: "org.example.RestaurantAlert", of: gateway)
      let suppressed = try await agent.program.event("suppressed")
      #expect(suppressed["reason"].string == "foreground")

      try await scenario.tell(agent, "state", "front=none")
      try await scenario.push(
        special, to: token, topic: "org.example.RestaurantAlert", of: gateway)
      let shown = try await agent.presented("org.example.RestaurantAlert")
      #expect(shown["title"].string == "Get your")
      #expect(shown["body"].string == "Avocado Bacon Burger")
      #expect(shown["badge"].integer == 1)
      let id = try #require(shown["id"].string)
      try await scenario.tell(
        agent, "center", "open", id, "--app", "org.example.RestaurantAlert")
      #expect(try await app.text("cart") == "cart avocado_bacon_burger 9.99 main thread")
    }
  }

  @Test
  func `S1-61 S2-2 S2-16 S2-18 S2-19 S2-20 S2-21 a background notification fetches the menu`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let app = try await scenario.example("MenuUpdate", on: agent)
      let token = try await scenario.token(of: app)
      let menu = "http://127.0.0.1:\(gateway.port("console"))/healthz"
      for front in ["org.example.MenuUpdate", "none"] {
        try await scenario.tell(agent, "state", "front=\(front)")
        try await scenario.push(
          #"{"aps":{"content-available":1},"menu":"\#(menu)"}"#, to: token,
          topic: "org.example.MenuUpdate", of: gateway, options: ["--type", "background"])
        _ = try await app.text("menu ")
      }
      // S2-14 of its kind: the early way out answers too, and the app goes on.
      try await scenario.push(
        #"{"aps":{"content-available":1}}"#, to: token, topic: "org.example.MenuUpdate",
        of: gateway, options: ["--type", "background"])
      _ = try await app.text("no menu")
    }
  }

  @Test
  func
    `S0-24 S0-26 S0-27 S0-29 S0-31 S0-37 S0-39 S1-4 S1-6 S1-8 S1-13 S1-18 S4-1 both forms of registration`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let modern = try await scenario.example("Registration", on: agent)
      #expect(try await modern.text("types") == "types 7")
      let token = try await scenario.token(of: modern)
      #expect(try await modern.text("enabled") == "enabled 7")

      let old = try await scenario.example(
        "Registration", on: agent, app: "org.example.old", arguments: ["--before-ios-8"])
      let other = try await scenario.token(of: old)
      #expect(other != token)
      // S4-5: two types asked for, two switches.
      #expect(try await old.text("enabled") == "enabled 3")

      // S0-25, S0-35, S0-36, S1-17: the same device gives the same token at each launch.
      try await modern.stop()
      let again = try await scenario.example("Registration", on: agent)
      #expect(try await scenario.token(of: again) == token)
    }
  }

  @Test
  func `S0-34 S0-35 S1-15 S1-16 S4-12 a device that is set up anew has other tokens`() async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let first = try await scenario.agent(of: gateway)
      let app = try await scenario.example("Registration", on: first)
      let token = try await scenario.token(of: app)
      try await app.stop()
      try await first.program.stop()

      let second = try await scenario.agent("restored", of: gateway)
      // Until the app has run there, nothing is for it.
      let apps = try await scenario.tell(second, "app", "list", "--json")
      #expect(apps.values.isEmpty)
      let again = try await scenario.example("Registration", on: second)
      let other = try await scenario.token(of: again)
      #expect(other != token)
      try await scenario.push(
        #"{"aps":{"alert":"hi"}}"#, to: other, topic: "org.example.Registration", of: gateway)
    }
  }

  @Test
  func `S0-32 S0-33 S4-16 without a gateway the error is fit to be shown`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let app = try await scenario.example("Registration", on: agent)
      #expect(try await app.text("no token").contains("gateway"))
    }
  }

  @Test
  func `S0-49 S4-4 S4-5 S4-6 S4-9 S4-10 S4-17 S4-18 the push client and its three switches`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let app = try await scenario.example("PushClient", on: agent)
      _ = try await app.text("active")
      let token = try await scenario.token(of: app)
      #expect(try await app.text("switches 5") == "switches 5")
      try await scenario.push(
        #"{"aps":{"alert":"hello","badge":2}}"#, to: token, topic: "org.example.PushClient",
        of: gateway)
      #expect(try await app.text("push") == "push hello")

      let listed = try await scenario.tell(agent, "settings", "--json")
      #expect(listed.output.contains("org.example.PushClient"))
      try await scenario.tell(agent, "settings", "org.example.PushClient", "alert=off")
      try await scenario.tell(agent, "state", "front=none")
      try await scenario.tell(agent, "state", "front=org.example.PushClient")
      #expect(try await app.text("switches 1") == "switches 1")

      let leaving = try await scenario.example(
        "PushClient", on: agent, app: "org.example.leaving", arguments: ["--off"])
      _ = try await leaving.text("switches 0")
    }
  }

  @Test
  func `PushKit: a call is never shown and goes straight to the app`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let app = try await scenario.example("CallWaiter", on: agent)
      let token = try await scenario.token(of: app)
      try await scenario.push(
        #"{"aps":{},"caller":"Anna"}"#, to: token, topic: "org.example.CallWaiter.voip",
        of: gateway, options: ["--type", "voip"])
      #expect(try await app.text("call") == "call from Anna")
    }
  }

  @Test
  func `An agent that is restarted under a running app is met again, with its registration`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let first = try await scenario.agent(of: gateway)
      let app = try await scenario.example("RestaurantAlert", on: first)
      let token = try await scenario.token(of: app)
      first.program.signal(SIGKILL)
      try await first.program.end()
      let second = try await scenario.agent(of: gateway)
      // Told again, as the app registers again by itself.
      #expect(try await scenario.token(of: app) == token)
      try await scenario.tell(second, "state", "front=none")
      try await scenario.push(
        special, to: token, topic: "org.example.RestaurantAlert", of: gateway)
      let shown = try await second.presented("org.example.RestaurantAlert")
      let id = try #require(shown["id"].string)
      try await scenario.tell(
        second, "center", "open", id, "--app", "org.example.RestaurantAlert")
      _ = try await app.text("cart avocado_bacon_burger")
    }
  }
}
