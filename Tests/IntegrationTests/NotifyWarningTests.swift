import TestSupport
import Testing

/// Tests of the output and the warnings of `belfry notify` that depend on the agent's state.
@Suite struct NotifyWarningTests {
  private func notify(
    _ scenario: Scenario, _ agent: AgentProgram, _ words: String...
  ) async throws -> Scenario.CommandResult {
    try await scenario.belfryCommand(["notify"] + words + ["--socket", agent.socket])
  }

  @Test func `Cancelling all covers every app unless one is named, and prints the number`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      for app in ["org.example.one", "org.example.one", "org.example.two", "belfry.shell"] {
        _ = try await notify(scenario, agent, "Tea", "--in=1h", "--app", app)
      }
      let one = try await notify(scenario, agent, "cancel", "--all", "--app", "org.example.one")
      #expect(one.lines == ["cancelled 2 notifications"])
      let others = try await notify(scenario, agent, "cancel", "--all")
      #expect(others.lines == ["cancelled 2 notifications"])
      #expect(try await notify(scenario, agent, "list", "--json").lines.isEmpty)
    }
  }

  @Test func `A notification whose app has no alerts gets a warning`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      #expect(try await notify(scenario, agent, "Tea").errors.isEmpty)
      _ = try await scenario.belfryCommand([
        "settings", "belfry.shell", "alert=off", "--socket", agent.socket,
      ])
      let answer = try await notify(scenario, agent, "Tea")
      #expect(answer.lines.count == 1)
      #expect(answer.errors.contains("belfry settings belfry.shell alert=on"), "\(answer.errors)")
      let badge = try await notify(scenario, agent, "--badge=1")
      #expect(badge.errors.isEmpty, "\(badge.errors)")
    }
  }

  @Test func `A notification that is neither shown nor listed gets a warning`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      _ = try await notify(scenario, agent, "Tea")
      try await scenario.tell(agent, "settings", "belfry.shell", "style=none")
      let listed = try await notify(scenario, agent, "Tea")
      #expect(listed.errors.isEmpty, "\(listed.errors)")
      try await scenario.tell(agent, "settings", "belfry.shell", "center=off")
      let lost = try await notify(scenario, agent, "Tea")
      #expect(
        lost.errors.contains("'belfry settings belfry.shell style=banner center=on'"),
        "\(lost.errors)")
    }
  }

  @Test(arguments: [["alert=off"], ["style=none", "center=off"]])
  func `A question that cannot appear fails at once, and prints only the reason`(
    settings: [String]
  ) async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      _ = try await notify(scenario, agent, "Tea")
      let socket = ["--socket", agent.socket]
      _ = try await scenario.belfryCommand(["settings", "belfry.shell"] + settings + socket)
      let question = try await scenario.belfryCommand(
        ["notify", "Deploy?", "--action", "yes=Deploy"] + socket, succeeding: false)
      #expect(question.status == 1 && question.lines.isEmpty, "\(question)")
      let errors = question.errors.split(separator: "\n")
      #expect(errors.count == 1, "\(errors)")
      #expect(
        errors.first?.contains("so the notification was neither shown nor listed") == true,
        "\(errors)")
    }
  }

  @Test(arguments: [
    (["state", "focus=on"], "Focus is on"),
    (["settings", "belfry.shell", "style=none"], "banners are off for belfry.shell"),
  ])
  func `A command that waits for a button says why the question has no banner`(
    change: [String], cause: String
  ) async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      _ = try await notify(scenario, agent, "Tea")
      _ = try await scenario.belfryCommand(change + ["--socket", agent.socket])
      let command = [
        Installation.belfry, "notify", "Deploy", "--id", "q", "--action", "yes=Deploy",
        "--socket", agent.socket,
      ].joined(separator: " ")
      let waiting = try scenario.start([
        "/usr/bin/script", "--quiet", "--return", "--command", command, "/dev/null",
      ])
      _ = try await waiting.output(called: "the command for an answer") { lines in
        lines.contains { $0.contains("waiting for an answer: run 'belfry center action q") }
      }
      #expect(
        waiting.lines.contains { $0.contains("\(cause), so the notification appears only in") })
      try await scenario.tell(agent, "center", "action", "q", "yes")
      #expect(try await waiting.end() == 0)
    }
  }

  /// Runs `belfry notify cancel --all` on a terminal.
  private func cancelAll(
    _ scenario: Scenario, _ agent: AgentProgram, _ words: [String] = [], answer: String
  ) async throws -> Scenario.CommandResult {
    try await scenario.command(
      [
        try TestTool.systemPython.required(), "-c", AppRemovalTests.terminal, Installation.belfry,
        "notify", "cancel", "--all", "--socket", agent.socket,
      ] + words, input: answer, succeeding: false)
  }

  @Test(.requires(.systemPython))
  func `On a terminal, reminders of other apps are cancelled only if the user agrees`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      func add(_ app: String) async throws {
        _ = try await notify(scenario, agent, "Tea", "--in=1h", "--app", app)
      }
      try await add("belfry.shell")
      let own = try await cancelAll(scenario, agent, answer: "n")
      #expect(own.status == 0 && own.output.contains("cancelled 1 notification"), "\(own.output)")
      try await add("org.example.one")
      let kept = try await cancelAll(scenario, agent, answer: "n")
      #expect(kept.status == 1 && kept.output.contains("nothing was cancelled"), "\(kept.output)")
      #expect(kept.output.contains("1 notification of other apps"), "\(kept.output)")
      let list = try await notify(scenario, agent, "list", "--json")
      #expect(list.lines.count == 1)
      let one = try await cancelAll(
        scenario, agent, ["--app", "org.example.one"], answer: "n")
      #expect(one.status == 0 && !one.output.contains("[y/N]"), "\(one.output)")
      for (words, answer) in [([], "y"), (["--force"], "n")] as [([String], String)] {
        try await add("org.example.one")
        let all = try await cancelAll(scenario, agent, words, answer: answer)
        #expect(all.status == 0 && all.output.contains("cancelled 1"), "\(all.output)")
      }
    }
  }
}
