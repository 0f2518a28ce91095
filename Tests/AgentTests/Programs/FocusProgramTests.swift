import Foundation
import Glibc
import TestSupport
import Testing

/// Tests, on a real X server, of apps that don't report whether they are in the foreground.
@Suite("windows in front", .requires(.xvfb, .systemPython))
struct FocusProgramTests {
  @Test(.requiresCallFilter)
  func `window properties are read without privileges and under a system call filter`() async throws
  {
    try await Scenario.run { scenario in
      let windows = try await WindowScenario(on: scenario)
      let watcher = try scenario.start(
        [Installation.products + "/belfry-focus"], environment: windows.environment)
      try await windows.front(#"{"class":["b","B"]}"#)
      _ = try await watcher.line(called: "a focused window") {
        $0["window"]["names"].array.isEmpty == false
      }
      let status = try String(contentsOfFile: "/proc/\(watcher.pid)/status", encoding: .utf8)
      #expect(status.contains("NoNewPrivs:\t1\n") && status.contains("Seccomp:\t2\n"))
    }
  }

  @Test
  func `An app is in front while its window is, and its notifications are asked for`()
    async throws
  {
    try await Scenario.run { scenario in
      let windows = try await WindowScenario(on: scenario)
      let agent = try await AgentProgramTests.agent(
        scenario, environment: windows.environment)
      let burger = AgentProgramTests.burger
      let app = try scenario.belfry(["app", "run", burger, "--state", "background"])
      _ = try await app.event("launched")
      func notify(_ id: String) async throws {
        _ = try await scenario.belfryCommand([
          "notify", "--app", burger, "--title", "T", "--id", id,
        ])
      }
      try await windows.front(#"{"process":\#(app.pid),"class":["b","B"]}"#)
      #expect(try await app.event("state")["state"].string == "foreground")
      try await notify("1")
      #expect(try await app.event("willPresent")["notification"]["id"].string == "1")
      // Another program's window is in the foreground, so the agent doesn't ask the app.
      try await windows.front(#"{"class":["xterm","XTerm"]}"#)
      #expect(try await app.event("state")["state"].string == "background")
      try await notify("2")
      #expect(try await agent.event("presented")["id"].string == "2")
      // The agent finds the app by its name, because the window belongs to a process other than the connected one.
      try await windows.front(#"{"process":1,"gtk":"\#(burger)"}"#)
      #expect(try await app.event("state")["state"].string == "foreground")
      let front = try await scenario.belfryCommand(["state", "--json"]).values.first?["front"]
      #expect(front?.string == burger)
      let doctor = try await scenario.belfryCommand(["doctor", "--json"], succeeding: false).values
      let row = doctor.first { $0["feature"].string == "foreground window" }
      #expect(row?["state"].string == "ok")
      // The X server and its windows are gone, but the agent continues to run.
      windows.server.signal(SIGTERM)
      _ = try await windows.server.end()
      try await Scenario.wait("the agent to notice the exit of belfry-focus") {
        try await scenario.belfryCommand(["doctor", "--json"], succeeding: false).values
          .first { $0["feature"].string == "foreground window" }?["state"].string == "missing"
      }
      try await notify("3")
      #expect(try await app.event("state")["state"].string == "background")
      #expect(try await agent.event("presented")["id"].string == "3")
      #expect(try await agent.stop() == 0)
    }
  }
}
