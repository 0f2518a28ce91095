import Foundation
import System
import TestSupport
import Testing

/// Tests that run every line of the pages in `docs/first-five-minutes` unchanged.
@Suite struct FirstFiveMinutesTests {
  private static let folder = Installation.root + "/docs/first-five-minutes"

  /// Runs the lines of a page, followed by the given lines.
  private func run(
    _ page: String, on scenario: Scenario, then last: String = "",
    environment: [String: String] = [:]
  ) async throws -> Scenario.CommandResult {
    let blocks = try MarkdownPage("docs/first-five-minutes/\(page).md").blocks
    let lines = blocks.filter { $0.language == "sh" }.map(\.text)
    try #require(!lines.isEmpty)
    return try await DocumentationHome(scenario)
      .run((lines + [last]).joined(separator: "\n"), environment: environment)
  }

  @Test func `Each page of the list is there, and each is run here`() throws {
    let pages = try FileManager.default.contentsOfDirectory(atPath: Self.folder)
    #expect(
      pages.map { String($0.prefix { $0 != "." }) }.sorted()
        == ["README", "backend-in-ci", "campaign", "desktop-user", "ios-developer", "operator"])
  }

  @Test(.requires(.curl)) func `A backend in CI`() async throws {
    try await Scenario.run { scenario in
      let answer = try await run("backend-in-ci", on: scenario)
      let received = answer.values.filter { $0["event"].string == "received" }
      #expect(received.first?["payload"]["aps"]["alert"]["title"].string == "Hello")
    }
  }

  @Test(.requires(.curl)) func `A campaign`() async throws {
    try await Scenario.run { scenario in
      let answer = try await run("campaign", on: scenario)
      #expect(answer.lines.contains("3 devices, nothing sent"), "\(answer.output)")
      #expect(answer.output.contains("completed: 3 accepted, 0 dead"), "\(answer.output)")
    }
  }

  @Test func `An operator`() async throws {
    try await Scenario.run { scenario in
      let answer = try await run("operator", on: scenario)
      #expect(answer.values.contains { $0["status"].integer == 200 }, "\(answer.output)")
      #expect(
        answer.lines.contains { $0.hasPrefix("belfry agent --gateway belfry://push.example.org:") })
      #expect(answer.output.contains("Delivered to Device"), "\(answer.output)")
      #expect(!answer.lines.contains { $0.hasPrefix("missing") }, "\(answer.output)")
    }
  }

  @Test func `An iOS developer`() async throws {
    let starter = try await Examples.executable("Starter")
    try await Scenario.run { scenario in
      _ = try FileManager.default.createDirectory(
        atPath: scenario.folder.file("bin"), withIntermediateDirectories: true)
      // The app's output is also written to a file, because its last lines appear after the page's last command.
      let said = scenario.folder.file("said")
      _ = try await scenario.script(
        "started-app", "exec /bin/bash -c 'exec \(starter) > >(tee \(said))'")
      // A real build takes long enough for `belfry dev` to start the agent.
      _ = try await scenario.script(
        "bin/swift",
        "until belfry state > /dev/null 2>&1; do sleep 0.05; done; mkdir -p .build/debug && cp \(scenario.folder.file("started-app")) .build/debug/MyApp"
      )
      let answer = try await run(
        "ios-developer", on: scenario,
        then: "until grep -q opened \(said) || ! kill -0 $!; do sleep 0.05; done",
        environment: ["BELFRY_PATH": Installation.root])
      #expect(answer.lines.contains("presents Hello"), "\(answer.output)")
      #expect(answer.lines.contains("opened Hello"), "\(answer.output)")
      #expect(answer.values.contains { $0["event"].string == "presented" }, "\(answer.output)")
    }
  }

  @Test func `A desktop user`() async throws {
    try await Scenario.run { scenario in
      let answer = try await run("desktop-user", on: scenario)
      #expect(answer.lines.contains { $0.hasPrefix("curl ") }, "\(answer.output)")
      #expect(answer.output.contains("Go home"))
    }
  }

  @Test func `A starter finds the package by its path, whatever the folder is called`() async throws
  {
    try await Scenario.run { scenario in
      let copy = scenario.folder.file("MyApp")
      try FileManager.default.copyItem(
        atPath: Installation.root + "/Examples/Starter", toPath: copy)
      // This folder has a different name, and contains the complete package.
      let other = scenario.folder.file("another-name")
      try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
      for name in ["Package.swift", "Sources", "Tests", "Benchmarks", "Fuzzing"] {
        try FileManager.default.createSymbolicLink(
          atPath: other + "/" + name, withDestinationPath: Installation.root + "/" + name)
      }
      let answer = try await scenario.command(
        ["/usr/bin/env", "swift", "package", "--package-path", copy, "show-dependencies"],
        environment: ["HOME": NSHomeDirectory(), "BELFRY_PATH": other], within: TestTimeout.long)
      #expect(answer.output.contains("another-name"), "\(answer.output)")
    }
  }
}
