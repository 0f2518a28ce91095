import Foundation
import TestSupport
import Testing

/// Tests of the example programs from the documents on push notifications, with a real gateway and a real agent.
@Suite(.serialized, .timeLimit(.minutes(60))) struct AlertExamples {
  private let special =
    #"{"aps":{"alert":{"title":"Get your","body":"Avocado Bacon Burger"},"sound":"default","#
    + #""badge":1},"special":"avocado_bacon_burger","price":"9.99"}"#

  @Test
  func
    `A tapped alert puts the dish in the cart`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let app = try await scenario.example("RestaurantAlert", on: agent)
      // S2-4
      let token = try #require(await scenario.nextToken(of: app))
      #expect(token.count == 64)
      #expect(await app.nextText("permission") == "permission true")
      // In the foreground, the app itself decides whether to show the alert.
      try await scenario.push(
        special, to: token, topic: "org.example.RestaurantAlert", of: gateway)
      let suppressed = try await agent.program.event("suppressed")
      #expect(suppressed["reason"].string == "foreground")

      try await scenario.tell(agent, "state", "front=none")
      try await scenario.push(
        special, to: token, topic: "org.example.RestaurantAlert", of: gateway)
      let shown = await agent.nextPresented("org.example.RestaurantAlert")
      // S2-2 part 1 of 2: an alert is visible, and can be opened
      // S2-11 part 1 of 3: each field that is present
      #expect(shown["title"].string == "Get your")
      #expect(shown["body"].string == "Avocado Bacon Burger")
      #expect(shown["badge"].integer == 1)
      #expect(shown["sound"].string == "default")
      #expect(shown["userInfo"]["special"].string == "avocado_bacon_burger")
      // S1-20
      #expect(shown["actions"].array.isEmpty)
      let id = try #require(shown["id"].string)
      try await scenario.tell(
        agent, "center", "open", id, "--app", "org.example.RestaurantAlert")
      // S2-5, S2-13
      // S2-1 part 1 of 2: a running app in the background
      // S2-15
      #expect(await app.nextText("cart") == "cart avocado_bacon_burger 9.99 main thread")
      try await app.stop()
      // S2-6 part 1 of 2: the token and no error, throughout the run
      #expect(app.lines.count { $0.hasPrefix("token") || $0.hasPrefix("no token") } == 1)
    }
  }

  @Test
  func `A push's badge is absolute, and its sound the one that it names`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let id = "org.example.fields"
      let (_, token) = try await scenario.app(id, on: agent)
      for (badge, sound) in [(3, "dish.caf"), (1, "default"), (0, "other.aiff")] {
        try await scenario.push(
          #"{"aps":{"alert":{"title":"T\#(badge)","subtitle":"S","body":"B"},"badge":\#(badge),"#
            + #""sound":"\#(sound)"},"special":"dish","price":"9.99"}"#,
          to: token, topic: id, of: gateway)
        let shown = try await agent.presented(id)
        // S2-11 part 3 of 3: an absolute badge, a custom sound, and the app's data outside `aps`
        #expect(shown["title"].string == "T\(badge)" && shown["subtitle"].string == "S")
        #expect(shown["badge"].integer == badge && shown["sound"].string == sound)
        #expect(shown["userInfo"]["price"].string == "9.99")
        let set = try await agent.program.event("badge") { $0["app"].string == id }
        #expect(set["badge"].integer == badge)
        let heard = try await agent.program.event("sound") { $0["app"].string == id }
        #expect(heard["sound"].string == sound)
      }
    }
  }

  @Test
  func `A response whose handler returns early counts as handled and is not delivered again`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let id = "org.example.RestaurantAlert"
      let app = try await scenario.example("RestaurantAlert", on: agent)
      let token = try await scenario.token(of: app)
      _ = try await app.text("permission")
      try await scenario.tell(agent, "state", "front=none")
      func open(_ payload: String) async throws -> JSONLine {
        try await scenario.push(payload, to: token, topic: id, of: gateway)
        let shown = try await agent.presented(id)
        try await scenario.tell(
          agent, "center", "open", try #require(shown["id"].string), "--app", id)
        return shown
      }
      let plain = try await open(#"{"aps":{"alert":"hello"}}"#)
      // S2-11 part 2 of 3: no value for an absent field
      #expect(plain["sound"] == .null && plain["badge"] == .null && plain["title"].string == "")
      _ = try await app.text("not for the cart")
      // Responses that the app hasn't acknowledged are delivered to its next instance. The app answers in order, so
      // this answer follows the answers to the responses.
      try await scenario.tell(agent, "state", "front=\(id)")
      try await scenario.push(#"{"aps":{"alert":"in front"}}"#, to: token, topic: id, of: gateway)
      _ = try await agent.program.event("suppressed")
      try await app.stop()
      let again = try await scenario.example("RestaurantAlert", on: agent)
      _ = try await again.text("permission")
      try await scenario.tell(agent, "state", "front=none")
      _ = try await open(special)
      // S2-14
      #expect(await again.nextText("cart") == "cart avocado_bacon_burger 9.99 main thread")
      #expect(!again.lines.contains("not for the cart"))
    }
  }

  @Test
  func `A background notification fetches the menu`()
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
        // S2-2 part 2 of 2: a background notification gives run time
        // S2-18
        // S2-20 in part: a background notification, in the background and the foreground
        #expect(await app.nextText("menu ")?.count ?? 0 > 5)
      }
      // Without a menu address, the app's handler returns early. It still calls its completion handler, and the app
      // continues.
      try await scenario.push(
        #"{"aps":{"content-available":1}}"#, to: token, topic: "org.example.MenuUpdate",
        of: gateway, options: ["--type", "background"])
      // S2-19
      #expect(await app.nextText("no menu") == "no menu")
      // No part of this is visible to the user.
      #expect(!agent.program.lines.contains { $0.contains(#""event":"presented""#) })
    }
  }

  @Test
  func
    `Both forms of registration`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let modern = try await scenario.example("Registration", on: agent)
      // S1-6
      // S1-4 part 1 of 2: all types
      // S1-18 part 1 of 2: types and token
      #expect(await modern.nextText("types") == "types 7")
      // S4-14 part 2 of 2: it reaches the delegate
      let token = try #require(await scenario.nextToken(of: modern))
      #expect(token.count == 64)
      #expect(await modern.nextText("enabled") == "enabled 7")

      let old = try await scenario.example(
        "Registration", on: agent, app: "org.example.old", arguments: ["--before-ios-8"])
      // S0-26 part 1 of 2: UIApplication
      let other = try #require(await scenario.nextToken(of: old))
      #expect(other != token && other.count == 64)
      // S0-27
      // S0-39 part 1 of 2: types and token
      #expect(await old.nextText("enabled") == "enabled 3")

      let fewer = try await scenario.example(
        "Registration", on: agent, app: "org.example.fewer", arguments: ["--types", "5"])
      _ = try await fewer.text("types")
      let settings = try await scenario.tell(agent, "settings", "org.example.fewer", "--json")
      // S1-4 part 2 of 2: only the types of its argument
      #expect(fewer.lines.contains("types 5") && settings.values.first?["sound"] == .null)

      // The device receives the same token at each launch.
      try await modern.stop()
      let again = try await scenario.example("Registration", on: agent)
      // S0-25 part 1 of 2: the device's token at each launch
      // S0-36
      #expect(await again.nextText("token ") == "token \(token)")
    }
  }

  @Test
  func `An iOS app registers its types, and requests a token only for pushes`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let id = "org.example.LocalTour"
      // The app's notifications are local, so it registers its types and doesn't request a token.
      let local = try await scenario.example("LocalTour", on: agent)
      #expect(try await local.text("settings") == "settings 7")
      _ = try await local.text("none")
      let both = try await scenario.example("Registration", on: agent)
      let token = try await scenario.token(of: both)
      let tokens = try await scenario.belfryCommand(
        ["app", "token", id, "--socket", agent.socket], succeeding: false)
      // S1-1 part 1 of 2: on iOS, the types, and a separate call for the token
      #expect(tokens.status == 1 && token.count == 64)
      try await scenario.tell(agent, "state", "front=none")
      #expect(await agent.nextPresented(id)["title"].string == "Title")
    }
  }

  @Test
  func `Without a gateway the error is fit to be shown`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      for (number, form) in [["--before-ios-8"], []].enumerated() {
        let app = try await scenario.example(
          "Registration", on: agent, app: "org.example.form\(number)", arguments: form)
        let error = await app.nextText("no token: ")?.dropFirst(10) ?? ""
        // S0-39 part 2 of 2: the error
        // S1-18 part 2 of 2: the error
        // S4-16
        #expect(error.contains("gateway") && error.contains(" "), "\(error)")
        // S1-19
        #expect(await app.nextText("remote features") == "remote features off")
        try await app.stop()
        // S2-6 part 2 of 2: the error and no token, throughout the run
        #expect(app.lines.count { $0.hasPrefix("token") || $0.hasPrefix("no token") } == 1)
      }
    }
  }

  @Test
  func `The push client and its three switches`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let before = try await scenario.tell(agent, "settings", "--json")
      let app = try await scenario.example("PushClient", on: agent)
      _ = try await app.text("active")
      // S4-1
      let token = try #require(await scenario.nextToken(of: app))
      #expect(token.count == 64)
      // S4-9 part 1 of 2: the enabled types
      #expect(await app.nextText("switches 5") == "switches 5")
      try await scenario.push(
        #"{"aps":{"alert":"hello","badge":2,"sound":"ding.caf"},"item":"milk"}"#, to: token,
        topic: "org.example.PushClient", of: gateway)
      // S0-49, S1-39, S4-18
      #expect(await app.nextText("push") == "push hello")
      // S0-45 part 2 of 2: the delegate receives the whole payload
      #expect(await app.nextText("payload") == "payload badge 2 sound ding.caf item milk")
      // The system handles the push before it presents this marker.
      let mark = try await scenario.app("org.example.marker", on: agent)
      try await scenario.push(
        #"{"aps":{"alert":"mark"}}"#, to: mark.token, topic: "org.example.marker", of: gateway)
      _ = try await agent.presented("org.example.marker")
      // S4-17
      #expect(
        !agent.program.lines.compactMap { JSONLine($0) }
          .contains { line in
            line["app"].string == "org.example.PushClient"
              && ["presented", "sound", "badge"].contains(line["event"].string)
          })
      try await scenario.tell(agent, "app", "remove", "org.example.marker")

      let listed = try await scenario.tell(agent, "settings", "--json")
      let pane = try #require(
        listed.values.first { $0["app"].string == "org.example.PushClient" })
      // S4-4
      let others = listed.values.filter { $0["app"].string != "org.example.marker" }
      #expect(before.values.isEmpty && others.count == 1)
      // S4-5 part 1 of 3: two types, two switches
      #expect(pane["alert"].string == "on" && pane["badge"].string == "on")
      #expect(pane["sound"] == .null)
      try await scenario.tell(agent, "settings", "org.example.PushClient", "alert=off")
      try await scenario.tell(agent, "state", "front=none")
      try await scenario.tell(agent, "state", "front=org.example.PushClient")
      // S0-28
      // S0-29 part 1 of 2: UIApplication
      // S4-9 part 2 of 2: the user's change
      #expect(await app.nextText("switches 1") == "switches 1")

      let leaving = try await scenario.example(
        "PushClient", on: agent, app: "org.example.leaving", arguments: ["--off"])
      // S4-6 part 1 of 3: no type is enabled
      #expect(await leaving.nextText("switches 0") == "switches 0")
      func panes() async throws -> String {
        try await scenario.tell(agent, "settings", "--json").output
      }
      // The app doesn't wait for the agent.
      try? await Scenario.wait("the removal of the app's pane") {
        try await !panes().contains("org.example.leaving")
      }
      // S4-7
      #expect(try await !panes().contains("org.example.leaving"))
      #expect(try await panes().contains("org.example.PushClient"))
    }
  }

  @Test
  func `Fewer types leave fewer switches, and so does registering again after unregistering`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let id = "org.example.PushClient"
      let app = try await scenario.example("PushClient", on: agent)
      _ = try await scenario.token(of: app)
      func switches() async throws -> [String] {
        let row = try await scenario.tell(agent, "settings", id, "--json").values.first
        return ["alert", "sound", "badge"].filter { row?[$0].string == "on" }
      }
      app.tell("types 7")
      #expect(try await app.text("switches 7") == "switches 7")
      #expect(try await switches() == ["alert", "sound", "badge"])
      app.tell("types 1")
      // S4-5 part 3 of 3: one type instead of three
      #expect(await app.nextText("switches 1") == "switches 1")
      #expect(try await switches() == ["badge"])
      app.tell("types 7")
      _ = try await app.text("switches 7")
      app.tell("again 4")
      // S4-6 part 3 of 3: registering one type does not restore the others
      #expect(await app.nextText("switches 4") == "switches 4")
      #expect(try await switches() == ["alert"])
    }
  }

  @Test
  func `Any number of categories can be registered, and a refusal is reported`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let many = try await scenario.example(
        "Registration", on: agent, app: "org.example.many", arguments: ["--categories", "513"])
      // S1-31 part 3 of 4: an app's own call
      #expect(await many.nextText("categories") == "categories 513")
      #expect(!many.errors.contains("categories"))
      let alike = try await scenario.example(
        "Registration", on: agent, app: "org.example.alike", arguments: ["--alike", "2"])
      // S1-31 part 4 of 4: two categories with the same identifier are not reported as registered
      #expect(await alike.nextText("categories") == "categories 0")
      try await alike.error("the notification categories are not registered")
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
  func `A running app gets a changed token without registering again`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let app = try await scenario.example("PushClient", on: agent)
      let token = try await scenario.token(of: app)
      agent.program.signal(SIGKILL)
      try await agent.program.end()
      // The device is set up again; the app itself doesn't register again.
      for file in ["identity.key", "identity.pem", "identity.number"] {
        try FileManager.default.removeItem(atPath: agent.data + "/identity/" + file)
      }
      let again = try await scenario.agent(of: gateway)
      let next = try await scenario.token(of: app)
      // S0-38 part 2 of 2: the callback gets the new token without a request by the app
      #expect(next != token && next.count == 64)
      try await scenario.tell(again, "state", "front=none")
      try await scenario.push(
        #"{"aps":{"alert":"new"}}"#, to: next, topic: "org.example.PushClient", of: gateway)
      #expect(await again.nextPresented("org.example.PushClient")["body"].string == "new")
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
      #expect(await app.nextText("token ") == "token \(token)")
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
