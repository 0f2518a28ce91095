import Foundation
import System
import TestSupport
import Testing

@testable import Tool

/// Tests of `belfry agent --install` in a separate home folder.
@Suite struct AgentInstallationTests {
  /// Returns an environment with a systemctl that records its calls.
  ///
  /// `answers` is true if the user's systemd is running.
  private func environment(
    _ scenario: Scenario, answers: Bool
  ) async throws -> (variables: [String: String], calls: String) {
    let calls = scenario.folder.file("calls")
    try FileManager.default.createDirectory(
      atPath: scenario.folder.file("bin"), withIntermediateDirectories: true)
    _ = try await scenario.script(
      "bin/systemctl", answers ? "echo \"$*\" >> \(calls)" : "exit 1")
    return (
      ["PATH": scenario.folder.file("bin") + ":/usr/bin:/bin", "XDG_CONFIG_HOME": ""], calls
    )
  }

  private func belfry(
    _ scenario: Scenario, _ words: [String], _ environment: [String: String],
    succeeding: Bool = true
  ) async throws -> Scenario.CommandResult {
    try await scenario.command(
      [Installation.belfry, "agent"] + words, environment: environment, succeeding: succeeding)
  }

  @Test func `With systemd it is a unit, enabled and started with the options given`() async throws
  {
    try await Scenario.run { scenario in
      let (variables, calls) = try await environment(scenario, answers: true)
      let answer = try await belfry(
        scenario, ["--install", "--grant", "all", "--data", "my data", "--gateway=none"], variables)
      let file = scenario.folder.file(".config/systemd/user/belfry-agent.service")
      #expect(answer.lines == [file] && answer.errors.isEmpty)
      let unit = try String(contentsOfFile: file, encoding: .utf8)
      let folder = FileManager.default.currentDirectoryPath + "/my data"
      #expect(
        unit.contains(
          #"ExecStart="\#(Installation.belfry)" "agent" "--data" "\#(folder)" "--gateway" "none" "#
            + #""--grant" "all""#), "\(unit)")
      #expect(try FileSystem.mode(of: file) == 0o600)
      var said = try String(contentsOfFile: calls, encoding: .utf8).split(separator: "\n")
      #expect(
        said.suffix(3) == [
          "--user daemon-reload", "--user enable belfry-agent.service",
          "--user restart belfry-agent.service",
        ])
      let removed = try await belfry(scenario, ["--uninstall"], variables)
      #expect(removed.lines == ["removed \(file)"] && removed.errors.isEmpty)
      said = try String(contentsOfFile: calls, encoding: .utf8).split(separator: "\n")
      #expect(said.contains("--user disable --now belfry-agent.service"))
      #expect(!FileSystem.exists(file))
    }
  }

  @Test func `Without systemd the desktop starts it, by a line that works`() async throws {
    try await Scenario.run { scenario in
      let (variables, _) = try await environment(scenario, answers: false)
      let data = scenario.folder.file("odd \"$na`me\\ 100%")
      let answer = try await belfry(
        scenario,
        ["--install", "--presenter", "json", "--data", data, "--ready-file", data + "-ready.json"],
        variables)
      let file = scenario.folder.file(".config/autostart/belfry-agent.desktop")
      #expect(answer.lines == [file])
      #expect(answer.errors.contains("starts at the next login"))
      // Read the desktop entry as a desktop would, and run its program.
      let entry = try String(contentsOfFile: file, encoding: .utf8)
      let exec = try #require(entry.split(separator: "\n").first { $0.hasPrefix("Exec=") })
      // Resolve the desktop entry's escapes first, and then those of a shell, because desktop entries use a shell's
      // quoting rules.
      let line = exec.dropFirst(5).replacingOccurrences(of: "\\\\", with: "\\")
        .replacingOccurrences(of: "%%", with: "%")
      let agent = try scenario.start(["/bin/sh", "-c", "exec " + line])
      _ = try await ScratchFolder.contents(of: data + "-ready.json") { !agent.isRunning }
      #expect(try await agent.stop() == 0, "\(agent.errors)")
      #expect(FileSystem.isDirectory(data))
      let removed = try await belfry(scenario, ["--uninstall"], variables)
      #expect(removed.lines == ["removed \(file)"] && removed.errors.isEmpty)
      #expect(!FileSystem.exists(file))
    }
  }

