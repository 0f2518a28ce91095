import Agent
import AppWire
import Foundation
import Glibc
import System
import TestSupport
import Testing

/// Tests of the agent as a program, with apps that are started from a shell and with a minimal gateway.
@Suite("belfry agent")
struct AgentProgramTests {
  static func agent(
    _ scenario: Scenario, _ more: [String] = [], grant: String = "all",
    gateway: LinkGatewayThread? = nil, environment: [String: String] = [:],
    through launcher: [String] = []
  ) async throws -> RunningProgram {
    let ready = scenario.folder.file("agent.json")
    var arguments = [
      "agent", "--data", scenario.folder.file("agent"), "--presenter", "json", "--grant", grant,
      "--ready-file", ready,
    ]
    if let gateway {
      let ca = scenario.folder.file("ca.pem")
      try Data(gateway.authorityPEM).write(to: URL(fileURLWithPath: ca))
      arguments += ["--gateway", "127.0.0.1:\(gateway.port)", "--ca", ca, "--enroll", "letmein"]
    }
    // Delete the ready file; otherwise, the test would mistake the killed agent's file for the new agent's.
    unlink(ready)
    let program = try scenario.start(
      launcher + [Installation.belfry] + arguments + more, name: "belfry agent",
      environment: environment)
    _ = try await ScratchFolder.contents(of: ready) { !program.isRunning }
    return program
  }

  static let burger = "org.example.burger"

  @Test
  func `a notification from a shell is shown, listed, opened, and told to the app`() async throws {
    try await Scenario.run { scenario in
      let agent = try await Self.agent(scenario)
      let category = scenario.folder.file("category.json")
      let text =
        #"{"id":"INVITE","actions":[{"id":"YES","title":"Accept","textInput":{"button":"Send"}},"#
        + #"{"id":"NO","title":"Decline"}]}"#
      try Data(text.utf8).write(to: URL(fileURLWithPath: category))
      let app = try scenario.belfry([
        "app", "run", Self.burger, "--authorize", "alert,sound,badge", "--category", category,
        "--state", "background",
      ])
      #expect(try await app.event("launched")["reason"].string == "user")
      #expect(try await app.event("authorized")["granted"].boolean == true)
      let id = try await scenario.belfryCommand([
        "notify", "--app", Self.burger, "--title", "Party", "--body", "Tonight", "--category",
        "INVITE", "--badge", "2", "--user-info", #"{"k":[1]}"#, "--id", "n1",
      ])
      #expect(id.output == "n1")
      let shown = try await agent.event("presented")
      #expect(shown["id"].string == "n1")
      #expect(shown["actions"][0]["id"].string == "YES")
      #expect(shown["userInfo"]["k"][0].integer == 1)
      #expect(try await agent.event("badge")["badge"].integer == 2)
      let center = try await scenario.belfryCommand(["center", "--json"])
      #expect(center.values.first?["title"].string == "Party")
      _ = try await scenario.belfryCommand(["center", "action", "n1", "YES", "--text", "ok"])
      let response = try await app.event("response")
      #expect(response["action"].string == "YES")
      #expect(response["text"].string == "ok")
      #expect(response["notification"]["id"].string == "n1")
      #expect(try await agent.event("removed")["id"].string == "n1")
      #expect(try await app.stop() == 0)
      #expect(app.errors.isEmpty, "\(app.errors)")
      #expect(try await agent.stop() == 0)
    }
  }

