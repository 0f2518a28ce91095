import Foundation
import TestSupport
import Testing

/// Tests of programs without windows or without an app, and of the prompts that they cause.
@Suite(.serialized, .timeLimit(.minutes(60))) struct PlainPrograms {
  @Test
  func `A question from the app is shown with its answer buttons, and the app gets the answer`()
    async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let id = "org.example.Question"
      let app = try await scenario.example("Question", on: agent)
      _ = try await app.text("loaded")
      let shown = try await agent.presented(id)
      #expect(shown["title"].string == "New list")
      #expect(shown["actions"].array.map { $0["title"].string } == ["Cancel", "Add"])
      try await scenario.tell(
        agent, "center", "action", try #require(shown["id"].string), "1", "--text", "Books",
        "--app", id)
      #expect(try await app.text("added") == "added Books")
    }
  }

  @Test
  func `The tool of docs/bring-an-app-from-ios.md is what it says`() async throws {
    let page = try String(
      contentsOfFile: Installation.root + "/docs/bring-an-app-from-ios.md", encoding: .utf8)
    let code = try String(
      contentsOfFile: Examples.folder + "/Sources/PlainTool/PlainTool.swift", encoding: .utf8)
    #expect(page.contains("```swift\n" + code + "```"))
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let tool = try await scenario.example("PlainTool", on: agent)
      #expect(try await agent.presented("org.example.PlainTool")["id"].string == "backup")
      #expect(try await tool.end() == 0)
    }
  }

  @Test
  func `Requests that a tool made before it exited are still carried out`() async throws {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let tool = try await scenario.example("HastyTool", on: agent)
      #expect(try await agent.presented("org.example.HastyTool")["id"].string == "hasty")
      #expect(try await tool.end() == 0)
    }
  }

  @Test(arguments: ["null", "object"])
  func
    `Data that is not a property-list type is refused, by an error or as the older interfaces do`(
      value: String
    ) async throws
  {
    try await Scenario.run { scenario in
      let agent = try await scenario.agent(of: nil)
      let center = try await scenario.example(
        "UnfitData", on: agent, arguments: ["center", value])
      let refusal = try await center.text("refused")
      // S0-15 part 2 of 2: other data is refused
      // S1-47 part 2 of 2: other data is refused
      #expect(refusal.contains("is not a property-list type"), "\(refusal)")
      // The program continues, and property-list data is shown.
      #expect(await agent.nextPresented("org.example.UnfitData")["id"].string == "fit")
      #expect(try await center.end() == 0)
      // Apple's older interfaces terminate the program with an exception; here, the program traps.
      for interface in ["local", "desktop"] {
        let older = try await scenario.example(
          "UnfitData", on: agent, app: "org.example.\(interface)", arguments: [interface, value])
        #expect(try await older.end() > 128)
        #expect(!older.lines.contains("added"))
      }
      #expect(
        try await scenario.tell(agent, "center", "--json").values.map { $0["id"].string } == ["fit"]
      )
    }
  }

  @Test
  func `An app starts the agent where the login session allows it`() async throws {
    try await Scenario.run { scenario in
      // The script `belfry`, which is first in `PATH`, records its process ID.
      let programs = scenario.folder.file("bin")
      let runtime = scenario.folder.file("run")
      for folder in [programs, runtime] {
        try FileManager.default.createDirectory(
          atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      }
      let id = scenario.folder.file("agent.pid")
      _ = try await scenario.script(
        "bin/belfry", "echo $$ > \(id)\nexec \(Installation.belfry) \"$@\" --grant all")
      let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
      let tool = try scenario.start(
        [
          "/usr/bin/env", "-u", "BELFRY_SOCKET", try await Examples.executable("PlainReminder"),
        ],
        environment: [
          "PATH": programs + ":" + path, "XDG_RUNTIME_DIR": runtime,
          "XDG_STATE_HOME": scenario.folder.file("state"), "BELFRY_APP_ID": "org.example.starter",
        ])
      let line = try await tool.text("permission")
      let agent = try String(contentsOfFile: id, encoding: .utf8)
      if let number = Int32(agent.trimmingCharacters(in: .whitespacesAndNewlines)) {
        kill(number, SIGTERM)
      }
      #expect(line == "permission true")
    }
  }
}
