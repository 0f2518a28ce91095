import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Agent

/// Tests, with a manual clock, of apps that the agent starts for pushes: their work in the background, and how long it
/// may last.
@Suite("time in the background, as programs")
struct BackgroundProgramTests {
  private static let burger = AgentProgramTests.burger

  /// Returns the kernel's state letter for a process; `T` means that the process is stopped.
  private static func letter(ofProcess process: Int) throws -> Character? {
    let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    return text.split(separator: ")").last?.first { $0 != " " }
  }

  private static let obedient = """
    echo "{\\"event\\":\\"pid\\",\\"pid\\":$$}"
    exec \(Installation.belfry) app run "$BELFRY_APP_ID" --state background
    """

  @Test
  func
    `an app that was started for a push is stopped once it is done, wakes for the next, and when the agent is killed`()
    async throws
  {
    try await Scenario.run { scenario in
      let scene = try await BackgroundScene(scenario, Self.obedient)
      try await scene.push()
      // S0-22 in part: the time of an app that the agent started expires
      // S1-51 part 2 of 2: its time expires
      let process = try #require(try await scene.app.event("pid")["pid"].integer)
      try await scene.suspend()
      #expect(try Self.letter(ofProcess: process) == "T")
      try await scene.push()
      #expect(try Self.letter(ofProcess: process) != "T")
      #expect(scene.app.lines.count { $0.contains("launched") } == 1)
      try await scene.suspend()
      #expect(try Self.letter(ofProcess: process) == "T")
      scene.agent.signal(SIGKILL)
      _ = try await scene.agent.end()
      // The process is resumed and notices that the agent has exited.
      _ = try await scene.app.output(called: "the app's error message") { lines in
        lines.contains { $0.hasPrefix("belfry: ") }
      }
      kill(pid_t(process), SIGTERM)
      _ = try await scene.app.end()
    }
  }

