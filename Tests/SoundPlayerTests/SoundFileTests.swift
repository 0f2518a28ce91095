import Foundation
import TestSupport
import Testing

@testable import SoundPlayer

/// Functions that build sound files byte by byte, both big-endian and little-endian.
enum TestSounds {
  static func big(_ value: Int, _ bytes: Int) -> [UInt8] {
    (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  static func little(_ value: Int, _ bytes: Int) -> [UInt8] { big(value, bytes).reversed() }

  static func tone(_ frames: Int) -> [Int16] {
    (0..<frames).map { Int16(12_000 * sin(Double($0) / 15)) }
  }

  static func samples(_ tone: [Int16], isBig: Bool) -> [UInt8] {
    tone.flatMap { isBig ? big(Int($0), 2) : little(Int($0), 2) }
  }

  static func wav(frames: Int, rate: Int = 8_000, code: Int = 1, bits: Int = 16) -> [UInt8] {
    let data =
      bits == 16
      ? samples(tone(frames), isBig: false) : [UInt8](repeating: 0x55, count: frames)
    let format =
      little(code, 2) + little(1, 2) + little(rate, 4) + little(rate * bits / 8, 4)
      + little(bits / 8, 2) + little(bits, 2)
    let body =
      Array("WAVEfmt ".utf8) + little(format.count, 4) + format + Array("data".utf8)
      + little(data.count, 4) + data
    return Array("RIFF".utf8) + little(body.count, 4) + body
  }

  static func aiff(frames: Int) -> [UInt8] {
    let data = big(0, 4) + big(0, 4) + samples(tone(frames), isBig: true)
    // This is 8000.0 in the extended precision format that AIFF requires.
    let rate: [UInt8] = [0x40, 0x0B, 0xFA, 0, 0, 0, 0, 0, 0, 0]
    let common = big(1, 2) + big(frames, 4) + big(16, 2) + rate
    let body =
      Array("AIFFCOMM".utf8) + big(common.count, 4) + common + Array("SSND".utf8)
      + big(data.count, 4) + data
    return Array("FORM".utf8) + big(body.count, 4) + body
  }

  /// Returns a Core Audio file that contains the given packets.
  static func caf(
    packets: [UInt8], channels: Int = 1, rate: Double = 44_100, validFrames: Int? = nil
  ) -> [UInt8] {
    let description =
      big(Int(truncatingIfNeeded: rate.bitPattern), 8) + Array("ima4".utf8) + big(0, 4)
      + big(34 * channels, 4) + big(64, 4) + big(channels, 4) + big(0, 4)
    var file = Array("caff".utf8) + big(1, 2) + big(0, 2)
    file += Array("desc".utf8) + big(description.count, 8) + description
    if let validFrames {
      let table = big(packets.count / 34, 8) + big(validFrames, 8) + big(0, 4) + big(0, 4)
      file += Array("pakt".utf8) + big(table.count, 8) + table
    }
    return file + Array("data".utf8) + big(packets.count + 4, 8) + big(0, 4) + packets
  }

  static func put(_ bytes: [UInt8], _ name: String, in folder: ScratchFolder) throws -> String {
    let path = folder.file(name)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return path
  }
}

@Suite("Sound files")
struct SoundFileTests {
  @Test
  func `Linear PCM, µ-law and A-law in wav and aiff are read`() throws {
    let folder = try ScratchFolder()
    for (bytes, container, encoding) in [
      (TestSounds.wav(frames: 800), SoundFormat.Container.wav, SoundFormat.Encoding.linearPCM),
      (TestSounds.wav(frames: 800, code: 7, bits: 8), .wav, .uLaw),
      (TestSounds.wav(frames: 800, code: 6, bits: 8), .wav, .aLaw),
      (TestSounds.aiff(frames: 800), .aiff, .linearPCM),
    ] {
      let path = try TestSounds.put(bytes, "sound", in: folder)
      let source = try #require(SoundLoader.open(path))
      #expect(source.format.container == container)
      #expect(source.format.encoding == encoding)
      #expect(source.format.seconds == 0.1)
      #expect(source.format.whyRefused == nil)
      #expect(source.next().count == 800)
    }
  }

  @Test
  func `30 s are too long, a sample less is not`() throws {
    let folder = try ScratchFolder()
    let long = try TestSounds.put(TestSounds.wav(frames: 240_000), "long.wav", in: folder)
    #expect(try #require(SoundLoader.open(long)).format.whyRefused?.contains("30.0 s") == true)
    let short = try TestSounds.put(TestSounds.wav(frames: 239_999), "short.wav", in: folder)
    #expect(try #require(SoundLoader.open(short)).format.whyRefused == nil)
  }

  @Test
  func `Other containers and encodings are no alert sounds`() {
    let format = SoundFormat(
      container: .other("ogg"), encoding: .other("vorbis"), channels: 1, rate: 44_100, frames: 9)
    #expect(format.whyRefused?.contains("ogg") == true)
    #expect(format.whyUnplayable == nil)
  }

  @Test
  func `IMA4 in a Core Audio file is decoded only up to its last valid frame`() throws {
    // The packet has predictor 0x0100 and index 0, and its first byte has the nibbles 7 and 0. The expected results
    // were calculated by hand.
    var packet: [UInt8] = [0x01, 0x00, 0x07]
    packet += [UInt8](repeating: 0, count: 31)
    let file = try #require(CoreAudioFile(TestSounds.caf(packets: packet, validFrames: 3)))
    #expect(file.format.encoding == .ima4)
    #expect(file.format.frames == 3)
    // At step 7, the difference is 0 + 1 + 3 + 7 = 11. The index is then 8 and the step 16, so the difference is 2. The
    // index is then 7 and the step 14, so the difference is 1.
    #expect(file.next() == [267, 269, 270])
    #expect(file.next().isEmpty)
  }

  @Test(arguments: 0..<200)
  func `damaged or truncated sound files do not crash the decoder`(seed: Int) throws {
    var bytes = TestSounds.caf(
      packets: [UInt8](repeating: 0x5A, count: 34 * 4), channels: 2, validFrames: 128)
    var generator = SeededGenerator(seed: UInt64(seed))
    for _ in 0..<4 {
      bytes[Int(generator.next() % UInt64(bytes.count))] = UInt8(
        truncatingIfNeeded: generator.next())
    }
    bytes.removeLast(Int(generator.next() % UInt64(bytes.count)))
    if let file = CoreAudioFile(bytes) {
      var frames: Int64 = 0
      while case let samples = file.next(), !samples.isEmpty {
        frames += Int64(samples.count / file.format.channels)
      }
      #expect(frames <= max(0, file.format.frames))
    }
  }
}
