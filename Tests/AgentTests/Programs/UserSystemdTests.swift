import Foundation
import Glibc
import TestSupport
import Testing

@testable import Agent

/// Apps in units of a real systemd user manager; `ServicesTests` has what it is asked for, call by
/// call, on machines where none can run.
@Suite("apps as units of the user's systemd", .requiresUserSystemd)
struct UserSystemdTests {
  static let burger = AgentProgramTests.burger

  @Test
  func
    `S2-16 client-api 3.45: an app that is not running starts in a unit of its own, learns why, and all that it started ends with it`()
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
      // The queue's end: nobody is left who could write to it, the sleeping child neither.
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

  /// A loop stays on its thread: nothing here is awaited.
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

  /// A named queue, which ends when nobody has it open for writing any more.
  private static func queue(_ name: String, on scenario: Scenario) throws -> String {
    let path = scenario.folder.file(name)
    guard mkfifo(path, 0o600) == 0 else {
      throw ProgramFailure.unreadable("no queue at \(path)")
    }
    return path
  }
}
