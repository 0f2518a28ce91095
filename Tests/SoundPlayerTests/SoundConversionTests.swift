import Foundation
import TestSupport
import Testing

@testable import SoundPlayer

@Suite("Converting sounds")
struct SoundConversionTests {
  /// Converts a file with the program's arguments.
  private func convert(_ words: String...) throws -> SoundFormat {
    try #require(try SoundConversion(words[...])).run()
  }

  private func samples(of path: String) throws -> (SoundFormat, [Int16]) {
    let source = try #require(SoundLoader.open(path))
    var samples: [Int16] = []
    while case let next = source.next(), !next.isEmpty { samples += next }
    return (source.format, samples)
  }

  /// Returns the largest difference between two sounds.
  private func distance(_ one: [Int16], _ other: [Int16]) -> Int {
    zip(one, other).map { abs(Int($0) - Int($1)) }.max() ?? 0
  }

  @Test
  func `a 16-bit aiff becomes IMA4 in a caf, an alert sound that sounds the same`() throws {
    let folder = try ScratchFolder()
    // The number of frames isn't a whole number of packets.
    let source = try TestSounds.put(TestSounds.aiff(frames: 8_050), "submarine.aiff", in: folder)
    let target = folder.file("sub.caf")
    let made = try convert(source, target)
    let (format, decoded) = try samples(of: target)
    // S0-5
    #expect(format == made)
    #expect(format.container == .caf)
    #expect(format.encoding == .ima4)
    #expect(format.whyRefused == nil)
    #expect(decoded.count == 8_050)
    #expect(distance(decoded, TestSounds.tone(8_050)) < 1_200)
    let error = zip(decoded, TestSounds.tone(8_050)).reduce(0.0) { sum, pair in
      sum + pow(Double(pair.0) - Double(pair.1), 2)
    }
    // The mean error is several hundredths of the tone's level.
    #expect((error / 8_050).squareRoot() < 300)
    // The file is about a quarter of the size of the same sound in PCM, as expected of IMA4.
    let bytes = try FileManager.default.attributesOfItem(atPath: target)[.size] as? Int
    #expect(try #require(bytes) < 8_050 * 2 / 3)
  }

  @Test
  func `the words of Apple's afconvert make the same sound, and those that cannot are refused`()
    async throws
  {
    try await Scenario.run { scenario in
      let folder = scenario.folder
      let source = folder.file("submarine.aiff")
      try Data(TestSounds.aiff(frames: 8_050)).write(to: URL(fileURLWithPath: source))
      let target = folder.file("sub.caf")
      let made = try await scenario.belfryCommand(
        ["sound", "convert", source, target, "-d", "ima4", "-f", "caff", "-v"])
      #expect(made.values.first?["encoding"].string == "ima4")
      #expect(made.values.first?["accepted"].boolean == true)
      let pcm = try await scenario.belfryCommand(
        ["sound", "convert", "-f", "WAVE", "-d", "LEI16", source, folder.file("sub.wav")])
      #expect(pcm.values.first?["accepted"].boolean == true)
      for words in [["-d", "aac"], ["-f", "m4af"], ["-f", "WAVE"], ["-d"]] {
        let refused = try await scenario.belfryCommand(
          ["sound", "convert", source, target] + words, succeeding: false)
        #expect(refused.status == 2, "\(words)")
        #expect(refused.errors.contains("belfry: "), "\(words): \(refused.errors)")
      }
    }
  }

  @Test
  func `Linear PCM keeps every sample in aiff, wav and caf, the laws nearly`() throws {
    let folder = try ScratchFolder()
    let source = try TestSounds.put(TestSounds.wav(frames: 4_000), "in.wav", in: folder)
    for name in ["a.aiff", "a.aif", "a.wav", "a.CAF"] {
      let target = folder.file(name)
      _ = try convert("--encoding", "pcm", source, target)
      let (format, decoded) = try samples(of: target)
      // S0-2, S0-3
      #expect(format.encoding == .linearPCM)
      #expect(format.whyRefused == nil)
      #expect(decoded == TestSounds.tone(4_000))
      for (word, encoding) in [("ulaw", SoundFormat.Encoding.uLaw), ("alaw", .aLaw)] {
        _ = try convert("--encoding", word, source, target)
        let (format, decoded) = try samples(of: target)
        #expect(format.encoding == encoding)
        #expect(distance(decoded, TestSounds.tone(4_000)) < 600)
      }
    }
  }

  @Test
  func `IMA4 keeps two channels apart`() throws {
    let left = TestSounds.tone(1_000)
    let both = left.flatMap { [$0, Int16(-500)] }
    let file = CoreAudioFile.ima4(both, channels: 2, rate: 8_000)
    let source = try #require(CoreAudioFile(file))
    var decoded: [Int16] = []
    while case let next = source.next(), !next.isEmpty { decoded += next }
    #expect(source.format.channels == 2)
    #expect(decoded.count == 2_000)
    let halves = [0, 1].map { half in stride(from: half, to: 2_000, by: 2).map { decoded[$0] } }
    #expect(distance(halves[0], left) < 1_200)
    #expect(distance(halves[1], [Int16](repeating: -500, count: 1_000)) < 128)
  }

  @Test
  func `a sound that is too long is refused, or with --cut is shortened and faded out`() throws {
    let folder = try ScratchFolder()
    let source = try TestSounds.put(
      TestSounds.wav(frames: 31 * 8_000), "long.wav", in: folder)
    let target = folder.file("short.wav")
    let refusal = #expect(throws: SoundConversion.Failure.self) { _ = try convert(source, target) }
    #expect(refusal?.message.contains("31 s") == true)
    #expect(refusal?.message.contains("--cut") == true)
    #expect(!FileManager.default.fileExists(atPath: target))
    _ = try convert("--cut", source, target)
    let (format, decoded) = try samples(of: target)
    #expect(format.seconds == 29.5)
    #expect(format.whyRefused == nil)
    #expect(decoded.prefix(1_000) == TestSounds.tone(1_000)[...])
    #expect(decoded.last == 0)
  }

  @Test
  func `a sound that cannot be converted is refused with the reason, and no file is left`() throws {
    let folder = try ScratchFolder()
    let sound = try TestSounds.put(TestSounds.wav(frames: 100), "a.wav", in: folder)
    let text = try TestSounds.put(Array("no sound".utf8), "text.wav", in: folder)
    for (words, part) in [
      ([sound, folder.file("a.mp3")], "cannot tell the format"),
      (["--encoding", "ima4", sound, folder.file("b.wav")], "IMA4 requires a caf file"),
      (["--encoding", "mp3", sound, folder.file("b.wav")], "unknown encoding"),
      ([text, folder.file("b.caf")], "not a readable sound file"),
      ([sound, sound], "is the input file"),
      ([sound, folder.file("none/b.caf")], "cannot write"),
      ([sound, folder.file("none/b.wav")], "cannot write"),
    ] {
      let failure = #expect(throws: SoundConversion.Failure.self) {
        _ = try #require(try SoundConversion(words[...])).run()
      }
      #expect(failure?.message.contains(part) == true, "\(failure?.message ?? "")")
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(names == ["a.wav", "text.wav"])
    #expect(try SoundConversion([sound]) == nil)
    #expect(try SoundConversion([sound, "b.caf", "--loud"]) == nil)
  }
}