  @Test func `Without an installation, --uninstall says so, and names an agent that still runs`()
    async throws
  {
    try await Scenario.run { scenario in
      let (variables, _) = try await environment(scenario, answers: false)
      let ready = scenario.folder.file("ready.json")
      let agent = try scenario.belfry([
        "agent", "--data", scenario.folder.file("agent"), "--gateway", "none", "--presenter",
        "json", "--ready-file", ready,
      ])
      _ = try await ScratchFolder.contents(of: ready) { !agent.isRunning }
      let running = try await belfry(scenario, ["--uninstall"], variables)
      #expect(running.lines.isEmpty && running.errors.contains("the agent is not installed"))
      #expect(
        running.errors.contains("an agent is still running: stop it with 'kill \(agent.pid)'"),
        "\(running.errors)")
      #expect(try await agent.stop() == 0)
      let stopped = try await belfry(scenario, ["--uninstall"], variables)
      #expect(!stopped.errors.contains("still running"), "\(stopped.errors)")
    }
  }

  @Test func `A gateway's file that does not exist is refused, and nothing is installed`()
    async throws
  {
    try await Scenario.run { scenario in
      let (variables, calls) = try await environment(scenario, answers: true)
      let file = scenario.folder.file("none.json")
      let answer = try await belfry(
        scenario, ["--install", "--gateway", file], variables, succeeding: false)
      #expect(answer.status == 1 && answer.lines.isEmpty)
      #expect(answer.errors.contains("\(file) (no such file): check --gateway"), "\(answer.errors)")
      #expect(!FileSystem.exists(calls) && !FileSystem.exists(scenario.folder.file(".config")))
    }
  }

  @Test func `The gateway in BELFRY_GATEWAY is installed too, if the folder contains one`()
    async throws
  {
    try await Scenario.run { scenario in
      var (variables, _) = try await environment(scenario, answers: false)
      let entry = scenario.folder.file(".config/autostart/belfry-agent.desktop")
      let folder = scenario.folder.file("gateway-1000")
      variables["BELFRY_GATEWAY"] = folder
      let missing = try await belfry(scenario, ["--install"], variables)
      #expect(missing.errors.contains("contains no gateway.json"), "\(missing.errors)")
      #expect(try !String(contentsOfFile: entry, encoding: .utf8).contains("--gateway"))
      let gateway = try await scenario.gateway()
      variables["BELFRY_GATEWAY"] = gateway.data
      let installed = try await belfry(scenario, ["--install"], variables)
      #expect(installed.errors.contains("because BELFRY_GATEWAY is set"), "\(installed.errors)")
      #expect(
        try String(contentsOfFile: entry, encoding: .utf8).contains(
          #""--gateway" "\#(gateway.file)""#))
      // An option has precedence over the variable.
      _ = try await belfry(scenario, ["--install", "--gateway", "none"], variables)
      #expect(
        try String(contentsOfFile: entry, encoding: .utf8).contains(#""--gateway" "none""#))
    }
  }

  @Test func `The code of an invitation is in no line that starts the agent`() async throws {
    try await Scenario.run { scenario in
      let (variables, _) = try await environment(scenario, answers: false)
      let gateway = try await scenario.gateway()
      let invitation = try await scenario.belfryCommand([
        "device", "invite", "--data", gateway.data, "--json",
      ])
      let word = try #require(invitation.values.first?["invitation"].string)
      let data = scenario.folder.file("installed")
      _ = try await belfry(
        scenario, ["--install", "--gateway", word, "--data", data, "--presenter", "json"], variables
      )
      let file = scenario.folder.file(".config/autostart/belfry-agent.desktop")
      let entry = try String(contentsOfFile: file, encoding: .utf8)
      #expect(!entry.contains(gateway.enrollmentCode) && entry.contains("\(data)/gateway.json"))
      #expect(try FileSystem.mode(of: data + "/gateway.json") == 0o600)
      // The installed files are sufficient to join the gateway.
      let agent = try scenario.belfry([
        "agent", "--gateway", data + "/gateway.json", "--data", data, "--presenter", "json",
      ])
      _ = try await agent.event("link") { $0["state"].string == "up" }
    }
  }

  @Test func `A wrong option is refused before anything is written`() async throws {
    try await Scenario.run { scenario in
      let (variables, calls) = try await environment(scenario, answers: true)
      for words in [
        ["--install", "--grant", "nothing"], ["--install", "--uninstall"],
        ["--uninstall", "--grant", "all"],
      ] {
        let answer = try await belfry(scenario, words, variables, succeeding: false)
        #expect(answer.status == 2, "\(words): \(answer.errors)")
      }
      #expect(!FileSystem.exists(calls) && !FileSystem.exists(scenario.folder.file(".config")))
    }
  }

  @Test func `systemd reads every word of the unit as it was given`() async throws {
    let words = ["/bin/echo", "two words", "100%", "$HOME", #"a"b\c"#]
    let unit = AgentInstallation.unit(words)
    #expect(unit.contains(#"ExecStart="/bin/echo" "two words" "100%%" "$$HOME" "a\"b\\c""#))
  }
}
