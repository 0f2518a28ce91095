import Foundation
import TestSupport
import Testing

/// The console of a real gateway in a headless browser.
@Suite("The console in a browser", .requires(.chromium, .systemPython))
struct ConsoleTests {
  @Test
  func `a push from the form is answered on the virtual phone and seen in the log with each state`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      // More than one page of the console's list.
      let count = 103
      let devices = try scenario.devices(
        of: gateway, topics: ["com.example.other"], options: ["--count", "\(count)"])
      for _ in 0..<count { _ = try await devices.token() }
      let pictures = ProcessInfo.processInfo.environment["BELFRY_PICTURES"]
      // This takes seconds on an idle machine, but a busy one starts a browser's processes slowly.
      let result = try await scenario.command(
        [
          try TestTool.systemPython.required(),
          Installation.root + "/Tests/Browser/console_flow.py",
          try TestTool.chromium.required(), "http://127.0.0.1:\(gateway.port("console"))/",
          gateway.data + "/admin-token", "com.example.burger", "\(count)",
        ] + (pictures.map { [$0] } ?? []), within: .seconds(300))
      #expect(result.lines.last == "ok", "\(result.output)")
    }
  }
}
