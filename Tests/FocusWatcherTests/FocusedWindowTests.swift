import Foundation
import Glibc
import TestSupport
import Testing

@testable import FocusWatcher

/// Tests of the program on a real X server.
@Suite("belfry-focus", .requires(.xvfb, .systemPython))
struct FocusedWindowTests {
  private static let program = Installation.products + "/belfry-focus"

  @Test(.requiresCallFilter)
  func `a focused window is reported by its properties, with no empty report between two windows`()
    async throws
  {
    try await Scenario.run { scenario in
      let windows = try await WindowScenario(on: scenario)
      let watcher = try scenario.start([Self.program], environment: windows.environment)
      #expect(try await watcher.firstLine() == #"{"window":null}"#)
      try await windows.front(
        #"{"process":77,"class":["burger","Burger"],"gtk":"org.example.g","kde":"org.example.k"}"#)
      _ = try await watcher.output(called: "the window") { $0.count == 2 }
      try await windows.front(#"{"class":["x"]}"#)
      _ = try await watcher.output(called: "the next window") { $0.count == 3 }
      try await windows.front("null")
      _ = try await watcher.output(called: "a line without a focused window") { $0.count == 4 }
      #expect(
        watcher.lines.dropFirst() == [
          #"{"window":{"process":77,"names":["org.example.k","org.example.g","burger","Burger"]}}"#,
          #"{"window":{"process":null,"names":["x"]}}"#, #"{"window":null}"#,
        ])
      windows.server.signal(SIGTERM)
      #expect(try await watcher.end() == 0)
    }
  }

  @Test
  func `window properties are untrusted: they are truncated and escaped and cannot break a line`()
    async throws
  {
    try await Scenario.run { scenario in
      let windows = try await WindowScenario(on: scenario)
      let watcher = try scenario.start([Self.program], environment: windows.environment)
      _ = try await watcher.firstLine()
      let long = String(repeating: "é", count: 5_000)
      try await windows.front(#"{"kde":"a\n\"b\\\u00ff\u0001","gtk":"\#(long)"}"#)
      let line = try await watcher.line(called: "the window") {
        $0["window"]["names"][1].string != nil
      }
      #expect(line["window"]["names"][0].string == "a\n\"b\\\u{FFFD}\u{1}")
      let name = try #require(line["window"]["names"][1].string)
      #expect(name == String(repeating: "\u{FFFD}", count: 1_024))
    }
  }

  @Test(.requiresCallFilter)
  func `it ends with its reader, and says where it cannot begin`() async throws {
    try await Scenario.run { scenario in
      let windows = try await WindowScenario(on: scenario)
      // The shell waits for the programs at both ends of the pipe.
      let line = try await scenario.command(
        ["/bin/sh", "-c", "\(Self.program) | head -n 1"], environment: windows.environment)
      #expect(line.output == #"{"window":null}"#)
      let nowhere = try await scenario.command([Self.program], succeeding: false)
      #expect(nowhere.status == 1)
      #expect(nowhere.errors.contains("set DISPLAY"))
      #expect(try await scenario.command([Self.program, "--help"]).output.contains("belfry-focus"))
      #expect(try await scenario.command([Self.program, "me"], succeeding: false).status == 2)
    }
  }

  @Test func `a line says no more than is known`() {
    #expect(FocusedWindow.line(nil) == #"{"window":null}"#)
    #expect(
      FocusedWindow.line(FocusedWindow(process: nil, names: []))
        == #"{"window":{"process":null,"names":[]}}"#)
    #expect(
      FocusedWindow.line(FocusedWindow(process: .max, names: ["\u{1}"]))
        == #"{"window":{"process":4294967295,"names":["\u0001"]}}"#)
  }
}
