import BelfryWire
import TestSupport
import Testing

@testable import Tool

/// Tests of `belfry notify --near`.
@Suite struct AreaNotificationTests {
  @Test func `A notification for an area has no dates, and waits until the location is known`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let socket = ["--socket", agent.socket]
      let added = try await scenario.belfryCommand(
        ["notify", "Paris", "--near", "48.858,2.294,200", "--id", "p"] + socket)
      #expect(added.lines == ["p"])
      #expect(added.errors.contains("the device's location is not known yet"), "\(added.errors)")
      func location() async throws -> JSONLine? {
        try await scenario.belfryCommand(["doctor", "--json"] + socket).values
          .first { $0["feature"].string == "location" }
      }
      #expect(try await location()?["state"].string == "attention")
      _ = try await scenario.belfryCommand(["location", "set", "0,0"] + socket)
      #expect(try await location()?["state"].string == "ok")
      let next = try await scenario.belfryCommand(["notify", "next", "p", "--count", "3"] + socket)
      #expect(next.lines.isEmpty && next.errors.contains("no dates: 'p'"), "\(next.errors)")
    }
  }

  @Test func `An app without location access is told only the commands that it needs`() async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let socket = ["--socket", agent.socket]
      func near(_ id: String) async throws -> Scenario.CommandResult {
        try await scenario.belfryCommand(
          ["notify", "Paris", "--near", "48.858,2.294,200", "--id", id] + socket, succeeding: false)
      }
      #expect(try await near("first").status == 0)
      let allow = "'belfry settings belfry.shell location=whenInUse'"
      let turnOn = "'belfry settings --location on'"
      _ = try await scenario.belfryCommand(["settings", "--location", "off"] + socket)
      let off = try await near("second")
      #expect(off.errors.contains("has no location access: use \(turnOn)"), "\(off.errors)")
      #expect(!off.errors.contains(allow))
      _ = try await scenario.belfryCommand(
        ["settings", "belfry.shell", "location=denied"] + socket)
      let both = try await near("second")
      #expect(both.errors.contains("use \(allow) and \(turnOn)"), "\(both.errors)")
      _ = try await scenario.belfryCommand(["settings", "--location", "on"] + socket)
      let denied = try await near("second")
      #expect(denied.errors.contains("use \(allow)"), "\(denied.errors)")
      #expect(!denied.errors.contains(turnOn))
    }
  }

  @Test func `The error for an invalid app ID contains the rule`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let refused = try await scenario.belfryCommand(
        ["notify", "Tea", "--app", "foo", "--socket", agent.socket], succeeding: false)
      #expect(
        refused.errors.contains(
          "invalid app ID 'foo': expected at least two parts separated by dots, such as "
            + "org.example.app"), "\(refused.errors)")
    }
  }
}
