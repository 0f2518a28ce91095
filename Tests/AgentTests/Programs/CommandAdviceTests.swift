import TestSupport
import Testing

/// Tests of the advice in errors of commands and of `belfry doctor`.
@Suite(.timeLimit(.minutes(60))) struct CommandAdviceTests {
  @Test func `an error names the missing argument, the value and the allowed range`() async throws {
    try await Scenario.run { scenario in
      _ = try await AgentProgramTests.agent(scenario)
      for (arguments, message) in [
        (["notify", "cancel"], "missing ID for cancel: add one, or use --all"),
        (["notify", "next"], "missing ID for next: add one"),
        (
          ["location", "set", "91,2"], "'91,2': expected a latitude from -90 to 90 and a longitude "
        ),
      ] {
        let result = try await scenario.belfryCommand(arguments, succeeding: false)
        #expect(result.status == 2, "\(arguments)")
        #expect(result.errors.contains(message), "\(result.errors)")
      }
    }
  }

  @Test func `a command that waits in vain for an app's token says that the app has not connected`()
    async throws
  {
    try await Scenario.run { scenario in
      _ = try await AgentProgramTests.agent(scenario)
      let result = try await scenario.belfryCommand(
        ["app", "token", "org.example.late", "--wait", "1"], succeeding: false)
      #expect(result.status == 1)
      #expect(
        result.errors.contains(
          "no app has connected as 'org.example.late' within 1 s: start it with BELFRY_APP_ID=org.example.late"
        ), "\(result.errors)")
    }
  }

  @Test func `removing a running app warns that its process will register again`() async throws {
    try await Scenario.run { scenario in
      _ = try await AgentProgramTests.agent(scenario)
      let burger = AgentProgramTests.burger
      let app = try scenario.belfry(["app", "run", burger])
      _ = try await app.event("launched")
      let result = try await scenario.belfryCommand(["app", "remove", burger])
      #expect(
        result.errors.contains(
          "warning: \(burger) is running as process \(app.pid), and will register again: quit it, and then run "
            + "'belfry app remove \(burger)' again"), "\(result.errors)")
    }
  }

  @Test func `an answer with an unknown ID is refused with the ID`() async throws {
    try await Scenario.run { scenario in
      _ = try await AgentProgramTests.agent(scenario)
      let app = try scenario.belfry([
        "app", "run", AgentProgramTests.burger, "--authorize", "alert",
      ])
      _ = try await app.event("authorized")
      app.tell(#"{"do":"present","id":"7","options":["banner"]}"#)
      app.tell(#"{"do":"complete"}"#)
      try await Scenario.wait("the errors") {
        app.errors.contains("unknown ID '7': use the ID from a willPresent, ")
          && app.errors.contains("missing ID: use the ID from a willPresent, ")
      }
    }
  }

  @Test func `a setting that the app never requested is refused with the command that requests it`()
    async throws
  {
    try await Scenario.run { scenario in
      _ = try await AgentProgramTests.agent(scenario)
      let app = try scenario.belfry(["app", "run", AgentProgramTests.burger])
      _ = try await app.event("launched")
      let refused = try await scenario.belfryCommand(
        ["settings", AgentProgramTests.burger, "alert=on"], succeeding: false)
      #expect(
        refused.errors.contains("'belfry app run \(AgentProgramTests.burger) --authorize alert'"),
        "\(refused.errors)")
    }
  }

  @Test func `doctor does not advise the terminal if the agent already uses it`() async throws {
    try await Scenario.run { scenario in
      let ready = scenario.folder.file("agent.json")
      let agent = try scenario.belfry([
        "agent", "--data", scenario.folder.file("agent"), "--ready-file", ready,
      ])
      _ = try await ScratchFolder.contents(of: ready) { !agent.isRunning }
      let rows = try await scenario.belfryCommand(["doctor", "--json"]).values
      let bus = rows.first { $0["feature"].string == "session bus" }
      #expect(
        bus?["do"].string
          == "to show notifications on a desktop, start the agent in a desktop session")
    }
  }
}
