import Foundation
import TestSupport
import Testing

@testable import SoundPlayer

@Suite("belfry-sound")
struct PlayingTests {
  private static let program =
    URL(fileURLWithPath: Installation.belfry).deletingLastPathComponent().path + "/belfry-sound"

  @Test
  func `IMA4 is decoded bit by bit as libsndfile does in the container that it knows`()
    async throws
  {
    try await Scenario.run { scenario in
      for channels in [1, 2] {
        let caf = scenario.folder.file("\(channels).caf")
        let samples = scenario.folder.file("samples")
        _ = try await scenario.command([
          Installation.root + "/Tests/Sounds/ima4-of-libsndfile", "\(channels)", "20000",
          caf, samples,
        ])
        let wanted = try Data(contentsOf: URL(fileURLWithPath: samples))
        #expect(wanted.count > 20_000 * 2 * channels)
        let source = try #require(SoundLoader.open(caf))
        #expect(source.format.encoding == .ima4)
        var got = Data()
        while case let block = source.next(), !block.isEmpty {
          block.withUnsafeBytes { got.append(contentsOf: $0) }
        }
        // S0-5
        #expect(got == wanted)
        let checked = try await scenario.command([Self.program, "check", caf]).values.first
        #expect(checked?["format"].string == "caf")
        #expect(checked?["accepted"].boolean == true)
      }
    }
  }

  private static let containers = ["wav", "aiff", "caf"]
  private static let encodings = ["pcm", "ulaw", "alaw", "ima4"]

  /// The files that libsndfile writes, each with a flag that is true for alert sounds.
  ///
  /// libsndfile doesn't write IMA4 in a Core Audio file; another test generates a file of that kind.
  private static let files =
    containers.flatMap { container in encodings.map { (container, $0, true) } }
    .filter { $0.0 != "caf" || $0.1 != "ima4" }
    + [
      ("wav", "ms-adpcm", false), ("wav", "gsm", false), ("aiff", "gsm", false),
      ("caf", "alac", false), ("au", "pcm", false), ("flac", "pcm", false),
      ("ogg", "vorbis", false),
    ]

  @Test
  func `Four encodings in three containers are accepted as alert sounds, and other files are not`()
    async throws
  {
    try await Scenario.run { scenario in
      for (container, encoding, isAccepted) in Self.files {
        let file = scenario.folder.file("\(encoding).\(container)")
        _ = try await scenario.command([
          Installation.root + "/Tests/Sounds/write-with-libsndfile", file, container, encoding,
        ])
        let result = try await scenario.command([Self.program, "check", file], succeeding: false)
        let line = try #require(result.values.first)
        // S0-2, S0-3
        // S1-74 part 2 of 3: formats and containers
        #expect(line["accepted"].boolean == isAccepted, "\(line)")
        #expect(result.status == (isAccepted ? 0 : 1))
        #expect((line["reason"].string == nil) == isAccepted)
      }
    }
  }

  @Test
  func `An invalid sound is reported with exit status 1`() async throws {
    try await Scenario.run { scenario in
      let path = try TestSounds.put(Array("no sound".utf8), "text.wav", in: scenario.folder)
      let result = try await scenario.command([Self.program, "check", path], succeeding: false)
      #expect(result.status == 1)
      #expect(result.values.first?["accepted"].boolean == false)
      #expect(try await scenario.command([Self.program, "listen"], succeeding: false).status == 2)
    }
  }

  /// Returns the environment for an ALSA device that writes its output to a file.
  private func alsa(_ scenario: Scenario, into file: String) throws -> [String: String] {
    let configuration = scenario.folder.file("asound.conf")
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

  @Test
  func `an alert sound is played unchanged, but one that is too long is replaced by the system's`()
    async throws
  {
    try await Scenario.run { scenario in
      let file = scenario.folder.file("heard")
      let environment = try alsa(scenario, into: file)
      let good = try TestSounds.put(TestSounds.wav(frames: 8_000), "good.wav", in: scenario.folder)
      let long = try TestSounds.put(
        TestSounds.wav(frames: 250_000), "long.wav", in: scenario.folder)
      let played = try await scenario.command(
        [Self.program, "play", good], environment: environment
      ).values.first
      #expect(played?["by"].string == "alsa")
      let heard = try Data(contentsOf: URL(fileURLWithPath: file))
      let wanted = Data(TestSounds.samples(TestSounds.tone(8_000), isBig: false))
      #expect(heard.prefix(wanted.count) == wanted)
      let instead = try await scenario.command(
        [Self.program, "play", "--volume", "0.5", "--system", good, long], environment: environment
      ).values.first
      // S1-74 part 3 of 3: the limit of 30 seconds
      #expect(instead?["played"].string == good)
      #expect(instead?["reason"].string?.contains("30 s") == true)
      let quieter = try Data(contentsOf: URL(fileURLWithPath: file))
      #expect(quieter.count >= wanted.count)
      #expect(quieter.prefix(wanted.count) != wanted)
      let chime = try await scenario.command([Self.program, "play"], environment: environment)
      #expect(chime.values.first?["played"].string == "chime")
    }
  }
  @Test(.requires(.pulseaudio, .parec, .systemPython))
  func `an alert sound is heard on a real PulseAudio to its last sample, at its volume`()
    async throws
  {
    try await Scenario.run { scenario in
      let environment = [
        "PULSE_SERVER": "unix:" + scenario.folder.file("native"), "PULSE_CLIENTCONFIG": "/dev/null",
        "LC_ALL": "C",
      ]
      let server = try scenario.start(
        [
          TestTool.pulseaudio.required(), "-n", "--daemonize=no", "--exit-idle-time=-1",
          "--use-pid-file=no", "--disable-shm=yes", "--realtime=no", "--high-priority=no",
          "--log-target=file:/dev/stdout", "--log-level=info",
          "-L", "module-null-sink sink_name=ear format=s16le rate=48000 channels=1",
          "-L",
          "module-native-protocol-unix auth-anonymous=1 socket=" + scenario.folder.file("native"),
        ], environment: environment)
      _ = try await server.output(called: "the startup of the sound server") { lines in
        lines.contains { $0.contains("Daemon startup complete") }
      }
      let file = scenario.folder.file("heard")
      let ear = try scenario.start(
        [
          TestTool.systemPython.required(),
          Installation.root + "/Tests/Sounds/listen-to-monitor",
          "ear.monitor", "48000", file,
        ], environment: environment)
      _ = try await ear.event("listening")
      // The sound fits into the server's buffer of a quarter of a second, so a busy machine causes no gap.
      let sound = try TestSounds.put(
        TestSounds.wav(frames: 11_000, rate: 48_000), "good.wav", in: scenario.folder)
      for volume in [1.0, 0.5] {
        let played = try await scenario.command(
          [Self.program, "play", "--volume", "\(volume)", sound], environment: environment
        ).values.first
        #expect(played?["by"].string == "pulse")
        #expect(played?["played"].string == sound)
        _ = try await ear.event("heard")
        let wanted = TestSounds.tone(11_000).map { Int16((Double($0) * volume).rounded()) }
        let heard = try Data(contentsOf: URL(fileURLWithPath: file))
        // At the beginning, several hundredths of a second are missing. The monitor had already delivered silence for
        // this part when the sink rewrote it with the new sound.
        #expect(heard.count / 2 > wanted.count - 4_800)
        #expect(heard == Data(TestSounds.samples(wanted, isBig: false)).suffix(heard.count))
      }
    }
  }
}
