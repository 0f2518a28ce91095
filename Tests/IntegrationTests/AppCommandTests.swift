import BelfryWire
import TestSupport
import Testing

@testable import Tool

/// Tests of the advice in the messages and the help of `belfry app` and `belfry settings`.
@Suite struct AppCommandTests {
  @Test func `The advice about a missing token names a way to register for that kind of token`() {
    let app = "com.example.app"
    func advice(_ kind: TokenKind) -> String { AppCommand.registrationAdvice(kind, app) }
    #expect(advice(.alert).contains("'belfry app run com.example.app --register'"))
    for kind in [TokenKind.voip, .complication, .fileProvider] {
      #expect(advice(kind) == "run an app that registers with PKPushRegistry")
    }
    #expect(advice(.liveActivity) == "run an app that registers with ActivityKit")
    for kind in [TokenKind.mdm, .location, .pushToTalk, .widgets, .controls] {
      #expect(advice(kind).contains("'belfry device run --app com.example.app:\(kind.name)'"))
    }
  }

  @Test func `The help of the settings lists every location value that the agent accepts`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      try await scenario.tell(agent, "notify", "--app", "com.example.app", "--title", "Hello")
      let refused = try await scenario.belfryCommand(
        ["settings", "com.example.app", "location=off", "--socket", agent.socket],
        succeeding: false)
      let list = try #require(refused.errors.split(separator: ": expected ").last)
      let values = list.split { ", \n".contains($0) }.filter { $0 != "or" }
      #expect(values.count == 5, "\(refused.errors)")
      let help = SettingsCommand.table.help
      for value in values { #expect(help.contains(value), "\(value)") }
    }
  }
}
