import Foundation
import TestSupport
import Testing

/// Tests that `belfry device received` returns each push only once in a run.
@Suite struct ReceivedPushesTests {
  private static let ids = (1...9).map { "00000000-0000-4000-8000-00000000000\($0)" }

  /// Writes a file of received pushes, one per token.
  private func file(
    _ scenario: Scenario, tokens: [String], topics: [String] = []
  ) throws -> String {
    let path = scenario.folder.file("received.jsonl")
    let topics = topics + tokens.dropFirst(topics.count).map { _ in "org.example.app" }
    let lines = zip(Self.ids, zip(tokens, topics)).map { id, push in
      #"{"event":"received","apnsID":"\#(id)","token":"\#(push.0)","topic":"\#(push.1)","payload":{}}"#
        + "\n"
    }
    try lines.joined().write(toFile: path, atomically: false, encoding: .utf8)
    return path
  }

  private func append(_ line: String, to path: String) throws {
    let handle = try #require(FileHandle(forWritingAtPath: path))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data((line + "\n").utf8))
    try handle.close()
  }

  private func received(
    _ scenario: Scenario, _ file: String, _ options: String..., expecting status: Int32 = 0
  ) async throws -> [String] {
    let answer = try await scenario.belfryCommand(
      ["device", "received", "--file", file] + options, succeeding: false)
    #expect(answer.status == status, "\(options): \(answer.errors)")
    return answer.values.compactMap { $0["apnsID"].string }
  }

  @Test func `A push is returned once, whatever it is selected by`() async throws {
    try await Scenario.run { scenario in
      let file = try file(scenario, tokens: ["aa", "bb", "aa", "bb", "aa"])
      let ids = Self.ids
      #expect(try await received(scenario, file, "--token", "BB") == [ids[1]])
      #expect(try await received(scenario, file, "--id", ids[4], "--json") == [ids[4]])
      #expect(try await received(scenario, file, "--count", "2") == [ids[0], ids[2]])
      #expect(try await received(scenario, file, "--token", "bb") == [ids[3]])
      #expect(try await received(scenario, file, "--timeout", "0", expecting: 1).isEmpty)
      #expect(try await received(scenario, file, "--count", "0", "--within", "0").isEmpty)
      try append(#"{"event":"received","apnsID":"late"}"#, to: file)
      #expect(
        try await received(scenario, file, "--count", "0", "--within", "60", expecting: 1)
          == ["late"])
    }
  }

