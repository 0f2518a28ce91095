import TestSupport
import Testing

/// Tests of a device whose disk is full.
@Suite(.requires(.prlimit)) struct FullDiskOfAgentTests {
  @Test
  func
    `while changes wait for a full disk, refused changes have no effect and reads are answered`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      // Limit the size of all of the agent's files. A separate file system is no alternative, because it would hide the
      // agent's files from the other programs of this test.
      func limitFiles(to bytes: String) async throws {
        _ = try await scenario.command([
          TestTool.prlimit.required(), "--pid", "\(agent.program.pid)", "--fsize=\(bytes):",
        ])
      }
      func tell(_ words: String...) async throws -> Scenario.CommandResult {
        try await scenario.belfryCommand(words + ["--socket", agent.socket], succeeding: false)
      }
      func notify(_ id: String) async throws -> Scenario.CommandResult {
        try await tell("notify", "--app", "org.example.burger", "--in", "1h", "--id", id, id)
      }
      #expect(try await notify("kept").status == 0)
      try await limitFiles(to: "4096")
      let first = try await notify("first")
      #expect(first.status == 1 && first.errors.contains("free some space"), "\(first)")
      let second = try await notify("second")
      #expect(second.status == 1 && second.errors.contains("free some space"), "\(second)")
      let cancelled = try await tell("notify", "cancel", "kept")
      #expect(cancelled.status == 1 && cancelled.errors.contains("free some space"), "\(cancelled)")
      let listed = try await tell("notify", "list", "--json")
      #expect(listed.status == 0, "\(listed)")
      var ids = listed.values.compactMap { $0["id"].string }
      #expect(ids.contains("kept") && !ids.contains("second"), "\(ids)")
      #expect(try await tell("doctor").output.contains("not writable: "))

      try await limitFiles(to: "unlimited")
      #expect(try await notify("third").status == 0)
      ids = try await tell("notify", "list", "--json").values.compactMap { $0["id"].string }
      #expect(ids.contains("kept") && ids.contains("third") && !ids.contains("second"))
    }
  }
}
