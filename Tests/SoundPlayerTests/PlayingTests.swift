import Foundation
import TestSupport
import Testing

@testable import SoundPlayer

@Suite("belfry-sound")
struct PlayingTests {
  private static let program =
    URL(fileURLWithPath: Installation.belfry).deletingLastPathComponent().path + "/belfry-sound"

  @Test("S0-5: IMA4 is decoded bit by bit as libsndfile does in the container that it knows")
  func oracle() async throws {
    try await Stage.play { stage in
      for channels in [1, 2] {
        let caf = stage.folder.file("\(channels).caf")
        let samples = stage.folder.file("samples")
        _ = try await stage.command([
          Installation.root + "/Tests/Sounds/ima4-of-libsndfile", "\(channels)", "20000",
          caf, samples,
        ])
        let wanted = try Data(contentsOf: URL(fileURLWithPath: samples))
        #expect(wanted.count > 20_000 * 2 * channels)
        let source = try #require(Sounds.open(caf))
        #expect(source.format.encoding == .ima4)
        var got = Data()
        while case let block = source.next(), !block.isEmpty {
          block.withUnsafeBytes { got.append(contentsOf: $0) }
        }
        #expect(got == wanted)
        let checked = try await stage.command([Self.program, "check", caf]).values.first
        #expect(checked?["format"].string == "caf")
        #expect(checked?["accepted"].boolean == true)
      }
    }
  }

  @Test("S0-6, S1-74: a sound that is none is told with its reason, and ends with 1")
  func refused() async throws {
    try await Stage.play { stage in
      let path = try TestSounds.put(Array("no sound".utf8), "text.wav", in: stage.folder)
      let result = try await stage.command([Self.program, "check", path], succeeding: false)
      #expect(result.status == 1)
      #expect(result.values.first?["accepted"].boolean == false)
      #expect(try await stage.command([Self.program, "listen"], succeeding: false).status == 2)
    }
  }

  /// ALSA's device that writes what it hears into a file.
  private func alsa(_ stage: Stage, into file: String) throws -> [String: String] {
    let configuration = stage.folder.file("asound.conf")
    try Data(
      """
      pcm.nowhere { type null }
      pcm.!default { type file slave.pcm nowhere file "\(file)" format raw }

      """.utf8
    ).write(to: URL(fileURLWithPath: configuration))
    return [
      "ALSA_CONFIG_PATH": configuration, "PULSE_SERVER": "unix:/nonexistent",
      "PULSE_CLIENTCONFIG": "/dev/null",
    ]
  }

  @Test("an alert sound is heard as it is; one that is too long gives way to the system's (S0-6)")
  func heard() async throws {
    try await Stage.play { stage in
      let file = stage.folder.file("heard")
      let environment = try alsa(stage, into: file)
      let good = try TestSounds.put(TestSounds.wav(frames: 8_000), "good.wav", in: stage.folder)
      let long = try TestSounds.put(TestSounds.wav(frames: 250_000), "long.wav", in: stage.folder)
      let played = try await stage.command(
        [Self.program, "play", good], environment: environment
      ).values.first
      #expect(played?["by"].string == "alsa")
      let heard = try Data(contentsOf: URL(fileURLWithPath: file))
      let wanted = Data(TestSounds.samples(TestSounds.tone(8_000), isBig: false))
      #expect(heard.prefix(wanted.count) == wanted)
      let instead = try await stage.command(
        [Self.program, "play", "--volume", "0.5", "--system", good, long], environment: environment
      ).values.first
      #expect(instead?["played"].string == good)
      #expect(instead?["reason"].string?.contains("30 s") == true)
      let quieter = try Data(contentsOf: URL(fileURLWithPath: file))
      #expect(quieter.count >= wanted.count)
      #expect(quieter.prefix(wanted.count) != wanted)
      let chime = try await stage.command([Self.program, "play"], environment: environment)
      #expect(chime.values.first?["played"].string == "chime")
    }
  }
}
