import Foundation
import TestSupport
import Testing

/// Tests of the states of campaigns, with a real provider and its commands.
@Suite(.serialized, .timeLimit(.minutes(60)), .requires(.curl)) struct CampaignStateTests {
  private let topic = "com.example.app"

  /// Starts a gateway, devices, and a registry with the devices' tokens.
  private func world(
    _ scenario: Scenario, devices count: Int
  ) async throws -> (gateway: GatewayProgram, devices: DevicesProgram, registry: RegistryProgram) {
    let gateway = try await scenario.gateway()
    let devices = try scenario.devices(
      of: gateway, topics: [topic], options: ["--count", "\(count)"])
    var tokens: [String] = []
    for _ in 0..<count { tokens.append(try await devices.token()) }
    let registry = try await scenario.registry(of: gateway, topic: topic)
    _ = try await scenario.ask(registry, "/tokens", body: tokens.joined(separator: "\n"))
    return (gateway, devices, registry)
  }

  private func campaign(
    _ scenario: Scenario, _ registry: RegistryProgram, _ words: [String], succeeding: Bool = true
  ) async throws -> Scenario.CommandResult {
    try await scenario.belfryCommand(
      ["campaign"] + words + ["--json", "--data", registry.data], succeeding: succeeding)
  }

  @Test func `A scheduled campaign survives a kill, and is sent once at its time`() async throws {
    try await Scenario.run { scenario in
      let (gateway, devices, first) = try await world(scenario, devices: 3)
      let file = try scenario.write(
        #"{"topic":"\#(topic)","alert":{"en":{"title":"Breakfast"}}}"#, to: "campaign.json")
      let later = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: 600))
      let sent = try await campaign(scenario, first, ["send", file, "--at", later])
      let id = try #require(sent.values.last?["id"].string)
      #expect(sent.values.last?["state"].string == "scheduled")
      #expect(sent.values.last?["name"].string == "Breakfast")
      // The campaign's start approaches, and the service is killed before that time.
      let soon = ISO8601DateFormatter().string(
        from: Date(timeIntervalSinceNow: Double(TestTimeout.standardNanoseconds) / 3e9))
      let edited = try await campaign(scenario, first, ["edit", id, file, "--at", soon])
      #expect(edited.values.last?["state"].string == "scheduled")
      try await first.crash()
      let second = try await scenario.registry(of: gateway, topic: topic)
      try await Scenario.wait("the completion of the campaign") {
        try await campaign(scenario, second, ["status", id]).values.first?["state"].string
          == "completed"
      }
      try await second.crash()
      let third = try await scenario.registry(of: gateway, topic: topic)
      for _ in 0..<3 { _ = try await devices.received() }
      let status = try await campaign(scenario, third, ["status", id]).values.first
      #expect(status?["accepted"].integer == 3 && status?["state"].string == "completed")
      let log = try await scenario.belfryCommand(["log", "--json", "--data", gateway.data])
      #expect(log.values.count { $0["state"].string == "Received by APNs" } == 3)
    }
  }

  @Test func `A running campaign is cancelled for good, also by a killed service`() async throws {
    let count = 40
    try await Scenario.run { scenario in
      let (gateway, _, registry) = try await world(scenario, devices: count)
      let file = try scenario.write(
        #"{"topic":"\#(topic)","alert":{"en":{"title":"Hello"}}}"#, to: "campaign.json")
      let sent = try await campaign(
        scenario, registry, ["send", file, "--rate", "2/s", "--detach"])
      let id = try #require(sent.values.last?["id"].string)
      try await Scenario.wait("the first sent pushes") {
        try await campaign(scenario, registry, ["status", id]).values.first?["sent"].integer ?? 0
          > 0
      }
      let cancelled = try await campaign(scenario, registry, ["cancel", id])
      #expect(cancelled.values.first?["state"].string == "cancelled")
      let reached = try #require(cancelled.values.first?["accepted"].integer)
      #expect(reached < count)
      try await registry.crash()
      let second = try await scenario.registry(of: gateway, topic: topic)
      let resumed = try await campaign(scenario, second, ["resume", id], succeeding: false)
      #expect(resumed.status == 1 && resumed.errors.contains("it is cancelled"))
      let report = try await campaign(scenario, second, ["report", id])
      #expect(report.values.first?["accepted"].integer == reached)
      let log = try await scenario.belfryCommand(["log", "--json", "--data", gateway.data])
      #expect(log.values.count { $0["state"].string == "Received by APNs" } == reached)
    }
  }

  @Test func `A running campaign is not deleted, and Ctrl-C says what continues`() async throws {
    try await Scenario.run { scenario in
      let (_, _, registry) = try await world(scenario, devices: 40)
      let file = try scenario.write(
        #"{"topic":"\#(topic)","alert":{"en":{"title":"Slow"}}}"#, to: "campaign.json")
      let sending = try scenario.belfry([
        "campaign", "send", file, "--rate", "2/s", "--json", "--data", registry.data,
      ])
      let id = try #require(
        try await sending.line(called: "the campaign") { $0["id"].string != nil }["id"].string)
      let deleted = try await campaign(scenario, registry, ["delete", id], succeeding: false)
      #expect(deleted.errors.contains("it is running: cancel it first"), "\(deleted.errors)")
      // On Ctrl-C, the command stops waiting. The campaign continues, and the command prints how to cancel it.
      sending.signal(SIGINT)
      #expect(try await sending.end() == 130)
      #expect(sending.errors.contains("campaign cancel \(id)"), "\(sending.errors)")
      let paused = try await campaign(scenario, registry, ["pause", id])
      #expect(paused.values.first?["state"].string == "paused", "\(paused.output)")
      _ = try await campaign(scenario, registry, ["cancel", id])
    }
  }

  @Test func `A file can hold a campaign back`() async throws {
    try await Scenario.run { scenario in
      let (_, _, registry) = try await world(scenario, devices: 1)
      func send(_ member: String, succeeding: Bool = true) async throws -> Scenario.CommandResult {
        let file = try scenario.write(
          #"{"topic":"\#(topic)","alert":{"en":{"title":"T"}},\#(member)}"#, to: "campaign.json")
        return try await campaign(scenario, registry, ["send", file], succeeding: succeeding)
      }
      #expect(try await send(#""draft":true"#).values.last?["state"].string == "draft")
      let dry = try await send(#""dryRun":true"#)
      #expect(dry.status == 0 && !dry.output.contains(#""state""#), "\(dry.output)")
      let wrong = try await send(#""draft":"yes""#, succeeding: false)
      #expect(wrong.errors.contains("draft: invalid value"), "\(wrong.errors)")
      let list = try await campaign(scenario, registry, ["list"])
      #expect(list.values.map { $0["state"].string } == ["draft"])
      let id = try #require(list.values.first?["id"].string)
      _ = try await campaign(scenario, registry, ["resume", id])
      let again = try await campaign(scenario, registry, ["resume", id], succeeding: false)
      #expect(again.status == 1 && again.errors.contains("copy it"), "\(again.errors)")
    }
  }

  @Test func `The recipients of a campaign file apply unless an option replaces them`()
    async throws
  {
    try await Scenario.run { scenario in
      let (_, _, registry) = try await world(scenario, devices: 1)
      func file(_ to: String) throws -> String {
        try scenario.write(
          #"{"topic":"\#(topic)","alert":{"en":{"title":"Hello"}},"to":\#(to)}"#,
          to: "campaign.json")
      }
      func recipients(_ to: String, _ options: [String] = []) async throws -> String? {
        let sent = try await campaign(
          scenario, registry, ["send", file(to), "--draft"] + options)
        return sent.values.last?["to"].string
      }
      #expect(try await recipients(#""tag:vip""#) == "tag:vip")
      #expect(try await recipients(#""tag:vip""#, ["--to", "all"]) == "all")
      #expect(try await recipients("null") == "all")
      // The tag has no devices, so nothing is sent.
      let sent = try await campaign(
        scenario, registry, ["send", file(#""tag:vip""#)], succeeding: false)
      #expect(sent.status == 1 && sent.errors.contains("no device with the tag 'vip' is"))
      for (to, options) in [(#""list""#, []), ("null", ["--to", "tag:"])] {
        let refused = try await campaign(
          scenario, registry, ["send", file(to)] + options, succeeding: false)
        #expect(refused.status == 2, "\(to) \(refused.errors)")
      }
    }
  }

  @Test func `A dry run shows the local time of each time zone`() async throws {
    try await Scenario.run { scenario in
      let (_, _, registry) = try await world(scenario, devices: 1)
      let token = String(repeating: "ab", count: 32)
      _ = try await scenario.ask(
        registry, "/tokens", body: #"{"deviceToken":"\#(token)","timeZone":"Asia/Tokyo"}"#)
      let file = try scenario.write(
        #"{"topic":"\#(topic)","alert":{"title":"Hello"},"at":"2999-11-29T16:00"}"#,
        to: "campaign.json")
      let preview = try await scenario.belfryCommand([
        "campaign", "send", file, "--dry-run", "--data", registry.data,
      ])
      #expect(preview.lines.contains("Asia/Tokyo: 1 device at 2999-11-29T16:00:00+09:00"))
      #expect(preview.lines.contains("no time zone: 1 device at 2999-11-29T16:00:00Z"))
      func dryRun(at time: String, succeeding: Bool) async throws -> Scenario.CommandResult {
        try await scenario.belfryCommand(
          ["campaign", "send", file, "--dry-run", "--at", time, "--data", registry.data],
          succeeding: succeeding)
      }
      // A fixed time is the same in all time zones.
      let fixed = try await dryRun(at: "2999-11-29T16:00Z", succeeding: true)
      #expect(
        fixed.lines.contains { $0.hasPrefix("starts 2999-11-29T16:00Z (in ") }, "\(fixed.output)")
      let impossible = try await dryRun(at: "2026-11-31T18:00", succeeding: false)
      #expect(
        impossible.errors.hasPrefix("belfry: --at: 2026-11-31 is not a date: "),
        "\(impossible.errors)")
      #expect(impossible.status == 2)
    }
  }

  @Test func `A value of --at that is not a time is incorrect usage`() async throws {
    try await Scenario.run { scenario in
      let file = try scenario.write(
        #"{"topic":"\#(topic)","alert":{"en":{"title":"Hello"}}}"#, to: "campaign.json")
      // The command checks its options before it looks for a provider.
      let data = scenario.folder.file("missing")
      for words in [["send", file], ["edit", "000000000000"], ["edit", "000000000000", file]] {
        let refused = try await scenario.belfryCommand(
          ["campaign"] + words + ["--at", "tomorrow", "--data", data], succeeding: false)
        #expect(
          refused.status == 2
            && refused.errors.hasPrefix(
              "belfry: invalid value 'tomorrow' for --at: expected a date and time, such as ")
            && refused.errors.hasSuffix("; for no time, use none\n"),
          "\(words) \(refused.errors)")
      }
    }
  }

  @Test func `A scheduled campaign loses its time, and is then sent by its ID`() async throws {
    try await Scenario.run { scenario in
      let (_, devices, registry) = try await world(scenario, devices: 1)
      let file = try scenario.write(
        #"{"topic":"\#(topic)","alert":{"en":{"title":"Lunch"}},"at":"2999-12-01T12:00"}"#,
        to: "campaign.json")
      let scheduled = try await campaign(scenario, registry, ["send", file])
      let id = try #require(scheduled.values.last?["id"].string)
      #expect(scheduled.values.last?["state"].string == "scheduled")
      let edited = try await scenario.belfryCommand([
        "campaign", "edit", id, "--at", "none", "--data", registry.data,
      ])
      #expect(edited.lines == ["\(id) \"Lunch\" draft"], "\(edited.output)")
      #expect(
        edited.errors == "start the draft with 'belfry campaign resume \(id)'\n", "\(edited.errors)"
      )
      let sent = try await campaign(scenario, registry, ["resume", id])
      #expect(sent.values.last?["state"].string == "completed", "\(sent.output)")
      _ = try await devices.received()
      // The option also replaces the time of the file.
      let now = try await campaign(scenario, registry, ["send", file, "--at", "none"])
      #expect(now.values.last?["state"].string == "completed", "\(now.output)")
    }
  }

  @Test func `A command without a terminal reports when a problem begins and ends`() async throws {
    try await Scenario.run { scenario in
      let (gateway, _, registry) = try await world(scenario, devices: 1)
      let file = try scenario.write(
        #"{"topic":"\#(topic)","alert":{"title":"Hello"}}"#, to: "campaign.json")
      // The provider reads the gateway's file the first time that it needs the gateway.
      let send = ["campaign", "send", file, "--data", registry.data]
      _ = try await scenario.belfryCommand(send + ["--dry-run"])
      try await gateway.stop()
      let program = try scenario.belfry(send)
      try await program.error("the campaign is delayed: ")
      let list = try await scenario.belfryCommand(["campaign", "list", "--data", registry.data])
      #expect(list.lines.first?.hasSuffix("PROBLEM") == true, "\(list.output)")
      _ = try await scenario.restart(gateway)
      #expect(try await program.end() == 0)
      let reports = program.errors.split(separator: "\n").filter {
        $0.hasPrefix("the campaign is delayed: ") || $0 == "the problem is solved"
      }
      #expect(reports.count == 2, "\(program.errors)")
    }
  }

  @Test func `A command that sends a campaign itself reports a delay once, and not as a log line`()
    async throws
  {
    try await Scenario.run { scenario in
      let (gateway, _, registry) = try await world(scenario, devices: 1)
      let file = try scenario.write(
        #"{"topic":"\#(topic)","alert":{"title":"Hello"}}"#, to: "campaign.json")
      try await registry.program.stop()
      try await gateway.crash()
      let program = try scenario.belfry([
        "campaign", "send", file, "--data", registry.data, "--gateway", gateway.file,
      ])
      try await program.error("the campaign is delayed: ")
      program.signal(SIGINT)
      #expect(try await program.end() == 130)
      #expect(!program.errors.contains("a campaign is delayed"), "\(program.errors)")
    }
  }

  @Test func `A time that has passed is refused by send and edit, and nothing is sent`()
    async throws
  {
    try await Scenario.run { scenario in
      let (_, devices, registry) = try await world(scenario, devices: 1)
      let file = try scenario.write(
        #"{"topic":"\#(topic)","alert":{"en":{"title":"Hello"}}}"#, to: "campaign.json")
      let refusal =
        "belfry: invalid value '2020-01-01T09:00' for --at: the time has passed for every device; "
        + "specify a later time, or omit the time to send the campaign now\n"
      let past = ["--at", "2020-01-01T09:00"]
      for options in [[], ["--dry-run"], ["--draft"], ["--detach"]] {
        let sent = try await campaign(
          scenario, registry, ["send", file] + past + options, succeeding: false)
        #expect(sent.status == 1 && sent.errors == refusal, "\(options) \(sent.errors)")
      }
      let dry = try await scenario.belfryCommand(
        ["campaign", "send", file, "--dry-run", "--data", registry.data] + past, succeeding: false)
      #expect(!dry.output.contains("no time zone: "), "\(dry.output)")
      #expect(try await campaign(scenario, registry, ["list"]).values.isEmpty)
      let later = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: 86_400))
      let scheduled = try await campaign(scenario, registry, ["send", file, "--at", later])
      let id = try #require(scheduled.values.last?["id"].string)
      let edited = try await campaign(
        scenario, registry, ["edit", id, file] + past, succeeding: false)
      #expect(edited.status == 1 && edited.errors == refusal, "\(edited.errors)")
      let status = try await campaign(scenario, registry, ["status", id])
      #expect(status.values.first?["state"].string == "scheduled")
      #expect(status.values.first?["at"].string == later)
      #expect(devices.program.untaken.allSatisfy { $0["event"].string != "received" })
    }
  }

  @Test func `Errors are in the words of the command line, and each is printed once`() async throws
  {
    try await Scenario.run { scenario in
      let (_, _, registry) = try await world(scenario, devices: 2)
      let file = try scenario.write(
        #"{"topic":"\#(topic)","alert":{"en":{"title":"Hello"}}}"#, to: "campaign.json")
      let draft = try await campaign(scenario, registry, ["send", file, "--draft"])
      let id = try #require(draft.values.last?["id"].string)
      let cases: [(words: [String], error: String)] = [
        (
          ["test", id],
          "several devices are registered for \(topic): specify a user with --user NAME, or a token with "
            + "--token HEX; the console lists the devices"
        ),
        (
          ["test", id, "--token", "00ff"],
          "--token: no device is registered for \(topic) with the token '00ff': use a whole token; "
            + "the device's details in the console contain it"
        ),
        (
          ["test", id, "--user", "bob"],
          "--user: no device of the user 'bob' is registered for \(topic): check the user; the console "
            + "lists the devices"
        ),
        (
          ["send", file, "--to", "tag:none"],
          "--to: no device with the tag 'none' is registered for \(topic): check the recipients: the "
            + "console lists the registered devices"
        ),
        (
          ["send", file, "--name", ""],
          "--name: empty: enter a name, or leave it out to use the first title"
        ),
      ]
      for (words, error) in cases {
        let refused = try await campaign(scenario, registry, words, succeeding: false)
        #expect(refused.status == 1 && refused.errors == "belfry: \(error)\n", "\(refused.errors)")
      }
      let status = try await scenario.belfryCommand([
        "campaign", "status", id, "--data", registry.data,
      ])
      #expect(
        status.lines.contains { $0.hasPrefix("devices ") && $0.hasSuffix(" not counted yet") },
        "\(status.output)")
      #expect(!status.output.contains("revision"), "\(status.output)")
    }
  }

  @Test func `A stored campaign is shown, changed in part, tried and started by its ID`()
    async throws
  {
    try await Scenario.run { scenario in
      let (_, devices, registry) = try await world(scenario, devices: 1)
      func run(_ words: [String], succeeding: Bool = true) async throws -> Scenario.CommandResult {
        try await scenario.belfryCommand(
          ["campaign"] + words + ["--data", registry.data], succeeding: succeeding)
      }
      let file = try scenario.write(
        #"{"topic":"\#(topic)","alert":{"en":{"title":"Hello"}}}"#, to: "campaign.json")
      let draft = try await run(["send", file, "--draft"])
      let id = String(try #require(draft.lines.first?.split(separator: " ").first))
      #expect(draft.errors == "start the draft with 'belfry campaign resume \(id)'\n")
      let mistaken = try await run(["send", id], succeeding: false)
      #expect(
        mistaken.status == 2 && mistaken.errors.contains("use 'belfry campaign resume \(id)'"),
        "\(mistaken.errors)")
      // The content is a campaign file.
      let shown = try scenario.write(try await run(["show", id]).output, to: "shown.json")
      _ = try await run(["edit", id, shown])
      let nothing = try await run(["edit", id], succeeding: false)
      #expect(
        nothing.status == 2
          && nothing.errors.contains("expected FILE, or an option that changes the campaign"),
        "\(nothing.errors)")
      let renamed = try await run(["edit", id, "--name", "Breakfast", "--rate", "5/s"])
      #expect(renamed.lines == ["\(id) \"Breakfast\" draft"])
      let content = try #require(try await campaign(scenario, registry, ["show", id]).values.first)
      #expect(content["name"].string == "Breakfast" && content["rate"].integer == 5)
      #expect(content["alert"]["en"]["title"].string == "Hello")
      let list = try await run(["list"])
      #expect(
        list.lines.first?.split(separator: " ").suffix(2) == ["TOPIC", "CREATED"],
        "\(list.output)")
      // An edit warns about a missing language, as 'send' does.
      let token = try #require(
        try await scenario.ask(registry, "/tokens").values.first?["deviceToken"].string)
      _ = try await scenario.ask(
        registry, "/tokens", body: #"{"deviceToken":"\#(token)","language":"ja"}"#)
      let edited = try await run(["edit", id, file])
      #expect(
        edited.errors == "belfry: warning: no ja text: 1 device will get en\n", "\(edited.errors)")
      let preview = try await run(["resume", id, "--dry-run"])
      #expect(preview.lines == ["ja: 1 device in en: Hello", "1 device, nothing sent"])
      let status = try await campaign(scenario, registry, ["status", id])
      #expect(status.values.first?["state"].string == "draft")
      let started = try await run(["start", id])
      #expect(
        started.lines.last?.hasPrefix("\(id) completed: 1 accepted") == true, "\(started.output)")
      #expect(payload(try await devices.received()).contains("Hello"))
    }
  }

  @Test func `On a terminal, a campaign is cancelled and deleted only after a confirmation`()
    async throws
  {
    try await Scenario.run { scenario in
      let (_, _, registry) = try await world(scenario, devices: 1)
      let file = try scenario.write(
        #"{"topic":"\#(topic)","alert":{"en":{"title":"Lunch"}}}"#, to: "campaign.json")
      let tomorrow = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: 86_400))
      let sent = try await campaign(scenario, registry, ["send", file, "--at", tomorrow])
      let id = try #require(sent.values.last?["id"].string)
      func states() async throws -> [String?] {
        try await campaign(scenario, registry, ["list"]).values.map { $0["state"].string }
      }
      func start(_ words: String) throws -> RunningProgram {
        let line = "\(Installation.belfry) campaign \(words) \(id) --data \(registry.data)"
        return try scenario.start(["/usr/bin/script", "-qec", line, "/dev/null"])
      }
      for (verb, question, remaining) in [
        ("cancel", "cancel the campaign \(id) (\"Lunch\", scheduled) permanently?", ["cancelled"]),
        ("delete", "delete the campaign \(id) (\"Lunch\", cancelled) permanently?", []),
      ] {
        let before = try await states()
        for (answer, isDone) in [("n", false), ("y", true)] {
          let program = try start(verb)
          _ = try await program.output(called: "the question") { lines in
            lines.contains { $0.contains(question) }
          }
          program.tell(answer)
          let status = try await program.end()
          #expect((status == 0) == isDone, "\(program.lines)")
          let after = try await states()
          #expect(after == (isDone ? remaining : before))
        }
      }
    }
  }

  @Test func `With --force, a campaign is deleted on a terminal without a question`() async throws {
    try await Scenario.run { scenario in
      let (_, _, registry) = try await world(scenario, devices: 1)
      let file = try scenario.write(
        #"{"topic":"\#(topic)","alert":{"en":{"title":"Lunch"}}}"#, to: "campaign.json")
      let draft = try await campaign(scenario, registry, ["send", file, "--draft"])
      let id = try #require(draft.values.last?["id"].string)
      let line = "\(Installation.belfry) campaign delete --force \(id) --data \(registry.data)"
      let program = try scenario.start(["/usr/bin/script", "-qec", line, "/dev/null"])
      #expect(try await program.end() == 0, "\(program.lines)")
      #expect(!program.lines.contains { $0.contains("[y/N]") }, "\(program.lines)")
      #expect(try await campaign(scenario, registry, ["list"]).values.isEmpty)
    }
  }

  @Test func `A command without a terminal reports that the campaign waits for quiet hours`()
    async throws
  {
    try await Scenario.run { scenario in
      let (_, _, registry) = try await world(scenario, devices: 1)
      func time(_ hours: Double) -> Substring {
        ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: hours * 3_600))
          .dropFirst(11).prefix(5)
      }
      let end = time(2)
      let file = try scenario.write(
        #"{"topic":"\#(topic)","alert":{"en":{"title":"Hello"}},"quietHours":{"from":"\#(time(-1))","to":"\#(end)"}}"#,
        to: "campaign.json")
      let program = try scenario.belfry(["campaign", "send", file, "--data", registry.data])
      try await program.error("waiting for quiet hours to end at ")
      #expect(program.errors.contains("T\(end):00"), "\(program.errors)")
      #expect(
        program.errors.contains(
          "(Ctrl-C ends only this command; the provider continues the campaign)"),
        "\(program.errors)")
      let status = try #require(
        try await campaign(scenario, registry, ["status"]).values.first)
      #expect(status["state"].string == "running")
      #expect(status["waitsFor"].string == "quiet hours")
      let list = try await scenario.belfryCommand(["campaign", "list", "--data", registry.data])
      #expect(list.lines.first?.hasSuffix("WAITS UNTIL") == true, "\(list.output)")
      let shown = try await scenario.belfryCommand(["campaign", "status", "--data", registry.data])
      #expect(
        shown.lines.contains { $0.hasPrefix("quietHours ") && $0.hasSuffix(" to \(end)") },
        "\(shown.output)")
      _ = try await campaign(scenario, registry, ["cancel", #require(status["id"].string)])
      try await program.end()
      let detached = try await scenario.belfryCommand([
        "campaign", "send", file, "--detach", "--data", registry.data,
      ])
      #expect(
        detached.errors.contains("1 device waits for quiet hours to end; it gets the campaign at "),
        "\(detached.errors)")
      let tomorrow = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: 86_400))
      let plain = try scenario.write(
        #"{"topic":"\#(topic)","alert":{"en":{"title":"Hello"}}}"#, to: "plain.json")
      let timed = try await scenario.belfryCommand([
        "campaign", "send", plain, "--at", tomorrow, "--detach", "--data", registry.data,
      ])
      #expect(
        timed.errors.contains("1 device waits for the campaign's time; it gets the campaign at "),
        "\(timed.errors)")
    }
  }

  @Test func `A draft is listed, tried on one device, copied, scheduled, cancelled and deleted`()
    async throws
  {
    try await Scenario.run { scenario in
      let (_, devices, registry) = try await world(scenario, devices: 1)
      let file = try scenario.write(
        #"{"topic":"\#(topic)","alert":{"en":{"title":"Hello"}}}"#, to: "campaign.json")
      let empty = try await scenario.belfryCommand(["campaign", "list", "--data", registry.data])
      #expect(empty.output.isEmpty)
      let draft = try await campaign(scenario, registry, ["send", file, "--draft", "--name", "N"])
      let id = try #require(draft.values.last?["id"].string)
      #expect(draft.values.last?["state"].string == "draft")
      let test = try await campaign(scenario, registry, ["test", id])
      #expect(test.values.last?["status"].integer == 200)
      #expect(payload(try await devices.received()).contains("Hello"))
      let copy = try await campaign(scenario, registry, ["copy", id])
      let other = try #require(copy.values.last?["id"].string)
      let tomorrow = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: 86_400))
      _ = try await campaign(scenario, registry, ["edit", other, file, "--at", tomorrow])
      _ = try await campaign(scenario, registry, ["resume", other])
      let list = try await campaign(scenario, registry, ["list"])
      #expect(list.values.map { $0["state"].string } == ["draft", "scheduled"])
      #expect(list.values.map { $0["name"].string } == ["N", "Copy of N"])
      let table = try await scenario.belfryCommand(["campaign", "list", "--data", registry.data])
      #expect(table.lines.first?.hasPrefix("ID") == true && table.lines.count == 3)
      #expect(table.lines.first?.contains("PROBLEM") == false)
      // The recipients of a draft are counted when it starts.
      #expect(
        table.lines.contains {
          $0.split(separator: " ").dropFirst(2).starts(with: ["draft", "-", "-", "0"])
        }, "\(table.output)")
      for verb in ["cancel", "delete"] {
        _ = try await campaign(scenario, registry, [verb, other])
      }
      let refused = try await campaign(scenario, registry, ["cancel", id], succeeding: false)
      #expect(refused.status == 1 && refused.errors.contains("it is a draft: delete it"))
      _ = try await campaign(scenario, registry, ["delete", id])
      #expect(try await campaign(scenario, registry, ["list"]).values.isEmpty)
      #expect(devices.program.untaken.allSatisfy { $0["event"].string != "received" })
    }
  }
}
