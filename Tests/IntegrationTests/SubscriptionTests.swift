import BelfryWire
import Foundation
import System
import TestSupport
import Testing

@testable import Tool

/// Tests of `belfry subscribe`.
@Suite struct SubscriptionTests {
  private func apps(_ scenario: Scenario, _ agent: AgentProgram) async throws -> [String] {
    try await scenario.belfryCommand(["app", "list", "--json", "--socket", agent.socket]).values
      .compactMap { $0["app"].string }
  }

  @Test func `A subscription that fails keeps an app that existed before`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      _ = try await scenario.belfryCommand([
        "notify", "Done", "--app", "belfry.shell.backups", "--socket", agent.socket,
      ])
      let answer = try await scenario.belfryCommand(
        ["subscribe", "backups", "--socket", agent.socket], succeeding: false)
      #expect(answer.status == 1)
      #expect(try await apps(scenario, agent) == ["belfry.shell.backups"])
    }
  }

  @Test func `The name of a subscription in place of its app's ID gets a suggestion`() async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      _ = try await scenario.belfryCommand([
        "notify", "Done", "--app", "belfry.shell.backups", "--socket", agent.socket,
      ])
      let answer = try await scenario.belfryCommand(
        ["app", "remove", "backups", "--socket", agent.socket], succeeding: false)
      #expect(
        answer.errors.contains("unknown app 'backups': did you mean 'belfry.shell.backups'?"),
        "\(answer.errors)")
    }
  }

  @Test(.requires(.curl), arguments: ["ask", "all"])
  func `A push of the printed curl line is shown under the subscription's name`(grant: String)
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway, options: ["--grant", grant])
      let answer = try await scenario.belfryCommand([
        "subscribe", "Backups of nas", "--gateway", gateway.file, "--socket", agent.socket,
      ])
      #expect(answer.lines.count == 2, "\(answer.lines)")
      let curl = answer.lines[1]
      #expect(curl.contains(answer.lines[0]))
      _ = try await scenario.command(["/bin/sh", "-c", curl + " --silent --fail"])
      let presented = try await agent.program.event("presented")
      #expect(presented["app"].string == "belfry.shell.backups-of-nas")
      #expect(presented["title"].string == "Backups of nas")
      // The user is not asked, and no warning is printed.
      #expect(!agent.program.lines.contains { $0.contains("prompt") }, "\(agent.program.lines)")
      #expect(answer.errors.isEmpty, "\(answer.errors)")
      // The same name yields the same token.
      let again = try await scenario.belfryCommand([
        "subscribe", "Backups of nas", "--json", "--gateway", gateway.file, "--socket",
        agent.socket,
      ])
      let line = try #require(again.values.first)
      #expect(line["token"].string == answer.lines[0] && line["curl"].string == curl)
      let send = try #require(line["send"].string)
      #expect(send.hasSuffix(" --body Hello --gateway \(gateway.file)"), "\(send)")
    }
  }

  @Test(.requires(.curl))
  func `The curl line of an app of another team is signed with a key of that team`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let (team, id) = ("KITCHEN001", "org.example.alerts")
      func administer(_ words: [String]) async throws {
        _ = try await scenario.belfryCommand(words + ["--data", gateway.data])
      }
      try await administer(["team", "add", "Kitchen", "--id", team])
      try await administer(["topic", "add", "--team", team, id])
      let words = ["subscribe", id, "--gateway", gateway.file, "--socket", agent.socket]
      let keyless = try await scenario.belfryCommand(words)
      let problem = "the app \(id) belongs to team \(team), but \(gateway.data) contains no valid"
      #expect(keyless.errors.contains(problem), "\(keyless.errors)")
      #expect(keyless.errors.contains("'belfry key add --team \(team) --data \(gateway.data)'"))
      for (key, options) in [
        ("KEYREVOKED", []), ("KEYOFOTHER", ["--topic", "org.example.other"]), ("KEYKITCHEN", []),
      ] {
        try await administer(["key", "add", "--team", team, "--id", key] + options)
      }
      try await administer(["key", "revoke", "KEYREVOKED"])
      let answer = try await scenario.belfryCommand(words)
      #expect(answer.errors.isEmpty, "\(answer.errors)")
      let curl = try #require(answer.lines.last)
      #expect(curl.contains(" key jwt --id KEYKITCHEN --data \(gateway.data))"), "\(curl)")
      _ = try await scenario.command(["/bin/sh", "-c", curl + " --silent --fail"])
      #expect(try await agent.program.event("presented")["app"].string == id)
      let json = try await scenario.belfryCommand(words + ["--json"])
      let send = try #require(json.values.first?["send"].string)
      #expect(
        send.contains("/AuthKey_KEYKITCHEN.p8 --key-id KEYKITCHEN --team \(team)"), "\(send)")
    }
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `An interrupted subscription leaves no app behind`(signal: Int32) async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      _ = try await agent.program.event("link") { $0["state"].string == "up" }
      try await gateway.crash()
      _ = try await agent.program.event("link") { $0["state"].string == "down" }
      let subscribe = try scenario.belfry([
        "subscribe", "backups", "--gateway", gateway.file, "--socket", agent.socket,
      ])
      try await Scenario.wait("the subscription's app") {
        try await apps(scenario, agent) == ["belfry.shell.backups"]
      }
      subscribe.signal(signal)
      #expect(try await subscribe.end() == 128 + signal)
      #expect(subscribe.errors.contains("interrupted"))
      #expect(try await apps(scenario, agent).isEmpty)
    }
  }

  @Test func `A token that the gateway cannot give yet is waited for, as long as one wants`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      _ = try await agent.program.event("link") { $0["state"].string == "up" }
      try await gateway.crash()
      _ = try await agent.program.event("link") { $0["state"].string == "down" }
      let words = ["subscribe", "backups", "--gateway", gateway.file, "--socket", agent.socket]
      let late = try await scenario.belfryCommand(words + ["--timeout", "1"], succeeding: false)
      #expect(late.status == 1 && late.errors.contains("received no token within 1 s"))
      #expect(try await apps(scenario, agent).isEmpty)
      let waiting = try scenario.belfry(words)
      _ = try await scenario.restart(gateway)
      #expect(try await waiting.end() == 0, "\(waiting.errors)")
      #expect(waiting.lines.count == 2)
    }
  }

  @Test func `A subscription while the gateway is stopped gets a warning`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      func words(_ name: String) -> [String] {
        ["subscribe", name, "--gateway", gateway.file, "--socket", agent.socket]
      }
      let first = try await scenario.belfryCommand(words("backups"))
      try await gateway.crash()
      _ = try await agent.program.event("link") { $0["state"].string == "down" }
      // The token is known.
      let again = try await scenario.belfryCommand(words("backups"))
      #expect(again.lines == first.lines)
      let warning = "the agent is not connected to its gateway"
      #expect(again.errors.contains(warning), "\(again.errors)")
      // A new token is waited for.
      let waiting = try scenario.belfry(words("doorbell"))
      try await Scenario.wait("the warning") { waiting.errors.contains(warning) }
      _ = try await scenario.restart(gateway)
      #expect(try await waiting.end() == 0, "\(waiting.errors)")
    }
  }

  @Test func `A subscription of a revoked device reports the revocation and how to enroll again`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      func words(_ name: String) -> [String] {
        ["subscribe", name, "--gateway", gateway.file, "--socket", agent.socket]
      }
      _ = try await scenario.belfryCommand(words("backups"))
      let devices = try await scenario.belfryCommand([
        "device", "list", "--json", "--data", gateway.data,
      ])
      let device = try #require(devices.values.first?["device"].integer)
      _ = try await scenario.belfryCommand([
        "device", "revoke", "\(device)", "--data", gateway.data,
      ])
      _ = try await agent.program.event("link") { $0["state"].string == "down" }
      let known = try await scenario.belfryCommand(words("backups"))
      let new = try await scenario.belfryCommand(
        words("doorbell") + ["--timeout", "1"], succeeding: false)
      #expect(new.status == 1 && new.errors.contains("received no token within 1 s"))
      for errors in [known.errors, new.errors] {
        #expect(errors.contains("revoked by the gateway"), "\(errors)")
        #expect(errors.contains("to enroll again, stop the agent"), "\(errors)")
        #expect(!errors.contains("start the gateway"), "\(errors)")
      }
    }
  }

  @Test func `A subscription with an app's ID keeps the app's name`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      for _ in 1...2 {
        let answer = try await scenario.belfryCommand([
          "subscribe", "belfry.shell", "--gateway", gateway.file, "--socket", agent.socket,
        ])
        #expect(answer.errors.isEmpty, "\(answer.errors)")
        let list = try await scenario.belfryCommand([
          "app", "list", "--json", "--socket", agent.socket,
        ])
        #expect(list.values.first?["name"].string == "Shell", "\(list.output)")
      }
    }
    let backups = try ShellApp(subscription: "com.example.backups")
    #expect(backups.name == "com.example.backups")
    #expect(backups.keepingName("Backups").name == "Backups")
    #expect(try ShellApp(subscription: "backups").keepingName("Backups").name == "backups")
  }

  @Test func `A gateway stores several messages of a new name, and the number can be changed`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      func subscribe(_ words: String...) async throws {
        let answer = try await scenario.belfryCommand(
          ["subscribe"] + words + ["--gateway", gateway.file, "--socket", agent.socket])
        #expect(answer.errors.isEmpty, "\(answer.errors)")
      }
      func keep() async throws -> [String: String] {
        let list = try await scenario.belfryCommand([
          "topic", "list", "--json", "--data", gateway.data,
        ])
        var keep: [String: String] = [:]
        for app in list.values {
          keep[app["topic"].string ?? ""] =
            app["keep"].string ?? app["keep"].integer.map { "\($0)" }
        }
        return keep
      }
      _ = try await scenario.belfryCommand([
        "topic", "add", "belfry.shell.builds", "--keep", "5", "--data", gateway.data,
      ])
      // An app's own ID keeps the number that Apple's service stores.
      for name in ["backups", "builds", "org.example.app"] { try await subscribe(name) }
      #expect(
        try await keep() == [
          "belfry.shell.backups": "100", "belfry.shell.builds": "5", "org.example.app": "1",
        ])
      try await subscribe("backups", "--keep", "all")
      try await subscribe("builds")
      let changed = try await keep()
      #expect(changed["belfry.shell.backups"] == "all" && changed["belfry.shell.builds"] == "5")
    }
  }

  @Test func `The doctor reports an agent that has lost the gateway of its subscriptions`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      _ = try await scenario.belfryCommand([
        "subscribe", "backups", "--gateway", gateway.file, "--socket", agent.socket,
      ])
      #expect(try await agent.program.stop() == 0)
      try FileManager.default.removeItem(atPath: agent.data + "/gateway.json")
      let restarted = try await scenario.agent(of: nil)
      let doctor = try await scenario.belfryCommand([
        "doctor", "--json", "--socket", restarted.socket,
      ])
      let row = doctor.values.first { $0["feature"].string == "gateway" }
      #expect(row?["state"].string == "missing" && row?["optional"].boolean == false)
      #expect(row?["detail"].string?.hasPrefix("none: apps that have registered") == true)
    }
  }

  @Test func `A subscription with another gateway's file than the agent's gets a warning`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let other = try await scenario.gateway("other")
      let agent = try await scenario.agent(of: gateway)
      let answer = try await scenario.belfryCommand([
        "subscribe", "backups", "--gateway", other.file, "--socket", agent.socket,
      ])
      #expect(
        answer.errors.contains("the agent belongs to the gateway at ")
          && answer.errors.contains("--gateway FILE"), "\(answer.errors)")
    }
  }

  @Test func `Without a gateway on this machine, a message says where to run the printed command`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let answer = try await scenario.belfryCommand([
        "subscribe", "backups", "--socket", agent.socket,
      ])
      #expect(answer.lines.last?.hasPrefix("belfry send ") == true, "\(answer.output)")
      #expect(SubscribeCommand.table.help.contains("'belfry send' command"))
      #expect(
        answer.errors.hasPrefix(
          "belfry: the printed command is for the gateway's machine, because ")
          && answer.errors.contains("run the printed command on the gateway's machine"),
        "\(answer.errors)")
      #expect(
        answer.errors.contains("'belfry topic add belfry.shell.backups --keep 100'"),
        "\(answer.errors)")
    }
  }

  @Test func `A subscription with an unreadable gateway file fails with advice, and asks nothing`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway, options: ["--grant", "ask"])
      let answer = try await scenario.belfryCommand(
        ["subscribe", "backups", "--gateway", "nope.json", "--socket", agent.socket],
        succeeding: false)
      #expect(answer.status == 1 && answer.lines.isEmpty)
      #expect(answer.errors.contains("specify its gateway.json with --gateway"), "\(answer.errors)")
      #expect(!answer.errors.contains("HOST:PORT"), "\(answer.errors)")
      #expect(!agent.program.lines.contains { $0.contains("prompt") }, "\(agent.program.lines)")
      #expect(try await apps(scenario, agent).isEmpty)
    }
  }

  @Test func `The agent's gateway is read from its findings`() {
    for address in ["127.0.0.1:5223", "push.example.org:5223", "::1:5223"] {
      let rows: [JSONObject] = [
        ["feature": "sounds", "detail": "ok"],
        ["feature": "gateway", "detail": "connected", "address": .string(address)],
      ]
      #expect(AgentGateway(diagnosis: rows)?.address == address)
    }
    #expect(AgentGateway(diagnosis: [["feature": "gateway", "detail": "none"]]) == nil)
  }

  @Test func `Without a gateway, subscribing fails with the reason and adds no app`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil, options: ["--grant", "ask"])
      let answer = try await scenario.belfryCommand(
        ["subscribe", "backups", "--socket", agent.socket], succeeding: false)
      #expect(answer.status == 1 && answer.lines.isEmpty)
      #expect(answer.errors.contains("gateway"), "\(answer.errors)")
      #expect(!agent.program.lines.contains { $0.contains("prompt") }, "\(agent.program.lines)")
      #expect(try await apps(scenario, agent).isEmpty)
    }
  }

  @Test(arguments: [
    ("backups", "belfry.shell.backups"), ("Door bell!", "belfry.shell.door-bell"),
    ("com.example.app", "com.example.app"), ("v1.2 builds", "belfry.shell.v1-2-builds"),
    ("Ünicode", "belfry.shell._fc_nicode"), ("nicode", "belfry.shell.nicode"),
    ("备份 – nas", "belfry.shell._5907__4efd_-nas"),
    ("🔔", "belfry.shell._1f514_"),
  ])
  func `A name becomes an app id`(name: String, id: String) throws {
    #expect(try ShellApp(subscription: name).id == id)
    let decomposed = name.decomposedStringWithCanonicalMapping
    #expect(try ShellApp(subscription: decomposed).id == id)
  }

  @Test(arguments: [
    "", "…", " ", String(repeating: "a", count: 201), String(repeating: "ü", count: 90),
  ])
  func `A subscription name that is too long or has no letter is refused`(name: String) {
    #expect(throws: UsageError.self) { try ShellApp(subscription: name) }
  }
}
