import Foundation
import Glibc
import TestSupport
import Testing

@testable import Agent

/// Tests of apps in units of a real systemd user manager.
///
/// For machines that can't run a user manager, `ServicesTests` tests each call to the manager.
@Suite("apps as units of the user's systemd", .requiresUserSystemd)
struct UserSystemdTests {
  static let burger = AgentProgramTests.burger

  @Test
  func
    `client-api 3.45: an app that is not running starts in a unit of its own, learns why, and all that it started ends with it`()
    async throws
  {
    try await Scenario.run { scenario in
      let manager = try await UserSystemd(on: scenario)
      let said = try Self.queue("said", on: scenario)
      let told = try Self.queue("told", on: scenario)
      let script = try await scenario.script(
        "burger",
        """
        exec > \(said)
        echo "{\\"event\\":\\"unit\\",\\"group\\":\\"$(tail -n 1 /proc/self/cgroup)\\"}"
        sleep infinity &
        \(Installation.belfry) app run "$BELFRY_APP_ID" &
        read -r line < \(told)
        """)
      let desktop = scenario.folder.file("\(Self.burger).desktop")
      try Data("[Desktop Entry]\nType=Application\nName=Burger\nExec=\(script) %U\n".utf8)
        .write(to: URL(fileURLWithPath: desktop))
      let agent = try await AgentProgramTests.agent(
        scenario, environment: ["DBUS_SESSION_BUS_ADDRESS": manager.busAddress])
      _ = try await scenario.belfryCommand(["app", "install", desktop])
      _ = try await scenario.belfryCommand([
        "notify", "--app", Self.burger, "--title", "Open me", "--id", "o",
      ])
      _ = try await agent.event("presented")
      _ = try await scenario.belfryCommand(["center", "open", "o"])
      let app = try scenario.start(["/bin/cat", said])
      let group = try #require(try await app.event("unit")["group"].string)
      #expect(
        group.wholeMatch(
          of: #/0::/app.slice/app-belfry-org\.example\.burger@[0-9a-f]{16}\.service/#)
          != nil)
      let launch = try await app.event("launched")
      #expect(launch["reason"].string == "response")
      #expect(launch["notification"]["id"].string == "o")
      #expect(try await app.event("response")["notification"]["title"].string == "Open me")
      // The queue ends only if no process remains that has it open for writing, not even the sleeping child.
      _ = try await scenario.command(["/bin/sh", "-c", "echo end > \(told)"])
      #expect(try await app.end() == 0)
      try await manager.stop()
    }
  }

  @Test
  func `client-api 3.45: an app that is ended is ended with all that it started`() async throws {
    try await Scenario.run { scenario in
      let manager = try await UserSystemd(on: scenario)
      let said = try Self.queue("said", on: scenario)
      let script = try await scenario.script(
        "burger",
        """
        exec > \(said)
        setsid sleep infinity &
        echo "$1 $MARK"
        exec sleep infinity
        """)
      let app = try scenario.start(["/bin/cat", said])
      try Self.startAndEnd(script, of: app, on: manager)
      #expect(app.lines == ["one two"])
      try await manager.stop()
    }
  }

  @Test(arguments: [false, true])
  func
    `an app that was started for a push is frozen with all that it started, and thawed again`(
      isAgentKilled: Bool
    ) async throws
  {
    try await Scenario.run { scenario in
      let manager = try await UserSystemd(on: scenario)
      let scene = try await BackgroundScene(
        scenario,
        "sleep infinity & exec \(Installation.belfry) app run \"$BELFRY_APP_ID\" --state background",
        environment: ["DBUS_SESSION_BUS_ADDRESS": manager.busAddress])
      try await scene.push()
      // S0-22 in part: the time of an app that the agent started expires
      // S1-51 part 2 of 2: its time expires
      #expect((try? await scene.suspend()) != nil)
      let unit = try await Self.unit(of: scenario, manager)
      #expect((try? await Self.wait(for: "frozen", unit, scenario, manager)) != nil)
      if isAgentKilled {
        scene.agent.signal(SIGKILL)
        _ = try await scene.agent.end()
        try await Self.wait(for: "running", unit, scenario, manager)
      } else {
        try await scene.push()
        try await Self.wait(for: "running", unit, scenario, manager)
        #expect(try await scene.agent.stop() == 0)
      }
      try await manager.stop()
    }
  }

  /// Returns the object path of the only unit that the agent has started.
  private static func unit(of scenario: Scenario, _ manager: UserSystemd) async throws -> String {
    let list = try await call(
      scenario, manager, "/org/freedesktop/systemd1",
      "org.freedesktop.systemd1.Manager.ListUnitsByPatterns", "@as []", "['app-belfry-*']")
    let path = list.firstMatch(of: #/objectpath '([^']+app_2dbelfry[^']+)'/#)
    return String(try #require(path, "\(list)").output.1)
  }

  private static func wait(
    for state: String, _ unit: String, _ scenario: Scenario, _ manager: UserSystemd
  ) async throws {
    for _ in 0..<200 {
      let said = try await call(
        scenario, manager, unit, "org.freedesktop.DBus.Properties.Get",
        "org.freedesktop.systemd1.Unit", "FreezerState")
      if said.contains("'\(state)'") { return }
    }
    Issue.record("the unit is not \(state)")
  }

  private static func call(
    _ scenario: Scenario, _ manager: UserSystemd, _ object: String, _ method: String,
    _ arguments: String...
  ) async throws -> String {
    try await scenario.command(
      [
        try TestTool.gdbus.required(), "call", "--address", manager.busAddress, "--dest",
        "org.freedesktop.systemd1", "--object-path", object, "--method", method,
      ] + arguments
    ).output
  }

  /// This function contains no `await`, because an event loop must stay on its thread.
  private static func startAndEnd(
    _ script: String, of app: RunningProgram, on manager: UserSystemd
  ) throws {
    let services = try ServiceScenario(manager.busAddress)
    let units = UserUnits(bus: try services.connect())
    let order = UserUnits.Order(
      app: ModelBench.burger, program: script, arguments: ["one"], environment: ["MARK": "two"])
    var answers: [Bool] = []
    units.start(order) { answers.append($0) }
    #expect(services.run { answers == [true] && !app.lines.isEmpty })
    #expect(units.end(ModelBench.burger))
    #expect(services.run { !app.isRunning })
    #expect(!units.end(ModelBench.burger))
  }

  /// Creates a named queue, which ends when no process has it open for writing.
  private static func queue(_ name: String, on scenario: Scenario) throws -> String {
    let path = scenario.folder.file(name)
    guard mkfifo(path, 0o600) == 0 else {
      throw ProgramFailure.unreadable("no queue at \(path)")
    }
    return path
  }
}
