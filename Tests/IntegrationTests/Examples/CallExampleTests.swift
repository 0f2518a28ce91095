import Foundation
import TestSupport
import Testing

/// Tests of calls and live activities, whose pushes are delivered directly to the app.
@Suite(.timeLimit(.minutes(60))) struct CallExamples {
  /// An app that reports calls, with the gateway and the token for sending the calls.
  private struct Receiver {
    let scenario: Scenario
    let gateway: GatewayProgram
    let agent: AgentProgram
    let program: RunningProgram
    let token: String

    static let id = "org.example.CallReceiver"

    init(_ scenario: Scenario) async throws {
      self.scenario = scenario
      gateway = try await scenario.gateway()
      agent = try await scenario.agent(of: gateway)
      program = try await scenario.example("CallReceiver", on: agent)
      token = try await scenario.token(of: program)
    }

    func call(_ payload: String) async throws {
      try await scenario.push(
        payload, to: token, topic: Self.id + ".voip", of: gateway, options: ["--type", "voip"])
    }

    func press(_ index: Int) async throws {
      let shown = try await agent.presented(Self.id)
      let id = try #require(shown["id"].string)
      #expect(shown["title"].string == "Anna")
      #expect(shown["body"].string == "Incoming call")
      #expect(shown["actions"].array.map { $0["title"].string } == ["Answer", "Decline"])
      try await scenario.tell(agent, "center", "action", id, "\(index)", "--app", Self.id)
    }
  }

  @Test(arguments: [(0, "answered"), (1, "ended")])
  func `A reported call is a notification, and its buttons answer and decline it`(
    index: Int, line: String
  ) async throws {
    try await Scenario.run { scenario in
      let receiver = try await Receiver(scenario)
      try await receiver.call(#"{"aps":{},"caller":"Anna"}"#)
      _ = try await receiver.program.text("ringing")
      try await receiver.press(index)
      #expect(try await receiver.program.text(line) == line)
    }
  }

  @Test
  func `A call that the other side ends is withdrawn`() async throws {
    try await Scenario.run { scenario in
      let receiver = try await Receiver(scenario)
      try await receiver.call(#"{"aps":{},"caller":"Anna","givesUp":true}"#)
      let shown = try await receiver.agent.presented(Receiver.id)
      let gone = try await receiver.agent.program.event("removed") {
        $0["id"].string == shown["id"].string
      }
      #expect(gone["app"].string == Receiver.id)
    }
  }

  @Test
  func `An app gets a token for its live activity, whose pushes update, start and end it`()
    async throws
  {
    try await Scenario.run { scenario in
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(of: gateway)
      let app = try await scenario.example("ScoreActivity", on: agent)
      let token = try await scenario.token(of: app)
      func push(_ aps: String) async throws {
        try await scenario.push(
          #"{"aps":{"timestamp":1,\#(aps)}}"#, to: token,
          topic: "org.example.ScoreActivity.push-type.liveactivity", of: gateway,
          options: ["--type", "liveactivity"])
      }
      #expect(try await app.text("score") == "score 0 0")
      try await push(#""event":"update","content-state":{"home":1,"guest":2}"#)
      #expect(try await app.text("score 1") == "score 1 2")
      try await push(#""event":"end","content-state":{"home":3,"guest":2}"#)
      #expect(try await app.text("score 3") == "score 3 2")
      #expect(try await app.text("over") == "over dismissed 0")
      try await push(
        #""event":"start","attributes-type":"MatchAttributes","attributes":{"name":"Replay"},"content-state":{"home":0,"guest":0},"alert":{"title":"Replay","body":"It begins"}"#
      )
      #expect(try await app.text("started") == "started Replay 0")
    }
  }
}
