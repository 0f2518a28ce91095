import Foundation
import TestSupport
import Testing

/// Tests of an agent whose records are lost while its identity remains.
@Suite struct LostAgentRecordsTests {
  @Test(arguments: [true, false])
  func `a start without the records of before warns, any other does not`(isRemoved: Bool)
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let first = try await scenario.agent(of: gateway)
      _ = try await first.program.event("link") { $0["state"].string == "up" }
      try await first.program.stop()
      let warning = "the agent's records are missing"
      #expect(!first.program.errors.contains(warning))

      let again = try await scenario.agent(of: gateway)
      #expect(!again.program.errors.contains(warning))
      try await again.program.stop()

      let records = first.data + "/agent.sqlite"
      if isRemoved {
        try FileManager.default.removeItem(atPath: records)
      } else {
        try Data().write(to: URL(fileURLWithPath: records))
      }
      let last = try await scenario.agent(of: gateway)
      #expect(last.program.errors.contains(warning), "\(last.program.errors)")
      #expect(last.program.errors.contains(records))
      try await last.program.stop()
    }
  }
}