  @Test func `The error about a missing push counts the matching pushes that were printed before`()
    async throws
  {
    try await Scenario.run { scenario in
      let file = try file(scenario, tokens: ["aa", "bb", "bb"])
      func errors(_ options: String...) async throws -> String {
        try await scenario.belfryCommand(
          ["device", "received", "--file", file, "--within", "0"] + options, succeeding: false
        ).errors
      }
      #expect(try await received(scenario, file, "--count", "2").count == 2)
      let one = try await errors("--token", "aa")
      #expect(
        one.contains("received 0 of 1 push; an earlier command printed 1 matching push: "), "\(one)"
      )
      #expect(one.contains("use --since MARK"), "\(one)")
      // The push that this command prints itself does not count.
      let own = try await errors("--token", "bb", "--count", "2")
      #expect(
        own.contains("received 1 of 2 pushes; an earlier command printed 1 matching push: "),
        "\(own)")
      let none = try await errors("--token", "cc")
      #expect(none.contains("received 0 of 1 push: run 'belfry log'"), "\(none)")
    }
  }

  @Test func `A push is selected by its topic among the pushes of several apps`() async throws {
    try await Scenario.run { scenario in
      let file = try file(
        scenario, tokens: ["aa", "bb", "cc"], topics: ["org.a", "org.b", "org.a.voip"])
      #expect(try await received(scenario, file, "--topic", "org.b") == [Self.ids[1]])
      #expect(try await received(scenario, file, "--topic", "org.a") == [Self.ids[0]])
      _ = try await received(
        scenario, file, "--topic", "org.a", "--timeout", "0", expecting: 1)
      #expect(try await received(scenario, file) == [Self.ids[2]])
    }
  }

  @Test func `An empty topic is an error, because it would match nothing`() async throws {
    try await Scenario.run { scenario in
      let file = try file(scenario, tokens: ["aa"])
      let answer = try await scenario.belfryCommand(
        ["device", "received", "--file", file, "--topic", "", "--count", "0"], succeeding: false)
      #expect(answer.status == 2)
      #expect(answer.errors.contains("invalid value '' for --topic"), "\(answer.errors)")
    }
  }

  @Test func `The error about missing devices names another gateway whose devices record pushes`()
    async throws
  {
    try await Scenario.run { scenario in
      let folder = scenario.folder.file("belfry/gateway-4710")
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
      let pid = ProcessInfo.processInfo.processIdentifier
      let run = #"{"pid":\#(pid),"received":"/nowhere/received.jsonl"}"#
      for (name, text) in [("control.sqlite", "{}"), ("devices.json", run)] {
        try text.write(toFile: "\(folder)/\(name)", atomically: false, encoding: .utf8)
      }
      let answer = try await scenario.belfryCommand(["device", "received"], succeeding: false)
      #expect(answer.status == 1)
      #expect(answer.errors.contains("for example --data \(folder)"), "\(answer.errors)")
    }
  }

  @Test func `A push is selected by the topic that the provider used, with its suffix`()
    async throws
  {
    try await Scenario.run { scenario in
      let file = try file(scenario, tokens: ["aa"])
      try append(
        #"{"event":"received","apnsID":"calls","token":"bb","topic":"org.example.app","type":"voip"}"#,
        to: file)
      #expect(try await received(scenario, file, "--topic", "org.example.app.voip") == ["calls"])
    }
  }

  @Test func `After a mark, pushes are returned even if they were before`() async throws {
    try await Scenario.run { scenario in
      let file = try file(scenario, tokens: ["aa", "bb"])
      let answer = try await scenario.belfryCommand([
        "device", "received", "--file", file, "--mark",
      ])
      let mark = try #require(answer.lines.first)
      try append(#"{"event":"received","apnsID":"after"}"#, to: file)
      #expect(try await received(scenario, file, "--count", "3") == Self.ids.prefix(2) + ["after"])
      #expect(try await received(scenario, file, "--since", mark) == ["after"])
      #expect(
        try await received(
          scenario, file, "--since", mark, "--count", "0", "--within", "0", expecting: 1)
          == ["after"])
      for wrong in ["00000000-0", mark + "1", "x"] {
        let refused = try await scenario.belfryCommand(
          ["device", "received", "--file", file, "--since", wrong], succeeding: false)
        #expect(refused.status == 2 && refused.lines.isEmpty, "\(wrong)")
        #expect(refused.errors.contains("is not from this run"), "\(refused.errors)")
      }
    }
  }

  @Test func `Processes that ask at the same time share the pushes`() async throws {
    try await Scenario.run { scenario in
      let file = scenario.folder.file("received.jsonl")
      let lines = (0..<160).map { #"{"event":"received","apnsID":"\#($0)"}"# + "\n" }
      try lines.joined().write(toFile: file, atomically: false, encoding: .utf8)
      let programs = try (0..<8).map { _ in
        try scenario.belfry(["device", "received", "--file", file, "--count", "20"])
      }
      for program in programs { #expect(try await program.end() == 0, "\(program.errors)") }
      let all = programs.flatMap(\.lines)
      #expect(all.count == 160 && Set(all).count == 160)
    }
  }

  @Test func `No test passes because of a token or a topic that the gateway does not have`()
    async throws
  {
    try await Scenario.run { scenario in
      let unknown = String(repeating: "ab", count: 32)
      let program = try scenario.belfry(
        [
          "test-gateway", "--app", "com.example.ci:voip", "--", "sh", "-c",
          """
          belfry device received --count 0 --within 0 --token "$BELFRY_TOKEN" || exit 10
          belfry device received --count 0 --within 0 --topic "$BELFRY_TOPIC" || exit 11
          belfry device received --count 0 --within 0 --token \(unknown) && exit 12
          belfry device received --count 0 --within 0 --topic com.example.cj.voip && exit 13
          belfry device received --count 0 --within 0 --topic com.example.ci.complication && exit 16
          belfry device order unregister --token "$BELFRY_TOKEN" || exit 14
          belfry device received --count 0 --within 0 --token "$BELFRY_TOKEN" || exit 15
          """,
        ],
        environment: [
          "PATH": Installation.products + ":"
            + (ProcessInfo.processInfo.environment["PATH"] ?? "")
        ])
      #expect(try await program.end() == 0, "\(program.errors)")
      #expect(program.errors.contains("no device of this run has the token \(unknown): "))
      #expect(program.errors.contains("has no app with the topic com.example.cj.voip: "))
      #expect(
        program.errors.contains(
          "no device has registered a token for the topic com.example.ci.complication: "))
    }
  }

  @Test func `A timeout names a token or a topic that the gateway does not have`() async throws {
    try await Scenario.run { scenario in
      let unknown = String(repeating: "ab", count: 32)
      let program = try scenario.belfry(
        [
          "test-gateway", "--app", "com.example.ci", "--", "sh", "-c",
          """
          belfry device received --timeout 0 --token "$BELFRY_TOKEN" && exit 10
          belfry device received --timeout 0 --token \(unknown) && exit 11
          belfry device received --timeout 0 --topic com.example.cj && exit 12
          exit 0
          """,
        ],
        environment: [
          "PATH": Installation.products + ":"
            + (ProcessInfo.processInfo.environment["PATH"] ?? "")
        ])
      #expect(try await program.end() == 0, "\(program.errors)")
      let timeout = "timed out: received 0 of 1 push"
      #expect(program.errors.contains("\(timeout): run 'belfry log'"), "\(program.errors)")
      for cause in [
        "no device of this run has the token \(unknown): ",
        "the devices' gateway has no app with the topic com.example.cj: ",
      ] {
        #expect(program.errors.contains("\(timeout), because \(cause)"), "\(program.errors)")
      }
    }
  }

  @Test func `No test passes on a push of another test, or of an earlier run`() async throws {
    try await Scenario.run { scenario in
      let data = scenario.folder.file("kept")
      for run in 0..<2 {
        let program = try scenario.belfry(
          [
            "test-gateway", "--app", "com.example.ci", "--data", data, "--", "sh", "-c",
            """
            belfry send "$BELFRY_TOKEN" --topic com.example.ci --title first >/dev/null
            belfry device received --timeout 60 || exit 10
            belfry device received --count 0 --within 0 || exit 11
            mark=$(belfry device received --mark)
            belfry send "$BELFRY_TOKEN" --topic com.example.ci --title second >/dev/null
            belfry device received --count 0 --within 60 && exit 12
            belfry device received --count 0 --within 0 || exit 13
            belfry device received --since "$mark" --timeout 0 || exit 14
            """,
          ],
          environment: [
            "PATH": Installation.products + ":"
              + (ProcessInfo.processInfo.environment["PATH"] ?? "")
          ])
        #expect(try await program.end() == 0, "run \(run): \(program.errors)")
        let titles = program.lines.compactMap {
          JSONLine($0)?["payload"]["aps"]["alert"]["title"].string
        }
        #expect(titles == ["first", "second", "second"], "run \(run)")
      }
    }
  }
}
