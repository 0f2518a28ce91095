import Foundation
import Glibc
import TestSupport
import Testing

@testable import SoundPlayer

/// What is left to a process that reads a sound file, as the kernel tells it.
@Suite struct ConfinementTests {
  private static let program = Installation.products + "/belfry-sound"

  /// The process's fields of `/proc/PID/status`.
  private func status(_ pid: Int32) throws -> [String: String] {
    let text = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
    return Dictionary(
      text.split(separator: "\n").compactMap { line in
        let parts = line.split(separator: ":", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        return (String(parts[0]), parts[1].trimmingCharacters(in: .whitespaces))
      }, uniquingKeysWith: { first, _ in first })
  }

  /// The children of a process.
  private func children(_ pid: Int32) throws -> [Int32] {
    try String(contentsOfFile: "/proc/\(pid)/task/\(pid)/children", encoding: .utf8)
      .split(separator: " ").compactMap { Int32($0) }
  }

  /// A pipe in the place of a file: who opens it waits until it is written to.
  private func withPipe(
    _ scenario: Scenario, _ body: (String, () async throws -> Void) async throws -> Void
  ) async throws {
    let path = scenario.folder.file("sound.wav")
    #expect(mkfifo(path, 0o600) == 0)
    var writer: Int32 = -1
    try await body(path) {
      try await Scenario.wait("a reader of \(path)") {
        writer = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        return writer >= 0
      }
    }
    if writer >= 0 { close(writer) }
  }

  @Test(arguments: ["check", "pcm"])
  func `a file is read without privileges, under a filter of system calls`(command: String)
    async throws
  {
    try await Scenario.run { scenario in
      try await withPipe(scenario) { path, isOpened in
        let reader = try scenario.start([Self.program, command, path])
        try await isOpened()
        let status = try status(reader.pid)
        #expect(status["NoNewPrivs"] == "1")
        #expect(status["Seccomp"] == "2")
      }
    }
  }

  @Test
  func `what is played is decoded by a child that is confined, and the player gains nothing`()
    async throws
  {
    try await Scenario.run { scenario in
      try await withPipe(scenario) { path, isOpened in
        let player = try scenario.start([Self.program, "play", path])
        try await isOpened()
        let child = try #require(try children(player.pid).first)
        #expect(try status(child)["NoNewPrivs"] == "1")
        #expect(try status(child)["Seccomp"] == "2")
        #expect(try status(player.pid)["NoNewPrivs"] == "1")
      }
    }
  }

  @Test
  func `only the file that was named can be read, and nothing is written, started or connected`()
    async throws
  {
    try await Scenario.run { scenario in
      let named = try TestSounds.put(Array("no sound".utf8), "named.wav", in: scenario.folder)
      let other = try TestSounds.put(Array("another".utf8), "other.wav", in: scenario.folder)
      let result = try await scenario.command(
        [Self.program, "confined", named, other], succeeding: false)
      #expect(result.values.first?["lacking"].string == "", "\(result.output)")
      let outcome = try #require(result.values.first)
      #expect(outcome["named"].boolean == true)
      for attempt in ["other", "written", "socket", "started"] {
        #expect(outcome[attempt].boolean == false, "\(attempt)")
      }
    }
  }

  @Test
  func `what a decoder says before its samples is read as it was written, and nothing else`() {
    let header = SoundReader.Header(
      channels: 2, rate: 44_100, name: "/a b.wav", reason: nil, lacking: ["Landlock", "seccomp"])
    #expect(SoundReader.Header(header.bytes) == header)
    var other = header
    other.reason = "it is too long"
    other.lacking = []
    #expect(SoundReader.Header(other.bytes) == other)
    for (channels, rate) in [("0", "44100"), ("9", "44100"), ("2", "0"), ("x", "44100"), ("2", "")]
    {
      let bytes = Array([channels, rate, "n", "", "", ""].joined(separator: "\0").utf8)
      #expect(SoundReader.Header(bytes) == nil, "\(channels) \(rate)")
    }
    #expect(SoundReader.Header([]) == nil)
    #expect(SoundReader.Header(Array(header.bytes.dropLast())) == nil)
  }
}
