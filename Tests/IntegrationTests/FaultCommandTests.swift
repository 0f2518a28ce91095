import System
import TestSupport
import Testing

@testable import Tool

/// Tests of `belfry fault` on a running gateway.
@Suite struct FaultCommandTests {
  private let app = "com.example.app"

  private func fault(
    _ scenario: Scenario, _ gateway: GatewayProgram, _ words: String..., expecting: Int32 = 0
  ) async throws -> Scenario.CommandResult {
    let answer = try await scenario.belfryCommand(
      ["fault"] + words + ["--data", gateway.data], succeeding: false)
    #expect(answer.status == expecting, "\(words): \(answer.errors)")
    return answer
  }

  private func status(
    _ scenario: Scenario, _ gateway: GatewayProgram, _ token: String
  ) async throws -> Int? {
    try await scenario.belfryCommand(
      ["send", token, "--topic", app, "--title", "Hi", "--gateway", gateway.file],
      succeeding: false
    ).values.first?["status"].integer
  }

  @Test func `A fault ends after its number of requests, also across a restart`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(of: gateway, topics: [app])
      let token = try await devices.token()
      let added = try await fault(scenario, gateway, "add", "--close", "--times", "3", "--json")
      #expect(added.values.first?["id"].integer == 1)
      #expect(added.values.first?["remaining"].integer == 3)
      _ = try await fault(scenario, gateway, "clear")
      let again = try await fault(
        scenario, gateway, "add", "--reason", "BadTopic", "--times", "3", "--json")
      #expect(again.values.first?["id"].integer == 2)
      #expect(try await status(scenario, gateway, token) == 400)
      try await gateway.stop()
      let kept = try await fault(scenario, gateway, "list", "--json")
      #expect(kept.values.first?["remaining"].integer == 2)
      let restarted = try await scenario.restart(gateway)
      #expect(try await status(scenario, restarted, token) == 400)
      #expect(try await status(scenario, restarted, token) == 400)
      #expect(try await status(scenario, restarted, token) == 200)
      #expect(try await fault(scenario, restarted, "list", "--json").values.isEmpty)
      try await restarted.stop()
    }
  }

  @Test func `A push that is sent again uses a fault once for each request`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let devices = try scenario.devices(of: gateway, topics: [app])
      let token = try await devices.token()
      _ = try await fault(scenario, gateway, "add", "--reason", "TooManyRequests", "--times", "2")
      // The first two requests of this push are refused.
      #expect(try await status(scenario, gateway, token) == 200)
      #expect(try await fault(scenario, gateway, "list", "--json").values.isEmpty)
      try await gateway.stop()
    }
  }

  @Test func `A push that a fault prevents fails with an error about the gateway's response`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let token = String(repeating: "ab", count: 32)
      func send(_ timeout: String) async throws -> Scenario.CommandResult {
        try await scenario.belfryCommand(
          [
            "send", token, "--topic", app, "--title", "Hi", "--timeout", timeout, "--gateway",
            gateway.file,
          ], succeeding: false)
      }
      let added = try await fault(scenario, gateway, "add", "--close")
      #expect(added.lines == ["added fault 1: --close, for all pushes"])
      let closed = try await send("30")
      #expect(closed.errors.contains("the connection ended before the response ("))
      #expect(!closed.errors.contains("close_notify"), "\(closed.errors)")
      _ = try await fault(scenario, gateway, "clear")
      _ = try await fault(scenario, gateway, "add", "--streams", "0")
      let held = try await send("3")
      #expect(held.status == 1)
      #expect(held.errors.contains("but allows no concurrent streams: "), "\(held.errors)")
      #expect(held.errors.contains("--streams 0"))
      try await gateway.stop()
    }
  }

  @Test func `A fault is printed with its id and removed by it`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      for reason in ["BadTopic", "TooManyRequests"] {
        let added = try await fault(scenario, gateway, "add", "--reason", reason, "--times", "9")
        let id = reason == "BadTopic" ? 1 : 2
        #expect(added.lines == ["added fault \(id): --reason \(reason) --times 9, for all pushes"])
      }
      let removed = try await fault(scenario, gateway, "remove", "1")
      #expect(removed.lines == ["removed fault 1: --reason BadTopic --times 9, for all pushes"])
      let list = try await fault(scenario, gateway, "list", "--json")
      #expect(list.values.map { $0["reason"].string } == ["TooManyRequests"])
      let missing = try await fault(scenario, gateway, "remove", "1", expecting: 1)
      #expect(missing.errors.contains("unknown fault 1"))
      _ = try await fault(scenario, gateway, "remove", "first", expecting: 2)
      _ = try await fault(scenario, gateway, "add", "--close", "--times", "0", expecting: 2)
      let wrong = try await fault(scenario, gateway, "add", "--reason", "Foo", expecting: 2)
      #expect(wrong.errors.contains("invalid value 'Foo' for --reason"), "\(wrong)")
      let cleared = try await fault(scenario, gateway, "clear")
      #expect(
        cleared.lines == ["removed fault 2: --reason TooManyRequests --times 9, for all pushes"])
      let empty = try await fault(scenario, gateway, "clear")
      #expect(empty.lines.isEmpty && empty.errors.contains("no faults"), "\(empty)")
      try await gateway.stop()
    }
  }

  @Test func `The faults of a token are removed without those of other tests`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      for scope in [["--token", "0A"], ["--token", "0b"], [], ["--token", "0a", "--topic", app]] {
        _ = try await scenario.belfryCommand(
          ["fault", "add", "--close", "--data", gateway.data] + scope)
      }
      let cleared = try await fault(scenario, gateway, "clear", "--token", "0a", "--json")
      #expect(cleared.values.map { $0["id"].integer } == [1, 4])
      let left = try await fault(scenario, gateway, "list", "--json")
      #expect(left.values.map { $0["id"].integer } == [2, 3])
      let none = try await fault(scenario, gateway, "clear", "--token", "0a")
      #expect(
        none.lines.isEmpty
          && none.errors.contains("no faults with --token 0a, but 2 other faults remain"), "\(none)"
      )
      // The token might be an unset variable of a test.
      _ = try await fault(scenario, gateway, "clear", "--token", "", expecting: 2)
      let combined = try await fault(
        scenario, gateway, "add", "--close", "--delay", "5", expecting: 2)
      #expect(combined.errors.contains("to combine actions, add several faults"), "\(combined)")
      try await gateway.stop()
    }
  }

  @Test func `A time of a fault is printed as a date, which shows a time in seconds`() async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let added = try await fault(
        scenario, gateway, "add", "--reason", "Unregistered", "--timestamp", "1700000000")
      let words = "--reason Unregistered --timestamp 1700000000 (1970-01-20T16:13:20.000Z)"
      #expect(added.lines == ["added fault 1: \(words), for all pushes"])
      try await gateway.stop()
    }
  }

  @Test(arguments: ["abc", "xy"])
  func `The error about a token says that the number of digits is even`(token: String) throws {
    let verb = try #require(FaultCommand.noun.verbs.first { $0.name == "add" })
    let options = try CommandLineOptions(["--close", "--token=\(token)"], by: verb.table)
    let failure = #expect(throws: CommandLineOptions.Problem.self) {
      _ = try verb.request(options)
    }
    #expect(
      failure?.description
        == "invalid value '\(token)' for --token: expected a device token, which has an even "
        + "number of hexadecimal digits")
  }

  @Test func `A fault for an empty topic is an error, because it would never apply`() throws {
    let verb = try #require(FaultCommand.noun.verbs.first { $0.name == "add" })
    let options = try CommandLineOptions(["--close", "--topic", ""], by: verb.table)
    let failure = #expect(throws: CommandLineOptions.Problem.self) {
      _ = try verb.request(options)
    }
    #expect(
      failure?.description
        == "invalid value '' for --topic: expected a topic, such as com.example.app")
  }

  @Test(arguments: [
    ("unregistered", "did you mean 'Unregistered'?"),
    ("Unregisterd", "did you mean 'Unregistered'?"),
    ("toomanyrequests", "did you mean 'TooManyRequests'?"),
    ("410", "for this status, use ExpiredToken or Unregistered"),
    (
      "Foo",
      "expected an APNs reason, such as TooManyRequests; "
        + "'belfry fault add --help' lists all reasons"
    ),
  ])
  func `An unknown reason is an error with the nearest reason or those of a status`(
    word: String, advice: String
  ) throws {
    let verb = try #require(FaultCommand.noun.verbs.first { $0.name == "add" })
    let options = try CommandLineOptions(["--reason", word], by: verb.table)
    let failure = #expect(throws: UsageError.self) { _ = try verb.request(options) }
    #expect(failure?.description == "invalid value '\(word)' for --reason: \(advice)")
    let help = verb.table.help.replacing("\n", with: " ")
    #expect(help.contains("410 ExpiredToken, Unregistered;"), "\(help)")
  }
}
