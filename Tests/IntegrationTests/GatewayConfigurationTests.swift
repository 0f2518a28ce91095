import Foundation
import System
import TestSupport
import Testing

@testable import Tool

private let listeners = ["provider", "device", "binary", "feedback", "console"]
private let freePorts = listeners.map { "\($0)-port: 0\n" }.joined()

extension Scenario {
  /// Writes a configuration file, and returns its path.
  fileprivate func configuration(_ text: String, _ name: String = "gateway.yaml") throws -> String {
    let file = folder.file(name)
    try text.write(toFile: file, atomically: true, encoding: .utf8)
    return file
  }

  /// Returns the result of `belfry gateway check-config` for a file with this text.
  fileprivate func check(_ text: String) async throws -> CommandResult {
    try await belfryCommand(
      ["gateway", "check-config", try configuration(text)], succeeding: false)
  }
}

/// Tests of the gateway's configuration file: its options, its errors, and its precedence over other sources of
/// options.
@Suite(.timeLimit(.minutes(60))) struct GatewayConfigurationTests {
  @Test
  func `A changed port offset needs a restart for the console's port, unless the port is set`()
    throws
  {
    func changed(_ options: [String]) throws -> [String] {
      let before = try #require(try GatewaySettings(["--port-offset", "7300"] + options))
      let after = try #require(try GatewaySettings(["--port-offset", "7301"] + options))
      return before.needingRestart(in: after)
    }
    #expect(try changed([]) == ["port-offset", "console-port"])
    #expect(try changed(["--console-port", "9999"]) == ["port-offset"])
  }

  @Test(arguments: [
    "", "# nothing\n", "es512: on\n", "device-port: 5223 # as Apple's\n",
    "name: push.example.org\n", "name: [a.example, 192.0.2.7]\nprovider-port:\n  - 2197\n  - 443\n",
    #"{"device-port": 5223, "name": ["a.example"], "enroll": "open"}"#,
  ])
  func `a good file is called good`(text: String) async throws {
    try await Scenario.run { scenario in
      let result = try await scenario.check(text)
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.output == scenario.folder.file("gateway.yaml") + " is valid")
      let option = try await scenario.belfryCommand(
        ["gateway", "--check-config", scenario.folder.file("gateway.yaml")], succeeding: false)
      #expect(option.status == 0, "\(option.errors)")
    }
  }

  @Test(arguments: [
    ("es512: on\nprovider-prot: 1\n", 2, "did you mean 'provider-port'?"),
    ("port-offset: 60313\n", 1, "invalid value '60313' for port-offset: expected 0-60312"),
    ("port-offset: 1000\nbinary-port: 3197\n", 2, "provider-port uses this one"),
    ("\n\ndevice-port: 99999\n", 3, "invalid value '99999' for device-port: expected 0-65535"),
    (
      "provider-port:\n- 2197\n- 443\n- x\n", 4,
      "invalid value 'x' for provider-port: expected 0-65535"
    ),
    ("device-port: [1, 2]\n", 1, "device-port can only have one value"),
    ("enroll: maybe\n", 1, "expected open or code"),
    ("device-port: 1\ndevice-port: 2\n", 2, "device-port is already set on line 1"),
    ("device-port: {a: b}\n", 1, "expected a string or a list of strings for device-port"),
    ("name: &a b.example\nhost: *a\n", 2, "expected a string or a list of strings for host"),
    ("name:\n", 1, "missing value for name"),
    ("recover: true\n", 1, "recover can only be set on the command line"),
    ("es512: on\n\tdevice-port: 1\n", 2, "invalid YAML"),
    ("- device-port\n", 1, "expected a mapping"),
    ("es512: on\n---\nes512: off\n", 2, "a second document begins here"),
    ("es512: on\n...\nes512: off\n", 3, "invalid YAML"),
    ("es512: on\n...\n---\nes512: off\n", 3, "a second document begins here"),
    ("[a]: b\n", 1, "expected the name of an option"),
    ("provider-port:\n- 2197\n- 2197\n", 2, "expected a free port (provider-port uses this one)"),
    ("es512: on\nprovider-port: 5223\n", 2, "device-port uses this one"),
    ("binary-port: 0\nfeedback-port: 0\ndevice-port: 2198\n", 3, "console-port uses this one"),
    ("es512: on\ndata: ~/gateway\n", 2, "expected an absolute path (only a shell expands ~)"),
    ("es512: on\nserver-key: /etc/key\n", 2, "server-key requires server-certificate"),
    ("name:\n" + String(repeating: "- a.example\n", count: 1_001), 1_002, "more than 1000 values"),
    ("host: " + String(repeating: "[", count: 200_000), 1, "more than 16 nested levels"),
  ])
  func `an error is reported with its file and line`(text: String, line: Int, what: String)
    async throws
  {
    try await Scenario.run { scenario in
      let result = try await scenario.check(text)
      #expect(result.status == 1)
      #expect(result.output.isEmpty)
      let place = scenario.folder.file("gateway.yaml") + ":\(line): "
      #expect(result.errors.contains(place), "\(result.errors)")
      #expect(result.errors.contains(what), "\(result.errors)")
      let start = try await scenario.belfryCommand(
        ["gateway", "--config", scenario.folder.file("gateway.yaml")], succeeding: false)
      #expect(start.status == 1)
      #expect(start.errors == result.errors)
    }
  }

  @Test func `control characters in a file are escaped in error messages`() async throws {
    try await Scenario.run { scenario in
      let result = try await scenario.check(#"device-port: "\e[2J\u009b1m\rx""# + "\n")
      #expect(result.status == 1)
      #expect(
        result.errors.contains(#"'\u{1b}[2J\u{9b}1m\u{d}x'"#), "\(result.errors.debugDescription)")
      #expect(result.errors.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 })
    }
  }

  @Test func `all errors in a file are reported at once, in line order`() async throws {
    try await Scenario.run { scenario in
      let result = try await scenario.check(
        """
        device-port: x
        provider-port: [1, y, 2, z]
        enroll: maybe
        loops: {deep: [a, {b: c}]}
        es512: on
        es512: off
        log-level: loud
        nothing: 1
        host: nowhere
        name: [[a]]
        console-host: 256.1.1.1
        ---
        """)
      #expect(result.status == 1)
      let lines = result.errors.split(separator: "\n").compactMap { line in
        line.split(separator: "gateway.yaml:").last?.split(separator: ":").first.flatMap { Int($0) }
      }
      #expect(lines == [1, 2, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12], "\(result.errors)")
    }
  }

  @Test func `a variable that is no option's is a warning, at a start too`() async throws {
    try await Scenario.run { scenario in
      let environment = [
        "BELFRY_GATEWAY_HOTS": "127.0.0.3", "BELFRY_GATEWAYS": "x", "BELFRY_GATEWAY_FOO": "1",
      ]
      let check = try scenario.belfry(
        ["gateway", "check-config", try scenario.configuration("es512: on\n")],
        environment: environment)
      #expect(try await check.end() == 0)
      #expect(
        check.errors.contains("ignoring unknown variable BELFRY_GATEWAY_HOTS"), "\(check.errors)")
      #expect(check.errors.contains("did you mean BELFRY_GATEWAY_HOST?"), "\(check.errors)")
      #expect(!check.errors.contains("BELFRY_GATEWAYS"))
      #expect(
        check.errors.contains("ignoring unknown variable BELFRY_GATEWAY_FOO: see"),
        "\(check.errors)")
      let gateway = try await scenario.gateway(environment: environment)
      #expect(gateway.program.errors.contains("ignoring unknown variable BELFRY_GATEWAY_HOTS"))
    }
  }

  @Test func `all unknown options in a file are reported at once`() async throws {
    try await Scenario.run { scenario in
      let result = try await scenario.check("one: 1\ntwo: 2\ndevice-port: 5223\nthree: 3\n")
      for line in [1, 2, 4] { #expect(result.errors.contains("gateway.yaml:\(line): ")) }
      #expect(!result.errors.contains("gateway.yaml:3: "))
      let missing = try await scenario.belfryCommand(
        ["gateway", "check-config", scenario.folder.file("nothing.yaml")], succeeding: false)
      #expect(missing.status == 1)
      #expect(missing.errors.contains("nothing.yaml"))
    }
  }

  @Test func `command-line options override the environment, which overrides the file`()
    async throws
  {
    try await Scenario.run { scenario in
      let file = try scenario.configuration(
        freePorts + "environment: production\nhost: 127.0.0.4\nconsole-host: 127.0.0.4\n")
      let gateway = try await scenario.gateway(
        options: ["--config", file, "--console-host", "127.0.0.2"],
        environment: [
          "BELFRY_GATEWAY_HOST": "127.0.0.3", "BELFRY_GATEWAY_CONSOLE_HOST": "127.0.0.3",
        ]
      )
      #expect(gateway.ready["environment"].string == "production")
      #expect(gateway.ready["host"].string == "127.0.0.3")
      #expect(gateway.ready["consoleHost"].string == "127.0.0.2")
    }
  }

  @Test func `lists can be set in the file and in the environment`() async throws {
    try await Scenario.run { scenario in
      let data = scenario.folder.file("data")
      let readyFile = scenario.folder.file("ready.json")
      let file = try scenario.configuration(
        freePorts.replacing("provider-port: 0", with: "provider-port: [0, 0, 0]")
          + "data: \(data)\nready-file: \(readyFile)\n")
      let program = try scenario.belfry(
        ["gateway"],
        environment: [
          "BELFRY_GATEWAY_CONFIG": file, "BELFRY_GATEWAY_NAME": "a.example,192.0.2.7",
        ])
      let text = try await ScratchFolder.contents(of: readyFile) { !program.isRunning }
      #expect(JSONLine(text)?["ports"]["providers"].array.count == 3, "\(text)")
      let names = try String(contentsOfFile: data + "/server-names", encoding: .utf8)
      #expect(names.contains("a.example\n"), "\(names)")
      #expect(names.contains("192.0.2.7"), "\(names)")
      #expect(try await program.stop() == 0)
      let wrong = try scenario.belfry(
        ["gateway"], environment: ["BELFRY_GATEWAY_DEVICE_PORT": "x"])
      #expect(try await wrong.end() == 1)
      #expect(wrong.errors.contains("invalid value 'x' for BELFRY_GATEWAY_DEVICE_PORT"))
    }
  }

  @Test func `systemd's credentials are the certificate, its key and the admin token`() async throws
  {
    try await Scenario.run { scenario in
      let credentials = scenario.folder.file("credentials")
      try FileManager.default.createDirectory(
        atPath: credentials, withIntermediateDirectories: true)
      let environment = ["CREDENTIALS_DIRECTORY": credentials]
      func give(_ name: String, _ text: String) throws {
        try text.write(toFile: credentials + "/" + name, atomically: true, encoding: .utf8)
      }
      func check(_ text: String) async throws -> Scenario.CommandResult {
        try await scenario.command(
          [Installation.belfry, "gateway", "check-config", try scenario.configuration(text)],
          environment: environment, succeeding: false)
      }
      try give("server-certificate", "no certificate")
      var answer = try await check("")
      #expect(answer.status == 1 && answer.errors.contains("requires server-key"))
      try give("server-key", "no key")
      answer = try await check("")
      #expect(answer.status == 1)
      #expect(answer.errors.contains(credentials + "/server-certificate"), "\(answer.errors)")
      // The configuration file takes precedence for both the certificate and the key.
      answer = try await check("server-certificate: /nonexistent/a\nserver-key: /nonexistent/b\n")
      #expect(answer.errors.contains("/nonexistent/a, /nonexistent/b"), "\(answer.errors)")
      for name in ["server-certificate", "server-key"] {
        try FileManager.default.removeItem(atPath: credentials + "/" + name)
      }

      try give("admin-token", "an-admin-token-of-the-operators\n")
      let gateway = try await scenario.gateway(environment: environment)
      let token = try String(contentsOfFile: gateway.data + "/admin-token", encoding: .utf8)
      #expect(token == "an-admin-token-of-the-operators\n")
      let status = try await scenario.belfryCommand(
        ["gateway", "status", "--data", gateway.data, "--json"])
      #expect(status.status == 0)
      #expect(try await gateway.program.stop() == 0)
      try give("admin-token", "short\n")
      let refused = try await scenario.command(
        [Installation.belfry, "gateway", "--data", gateway.data], environment: environment,
        succeeding: false)
      #expect(refused.status == 1 && refused.errors.contains("fewer than"), "\(refused.errors)")
    }
  }

  /// Returns port offsets at which all of a gateway's ports are free.
  ///
  /// The offsets are far apart from each other.
  private func freeOffsets() throws -> [Int] {
    var offsets: [Int] = []
    while offsets.count < 2 {
      let offset = Int.random(in: 8_000...26_000)
      let isFree = [2_195, 2_196, 2_197, 2_198, 5_223].allSatisfy { port in
        guard let listener = try? Socket.listen(on: .loopback(port: UInt16(port + offset))) else {
          return false
        }
        Socket.close(listener)
        return true
      }
      if isFree, offsets.allSatisfy({ abs($0 - offset) > 4_000 }) { offsets.append(offset) }
    }
    return offsets
  }

  @Test func `A second gateway needs only another port offset`() async throws {
    try await Scenario.run { scenario in
      let offsets = try freeOffsets()
      var files: [String] = []
      for (index, offset) in offsets.enumerated() {
        let file = scenario.folder.file("ready-\(offset)")
        // An offset doesn't change ports that are set explicitly.
        let more = index == 0 ? [] : ["--feedback-port", "0"]
        let program = try scenario.belfry(
          ["gateway", "--port-offset", "\(offset)", "--ready-file", file] + more)
        let text = try await ScratchFolder.contents(of: file) { !program.isRunning }
        let ready = try #require(JSONLine(text))
        let ports = ready["ports"]
        #expect(ports["provider"].integer == 2_197 + offset)
        #expect(ports["device"].integer == 5_223 + offset)
        #expect(ports["binary"].integer == 2_195 + offset)
        #expect(ports["console"].integer == 2_198 + offset)
        #expect((ports["feedback"].integer == 2_196 + offset) == (index == 0))
        files.append(ready["caFile"].string ?? "")
        // The log contains the command that finds this gateway.
        let console = ["console", "--data", scenario.folder.file("belfry/gateway-\(offset)")]
        try await Scenario.wait("the command in the log") {
          program.errors.contains("'belfry \(console.joined(separator: " "))'")
        }
        let link = try await scenario.belfryCommand(console).output
        #expect(link.hasPrefix("http://127.0.0.1:\(2_198 + offset)/#link="), "\(link)")
      }
      let lost = try await scenario.belfryCommand(["console"], succeeding: false)
      #expect(
        lost.errors.contains("for example --data \(scenario.folder.file("belfry/gateway-"))"),
        "\(lost.errors)")
      let example = scenario.folder.file("belfry/gateway-")
      let send = ["send", "ab", "--topic", "org.example.app", "--title", "Hi"]
      for words in [send, ["device", "run", "--app", "org.example.app"]] {
        let refused = try await scenario.belfryCommand(words, succeeding: false)
        #expect(refused.errors.contains("or use --gateway \(example)"), "\(refused.errors)")
      }
      let invite = try await scenario.belfryCommand(["device", "invite"], succeeding: false)
      #expect(
        invite.errors.contains("data folder with --data, for example --data \(example)"),
        "\(invite.errors)")
      let taken = "\(2_197 + (offsets.first ?? 0))"
      let free =
        ["--device-port", "0", "--binary-port", "0", "--feedback-port", "0", "--console-port", "0"]
      let start = ["gateway", "--provider-port", taken] + free
      let failed = try await scenario.belfryCommand(start, succeeding: false)
      #expect(failed.errors.contains("or --port-offset N, which changes all default ports"))
      let folder = scenario.folder.file("belfry/gateway")
      #expect(!FileManager.default.fileExists(atPath: folder))
      // A start that fails in a folder that exists leaves files there, but no running gateway.
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      _ = try await scenario.belfryCommand(start, succeeding: false)
      let other = try await scenario.belfryCommand(
        start + ["--environment", "production"], succeeding: false)
      #expect(other.errors.contains("belongs to a sandbox gateway"), "\(other.errors)")
      #expect(other.errors.contains("or remove the folder, which has no devices"))
      let teams = try await scenario.belfryCommand(["team", "list"])
      #expect(
        teams.errors.contains("no gateway is running in \(scenario.folder.file("belfry/gateway"))"),
        "\(teams.errors)")
      #expect(teams.errors.contains("add --data \(example)"))
      #expect(
        files == offsets.map { scenario.folder.file("belfry/gateway-\($0)/ca.pem") }, "\(files)")
      for (text, reason) in [("60313", "expected 0-60312"), ("-1", "expected 0-60312")] {
        let refused = try await scenario.belfryCommand(
          ["gateway", "--port-offset", text], succeeding: false)
        #expect(refused.status == 2)
        #expect(
          refused.errors.contains("invalid value '\(text)' for --port-offset: \(reason)"),
          "\(refused.errors)")
      }
    }
  }
}