  @Test
  func `an app registers, its push is shown once, and again nothing after a restart`() async throws
  {
    try await Scenario.run { scenario in
      let gateway = try LinkGatewayThread()
      var agent = try await Self.agent(scenario, gateway: gateway)
      #expect(try await agent.event("link")["state"].string == "up")
      let app = try scenario.belfry([
        "app", "run", Self.burger, "--authorize", "alert", "--register", "--state", "background",
      ])
      let token = try #require(try await app.event("registered")["token"].string)
      #expect(
        try await scenario.belfryCommand(["app", "token", Self.burger]).output == token)
      #expect(gateway.with { Self.deliver(#"{"aps":{"alert":"Hi"},"k":1}"#, 5, $0) })
      let shown = try await agent.event("presented")
      #expect(shown["body"].string == "Hi")
      #expect(shown["trigger"].string == "push")
      app.tell(#"{"do":"state","state":"foreground"}"#)
      _ = try await app.event("state")
      #expect(
        gateway.with { Self.deliver(#"{"aps":{"alert":"2","content-available":1}}"#, 6, $0) })
      let received = try await app.event("received")
      #expect(received["fetch"].boolean == true)
      #expect(received["payload"]["aps"]["alert"].string == "2")
      let question = try await app.event("willPresent")
      app.tell(#"{"do":"present","id":\#(question["id"].string ?? "0"),"options":["banner"]}"#)
      app.tell(#"{"do":"complete","id":\#(received["id"].string ?? "0"),"result":"newData"}"#)
      #expect(try await agent.event("presented")["body"].string == "2")

      agent.signal(SIGKILL)
      _ = try await agent.end()
      agent = try await Self.agent(scenario, gateway: gateway)
      #expect(try await agent.event("link")["state"].string == "up")
      #expect(
        try await app.event("registered")["token"].string == token)
      // Repeat the first push, and then send a new one. Only the new push is shown.
      #expect(gateway.with { Self.deliver(#"{"aps":{"alert":"Hi"},"k":1}"#, 5, $0) })
      #expect(gateway.with { Self.deliver(#"{"aps":{"badge":1,"alert":"new"}}"#, 7, $0) })
      let next = try await app.event("willPresent")
      #expect(next["notification"]["body"].string == "new")
    }
  }

  @Test
  func `One process with a thousand connections does not lock out others under a low file limit`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await Self.agent(
        scenario, through: ["/bin/sh", "-c", #"ulimit -S -n 256; exec "$@""#, "sh"])
      let limits = try String(contentsOfFile: "/proc/\(agent.pid)/limits", encoding: .utf8)
      let files = try #require(
        limits.split(separator: "\n").first { $0.hasPrefix("Max open files") })
      let numbers = files.split(separator: " ").compactMap { Int($0) }
      #expect(numbers.count == 2 && numbers.first == numbers.last, "\(files)")
      var connections: [RawApp] = []
      var refused = 0
      for _ in 0..<1_007 {
        let connection = try RawApp(scenario.folder.file("agent.sock"))
        connection.send(
          AppRequest.hello(AppHello(role: .control, appID: nil)).frame.numbered(1).encoded)
        if connection.frame() != nil {
          connections.append(connection)
        } else {
          try #require(connection.isEnded, "a connection was neither answered nor closed")
          refused += 1
        }
      }
      #expect(connections.count > 50 && refused == 1_007 - connections.count)
      let list = try await scenario.belfryCommand(["app", "list"])
      #expect(list.status == 0)
      #expect(agent.errors.contains("a process has too many connections"))
    }
  }

  static func deliver(_ payload: String, _ number: UInt64, _ gateway: LinkGateway) -> Bool {
    gateway.links.first { $0.isReady }?.deliver(
      number, handle: 1, payload: Array(payload.utf8), fromStorage: false) == true
  }

  @Test
  func `a category file accepts actions as events print them and rejects unknown keys and values`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await Self.agent(scenario)
      let file = scenario.folder.file("category.json")
      func run(_ text: String) async throws -> Scenario.CommandResult {
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        return try await scenario.belfryCommand(
          ["app", "run", Self.burger, "--category", file], succeeding: false)
      }
      for (text, word) in [
        (#"{"id":"C","action":[]}"#, "\"action\""),
        (#"{"id":"C","actions":[{"id":"A","titel":"T"}]}"#, "\"titel\""),
        (#"{"id":"C","actions":[{"id":"A","title":"T","options":["red"]}]}"#, "\"red\""),
        (#"{"id":"C","actions":[{"id":"A","title":"T","destructive":"yes"}]}"#, "\"destructive\""),
        (#"{"id":"C","options":["silent"]}"#, "\"silent\""),
        (#"{"id":"C","actions":[{"id":"A","title":"T","textInput":{"hint":""}}]}"#, "\"hint\""),
      ] {
        let result = try await run(text)
        #expect(result.status == 2 && result.errors.contains(word), "\(text): \(result.errors)")
      }
      let text = """
        {"id":"C","actions":[{"id":"A","title":"T","destructive":true,"authenticationRequired":false},
        {"id":"B","title":"T","destructive":false,"authenticationRequired":true}]}
        """
      try Data(text.utf8).write(to: URL(fileURLWithPath: file))
      let app = try scenario.belfry([
        "app", "run", Self.burger, "--category", file, "--authorize", "alert", "--state",
        "background",
      ])
      _ = try await app.event("authorized")
      _ = try await scenario.belfryCommand([
        "notify", "--app", Self.burger, "--title", "T", "--category", "C",
      ])
      let actions = try await agent.event("presented")["actions"]
      #expect(actions[0]["destructive"].boolean == true)
      #expect(actions[0]["authenticationRequired"].boolean == false)
      #expect(actions[1]["destructive"].boolean == false)
      #expect(actions[1]["authenticationRequired"].boolean == true)
    }
  }

  @Test
  func `an extension whose process ends at once leaves the original, and the log names it`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try LinkGatewayThread()
      let agent = try await Self.agent(scenario, gateway: gateway)
      let file = scenario.folder.file(Self.burger + ".desktop")
      let entry = """
        [Desktop Entry]
        Type=Application
        Name=Burger
        Exec=/bin/sleep 1
        X-Belfry-ServiceExtension=/bin/false
        """
      try Data(entry.utf8).write(to: URL(fileURLWithPath: file))
      _ = try await scenario.belfryCommand(["app", "install", file])
      let app = try scenario.belfry([
        "app", "run", Self.burger, "--authorize", "alert", "--register", "--state", "background",
      ])
      _ = try await app.event("registered")
      #expect(
        gateway.with { Self.deliver(#"{"aps":{"alert":"Hi","mutable-content":1}}"#, 5, $0) })
      #expect(try await agent.event("presented")["body"].string == "Hi")
      // The reason is that the app's process exited, not that the time limit expired.
      #expect(agent.errors.contains("its process exited before it connected"))
      #expect(agent.errors.contains("/bin/false"))
    }
  }

  @Test
  func `the languages that were chosen outlive a restart, whatever the environment's are`()
    async throws
  {
    try await Scenario.run { scenario in
      let french = ["LANGUAGE": "fr", "LANG": "fr_FR.UTF-8", "LC_ALL": "fr_FR.UTF-8"]
      func told() async throws -> String? {
        try await scenario.belfryCommand(["doctor", "--json"]).values
          .first { $0["feature"].string == "languages" }?["detail"].string
      }
      let agent = try await Self.agent(scenario, environment: french)
      #expect(try await told() == "fr,fr-FR")
      _ = try await scenario.belfryCommand(["settings", "--languages", "en"])
      #expect(try await told() == "en")
      agent.signal(SIGTERM)
      _ = try await agent.end()
      _ = try await Self.agent(scenario, environment: french)
      #expect(try await told() == "en")
    }
  }

  @Test
  func `a notification that was not seen when the agent was killed is there after the next start`()
    async throws
  {
    try await Scenario.run { scenario in
      var agent = try await Self.agent(scenario, ["--clock", "manual"])
      _ = try await scenario.belfryCommand([
        "notify", "--app", Self.burger, "--title", "Later", "--in", "60", "--id", "later",
      ])
      _ = try await scenario.belfryCommand([
        "notify", "--app", Self.burger, "--title", "Now", "--id", "now",
      ])
      _ = try await agent.event("presented")
      agent.signal(SIGKILL)
      _ = try await agent.end()
      agent = try await Self.agent(scenario, ["--clock", "manual"])
      #expect(try await scenario.belfryCommand(["center", "--json"]).values.count == 1)
      _ = try await scenario.belfryCommand(["clock", "advance", "60"])
      let shown = try await agent.event("presented")
      #expect(shown["id"].string == "later")
      #expect(shown["at"].string == "1970-01-01T00:01:00.000Z")
    }
  }

  @Test
  func
    `A backup on another machine is another device with other tokens`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try LinkGatewayThread()
      var agent = try await Self.agent(scenario, gateway: gateway)
      #expect(try await agent.event("link")["state"].string == "up")
      var app = try scenario.belfry(["app", "run", Self.burger, "--register"])
      let token = try #require(try await app.event("registered")["token"].string)
      _ = try await app.stop()
      #expect(try await agent.stop() == 0)
      // On the same machine, the agent keeps its identity.
      agent = try await Self.agent(scenario, gateway: gateway)
      #expect(try await agent.event("link")["state"].string == "up")
      #expect(gateway.with { $0.enrolled } == 1)
      #expect(try await agent.stop() == 0)
      // Imitate a folder from another machine by changing only the machine key.
      let keyFile = scenario.folder.file("agent/identity/identity.key")
      let kept = try FileSystem.read(keyFile, limit: 10_000)
      let key = try #require(try DeviceKeySeal(machine: MachineIdentity.current()).open(kept))
      let elsewhere = try DeviceKeySeal(machine: Array("another".utf8)).seal(key)
      try FileSystem.write(elsewhere, to: keyFile)
      agent = try await Self.agent(scenario, gateway: gateway)
      #expect(try await agent.event("link")["state"].string == "up")
      #expect(gateway.with { $0.enrolled } == 2)
      #expect(agent.errors.contains("this data is from another machine"))
      app = try scenario.belfry(["app", "run", Self.burger, "--register"])
      let other = try #require(try await app.event("registered")["token"].string)
      #expect(other != token)
    }
  }

  @Test(arguments: [("y", true), ("n", false)])
  func `On a terminal, the user is asked and answers there`(
    answer: String, isGranted: Bool
  ) async throws {
    try await Scenario.run { scenario in
      let ready = scenario.folder.file("agent.json")
      let agent = try scenario.belfry([
        "agent", "--data", scenario.folder.file("agent"), "--presenter", "terminal", "--ready-file",
        ready,
      ])
      _ = try await ScratchFolder.contents(of: ready) { !agent.isRunning }
      let app = try scenario.belfry(["app", "run", Self.burger, "--authorize", "alert"])
      _ = try await agent.output(called: "the permission question") { lines in
        lines.contains { $0.contains("Allow? [y/n]") }
      }
      agent.tell(answer)
      #expect(try await app.event("authorized")["granted"].boolean == isGranted)
      #expect(try await agent.stop() == 0)
    }
  }

  @Test
  func `belfry doctor tells what is lacking, and what keeps an app from being seen`() async throws {
    try await Scenario.run { scenario in
      let without = try await scenario.belfryCommand(["doctor", "--json"], succeeding: false)
      #expect(without.status == 1)
      #expect(without.values.first?["feature"].string == "agent")
      #expect(without.values.first?["state"].string == "missing")
      _ = try await Self.agent(scenario, grant: "none")
      let app = try scenario.belfry(["app", "run", Self.burger, "--authorize", "alert"])
      _ = try await app.event("authorized")
      let rows = try await scenario.belfryCommand(["doctor", "--json"]).values
      func row(_ feature: String) -> JSONLine? { rows.first { $0["feature"].string == feature } }
      #expect(row("agent")?["state"].string == "ok")
      #expect(row("gateway")?["state"].string == "missing")
      #expect(row("session bus")?["state"].string == "missing")
      let burger = row("app \(Self.burger)")
      #expect(burger?["state"].string == "attention")
      #expect(burger?["do"].string == "belfry settings \(Self.burger) notifications=on")
      _ = try await scenario.belfryCommand(["settings", Self.burger, "notifications=on"])
      let after = try await scenario.belfryCommand(["doctor", "--json"]).values
      #expect(
        after.first { $0["feature"].string == "app \(Self.burger)" }?["state"].string == "ok")
    }
  }

  @Test
  func `a ready file that a killed agent left does not outlive the next agent's start`()
    async throws
  {
    try await Scenario.run { scenario in
      _ = try await Self.agent(scenario)
      let stale = scenario.folder.file("stale.json")
      try Data("{}".utf8).write(to: URL(fileURLWithPath: stale))
      // The socket is in use, so this agent never becomes ready.
      let second = try await scenario.belfryCommand(
        ["agent", "--data", scenario.folder.file("second"), "--ready-file", stale],
        succeeding: false)
      #expect(second.status == 1)
      #expect(!FileManager.default.fileExists(atPath: stale))
    }
  }

  @Test
  func `commands say what is wrong and what to do, and end with 1; wrong usage ends with 2`()
    async throws
  {
    try await Scenario.run { scenario in
      let without = try await scenario.command(
        [Installation.belfry, "center"], succeeding: false)
      #expect(without.status == 1)
      #expect(without.errors.contains("belfry agent"))
      _ = try await Self.agent(scenario, grant: "none")
      for (arguments, status) in [
        (["notify", "--app", "x.y", "--title", "T"], Int32(1)), (["notify", "--app", "x.y"], 2),
        (["notify", "--title", "T"], 1),
        (["notify", "--app", "x.y", "--title", "T", "--in", "-1"], 2),
        (["notify", "--app", "x.y", "--title", "T", "--at", "yesterday"], 2),
        (["notify", "--app", "x.y", "--title", "T", "--matching", "hour=25"], 2),
        (["center", "open", "none"], 1), (["center", "dismiss"], 2),
        (["clock", "advance", "1"], 1),
        (["settings", "none.app", "alert=off"], 1), (["settings", "none.app", "alert=maybe"], 2),
        (["settings", "alert=off"], 2), (["notify", "Tea", "--app", "bad app"], 2),
        (["center", "--page", "--window"], 2), (["state", "locked=maybe"], 2),
        (["state", "moon=full"], 2), (["state", "front=none.app"], 1),
        (["app", "token", "none.app"], 1), (["app", "install", "/nonexistent"], 1),
        (["app", "nonsense"], 2), (["notify", "list", "--title", "T"], 2),
        (["notify", "cancel", "one", "--repeat"], 2),
        (["settings", "--languages", "not a language!"], 2),
        (["settings", "--languages", "fr-CA,klingon"], 2), (["settings", "--page", "--window"], 2),
        (["agent", "--enroll", "code"], 2), (["agent", "--ca", "/dev/null"], 2),
        (["agent", "--gateway", "localhost:1", "--ca", "/dev/null"], 2),
      ] {
        let result = try await scenario.belfryCommand(arguments, succeeding: false)
        #expect(result.status == status, "\(arguments): \(result.errors)")
        #expect(result.errors.hasPrefix("belfry: "), "\(arguments)")
        #expect(result.lines.isEmpty)
      }
      // Each message mentions the relevant argument or command exactly once.
      for (arguments, words) in [
        (["settings", "x.y", "foo=on"], ["unknown setting 'foo'", "previews or location"]),
        (["settings", "alert=off"], ["missing app ID", "'belfry settings APP_ID alert=off'"]),
        (["settings", "x.y", "style=big"], ["for style: expected none, banner or alert"]),
        (
          ["settings", "x.y", "location=x"],
          ["expected notDetermined, restricted, denied, always or whenInUse"]
        ),
        (["settings", "focus=on"], ["use 'belfry state focus=on'"]),
        (["settings", "x.y", "focus=off"], ["use 'belfry state focus=off'"]),
        (["focus"], ["did you mean 'belfry state focus=on'?"]),
        (["state", "front=none.app"], ["unknown app", "belfry app list"]),
        (["notify", "--app", "x.y", "--title", "T", "--user-info", "{"], ["'{' for --user-info"]),
        (["app", "token", "x.y"], ["register the app"]),
      ] {
        let errors = try await scenario.belfryCommand(arguments, succeeding: false).errors
        for word in words { #expect(errors.contains(word), "\(arguments): \(errors)") }
        #expect(errors.components(separatedBy: "a JSON object").count <= 2, "\(errors)")
      }
    }
  }

  @Test
  func `a refused registration is reported to the user who asks for the app's token`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try LinkGatewayThread()
      let agent = try await Self.agent(scenario, gateway: gateway)
      _ = try await agent.event("link")
      let folder = scenario.folder.file("Burger.app")
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
      let manifest = #"{"CFBundleIdentifier":"\#(Self.burger)","CFBundleExecutable":"burger"}"#
      try Data(manifest.utf8).write(to: URL(fileURLWithPath: folder + "/Info.json"))
      _ = try await scenario.script("Burger.app/burger", "exit 0")
      _ = try await scenario.belfryCommand(["app", "install", folder])
      let token = try await scenario.belfryCommand(
        ["app", "token", Self.burger], succeeding: false)
      #expect(token.status == 1 && token.lines.isEmpty)
      #expect(token.errors.contains("aps-environment"), "\(token.errors)")
    }
  }

  @Test
  func `an installed app that is not running is started by opening its notification`() async throws
  {
    try await Scenario.run { scenario in
      let agent = try await Self.agent(scenario)
      let log = scenario.folder.file("burger.log")
      let script = try await scenario.script(
        "burger",
        "exec \(Installation.belfry) app run \"$BELFRY_APP_ID\" > \(log) 2>&1 < /dev/null")
      let desktop = scenario.folder.file("\(Self.burger).desktop")
      try Data(
        "[Desktop Entry]\nType=Application\nName=Burger\nExec=\(script) %U\n".utf8
      ).write(to: URL(fileURLWithPath: desktop))
      let row = try await scenario.belfryCommand(["app", "install", desktop, "--json"]).values.first
      #expect(row?["kind"].string == "installed")
      _ = try await scenario.belfryCommand([
        "notify", "--app", Self.burger, "--title", "Open me", "--id", "o",
      ])
      _ = try await agent.event("presented")
      _ = try await scenario.belfryCommand(["center", "open", "o"])
      #expect(try await agent.event("launched")["app"].string == Self.burger)
      var lines: [JSONLine] = []
      try await Scenario.wait("the app's response") {
        lines = ((try? String(contentsOfFile: log, encoding: .utf8)) ?? "")
          .split(separator: "\n").compactMap { JSONLine(String($0)) }
        return lines.contains { $0["event"].string == "response" }
      }
      let launch = try #require(lines.first { $0["event"].string == "launched" })
      #expect(launch["reason"].string == "response")
      #expect(launch["notification"]["id"].string == "o")
    }
  }
}
