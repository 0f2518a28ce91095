import TestSupport
import Testing

/// The console of a real gateway in a headless browser.
@Suite("The console in a browser", .requires(.chromium, .systemPython))
struct ConsoleTests {
  @Test
  func `a push sent from the form is seen in the log with each state`() async throws {
    try await Scenario.run { scenario in
      let topic = "com.example.burger"
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(of: gateway, topics: [topic])
      let registered = try await devices.program.event("registered")
      let token = try #require(registered["token"].string)
      let result = try await scenario.command([
        try TestTool.systemPython.required(), Installation.root + "/Tests/Browser/console_flow.py",
        try TestTool.chromium.required(), "http://127.0.0.1:\(gateway.port("console"))/",
        gateway.data + "/admin-token", token, topic,
      ])
      #expect(result.lines.last == "ok", "\(result.output)")
    }
  }
}
