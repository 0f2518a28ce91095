import Foundation
import TestSupport
import Testing

/// Tests that run `belfry dev` as an app developer would.
@Suite struct DevTests {
  @Test(.requires(.curl))
  func
    `The printed commands deliver a push to an app, and an interrupt stops both programs cleanly`()
    async throws
  {
    try await Scenario.run { scenario in
      let data = scenario.folder.file("dev")
      let dev = try scenario.belfry(["dev", "--data", data, "--presenter", "json", "--json"])
      let ready = try await dev.event("ready")
      let file = try #require(ready["gateway"].string)
      let text = try String(contentsOfFile: file, encoding: .utf8)
      let gateway = try #require(JSONLine(text)?["pid"].integer)

      let socket = try #require(ready["socket"].string)
      let app = try scenario.belfry([
        "app", "run", "com.example.app", "--register", "--authorize", "alert", "--socket", socket,
        "--state", "background",
      ])
      let token = try await app.event("registered")["token"].string
      let command = try #require(ready["tokenCommand"].string)
      #expect(try await scenario.command(["/bin/sh", "-c", command]).lines == [token])

      let curl = try #require(ready["curl"].string)
      let answer = try await scenario.command(["/bin/sh", "-c", curl + " --silent --include"])
      #expect(answer.lines.first?.hasPrefix("HTTP/2 200") == true, "\(answer.lines)")
      let presented = try await dev.event("presented")
      #expect(presented["body"].string == "Hello")

      let console = try #require(ready["console"].string)
      let page = try await scenario.command(["curl", "--silent", "--fail", console])
      #expect(page.output.contains("<html"))

      dev.signal(SIGINT)
      #expect(try await dev.end() == 0, "\(dev.errors)")
      #expect(kill(Int32(gateway), 0) != 0)
      // The agent shut down gracefully, so its socket is gone.
      #expect(!FileManager.default.fileExists(atPath: socket))
    }
  }

  @Test func `The commands to paste and the process list contain no secrets`() async throws {
    try await Scenario.run { scenario in
      let dev = try scenario.belfry(
        ["dev", "--app", "com.example.other"],
        environment: ["BELFRY_SOCKET": scenario.folder.file("agent.sock")])
      let lines = try await dev.output(called: "the complete guide") {
        $0.contains { $0.hasPrefix("The logs are in ") }
      }
      let text = lines.joined(separator: "\n")
      #expect(text.contains("TOKEN=$("))
      #expect(text.contains(" app token com.example.other)"))
      #expect(text.contains("https://127.0.0.1:"))
      #expect(text.contains("BELFRY_APP_ID=com.example.other"))
      #expect(lines.contains { $0.hasSuffix(" console") })
      let state = scenario.folder.path + "/belfry/gateway"
      #expect(text.contains("cat \(state)/admin-token\n"))
      // The process list contains no secret, either.
      let described = try String(contentsOfFile: state + "/gateway.json", encoding: .utf8)
      let code = try #require(JSONLine(described)?["enrollmentCode"].string)
      let started = scenario.visibleArguments
      #expect(started.contains { $0.contains("agent") })
      #expect(!started.contains { $0.contains { $0.contains(code) } })
      // Commands for the user's own gateway and agent need no options.
      #expect(!text.contains("--socket") && !text.contains("--data") && !text.contains("--gateway"))
      #expect(try await dev.stop() == 0, "\(dev.errors)")
    }
  }

  @Test func `Its ports are the same the next time, unless somebody else has them`() async throws {
    try await Scenario.run { scenario in
      let data = scenario.folder.file("dev")
      func ports() async throws -> JSONLine {
        let dev = try scenario.belfry(["dev", "--data", data, "--presenter", "json", "--json"])
        let file = try await dev.event("ready")["gateway"].string ?? ""
        let ports = JSONLine(try String(contentsOfFile: file, encoding: .utf8))?["ports"]
        #expect(try await dev.stop() == 0, "\(dev.errors)")
        return try #require(ports)
      }
      let first = try await ports()
      let provider = try #require(first["provider"].integer)
      #expect(provider != 2_197)
      #expect(try await ports() == first)
      let holder = try await scenario.gateway(options: ["--provider-port", "\(provider)"])
      let others = try await ports()
      #expect(others["provider"].integer != provider)
      #expect(others["device"] == first["device"])
      try await holder.stop()
    }
  }

  @Test func `With --json, the terminal presenter does not write between the JSON lines`()
    async throws
  {
    try await Scenario.run { scenario in
      let data = scenario.folder.file("dev")
      let dev = try scenario.belfry(["dev", "--data", data, "--presenter", "terminal", "--json"])
      _ = try await dev.event("ready")
      try await Scenario.wait("the presenter's line") {
        dev.errors.contains("gateway: connected")
      }
      #expect(dev.lines.count == 1, "\(dev.lines)")
      #expect(try await dev.stop() == 0, "\(dev.errors)")
    }
  }

  @Test func `An invalid app ID is refused before anything starts`() async throws {
    try await Scenario.run { scenario in
      let data = scenario.folder.file("dev")
      let refused = try await scenario.belfryCommand(
        ["dev", "--app", "myapp", "--data", data], succeeding: false)
      #expect(refused.status == 2)
      #expect(
        refused.errors.hasPrefix(
          "belfry: invalid value 'myapp' for --app: expected at least two parts separated by dots"),
        "\(refused.errors)")
      #expect(!FileManager.default.fileExists(atPath: data))
    }
  }

  @Test func `Without its gateway it ends and says why`() async throws {
    try await Scenario.run { scenario in
      let data = scenario.folder.file("dev")
      let dev = try scenario.belfry(["dev", "--data", data, "--presenter", "json", "--json"])
      let file = try #require(try await dev.event("ready")["gateway"].string)
      let text = try String(contentsOfFile: file, encoding: .utf8)
      kill(Int32(try #require(JSONLine(text)?["pid"].integer)), SIGKILL)
      #expect(try await dev.end() == 1)
      #expect(dev.errors.contains("the gateway exited: "), "\(dev.errors)")
    }
  }
}
