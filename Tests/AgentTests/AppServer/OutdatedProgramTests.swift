import Foundation
import Glibc
import TestSupport
import Testing

@testable import Agent

@Suite("Outdated programs")
struct OutdatedProgramTests {
  @Test(arguments: [false, true])
  func `a process runs an outdated program once its program's file is deleted or replaced`(
    isReplaced: Bool
  ) async throws {
    try await Scenario.run { scenario in
      let path = scenario.folder.file("program")
      _ = try await scenario.command(["/bin/cp", "/bin/cat", path])
      let program = try scenario.start([path])
      program.tell("ready")
      _ = try await program.text("ready")
      #expect(!ProcessInspector.hasOutdatedProgram(program.pid))
      try FileManager.default.removeItem(atPath: path)
      if isReplaced { _ = try await scenario.command(["/bin/cp", "/bin/cat", path]) }
      #expect(ProcessInspector.hasOutdatedProgram(program.pid))
      program.signal(SIGKILL)
      _ = try await program.end()
      #expect(!ProcessInspector.hasOutdatedProgram(program.pid))
    }
  }
}