  @Test
  func `pushes that arrive while an app is starting start only one process`() async throws {
    try await Scenario.run { scenario in
      // The program connects to the agent only once the test has written to this queue.
      let gate = scenario.folder.file("gate")
      #expect(mkfifo(gate, 0o600) == 0)
      let scene = try await BackgroundScene(
        scenario,
        """
        echo "{\\"event\\":\\"pid\\",\\"pid\\":$$}"
        read word < \(gate)
        exec \(Installation.belfry) app run "$BELFRY_APP_ID" --state background
        """)
      for number in UInt64(1)...3 {
        let isSent = scene.gateway.with {
          AgentProgramTests.deliver(#"{"aps":{"content-available":1}}"#, number, $0)
        }
        #expect(isSent)
      }
      try await Scenario.wait("the acknowledgments") {
        scene.gateway.with { $0.settled.count } == 3
      }
      let process = try #require(try await scene.app.event("pid")["pid"].integer)
      _ = try await scenario.command(["/bin/sh", "-c", #"echo go > "$1""#, "sh", gate])
      _ = try await scene.app.event("received")
      #expect(scene.app.lines.count { $0.contains(#""event":"pid""#) } == 1)
      #expect(scene.agent.lines.count { $0.contains(#""launched""#) } == 1)
      kill(pid_t(process), SIGTERM)
      #expect(try await scene.agent.stop() == 0)
    }
  }

  @Test
  func `a program that exits before it connects is started again for the next push`() async throws {
    try await Scenario.run { scenario in
      let scene = try await BackgroundScene(
        scenario, #"echo "{\"event\":\"pid\",\"pid\":$$}""#)
      // Without another writer, the reader of the app's output would end with the app's first process.
      let holder = try scenario.start([
        "/bin/sh", "-c",
        "exec >\(scenario.folder.file("said")); echo >&2 open; exec sleep infinity",
      ])
      try await Scenario.wait("the writer") { holder.errors.contains("open") }
      for number in UInt64(1)...2 {
        let isSent = scene.gateway.with {
          AgentProgramTests.deliver(#"{"aps":{"content-available":1}}"#, number, $0)
        }
        #expect(isSent)
        let process = try #require(try await scene.app.event("pid")["pid"].integer)
        // The process remains a zombie until the agent collects its exit status.
        try await Scenario.wait("the exit") {
          ((try? Self.letter(ofProcess: process)) ?? "Z") == "Z"
        }
      }
      #expect(scene.agent.lines.count { $0.contains(#""launched""#) } == 1)
      #expect(try await scene.agent.stop() == 0)
    }
  }

  @Test
  func `a suspended app that is installed again is killed, and the next push starts it`()
    async throws
  {
    try await Scenario.run { scenario in
      let scene = try await BackgroundScene(scenario, Self.obedient)
      // Without another writer, the reader of the app's output would end with the app's first process.
      let holder = try scenario.start([
        "/bin/sh", "-c",
        "exec >\(scenario.folder.file("said")); echo >&2 open; exec sleep infinity",
      ])
      try await Scenario.wait("the writer") { holder.errors.contains("open") }
      try await scene.push()
      let process = try #require(try await scene.app.event("pid")["pid"].integer)
      try await scene.suspend()
      let desktop = scenario.folder.file("\(Self.burger).desktop")
      _ = try await scenario.belfryCommand(["app", "install", desktop])
      #expect(try await scene.state() == "notRunning")
      #expect(
        scene.agent.errors.contains("ended a suspended app, because it was installed again"),
        "\(scene.agent.errors)")
      try await scene.push()
      let next = try #require(try await scene.app.event("pid")["pid"].integer)
      #expect(next != process)
      kill(pid_t(next), SIGTERM)
      #expect(try await scene.agent.stop() == 0)
    }
  }

  @Test
  func `an agent that ends leaves nothing stopped`() async throws {
    try await Scenario.run { scenario in
      let scene = try await BackgroundScene(scenario, Self.obedient)
      try await scene.push()
      // S0-22 in part: the time of an app that the agent started expires
      let process = try #require(try await scene.app.event("pid")["pid"].integer)
      #expect((try? await scene.suspend()) != nil)
      #expect(try await scene.agent.stop() == 0)
      let complaint = try? await scene.app.output(called: "the app's error message") { lines in
        lines.contains { $0.hasPrefix("belfry: ") }
      }
      #expect(complaint != nil)
      kill(pid_t(process), SIGTERM)
      _ = try await scene.app.end()
    }
  }

  @Test
  func `an app that does not finish in time is warned first and then ended`() async throws {
    try await Scenario.run { scenario in
      // The app's standard input stays open, so the app never reports that it is done.
      let scene = try await BackgroundScene(
        scenario,
        "sleep infinity | \(Installation.belfry) app run \"$BELFRY_APP_ID\" --state background")
      try await scene.push()
      try await scene.advance(27)
      // S0-23 part 3 of 3: its time expires
      #expect(!scene.app.lines.contains { $0.contains("backgroundTimeEnds") })
      try await scene.advance(1)
      #expect(await scene.app.nextEvent("backgroundTimeEnds") != .null)
      #expect(try await scene.state() == "background")
      try await scene.advance(2)
      // No process remains that has the queue open for writing.
      #expect((try? await scene.app.end()) == 0)
    }
  }

  @Test
  func
    `a background task that was asked for starts the app when it is due, over a restart of the agent`()
    async throws
  {
    try await Scenario.run { scenario in
      let scene = try await BackgroundScene(scenario, Self.obedient)
      let asking = try scenario.belfry(["app", "run", Self.burger, "--state", "background"])
      _ = try await asking.event("launched")
      asking.tell(
        #"{"do":"submitTask","task":"org.example.refresh","kind":"refresh","at":"1970-01-01T01:00:00Z"}"#
      )
      #expect(try await asking.event("taskSubmitted")["task"].string == "org.example.refresh")
      asking.tell(#"{"do":"submitTask","task":"org.example.work","kind":"processing"}"#)
      #expect(try await asking.event("taskRefused")["reason"].string == "taskNotPermitted")
      _ = try await asking.stop()
      scene.agent.signal(SIGKILL)
      _ = try await scene.agent.end()
      let again = try await AgentProgramTests.agent(scenario, ["--clock", "manual"])
      try await scene.advance(3_599)
      #expect(!again.lines.contains { $0.contains("launched") })
      try await scene.advance(1)
      #expect(try await again.event("launched")["reason"].string == "task")
      #expect(try await scene.app.event("launched")["reason"].string == "task")
      #expect(try await scene.app.event("taskBegins")["task"].string == "org.example.refresh")
      #expect(try await again.stop() == 0)
    }
  }

  @Test
  func `a background task for the year 9999 does not end the agent, nor its next start`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await AgentProgramTests.agent(scenario)
      let app = try scenario.belfry(["app", "run", Self.burger, "--state", "background"])
      _ = try await app.event("launched")
      app.tell(
        #"{"do":"submitTask","task":"org.example.refresh","kind":"refresh","at":"9999-12-31T00:00:00Z"}"#
      )
      _ = try await app.event("taskSubmitted")
      #expect(try await scenario.belfryCommand(["app", "list", "--json"]).values.count == 1)
      _ = try await app.stop()
      agent.signal(SIGKILL)
      _ = try await agent.end()
      let again = try await AgentProgramTests.agent(scenario)
      #expect(try await scenario.belfryCommand(["app", "list", "--json"]).values.count == 1)
      #expect(try await again.stop() == 0)
    }
  }
}

/// Tests, with a manual clock, of how often pushes can wake an app in the background.
@Suite("the budget of wakes, as programs")
struct WakeBudgetTests {
  private static let burger = AgentProgramTests.burger

  @Test(
    arguments: [("newData", without: 19, with: 20), ("failed", without: 60, with: 75)])
  func `Wakes run out; the latest push arrives with the next wake, sooner if wakes bring new data`(
    result: String, without: Int, with: Int
  ) async throws {
    try await Scenario.run { scenario in
      let gateway = try LinkGatewayThread()
      let agent = try await AgentProgramTests.agent(
        scenario, ["--clock", "manual"], gateway: gateway)
      _ = try await agent.event("link")
      let app = try scenario.belfry([
        "app", "run", Self.burger, "--authorize", "alert", "--register", "--state", "background",
      ])
      _ = try await app.event("registered")
      func push(_ number: UInt64, _ aps: String) {
        let payload = #"{"aps":{\#(aps)},"n":\#(number)}"#
        #expect(gateway.with { AgentProgramTests.deliver(payload, number, $0) })
      }
      /// Waits until the app has received all of the agent's messages.
      func settle() async throws {
        app.tell(#"{"do":"state","state":"background"}"#)
        _ = try await app.event("state")
      }
      func advance(_ minutes: Int) async throws {
        _ = try await scenario.belfryCommand(["clock", "advance", "\(minutes * 60)"])
        try await settle()
      }
      for number in 1...UInt64(10) {
        push(number, #""content-available":1"#)
        let received = try await app.event("received")
        let id = try #require(received["id"].string)
        app.tell(#"{"do":"complete","id":\#(id),"result":"\#(result)"}"#)
      }
      try await settle()
      push(11, #""content-available":1"#)
      push(12, #""content-available":1"#)
      // The alert follows the other pushes, so once the alert is shown, the agent has processed those pushes.
      push(13, #""alert":"shown""#)
      _ = try await agent.event("presented")
      try await advance(without)
      // S2-17 part 1 of 2: the budget
      #expect(app.lines.count { $0.contains(#""event":"received""#) } == 10)
      try await advance(with - without)
      // S2-22
      #expect(await app.nextEvent("received")["payload"]["n"].integer == 12)
    }
  }
}

/// A scene with an agent, an app that the agent starts with a script, the app's token, and the script's output.
struct BackgroundScene {
  let scenario: Scenario
  let gateway: LinkGatewayThread
  let agent: RunningProgram
  let app: RunningProgram
  private let pushes = Counter()

  init(_ scenario: Scenario, _ script: String, environment: [String: String] = [:]) async throws {
    self.scenario = scenario
    gateway = try LinkGatewayThread()
    agent = try await AgentProgramTests.agent(
      scenario, ["--clock", "manual"], gateway: gateway, environment: environment)
    _ = try await agent.event("link")
    let said = scenario.folder.file("said")
    guard mkfifo(said, 0o600) == 0 else { throw ProgramFailure.unreadable("no queue at \(said)") }
    let program = try await scenario.script("app", "exec > \(said) 2>&1\n" + script)
    let desktop = scenario.folder.file("\(AgentProgramTests.burger).desktop")
    let text = """
      [Desktop Entry]
      Type=Application
      Name=Burger
      Exec=\(program)
      X-Belfry-BackgroundModes=remote-notification;fetch;
      """
    try Data(text.utf8).write(to: URL(fileURLWithPath: desktop))
    _ = try await scenario.belfryCommand(["app", "install", desktop])
    let registering = try scenario.belfry(["app", "run", AgentProgramTests.burger, "--register"])
    _ = try await registering.event("registered")
    _ = try await registering.stop()
    app = try scenario.start(["/bin/cat", said])
    // Until the agent has noticed that the process has exited, it would send a push to that process.
    while try await state() != "notRunning" {}
  }

  /// Sends a background push and waits until the app prints the push.
  func push() async throws {
    let number = pushes.next()
    let isSent = gateway.with {
      AgentProgramTests.deliver(#"{"aps":{"content-available":1}}"#, number, $0)
    }
    #expect(isSent)
    _ = try await app.event("received")
  }

  func state() async throws -> String? {
    try await scenario.belfryCommand(["app", "list", "--json"]).values
      .first { $0["app"].string == AgentProgramTests.burger }?["state"].string
  }

  func advance(_ seconds: Int) async throws {
    _ = try await scenario.belfryCommand(["clock", "advance", "\(seconds)"])
  }

  /// Advances the clock until the app has answered and is suspended.
  func suspend() async throws {
    for _ in 0..<25 {
      try await advance(1)
      if try await state() == "suspended" { return }
    }
    Issue.record("the app was not suspended")
  }
}

private final class Counter: Sendable {
  private let value = Mutex<UInt64>(0)
  func next() -> UInt64 {
    value.withLock {
      $0 += 1
      return $0
    }
  }
}
