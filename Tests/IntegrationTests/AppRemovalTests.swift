import Foundation
import TestSupport
import Testing

/// Tests of `belfry app remove`, which asks for confirmation on a terminal.
@Suite struct AppRemovalTests {
  /// A program that runs a command on a terminal, whose input is its own standard input.
  static let terminal =
    "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"

  private func remove(
    _ app: String, _ scenario: Scenario, _ agent: AgentProgram, _ words: String..., answer: String
  ) async throws -> Scenario.CommandResult {
    let command = [Installation.belfry, "app", "remove", app, "--socket", agent.socket] + words
    return try await scenario.command(
      [try TestTool.systemPython.required(), "-c", Self.terminal] + command, input: answer,
      succeeding: false)
  }

  private func apps(_ scenario: Scenario, _ agent: AgentProgram) async throws -> [String] {
    try await scenario.belfryCommand(["app", "list", "--json", "--socket", agent.socket]).values
      .compactMap { $0["app"].string }
  }

  @Test(.requires(.systemPython))
  func `On a terminal, an app and its token are removed only if the user agrees`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let app = "belfry.shell.backups"
      _ = try await scenario.belfryCommand([
        "subscribe", "backups", "--gateway", gateway.file, "--socket", agent.socket,
      ])
      let loss = "its settings, its notifications and its device tokens"
      for answer in ["", "n"] {
        let kept = try await remove(app, scenario, agent, answer: answer)
        #expect(kept.status == 1)
        #expect(kept.output.contains("removing \(app) also deletes \(loss)"), "\(kept.output)")
        #expect(kept.output.contains("\(app) was not removed: "), "\(kept.output)")
        #expect(try await apps(scenario, agent) == [app])
      }
      let removed = try await remove(app, scenario, agent, answer: "y")
      #expect(removed.status == 0, "\(removed.output)")
      #expect(removed.output.contains("removed \(app), \(loss)"), "\(removed.output)")
      #expect(try await apps(scenario, agent).isEmpty)
    }
  }

  @Test(.requires(.systemPython))
  func `With --force, or without a terminal, an app is removed without a question`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      func addApp() async throws {
        _ = try await scenario.belfryCommand([
          "notify", "Tea", "--app", "com.example.app", "--socket", agent.socket,
        ])
      }
      try await addApp()
      let forced = try await remove(
        "com.example.app", scenario, agent, "--force", answer: "n")
      #expect(forced.status == 0 && !forced.output.contains("[y/N]"), "\(forced.output)")
      #expect(
        forced.output.contains("removed com.example.app, its settings and its notifications"),
        "\(forced.output)")
      try await addApp()
      let silent = try await scenario.belfryCommand([
        "app", "remove", "com.example.app", "--socket", agent.socket,
      ])
      #expect(silent.output.isEmpty && silent.errors.isEmpty, "\(silent)")
      #expect(try await apps(scenario, agent).isEmpty)
      let unknown = try await remove("com.example.none", scenario, agent, answer: "n")
      #expect(unknown.status == 1 && !unknown.output.contains("[y/N]"), "\(unknown.output)")
      #expect(unknown.output.contains("unknown app 'com.example.none'"), "\(unknown.output)")
    }
  }
}
