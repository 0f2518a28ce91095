import Foundation
import TestSupport
import Testing

@Suite struct Processes {
  @Test func `a programs lines are taken by name in any order`() async throws {
    try await Scenario.run { scenario in
      let program = try scenario.start([
        "/bin/sh", "-c", #"echo '{"event":"one"}'; echo no json; echo '{"event":"two","n":2}'"#,
      ])
      #expect(try await program.event("two")["n"].integer == 2)
      _ = try await program.event("one")
      #expect(try await program.end() == 0)
      #expect(program.lines.count == 3)
    }
  }

  @Test func `waiting for output of a program that exited fails with the program's errors`()
    async throws
  {
    try await Scenario.run { scenario in
      let program = try scenario.start(["/bin/sh", "-c", "echo broken >&2; exit 3"])
      let failure = await #expect(throws: ProgramFailure.self) {
        try await program.event("never")
      }
      #expect("\(failure!)".contains("broken"))
      #expect(try await program.end() == 3)
    }
  }

  @Test func `a silent program is not awaited for ever`() async throws {
    try await Scenario.run { scenario in
      let program = try scenario.start(["/bin/sleep", "infinity"])
      await #expect(throws: ProgramFailure.self) {
        try await program.event("never", within: .milliseconds(50))
      }
      program.signal(SIGKILL)
      #expect(try await program.end() == 128 + SIGKILL)
    }
  }

  @Test func `a program receives input lines, and its exit is detected`() async throws {
    try await Scenario.run { scenario in
      let program = try scenario.start(["/bin/cat"])
      program.tell(#"{"event":"echo"}"#)
      _ = try await program.event("echo")
      program.closeInput()
      #expect(try await program.end() == 0)
    }
  }

  @Test
  func `A script that a test wrote can be started at once, whatever else is being started`()
    async throws
  {
    try await Scenario.run { scenario in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<8 {
          group.addTask {
            for turn in 0..<25 {
              let script = try await scenario.script("\(number)-\(turn)", "exit 0")
              _ = try await scenario.command([script])
            }
          }
        }
        try await group.waitForAll()
      }
    }
  }

  @Test func `clearing the scenario ends its programs and removes its folder`() async throws {
    var path = ""
    var pid: Int32 = 0
    try await Scenario.run { scenario in
      path = scenario.folder.path
      pid = try scenario.start(["/bin/sleep", "infinity"]).pid
    }
    #expect(!FileManager.default.fileExists(atPath: path))
    #expect(kill(pid, 0) != 0)
  }

  @Test func `a file is awaited until it is there`() async throws {
    try await Scenario.run { scenario in
      let file = scenario.folder.file("ready")
      _ = try scenario.start([
        "/bin/sh", "-c", "sleep 0.1; echo '{}' > \(file).new; mv \(file).new \(file)",
      ])
      let text = try await ScratchFolder.contents(of: file) { false }
      #expect(text == "{}\n")
    }
  }
}
