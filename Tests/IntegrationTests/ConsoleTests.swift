import Foundation
import TestSupport
import Testing

/// Tests of the console of a real gateway in a headless browser.
@Suite("The console in a browser", .requires(.chromium, .systemPython))
struct ConsoleTests {
  @Test
  func `a push from the form is answered on the virtual phone and seen in the log with each state`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      // The list needs more than one page in the console.
      let count = 103
      let devices = try scenario.devices(
        of: gateway, topics: ["com.example.other"], options: ["--count", "\(count)"])
      for _ in 0..<count { _ = try await devices.token() }
      let pictures = ProcessInfo.processInfo.environment["BELFRY_PICTURES"]
      // This takes seconds on an idle machine, but a busy machine starts a browser's processes slowly.
      let result = try await scenario.command(
        [
          try TestTool.systemPython.required(),
          Installation.root + "/Tests/Browser/console_flow.py",
          try TestTool.chromium.required(), "http://127.0.0.1:\(gateway.port("console"))/",
          gateway.data + "/admin-token", "com.example.burger", "\(count)",
        ] + (pictures.map { [$0] } ?? []), within: .seconds(600))
      #expect(result.lines.last == "ok", "\(result.output)")
    }
  }

  @Test
  func
    `an operator opens the console with a link that works once, and nothing is lost by a double click`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway(options: ["--log-payloads", "100"])
      let devices = try scenario.devices(
        of: gateway, topics: ["com.example.app"], options: ["--count", "3"])
      for _ in 0..<3 { _ = try await devices.token() }
      let link = try await scenario.belfryCommand(["console", "--data", gateway.data])
      let url = try #require(link.lines.first)
      #expect(url.hasPrefix("http://127.0.0.1:\(gateway.port("console"))/#link="))
      let result = try await scenario.command(
        [
          try TestTool.systemPython.required(),
          Installation.root + "/Tests/Browser/operator_flow.py",
          try TestTool.chromium.required(), url, "\(gateway.program.pid)",
        ], within: .seconds(600))
      #expect(result.lines.last == "ok", "\(result.output)")
      let secret = try #require(url.split(separator: "=").last)
      #expect(!gateway.program.errors.contains(secret))
      #expect(
        gateway.program.errors.contains("a sign-in link is wrong, has expired or was already used"))
      #expect(!gateway.program.errors.contains("wrong admin token"), "nobody entered a token")
      _ = try await gateway.stop()
      let stopped = try await scenario.belfryCommand(
        ["console", "--data", gateway.data], succeeding: false)
      #expect(stopped.status == 1 && stopped.lines.isEmpty)
      #expect(stopped.errors.contains("no gateway is running with the data folder \(gateway.data)"))
    }
  }
}
