import Glibc

@testable import SoundPlayer

/// The properties of the sound file readers that must hold for any input.
///
/// `scripts/fuzz sound` provides the input.
enum SoundFuzzing {
  /// The maximum number of reads of a file, because a header can claim hours of sound.
  private static let readsMax = 64

  /// Checks the properties for one input.
  ///
  /// The first byte determines how the other bytes are used: as input for the IMA4 reader, as a file for any reader
  /// that recognizes it, or as samples for the writer.
  static func run(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let body = Array(bytes.dropFirst())
    switch first % 3 {
    case 0:
      if let file = CoreAudioFile(body) { check(file, isWhole: true) }
      if let samples = IMA4.decode(body[...]) { precondition(samples.count == IMA4.packetFrames) }
    case 1: readFile(body)
    default: checkCoding(body)
    }
  }

  private static func readFile(_ bytes: [UInt8]) {
    var name = Array("/tmp/belfry-sound-XXXXXX\0".utf8CString.dropLast())
    let descriptor = mkstemp(&name)
    precondition(descriptor >= 0, "a file can be created in /tmp")
    unlink(name)
    defer { close(descriptor) }
    let written = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    precondition(written == bytes.count)
    guard let source = SoundLoader.open("/proc/self/fd/\(descriptor)") else { return }
    check(source, isWhole: false)
  }

  /// Checks that frames are complete.
  ///
  /// The number of frames must match the header, or be smaller if the file is truncated.
  private static func check(_ source: any SoundSource, isWhole: Bool) {
    let format = source.format
    precondition(format.seconds.isFinite, "the length is a finite number")
    let refusal = format.whyRefused
    precondition(refusal?.isEmpty != true && format.whyUnplayable?.isEmpty != true)
    let line = JSONLine([
      ("seconds", .number(format.seconds)), ("rate", .number(Double(format.rate))),
      ("reason", refusal.map(JSONLine.Value.text) ?? .null),
    ]).text
    precondition(!line.contains("inf") && !line.contains("nan"), "all numbers are valid in JSON")
    var frames: Int64 = 0
    for _ in 0..<readsMax {
      let samples = source.next()
      if samples.isEmpty { break }
      precondition(
        samples.count % format.channels == 0, "every frame has a sample for each channel")
      frames += Int64(samples.count / format.channels)
    }
    if isWhole { precondition(frames <= max(0, format.frames), "no more frames than declared") }
  }

  /// Checks that encoded samples are decoded to the same number of samples in the same format.
  private static func checkCoding(_ bytes: [UInt8]) {
    let samples = bytes.prefix(512).map { Int16(truncatingIfNeeded: Int($0) &* 257 &- 32_768) }
    let channels = 1 + bytes.count % 3
    let whole = Array(samples.prefix(samples.count / channels * channels))
    guard let file = CoreAudioFile(CoreAudioFile.ima4(whole, channels: channels, rate: 8_000))
    else { preconditionFailure("what is written is read") }
    precondition(file.format.frames == Int64(whole.count / channels))
    check(file, isWhole: true)
  }
}
