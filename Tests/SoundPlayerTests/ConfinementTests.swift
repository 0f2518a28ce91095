import Foundation
import Glibc
import TestSupport
import Testing

@testable import SoundPlayer

/// Tests of the rights that a process retains while it reads a sound file, as the kernel reports them.
@Suite(.timeLimit(.minutes(60)), .requiresCallFilter) struct ConfinementTests {
  private static let program = Installation.products + "/belfry-sound"

  /// Returns the fields of `/proc/PID/status` for the process.
  private static func status(_ pid: Int32) throws -> [String: String] {
    let text = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
    return Dictionary(
      text.split(separator: "\n").compactMap { line in
        let parts = line.split(separator: ":", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        return (String(parts[0]), parts[1].trimmingCharacters(in: .whitespaces))
      }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the children of a process.
  private static func children(_ pid: Int32) throws -> [Int32] {
    try String(contentsOfFile: "/proc/\(pid)/task/\(pid)/children", encoding: .utf8)
      .split(separator: " ").compactMap { Int32($0) }
  }

  /// Waits until a reader has opened a pipe in place of a sound file, calls `look` while the reader waits for data, and
  /// returns the result.
  ///
  /// A separate thread calls `look`, because the reader's alarm might fire if the other threads are busy.
  private func whenOpened<Seen: Sendable>(
    _ path: String, _ look: @escaping @Sendable () throws -> Seen
  ) async throws -> Seen {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        let writer = open(path, O_WRONLY | O_CLOEXEC)
        continuation.resume(with: Result { try look() })
        if writer >= 0 { close(writer) }
      }
    }
  }

  private func pipe(_ scenario: Scenario) -> String {
    let path = scenario.folder.file("sound.wav")
    #expect(mkfifo(path, 0o600) == 0)
    return path
  }

  @Test(arguments: ["check", "pcm"])
  func `a file is read without privileges, under a filter of system calls`(command: String)
    async throws
  {
    try await Scenario.run { scenario in
      let path = pipe(scenario)
      let reader = try scenario.start([Self.program, command, path])
      let status = try await whenOpened(path) { try Self.status(reader.pid) }
      #expect(status["NoNewPrivs"] == "1")
      #expect(status["Seccomp"] == "2")
    }
  }

  @Test
  func `sounds are decoded in a confined child process, and the player gains no privileges`()
    async throws
  {
    try await Scenario.run { scenario in
      let path = pipe(scenario)
      let player = try scenario.start([Self.program, "play", path])
      let (child, parent) = try await whenOpened(path) {
        (
          try Self.children(player.pid).first.map(Self.status) ?? [:],
          try Self.status(player.pid)
        )
      }
      #expect(child["NoNewPrivs"] == "1")
      #expect(child["Seccomp"] == "2")
      #expect(parent["NoNewPrivs"] == "1")
      #expect(parent["Seccomp"] != "2", "a sound server's library needs more")
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
  func `a decoder's header is read back as written, and invalid headers are rejected`() {
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
