import Foundation
import TestSupport
import Testing

/// Tests of the gateway's listeners: their addresses, their certificates, and the requests that they answer.
@Suite(.timeLimit(.minutes(60))) struct ListenerTests {
  /// Starts a gateway on the folder of a gateway that has exited, waits until the new gateway exits too, and returns
  /// its error output.
  private func failedStart(
    _ scenario: Scenario, _ gateway: GatewayProgram, options: [String] = []
  ) async throws -> String {
    let program = try scenario.belfry(
      ["gateway", "--data", gateway.data, "--provider-port", "0", "--device-port", "0"]
        + ["--binary-port", "0", "--feedback-port", "0", "--console-port", "0"] + options)
    let status = try await program.end()
    #expect(status == 1)
    return program.errors
  }

  @Test(arguments: ["", "\n", "0123456789abcde\n"])
  func `a gateway whose admin token was emptied or cut does not start`(text: String) async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      try await gateway.stop()
      let file = gateway.data + "/admin-token"
      try text.write(toFile: file, atomically: true, encoding: .utf8)
      let errors = try await failedStart(scenario, gateway)
      #expect(errors.contains(file), "\(errors)")
    }
  }

  @Test(arguments: ["host", "console-host"])
  func `a gateway that cannot have its address names the option of the address`(
    option: String
  ) async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      try await gateway.stop()
      let errors = try await failedStart(
        scenario, gateway, options: ["--\(option)", "192.0.2.77"])
      #expect(
        errors.contains(
          "--\(option) 192.0.2.77: this machine has no such address: use one of its addresses, "),
        "\(errors)")
    }
  }

  @Test(arguments: ["provider", "console"])
  func `a gateway that cannot start because a port is in use creates no data folder`(
    name: String
  ) async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let folder = scenario.folder.file("new")
      var options = ["gateway", "--data", folder]
      for other in ["provider", "device", "binary", "feedback", "console"] {
        let port = other == name ? "\(gateway.port(name))" : "0"
        options += ["--\(other)-port", port]
      }
      let failed = try await scenario.belfryCommand(options, succeeding: false)
      #expect(failed.status == 1)
      #expect(
        failed.errors.contains("the gateway cannot start: ")
          && failed.errors.contains("choose another --\(name)-port"), "\(failed.errors)")
      #expect(!FileManager.default.fileExists(atPath: folder))
    }
  }

  /// True if this machine has an IPv6 loopback address.
  private static let hasIPv6: Bool = {
    let addresses = try? String(contentsOfFile: "/proc/net/if_inet6", encoding: .utf8)
    return addresses?.contains("00000000000000000000000000000001") == true
  }()

  @Test(.enabled(if: hasIPv6, "this machine has no IPv6"))
  func `a gateway of every IPv6 address is found by its file`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway(options: ["--host", "::"])
      let devices = try scenario.devices(
        of: gateway, topics: ["com.example.app"], joining: ["--gateway", gateway.file])
      let token = try await devices.token()
      let answer = try await scenario.push("fresh", to: token, through: gateway)
      #expect(answer["status"].integer == 200, "\(answer)")
      _ = try await devices.received()
    }
  }

  /// Returns the status that `curl` reports, or 0 if no server listens.
  private func status(_ scenario: Scenario, _ url: String) async throws -> String {
    try await scenario.command(
      [
        TestTool.curl.required(), "-s", "-o", "/dev/null", "-w", "%{http_code}\\n", "--max-time",
        "20",
        url,
      ], succeeding: false
    ).output
  }

  @Test(.requires(.curl))
  func `the console is on loopback whatever --host says, or where --console-host says`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway(options: ["--host", "127.0.0.2"])
      let port = gateway.port("console")
      #expect(try await status(scenario, "http://127.0.0.1:\(port)/healthz") == "200")
      #expect(try await status(scenario, "http://127.0.0.2:\(port)/healthz") == "000")
      let teams = try await scenario.belfryCommand([
        "team", "list", "--data", gateway.data, "--json",
      ])
      #expect(teams.values.first?["id"].string == gateway.teamID)
      let other = try await scenario.gateway(
        "other", options: ["--host", "127.0.0.2", "--console-host", "127.0.0.3"])
      let otherPort = other.port("console")
      #expect(try await status(scenario, "http://127.0.0.3:\(otherPort)/healthz") == "200")
      #expect(try await status(scenario, "http://127.0.0.2:\(otherPort)/healthz") == "000")
      #expect(other.ready["consoleHost"].string == "127.0.0.3")
      let list = try await scenario.belfryCommand(["team", "list", "--data", other.data, "--json"])
      #expect(list.values.first?["id"].string == other.teamID)
    }
  }

  @Test(.requires(.curl, .systemPython))
  func `connections that say nothing keep no probe from its answer`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let port = gateway.port("console")
      let idle = try scenario.start([
        TestTool.systemPython.required(), "-c",
        """
        import socket, sys
        idle = [socket.create_connection(("127.0.0.1", \(port))) for _ in range(200)]
        print("open", flush=True)
        sys.stdin.read()
        """,
      ])
      #expect(try await idle.firstLine() == "open")
      for _ in 0..<3 {
        #expect(try await status(scenario, "http://127.0.0.1:\(port)/healthz") == "200")
      }
      idle.closeInput()
      try await idle.end()
    }
  }

  @Test(.requires(.curl))
  func `the server certificate has the names of --name, before and after the first start`()
    async throws
  {
    func reach(_ scenario: Scenario, _ gateway: GatewayProgram, _ name: String) async throws
      -> Int32
    {
      let port = gateway.port("provider")
      return try await scenario.command(
        [
          TestTool.curl.required(), "-s", "-o", "/dev/null", "--http2", "--cacert", gateway.caFile,
          "--resolve", "\(name):\(port):127.0.0.1", "https://\(name):\(port)/",
        ], succeeding: false
      ).status
    }
    try await Scenario.run { scenario in
      // curl's exit status for a certificate with another host name.
      let wrongName: Int32 = 60
      let first = try await scenario.gateway(options: ["--name", "push.example.org"])
      #expect(try await reach(scenario, first, "push.example.org") == 0)
      #expect(try await reach(scenario, first, "localhost") == 0)
      #expect(try await reach(scenario, first, "later.example.org") == wrongName)
      try await first.stop()
      let second = try await scenario.gateway(
        options: ["--name", "later.example.org", "--name", "192.0.2.7"])
      #expect(try await reach(scenario, second, "later.example.org") == 0)
      #expect(try await reach(scenario, second, "localhost") == 0)
      #expect(try await reach(scenario, second, "push.example.org") == wrongName)
      let text = try await scenario.command(
        ["openssl", "x509", "-in", second.data + "/server.pem", "-noout", "-ext", "subjectAltName"])
      #expect(text.output.contains("IP Address:192.0.2.7"), "\(text.output)")
    }
  }

  @Test
  func `a name that no certificate can have is refused`() async throws {
    try await Scenario.run { scenario in
      for name in ["a b", "*.example.org", "", "10.0.0.0/8", "-a.example"] {
        let result = try await scenario.belfryCommand(
          ["gateway", "--data", scenario.folder.file("g"), "--name", name], succeeding: false)
        #expect(result.status == 2, "\(name)")
      }
    }
  }
}
