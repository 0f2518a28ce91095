import Foundation
import TestSupport
import Testing

/// Tests of the background tasks of an installed app, under the agent's manual clock.
@Suite(.serialized, .timeLimit(.minutes(60)))
struct TaskExamples {
  private static let id = "org.example.news"

  @Test
  func `A task starts its app when it is due, and ends with its time`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil, options: ["--clock", "manual"])
      try await scenario.tell(agent, "clock", "set", ISO8601DateFormatter().string(from: Date()))
      let folder = try await scenario.bundle(
        "NewsTasks", id: Self.id,
        manifest: [
          "UIBackgroundModes": ["fetch", "processing"],
          "BGTaskSchedulerPermittedIdentifiers": [Self.id + ".refresh", Self.id + ".tidying"],
        ])
      try await scenario.tell(agent, "app", "install", folder)
      let app = try scenario.start(
        [folder + "/NewsTasks"], environment: ["BELFRY_SOCKET": agent.socket])
      _ = try await app.text("opened")
      // A task that the manifest doesn't permit can be neither registered nor submitted.
      #expect(try await app.text("unknown") == "unknown registered false")
      #expect(
        try await app.text("org.example.news.unknown")
          == "org.example.news.unknown refused: 3")
      try await scenario.tell(agent, "state", "front=none")
      #expect(
        try await app.text("waiting")
          == "waiting org.example.news.refresh org.example.news.tidying")
      try await app.stop()

      // Nothing happens before the hour is over. After that, the agent starts the app, regardless of the app's startup
      // time.
      try await scenario.tell(agent, "clock", "advance", "3500")
      #expect(!agent.program.lines.contains { $0.contains("launched") })
      try await scenario.tell(agent, "clock", "advance", "3500")
      let launched = try await agent.program.event("launched")
      #expect(launched["app"].string == Self.id)
      #expect(launched["reason"].string == "task")
      #expect(await agent.program.hasError("started behind"))
      #expect(await agent.program.hasError("refreshing as BGAppRefreshTask"))
      // On the next day, the other task begins. It continues until its time is up.
      try await scenario.tell(agent, "clock", "advance", "86400")
      #expect(await agent.program.hasError("tidying as BGProcessingTask"))
      try await scenario.tell(agent, "clock", "advance", "30")
      #expect(await agent.program.hasError("tidying is cut short"))
    }
  }
}
