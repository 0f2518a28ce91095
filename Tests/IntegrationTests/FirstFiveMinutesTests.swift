import Foundation
import System
import TestSupport
import Testing

/// Every line of the pages in `docs/first-five-minutes`, run as it stands there.
@Suite struct FirstFiveMinutesTests {
  private static let folder = Installation.root + "/docs/first-five-minutes"

  /// The lines of a page's blocks for a shell, as one script.
  private func script(_ page: String) throws -> String {
    let text = try String(contentsOfFile: "\(Self.folder)/\(page).md", encoding: .utf8)
    var lines: [Substring] = []
    var isInBlock = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        isInBlock = line == "```sh"
      } else if isInBlock {
        lines.append(line)
      }
    }
    try #require(!lines.isEmpty)
    return lines.joined(separator: "\n") + "\n"
  }

  /// Runs a page's lines in a home of its own, and returns what they print.
  ///
  /// The gateway takes free ports there, and the agent grants what a person would be asked for; `swift build` brings
  /// the program that was built of the starter's source already.
  private func run(
    _ page: String, on scenario: Scenario,
    environment: [String: String] = [:]
  ) async throws -> Scenario.CommandResult {
    let bin = scenario.folder.file("bin")
    for folder in ["bin", "home", "run"] {
      try FileManager.default.createDirectory(
        atPath: scenario.folder.file(folder), withIntermediateDirectories: true)
    }
    _ = try await scenario.script(
      "bin/belfry",
      """
      real=\(Installation.belfry)
      case "$1" in
        gateway)
          test "$2" = status && exec $real "$@"
          shift
          exec $real gateway --provider-port 0 --device-port 0 --binary-port 0 --feedback-port 0 \
            --console-port 0 "$@" ;;
        agent) shift; exec $real agent --grant all --presenter json "$@" ;;
        dev) shift; exec $real dev --presenter json "$@" ;;
        # A person types no faster than an agent starts.
        notify | subscribe | doctor | app)
          test "$2" = --gateway || until [ -S "$BELFRY_SOCKET" ]; do sleep 0.05; done
          exec $real "$@" ;;
        # And opens what is on the screen.
        center) until $real center | grep -q Hello; do sleep 0.05; done; exec $real "$@" ;;
        *) exec $real "$@" ;;
      esac
      """)
    let whole =
      "set -e\ntrap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT\n" + (try script(page))
    let variables = [
      "HOME": scenario.folder.file("home"), "XDG_RUNTIME_DIR": scenario.folder.file("run"),
      "XDG_STATE_HOME": scenario.folder.file("home/.local/state"),
      "BELFRY_SOCKET": scenario.folder.file("run/agent.sock"),
      "TMPDIR": scenario.folder.path,
      "PATH": bin + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? ""),
    ]
    let file = scenario.folder.file("page")
    try whole.write(toFile: file, atomically: true, encoding: .utf8)
    return try await scenario.command(
      ["/bin/sh", "-c", "cd \"$HOME\" && exec /bin/bash \(file)"],
      environment: variables.merging(environment) { $1 }, within: TestTimeout.long)
  }

  @Test func `Each page of the list is there, and each is run here`() throws {
    let pages = try FileManager.default.contentsOfDirectory(atPath: Self.folder)
    #expect(
      pages.map { String($0.prefix { $0 != "." }) }.sorted()
        == ["README", "backend-in-ci", "desktop-user", "ios-developer", "operator"])
  }

  @Test(.requires(.curl)) func `A backend in CI`() async throws {
    try await Scenario.run { scenario in
      let answer = try await run("backend-in-ci", on: scenario)
      let received = answer.values.filter { $0["event"].string == "received" }
      #expect(received.first?["payload"]["aps"]["alert"]["title"].string == "Hello")
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
      _ = try await scenario.script(
        "bin/swift", "mkdir -p .build/debug && cp \(starter) .build/debug/MyApp")
      let answer = try await run(
        "ios-developer", on: scenario, environment: ["BELFRY_PATH": Installation.root])
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
      // A folder of another name, with all that is the package's.
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
