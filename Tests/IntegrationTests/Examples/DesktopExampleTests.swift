import Foundation
import TestSupport
import Testing

/// Tests of the calls that a desktop's notification server receives for the examples.
@Suite(
  .serialized, .timeLimit(.minutes(60)), .requires(.dbus, .dbusMonitor, .dunst, .xvfb))
struct DesktopExamples {
  @Test
  func `A banner has the minimal context's two actions, an alert all three`() async throws {
    try await Scenario.run { scenario in
      let desktop = try await DesktopSession(on: scenario)
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(
        of: gateway, presenters: ["json", "desktop"], environment: desktop.environment)
      let id = "org.example.Invitation"
      let app = try await scenario.example("Invitation", on: agent)
      let token = try await scenario.token(of: app)
      try await scenario.tell(agent, "state", "front=none")
      func actions(of text: String) async throws -> [String] {
        try await scenario.push(
          #"{"aps":{"alert":"\#(text)","category":"INVITE_CATEGORY"}}"#, to: token, topic: id,
          of: gateway)
        return try await desktop.call("Notify", containing: text).compactMap { line in
          ["Accept", "Maybe", "Decline"].first { line.contains(#"string "\#($0)""#) }
        }
      }
      // S1-30 part 1 of 2: the minimal context
      #expect(try await actions(of: "Dinner") == ["Accept", "Decline"])
      try await scenario.tell(agent, "settings", id, "style=alert")
      // S1-30 part 2 of 2: the default context
      #expect(try await actions(of: "Lunch") == ["Accept", "Maybe", "Decline"])
    }
  }

  @Test
  func `The action button on the screen has the app's own title in the user's language`()
    async throws
  {
    try await Scenario.run { scenario in
      let desktop = try await DesktopSession(on: scenario)
      let gateway = try await scenario.gateway()
      let agent = try await scenario.agent(
        of: gateway, presenters: ["json", "desktop"], options: ["--clock", "manual"],
        environment: desktop.environment)
      try await scenario.tell(agent, "clock", "set", ISO8601DateFormatter().string(from: Date()))
      try await scenario.tell(agent, "settings", "--languages", "fr-CA,en")
      let id = "org.example.match"
      let folder = try await scenario.bundle(
        "MatchReminder", id: id, manifest: ["CFBundleDevelopmentRegion": "en"],
        languages: [
          "en": #""MATCH_BEGINS" = "The match begins"; "WATCH" = "Watch";"#,
          "fr": #""MATCH_BEGINS" = "Le match commence"; "WATCH" = "Regarder";"#,
        ])
      try await scenario.tell(agent, "app", "install", folder)
      let app = try scenario.start(
        [folder + "/MatchReminder"], environment: ["BELFRY_SOCKET": agent.socket])
      _ = try await app.text("scheduled")
      try await app.stop()
      try await scenario.tell(agent, "settings", id, "style=alert")
      try await scenario.tell(agent, "clock", "advance", "3700")
      let local = try await desktop.call("Notify", containing: "Le match commence")
      // S0-11 part 2 of 2: the title of the action button
      // S3-21 part 2 of 2: the title of the action button
      #expect(local.contains { $0.contains(#"string "Regarder""#) }, "\(local)")

      let other = "org.example.words"
      let words = try await scenario.bundle(
        "Registration", id: other, manifest: ["CFBundleDevelopmentRegion": "en"],
        languages: ["en": #""SHOW_KEY" = "Show";"#, "fr": #""SHOW_KEY" = "Montrer";"#])
      try await scenario.tell(agent, "app", "install", words)
      let registering = try scenario.start(
        [words + "/Registration"], environment: ["BELFRY_SOCKET": agent.socket])
      let token = try await scenario.token(of: registering)
      try await registering.stop()
      try await scenario.tell(agent, "settings", other, "style=alert")
      try await scenario.push(
        #"{"aps":{"alert":{"body":"Move","action-loc-key":"SHOW_KEY"}}}"#, to: token, topic: other,
        of: gateway)
      let push = try await desktop.call("Notify", containing: "Move")
      // S4-23
      #expect(push.contains { $0.contains(#"string "Montrer""#) }, "\(push)")
      #expect(push.contains { $0.contains(#"string "Registration""#) }, "\(push)")
    }
  }
}
