import Foundation
import System
import TestSupport
import Testing

@testable import Tool

/// Tests of `belfry device order`, which sends orders from another process to the devices of a run.
@Suite struct DeviceOrderTests {
  private let app = "com.example.app"

  private func order(
    _ scenario: Scenario, _ words: String..., expecting status: Int32 = 0
  ) async throws -> Scenario.CommandResult {
    let answer = try await scenario.belfryCommand(["device", "order"] + words, succeeding: false)
    #expect(answer.status == status, "\(words): \(answer.output) \(answer.errors)")
    return answer
  }

  /// Runs a script under `belfry test-gateway`.
  private func testGateway(
    _ scenario: Scenario, _ options: [String], _ script: String
  ) async throws -> RunningProgram {
    let program = try scenario.belfry(
      ["test-gateway"] + options + ["--", "sh", "-c", script],
      environment: [
        "PATH": Installation.products + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
      ])
    #expect(try await program.end() == 0, "\(program.errors)")
    return program
  }

  @Test func `A push to a device that is offline is stored, and a token that it gives up is 410`()
    async throws
  {
    try await Scenario.run { scenario in
      let program = try await testGateway(
        scenario, ["--app", "com.example.ci"],
        """
        belfry device order offline --json || exit 10
        belfry send "$BELFRY_TOKEN" --topic com.example.ci --title Stored || exit 11
        belfry device received --count 0 --within 0 || exit 12
        belfry device order online --token "$BELFRY_TOKEN" --json || exit 13
        belfry device received --timeout 60 || exit 14
        belfry device order unregister --token "$BELFRY_TOKEN" --json || exit 15
        belfry send "$BELFRY_TOKEN" --topic com.example.ci --title Gone
        belfry device order disable --token "$BELFRY_TOKEN" 2>/dev/null; test $? = 1 || exit 16
        belfry device order disable 2>&1 | grep -q "belfry device order register" || exit 17
        """)
      let lines = program.lines.compactMap { JSONLine($0) }
      let events = lines.map { $0["event"].string ?? $0["state"].string }
      #expect(
        events == [
          "offline", "Received by APNs", "online", "received", "unregistered", "Refused",
        ], "\(program.lines)")
      #expect(lines.first { $0["event"].string == "received" }?["stored"].boolean == true)
      #expect(
        lines.last?["status"].integer == 410 && lines.last?["reason"].string == "Unregistered")
    }
  }

  @Test func `An app that was unregistered gets a new token, which receives pushes`() async throws {
    try await Scenario.run { scenario in
      let program = try await testGateway(
        scenario, ["--app", "com.example.ci", "--app", "com.example.ci:voip"],
        """
        belfry device order unregister --token "$BELFRY_TOKEN" >/dev/null || exit 10
        lines=$(belfry device order register --json) || exit 11
        echo "$lines"
        token=$(echo "$lines" | grep '"type":"alert"' | sed 's/.*"token":"//; s/".*//')
        belfry send "$token" --topic com.example.ci --title Again >/dev/null || exit 12
        belfry device received --token "$token" --timeout 60 || exit 13
        belfry device order register | grep -q "is registered with the token $token" || exit 14
        echo "{\\"old\\":[\\"$BELFRY_TOKEN_1\\",\\"$BELFRY_TOKEN_2\\"]}"
        """)
      let lines = program.lines.compactMap { JSONLine($0) }
      let registered = lines.filter { $0["event"].string == "registered" }
      #expect(Set(registered.map { $0["type"].string }) == ["alert", "voip"], "\(program.lines)")
      let new = try #require(registered.first { $0["type"].string == "alert" }?["token"].string)
      let old = lines.last?["old"].array.compactMap(\.string) ?? []
      #expect(new.count == 64 && !old.contains(new))
      // The other app keeps its token.
      #expect(registered.first { $0["type"].string == "voip" }?["token"].string == old.last)
      #expect(lines.first { $0["event"].string == "received" }?["token"].string == new)
    }
  }

  @Test func `Several apps have tokens of their own in the environment`() async throws {
    try await Scenario.run { scenario in
      let program = try await testGateway(
        scenario,
        ["--app", "com.example.one", "--app", "com.example.two:voip", "--count", "2"],
        """
        echo "$BELFRY_TOKENS_JSON"
        echo "[\\"$BELFRY_TOPIC\\",\\"$BELFRY_TOPIC_1\\",\\"$BELFRY_TOPIC_2\\"]"
        echo "[\\"$BELFRY_TOKEN\\",\\"$BELFRY_TOKEN_1\\",\\"$BELFRY_TOKEN_2\\"]"
        belfry send "$BELFRY_TOKEN_2" --topic "$BELFRY_TOPIC_2" --type voip --title Call
        belfry device received --token "$BELFRY_TOKEN_2" --timeout 60
        """)
      let lines = program.lines.compactMap { JSONLine($0) }
      try #require(lines.count == 5)
      let first = lines[0]["com.example.one"].array.compactMap(\.string)
      let second = lines[0]["com.example.two.voip"].array.compactMap(\.string)
      #expect(Set(first + second).count == 4)
      #expect(
        lines[1].array.compactMap(\.string)
          == ["com.example.one", "com.example.one", "com.example.two.voip"])
      #expect(lines[2].array.compactMap(\.string) == [first[0], first[0], second[0]])
      #expect(lines[4]["topic"].string == "com.example.two")
      #expect(lines[4]["token"].string == second[0])
    }
  }

  @Test func `A sleeping device gets a push of low priority once it wakes`() async throws {
    try await Scenario.run { scenario in
      _ = try await testGateway(
        scenario, ["--app", "com.example.ci"],
        """
        belfry device order sleep || exit 10
        belfry send "$BELFRY_TOKEN" --topic com.example.ci --title Low --priority 5 || exit 11
        belfry device received --count 0 --within 0.5 || exit 12
        belfry device order wake || exit 13
        belfry device received --timeout 60 || exit 14
        """)
    }
  }

  @Test func `Devices of a gateway are found through its folder, and selected by position`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let nobody = try await order(scenario, "offline", "--data", gateway.data, expecting: 1)
      #expect(nobody.errors.contains("no devices are running for the gateway"))
      let late = try await order(
        scenario, "offline", "--data", gateway.data, "--timeout", "86400.5", expecting: 2)
      #expect(
        late.errors.contains("expected a number of seconds from 0 to 86400"), "\(late.errors)")
      let data = scenario.folder.file("fleet")
      let received = scenario.folder.file("received.jsonl")
      let devices = try scenario.belfry([
        "device", "run", "--gateway", gateway.file, "--data", data, "--app", app, "--count", "2",
        "--received", received,
      ])
      let tokens = try await [devices.event("registered"), devices.event("registered")]
        .sorted { ($0["position"].integer ?? 0) < ($1["position"].integer ?? 0) }
      #expect(tokens.map { $0["position"].integer } == [1, 2])
      let numbers = tokens.compactMap { $0["device"].integer }
      let second = try await order(
        scenario, "offline", "--device", "2", "--data", gateway.data, "--json")
      #expect(second.values.map { $0["device"].integer } == [numbers[1]])
      let listed = try await scenario.belfryCommand(
        ["device", "list", "--data", gateway.data, "--json"])
      let up = Dictionary(
        uniqueKeysWithValues: listed.values.map { ($0["device"].integer, $0["up"].boolean) })
      #expect(up == [numbers[0]: true, numbers[1]: false])
      let hasty = try await order(
        scenario, "wake", "--data", gateway.data, "--timeout", "0", expecting: 1)
      #expect(hasty.errors.contains("timed out: 'wake' was not confirmed within 0 s"))
      let text = try await order(
        scenario, "unregister", "--device", "1", "--devices", data, "--timeout", "60.5")
      #expect(
        text.lines == [
          "device \(numbers[0]): \(app) (alert) is unregistered; the gateway answers 410 for "
            + (tokens[0]["token"].string ?? "")
        ])
      let away = try await order(
        scenario, "disable", "--device", "2", "--data", gateway.data, expecting: 1)
      #expect(away.errors.contains("device \(numbers[1]) is offline"), "\(away.errors)")
      _ = try await order(scenario, "online", "--data", gateway.data)
      let token = tokens[1]["token"].string ?? ""
      _ = try await scenario.belfryCommand([
        "send", token, "--topic", app, "--title", "Hi", "--gateway", gateway.file,
      ])
      let push = try await scenario.belfryCommand(
        ["device", "received", "--data", gateway.data, "--timeout", "60"])
      #expect(push.values.first?["token"].string == token)
      #expect(try await devices.stop() == 0)
      _ = try await order(scenario, "online", "--data", gateway.data, expecting: 1)
      try await gateway.stop()
    }
  }

  @Test func `Positions and tokens are in the order of the names, also in a longer later run`()
    async throws
  {
    try await Scenario.run { scenario in
      let data = scenario.folder.file("kept")
      var firstTokens: [String] = []
      for count in [2, 12] {
        let program = try await testGateway(
          scenario, ["--app", "com.example.ci", "--count", "\(count)", "--data", data],
          """
          belfry device list --json || exit 10
          position=0
          for token in $BELFRY_TOKENS; do
            position=$((position + 1))
            belfry device order offline --device $position --json || exit 11
            belfry device order online --token $token --json || exit 12
          done
          echo "{\\"token\\":\\"$BELFRY_TOKEN\\"}"
          """)
        let lines = program.lines.compactMap { JSONLine($0) }
        let names = Dictionary(
          lines.compactMap { line in line["name"].string.map { (line["device"].integer, $0) } },
          uniquingKeysWith: { $1 })
        func ordered(_ event: String) -> [String?] {
          lines.filter { $0["event"].string == event }.map { names[$0["device"].integer] }
        }
        let expected: [String?] = (1...count).map { "virtual \($0)" }
        #expect(ordered("offline") == expected)
        #expect(ordered("online") == expected)
        firstTokens += lines.last?["token"].string.map { [$0] } ?? []
      }
      #expect(firstTokens.count == 2 && Set(firstTokens).count == 1)
    }
  }

  @Test func `An unknown order lists the orders instead of suggesting the opposite`() throws {
    func message(_ word: String) throws -> String? {
      let options = try CommandLineOptions([word], by: OrderCommand.table)
      let failure = #expect(throws: UsageError.self) { _ = try OrderCommand.order(options) }
      return failure?.description
    }
    let orders = "use offline, online, sleep, wake, unregister, register, disable or enable"
    #expect(
      try message("subscribe")
        == "unknown order 'subscribe': \(orders); "
        + "the standard input of 'belfry device run' accepts 'subscribe'")
    #expect(try message("fly") == "unknown order 'fly': \(orders)")
    #expect(try message("Ofline") == "unknown order 'Ofline': did you mean 'offline'?")
  }

  @Test func `An order of many devices asks the gateway about all of them at once`() async throws {
    let count = 300
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.belfry([
        "device", "run", "--gateway", gateway.file, "--data", scenario.folder.file("fleet"),
        "--app", app, "--count", "\(count)",
      ])
      for _ in 0..<count { _ = try await devices.event("registered") }
      let offline = try await order(scenario, "offline", "--data", gateway.data, "--json")
      #expect(offline.values.count == count)
      // Devices that start later do not receive the orders that are meant for the first devices.
      let others = try scenario.belfry([
        "device", "run", "--gateway", gateway.file, "--data", scenario.folder.file("others"),
        "--app", app,
      ])
      _ = try await others.event("registered")
      #expect(others.errors.contains("--devices"), "\(others.errors)")
      let online = try await order(
        scenario, "online", "--data", gateway.data, "--json", "--timeout", "60")
      #expect(online.values.count == count)
      #expect(try await others.stop() == 0)
      let again = try await order(
        scenario, "offline", "--device", "1", "--data", gateway.data, "--json")
      #expect(again.values.count == 1)
    }
  }

  @Test func `The agent of belfry dev takes orders, and its pushes are returned`() async throws {
    try await Scenario.run { scenario in
      let data = scenario.folder.file("dev")
      let dev = try scenario.belfry(["dev", "--data", data, "--presenter", "json", "--json"])
      let ready = try await dev.event("ready")
      let socket = try #require(ready["socket"].string)
      let file = try #require(ready["gateway"].string)
      let gateway = data + "/gateway"
      let program = try scenario.belfry([
        "app", "run", app, "--register", "--authorize", "alert", "--socket", socket,
      ])
      let token = try #require(try await program.event("registered")["token"].string)
      func send() async throws -> JSONLine? {
        try await scenario.belfryCommand(
          ["send", token, "--topic", app, "--title", "Hi", "--gateway", file], succeeding: false
        ).values.first
      }
      let offline = try await order(scenario, "offline", "--data", gateway, "--json")
      #expect(offline.values.map { $0["event"].string } == ["offline"])
      #expect(try await send()?["status"].integer == 200)
      _ = try await order(scenario, "online", "--token", token, "--data", gateway)
      let push = try await scenario.belfryCommand(
        ["device", "received", "--data", gateway, "--timeout", "60"])
      #expect(push.values.first?["stored"].boolean == true)
      #expect(push.values.first?["token"].string == token)
      for word in ["sleep", "wake", "disable", "enable"] {
        _ = try await order(scenario, word, "--data", gateway)
      }
      let gone = try await order(
        scenario, "unregister", "--token", token, "--data", gateway, "--json")
      #expect(gone.values.map { $0["token"].string } == [token])
      #expect(try await send()?["reason"].string == "Unregistered")
      _ = try await order(scenario, "unregister", "--data", gateway, expecting: 1)
      let again = try await order(scenario, "register", "--data", gateway, expecting: 1)
      #expect(again.errors.contains("belfry app run APP_ID --register"), "\(again.errors)")
      #expect(try await dev.stop() == 0, "\(dev.errors)")
    }
  }

  @Test(arguments: [
    ["fly"], [], ["offline", "--token", "xyz"], ["offline", "--device", "0"],
    ["offline", "--token", "aa", "--device", "1"],
  ])
  func `Wrong usage is 2`(words: [String]) async throws {
    try await Scenario.run { scenario in
      let answer = try await scenario.belfryCommand(["device", "order"] + words, succeeding: false)
      #expect(answer.status == 2 && answer.lines.isEmpty, "\(answer)")
    }
  }
}
