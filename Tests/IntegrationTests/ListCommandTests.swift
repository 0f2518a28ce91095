import TestSupport
import Testing

/// Tests of the human-readable lists that commands print.
@Suite struct ListCommandTests {
  @Test func `A list has headings, and an empty one is reported on standard error`() async throws {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      func list(_ words: String...) async throws -> Scenario.CommandResult {
        try await scenario.belfryCommand(words + ["--data", gateway.data])
      }
      for (words, notice) in [
        (["certificate", "list"], "no certificates"), (["topic", "list"], "no apps"),
        (["channel", "list"], "no channels"), (["device", "list"], "no devices"),
        (["fault", "list"], "no faults"), (["damage", "list"], "no damaged rows"),
        (["log"], "no notifications"),
      ] {
        let empty = try await scenario.belfryCommand(words + ["--data", gateway.data])
        #expect(empty.lines.isEmpty, "\(words)")
        #expect(empty.errors == "belfry: \(notice)\n", "\(words)")
        let json = try await scenario.belfryCommand(words + ["--data", gateway.data, "--json"])
        #expect(json.lines.isEmpty && json.errors.isEmpty, "\(words)")
      }
      let teams = try await list("team", "list")
      #expect(teams.lines.count == 2 && teams.errors.isEmpty)
      #expect(teams.lines.first?.split(separator: " ") == ["ID", "NAME", "CREATED"])
      _ = try await list("fault", "add", "--delay", "5", "--times", "2")
      let faults = try await list("fault", "list")
      #expect(
        faults.lines.map { $0.split(separator: " ") }
          == [["ID", "DELAY", "TIMES", "REMAINING"], ["1", "5", "2", "2"]])
      try await gateway.stop()
    }
  }

  @Test func `Every table for people has the same headings, and an id for a script has none`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: nil, options: ["--grant", "all"])
      let devices = try scenario.devices(of: gateway, topics: ["com.example.app"])
      _ = try await devices.token()
      let desktopFile = try scenario.write(
        "[Desktop Entry]\nType=Application\nName=Burger\nExec=/bin/true\n",
        to: "org.example.burger.desktop")
      let data = ["--data", gateway.data]
      let socket = ["--socket", agent.socket]
      let device = try #require(
        try await scenario.belfryCommand(["device", "list", "--json"] + data).values
          .first?["device"].integer)
      for (words, heading) in [
        (["ca", "rotate"] + data, "ID NAME SIGNS DEVICES LOCKED OUT PROVIDERS ENDS"),
        (["token-key", "rotate"] + data, "ID STATE TOKENS"),
        (["device", "revoke", "\(device)"] + data, "DEVICE REVOKED"),
        (["key", "revoke", gateway.keyID] + data, "ID REVOKED"),
        (["app", "install", desktopFile] + socket, "APP NAME"),
        (["settings", "org.example.burger"] + socket, "APP "),
        (["state"] + socket, "LOCKED BATTERY"),
      ] {
        let table = try await scenario.belfryCommand(words)
        let first = table.lines.first?.split(separator: " ").joined(separator: " ") ?? ""
        #expect((first + " ").hasPrefix(heading), "\(words): \(table.output)")
        #expect(first == first.uppercased() && table.lines.count >= 2, "\(words)")
        #expect(!table.output.contains("notRunning"), "\(words): \(table.output)")
      }
      let team = try await scenario.belfryCommand(["team", "add", "--id", "ABCDE12345"] + data)
      #expect(team.lines == ["ABCDE12345"])
      for words in [["team", "remove", "ABCDE12345"], ["device", "code"]] {
        #expect(try await scenario.belfryCommand(words + data).lines.count == 1, "\(words)")
      }
    }
  }

  @Test func `Pending notifications are listed in the device's local time`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil, options: ["--clock", "manual"])
      func belfry(_ words: String...) async throws -> Scenario.CommandResult {
        try await scenario.belfryCommand(words + ["--socket", agent.socket])
      }
      #expect(try await belfry("notify", "list").errors == "belfry: no pending notifications\n")
      #expect(try await belfry("app", "list").errors == "belfry: no apps\n")
      _ = try await belfry("clock", "zone", "Asia/Kolkata")
      _ = try await belfry("notify", "Tea", "--at", "1970-01-02T18:05:09", "--id", "tea")
      let list = try await belfry("notify", "list")
      #expect(list.lines.first?.hasPrefix("APP ") == true, "\(list.output)")
      #expect(list.output.contains(" 1970-01-02 18:05:09 "), "\(list.output)")
      let json = try await belfry("notify", "list", "--json")
      #expect(json.values.first?["next"].string == "1970-01-02T12:35:09Z")
      #expect(list.lines.last?.hasSuffix(" no") == true, "\(list.output)")
      _ = try await belfry("notify", "Stand up", "--at", "9:30", "--every", "day", "--id", "tea")
      let daily = try await belfry("notify", "list")
      #expect(daily.lines.last?.hasSuffix(" every day") == true, "\(daily.output)")
      let row = try await belfry("notify", "list", "--json").values.first
      #expect(row?["repeats"].boolean == true && row?["every"].string == "day", "\(daily.output)")
    }
  }
}
