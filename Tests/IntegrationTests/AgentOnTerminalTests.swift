import Foundation
import TestSupport
import Testing

/// Tests of an agent that the user starts from an interactive shell, without a desktop.
@Suite struct AgentOnTerminalTests {
  /// Starts a shell with job control on a separate terminal.
  ///
  /// The terminal stops background jobs that write to it.
  private func shell(_ scenario: Scenario) throws -> RunningProgram {
    let shell = try scenario.start(["/usr/bin/script", "-qec", "/bin/bash --norc -i", "/dev/null"])
    shell.tell("stty tostop -echo; PS1=")
    return shell
  }

  /// Types a line and waits until the shell has read it.
  ///
  /// If another process read from the terminal, that process would receive the line instead.
  private func type(_ word: String, into shell: RunningProgram) async throws {
    shell.tell("echo \(word)-$((1 + 1))")
    _ = try await shell.output(called: "the output of echo \(word)") { lines in
      lines.contains { $0.contains("\(word)-2") }
    }
  }

  @Test func `The agent serves in the background, and reads the terminal only in the foreground`()
    async throws
  {
    try await Scenario.run { scenario in
      let ready = scenario.folder.file("ready")
      let shell = try shell(scenario)
      try await type("first", into: shell)
      shell.tell(
        "\(Installation.belfry) agent --data \(scenario.folder.file("agent")) --gateway none "
          + "--ready-file \(ready) 2>/dev/null &")
      _ = try await ScratchFolder.contents(of: ready) { !shell.isRunning }
      try await type("second", into: shell)
      _ = try await scenario.belfryCommand(["notify", "Tea", "--no-wait"])
      _ = try await shell.output(called: "the permission question") { lines in
        lines.contains { $0.contains("Shell") && $0.contains("Allow?") }
      }
      #expect(!shell.lines.contains { $0.contains("[y/n]") }, "the shell would read the answer")
      try await type("third", into: shell)
      #expect(try await scenario.belfryCommand(["app", "list"]).output.contains("belfry.shell"))

      // The shell prints the job that is now in the foreground.
      shell.tell("fg")
      _ = try await shell.output(called: "the job") { lines in
        lines.contains { $0.contains(" agent --data ") && !$0.contains("&") }
      }
      shell.tell("y")
      _ = try await shell.output(called: "the notification") { lines in
        lines.contains { $0.contains("[1] Shell: Tea") }
      }
    }
  }

  @Test func `A developer's gateway and agent serve in the background of a shell`() async throws {
    try await Scenario.run { scenario in
      let ready = scenario.folder.file("ready")
      let data = scenario.folder.file("dev")
      let shell = try shell(scenario)
      shell.tell("\(Installation.belfry) dev --data \(data) --ready-file \(ready) &")
      _ = try await ScratchFolder.contents(of: ready) { !shell.isRunning }
      try await type("first", into: shell)
      let socket = data + "/agent.sock"
      _ = try await scenario.belfryCommand(["notify", "Tea", "--socket", socket])
      _ = try await shell.output(called: "the notification") { lines in
        lines.contains { $0.contains("] Shell: Tea") }
      }
      shell.tell("jobs")
      _ = try await shell.output(called: "the job") { lines in
        lines.contains { $0.contains("Running") && $0.contains(" dev --data ") }
      }
    }
  }
}
