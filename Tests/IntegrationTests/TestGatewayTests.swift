import Foundation
import TestSupport
import Testing

/// Tests of `belfry test-gateway`, run in the same way as by a user or a CI job.
@Suite struct TestGatewayTests {
  /// Starts a command under `belfry test-gateway`, with the temporary folder inside the scenario's folder.
  private func start(
    _ scenario: Scenario, options: [String] = [], _ script: String
  ) throws -> RunningProgram {
    try scenario.belfry(
      ["test-gateway", "--app", "com.example.ci"] + options + ["--", "sh", "-c", script],
      environment: [
        "TMPDIR": scenario.folder.path,
        "PATH": Installation.products + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? ""),
      ])
  }

  private func leftovers(_ scenario: Scenario) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: scenario.folder.path)
      .filter { $0.hasPrefix("belfry-test-gateway") }
  }

  @Test(.requires(.curl))
  func `A command sends with what its environment names, and reads what the device received`()
    async throws
  {
    try await Scenario.run { scenario in
      let program = try start(
        scenario,
        """
        set -e
        curl -sS --fail --http2 --cacert "$BELFRY_CA" -H "apns-topic: $BELFRY_TOPIC" \
          -H "authorization: bearer $(belfry key jwt --id "$BELFRY_KEY_ID")" \
          -d '{"aps":{"alert":"From curl"}}' \
          "https://$BELFRY_HOST:$BELFRY_PROVIDER_PORT/3/device/$BELFRY_TOKEN"
        belfry send "$BELFRY_TOKEN" --topic com.example.ci --title Hello --gateway \
          "$BELFRY_HOST:$BELFRY_PROVIDER_PORT" --ca "$BELFRY_CA" --key "$BELFRY_KEY_FILE" \
          --key-id "$BELFRY_KEY_ID" --team "$BELFRY_TEAM_ID"
        belfry device received --count 2 --timeout 60
        curl -sS --fail --http2-prior-knowledge \
          "http://$BELFRY_HOST:$BELFRY_INSECURE_PROVIDER_PORT/" || echo '{"insecure":true}'
        """)
      #expect(try await program.end() == 0, "\(program.errors)")
      let values = program.lines.compactMap { JSONLine($0) }
      #expect(values.first?["status"].integer == 200)
      let received = values.filter { $0["event"].string == "received" }
      #expect(received.map { $0["topic"].string } == ["com.example.ci", "com.example.ci"])
      let alerts = received.map { $0["payload"]["aps"]["alert"] }
      #expect(alerts.contains(.string("From curl")))
      #expect(alerts.contains { $0["title"].string == "Hello" })
      #expect(received.allSatisfy { $0["token"].string == values[0]["token"].string })
      #expect(try leftovers(scenario).isEmpty)
    }
  }

  @Test func `A data folder with other files is refused, and stays unchanged`() async throws {
    try await Scenario.run { scenario in
      let folder = scenario.folder.file("project")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try "mine".write(toFile: folder + "/tokens", atomically: true, encoding: .utf8)
      let program = try start(scenario, options: ["--data", folder], "true")
      #expect(try await program.end() == 1)
      #expect(program.errors.contains("not from an earlier run"), "\(program.errors)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["tokens"])
      #expect(try String(contentsOfFile: folder + "/tokens", encoding: .utf8) == "mine")
    }
  }

  @Test(arguments: [("exit 7", 7), ("kill -KILL $$", 137), ("kill -INT $$", 130), ("true", 0)])
  func `It ends with its command's status`(script: String, status: Int32) async throws {
    try await Scenario.run { scenario in
      let program = try start(scenario, script)
      #expect(try await program.end() == status, "\(program.errors)")
      #expect(program.lines.isEmpty)
    }
  }

  @Test func `A command that does not exist ends with status 127, as in a shell`() async throws {
    try await Scenario.run { scenario in
      let program = try scenario.belfry(
        ["test-gateway", "--app", "com.example.ci", "no-such-program-anywhere"])
      #expect(try await program.end() == 127)
      #expect(program.errors.contains("cannot run 'no-such-program-anywhere'"))
      #expect(program.errors.contains("use a program that is on PATH"), "\(program.errors)")
    }
  }

  @Test func `The error about a whole command in quotation marks says how to pass its arguments`()
    async throws
  {
    try await Scenario.run { scenario in
      let program = try scenario.belfry(
        ["test-gateway", "--app", "com.example.ci", "--", "belfry log"])
      #expect(try await program.end() == 127)
      #expect(
        program.errors.contains(
          "specify the program and its arguments as separate words, or use sh -c 'belfry log'"),
        "\(program.errors)")
    }
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func `A signal reaches the command, which decides how to end`(signal: Int32) async throws {
    try await Scenario.run { scenario in
      let program = try start(
        scenario,
        """
        trap 'echo "{\\"event\\":\\"trapped\\"}"; kill $!; exit 5' TERM INT
        sleep 1000 & echo '{"event":"running"}'; wait
        """)
      _ = try await program.event("running")
      program.signal(signal)
      _ = try await program.event("trapped")
      #expect(try await program.end() == 5)
      #expect(try leftovers(scenario).isEmpty)
    }
  }

  @Test func `Killed, it leaves no process and no folder`() async throws {
    try await Scenario.run { scenario in
      let program = try start(
        scenario,
        """
        sleep 1000 & sleep 1000 &
        echo "{\\"event\\":\\"running\\",\\"gateway\\":\\"$BELFRY_GATEWAY\\"}"; wait
        """)
      let gateway = try await program.event("running")["gateway"].string ?? ""
      let text = try String(contentsOfFile: gateway + "/gateway.json", encoding: .utf8)
      let pid = try #require(JSONLine(text)?["pid"].integer)
      #expect(kill(Int32(pid), 0) == 0)
      program.signal(SIGKILL)
      // The output ends once no process has it open any longer: neither the keeper nor a process that the command
      // started.
      try await program.end()
      #expect(kill(Int32(pid), 0) != 0)
      #expect(try leftovers(scenario).isEmpty)
    }
  }

  @Test func `A folder of one's own keeps the devices and their tokens`() async throws {
    try await Scenario.run { scenario in
      let data = scenario.folder.file("kept")
      var lists: [[String]] = []
      for _ in 0..<2 {
        let program = try start(
          scenario, options: ["--count", "3", "--data", data],
          #"""
          test "$(head -n 1 "$BELFRY_TOKENS_FILE")" = "$BELFRY_TOKEN" || exit 1
          cat "$BELFRY_TOKENS_FILE" && printf '%s\n' $BELFRY_TOKENS
          """#)
        #expect(try await program.end() == 0, "\(program.errors)")
        lists.append(program.lines)
      }
      #expect(Set(lists[0]).count == 3 && lists[0].prefix(3) == lists[0].suffix(3))
      #expect(lists[0] == lists[1])
      #expect(FileManager.default.fileExists(atPath: data + "/gateway/gateway.json"))
    }
  }

  @Test func `A gateway that does not start is the command's failure, with the reason`()
    async throws
  {
    try await Scenario.run { scenario in
      let data = scenario.folder.file("occupied")
      let holder = try await scenario.gateway("occupied/gateway")
      let program = try start(scenario, options: ["--data", data], "echo ran")
      #expect(try await program.end() == 1)
      #expect(program.lines.isEmpty)
      #expect(program.errors.contains("the gateway did not start: "), "\(program.errors)")
      try await holder.stop()
    }
  }

  @Test(arguments: [
    ["test-gateway", "--", "true"], ["test-gateway", "--app", "com.example.ci"],
    ["test-gateway", "--app", "com.example.ci:nothing", "--", "true"],
    ["test-gateway", "--app", "com.example.ci", "--count", "0", "--", "true"],
  ])
  func `Wrong usage is 2`(words: [String]) async throws {
    try await Scenario.run { scenario in
      let program = try scenario.belfry(words)
      #expect(try await program.end() == 2)
      #expect(program.errors.hasPrefix("belfry: "))
    }
  }

  @Test func `A temporary folder that does not exist is an error that names TMPDIR`() async throws {
    try await Scenario.run { scenario in
      let program = try scenario.belfry(
        ["test-gateway", "--app", "com.example.ci", "--", "true"],
        environment: ["TMPDIR": "/nonexistent"])
      #expect(try await program.end() == 1)
      #expect(
        program.errors.contains(
          "cannot use the temporary folder /nonexistent (no such file): set TMPDIR to an existing "
            + "folder"),
        "\(program.errors)")
    }
  }

  @Test func `The message about a missing app shows the form of the option`() async throws {
    try await Scenario.run { scenario in
      let program = try scenario.belfry(["test-gateway", "--", "true"])
      #expect(try await program.end() == 2)
      #expect(
        program.errors.contains("missing option --app: add --app BUNDLE-ID[:TYPE] before '--'"),
        "\(program.errors)")
    }
  }

  @Test func `The message about several types of an app says to repeat the option`() async throws {
    try await Scenario.run { scenario in
      let program = try scenario.belfry(
        ["test-gateway", "--app", "com.example.app:alert,voip", "--", "true"])
      #expect(try await program.end() == 2)
      #expect(program.errors.contains("; for several types, repeat --app\n"), "\(program.errors)")
    }
  }

  @Test func `After a run, the log is found in the kept folder, and says what it does not contain`()
    async throws
  {
    try await Scenario.run { scenario in
      let data = scenario.folder.file("kept")
      let program = try start(
        scenario, options: ["--data", data],
        """
        belfry send "$BELFRY_TOKEN" --topic com.example.ci --title Accepted || exit 10
        belfry send "$BELFRY_TOKEN" --topic com.example.other --title Refused && exit 11
        belfry log 2>&1 | grep -q "not running" && exit 12
        belfry log | grep -q TopicDisallowed
        """)
      #expect(try await program.end() == 0, "\(program.errors)")
      func log(_ data: String) async throws -> Scenario.CommandResult {
        try await scenario.belfryCommand(["log", "--data", data], succeeding: false)
      }
      let outer = try await log(data)
      #expect(outer.status == 1)
      #expect(outer.errors.contains("for example --data \(data)/gateway, "), "\(outer.errors)")
      let inner = try await log(data + "/gateway")
      #expect(inner.status == 0 && !inner.output.contains("Refused"), "\(inner)")
      #expect(
        inner.errors.contains("is not running, so its log does not contain refused pushes: "),
        "\(inner.errors)")
    }
  }

  @Test(arguments: ["com example", "", "com.example.app/x"])
  func `The message about a wrong app ID lists the allowed characters`(app: String) async throws {
    try await Scenario.run { scenario in
      let program = try scenario.belfry(["test-gateway", "--app", app, "--", "true"])
      #expect(try await program.end() == 2)
      #expect(
        program.errors.contains(
          "expected an app ID of 1 to 255 letters, digits, dots, hyphens and underscores"),
        "\(program.errors)")
    }
  }

  @Test func `Environment settings for another gateway do not affect the test gateway`()
    async throws
  {
    try await Scenario.run { scenario in
      let configuration = scenario.folder.file("operator.yaml")
      try "apps: listed\nserver-certificate: /nope\nserver-key: /nope\n".write(
        toFile: configuration, atomically: true, encoding: .utf8)
      let answer = try await scenario.command(
        [Installation.belfry, "test-gateway", "--app", "com.example.app", "--", "true"],
        environment: [
          "BELFRY_GATEWAY_CONFIG": configuration, "BELFRY_GATEWAY_HOST": "0.0.0.0",
        ], succeeding: false)
      #expect(answer.status == 0, "\(answer)")
    }
  }
}
