import TestSupport
import Testing

/// The console of a real gateway in a headless browser.
@Suite("The console in a browser", .requires(.chromium, .systemPython))
struct ConsoleTests {
  @Test
  func `a push from the form is answered on the virtual phone and seen in the log with each state`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let result = try await scenario.command([
        try TestTool.systemPython.required(), Installation.root + "/Tests/Browser/console_flow.py",
        try TestTool.chromium.required(), "http://127.0.0.1:\(gateway.port("console"))/",
        gateway.data + "/admin-token", "com.example.burger",
      ])
      #expect(result.lines.last == "ok", "\(result.output)")
    }
  }
}
