import Foundation
import TestSupport
import Testing

/// Tests of an app's own sound file, from the agent to the loudspeaker.
@Suite("sounds, as programs")
struct SoundProgramTests {
  private static let burger = AgentProgramTests.burger

  /// Returns a mono WAV file with identical 16-bit samples at 8 kHz, so that no other sound can be mistaken for it.
  private static func wave(frames: Int, sample: UInt8) -> Data {
    func little(_ value: Int) -> [UInt8] {
      (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let size = 2 * frames
    let header =
      Array("RIFF".utf8) + little(36 + size) + Array("WAVEfmt ".utf8)
      + [16, 0, 0, 0, 1, 0, 1, 0, 0x40, 0x1F, 0, 0, 0x80, 0x3E, 0, 0, 2, 0, 16, 0]
      + Array("data".utf8) + little(size)
    return Data(header) + Data(repeating: sample, count: size)
  }

  @Test
  func
    `A sound of less than thirty seconds is heard; one of thirty is the system's, and the log says which`()
    async throws
  {
    try await Scenario.run { scenario in
      // The output of ALSA's default device is written to a file.
      let heard = scenario.folder.file("heard")
      let alsa = scenario.folder.file("asound.conf")
      let devices = """
        pcm.nowhere { type null }
        pcm.!default { type file slave.pcm nowhere file "\(heard)" format raw }

        """
      try devices.write(toFile: alsa, atomically: true, encoding: .utf8)
      let agent = try await AgentProgramTests.agent(
        scenario, ["--presenter", "terminal", "--log-level", "debug"],
        environment: [
          "ALSA_CONFIG_PATH": alsa, "PULSE_SERVER": "unix:/nonexistent",
          "PULSE_CLIENTCONFIG": "/dev/null",
        ])
      let folder = scenario.folder.file(".local/share/\(Self.burger)/Library/Sounds")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      for (name, frames, sample) in [
        ("short.wav", 239_999, UInt8(0x37)), ("long.wav", 240_000, 0x53),
      ] {
        try Self.wave(frames: frames, sample: sample)
          .write(to: URL(fileURLWithPath: folder + "/" + name))
      }
      func play(_ name: String, until said: String) async throws {
        // While a sound is playing, the agent plays no other sound.
        try await Scenario.wait("the sound \(name)") {
          _ = try await scenario.belfryCommand([
            "notify", "--app", Self.burger, "--title", "Ding", "--sound", name,
          ])
          return agent.errors.contains(said)
        }
      }
      func isHeard(_ sample: UInt8, in sound: Data) -> Bool {
        sound.range(of: Data(repeating: sample, count: 2_000)) != nil
      }
      func sound() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: heard)) }
      try await play("short.wav", until: "what=\(folder)/short.wav")
      try? await Scenario.wait("the audio of short.wav") {
        isHeard(0x37, in: try sound())
      }
      // S0-6
      #expect(isHeard(0x37, in: try sound()))
      try await play("long.wav", until: "an app's sound was not played")
      let refusal = try #require(
        agent.errors.split(separator: "\n").first { $0.contains("was not played") })
      // Each sound is played from the beginning of its file.
      try await Scenario.wait("the audio of another sound") {
        let sound = try sound()
        return !isHeard(0x37, in: sound) && sound.count > 4_000
      }
      #expect(!isHeard(0x53, in: try sound()))
      #expect(refusal.contains("app=\(Self.burger)") && refusal.contains("long.wav"), "\(refusal)")
    }
  }
}
