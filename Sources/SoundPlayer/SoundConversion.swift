import Glibc

/// A conversion of a sound file to a file that can be used for an alert (S0-2, S0-3, S0-5, S0-6).
struct SoundConversion {
  /// The reason that a conversion failed, and advice for correcting the problem.
  struct Failure: Error, Hashable {
    let message: String
  }

  let source: String
  let target: String
  let container: SoundFormat.Container
  let encoding: SoundFormat.Encoding
  /// True if a sound that is too long is truncated instead of refused.
  let cutsEnd: Bool

  /// Parses the arguments that follow `convert`, or returns nil if they are invalid.
  init?(_ arguments: ArraySlice<String>) throws(Failure) {
    var paths: [String] = []
    var word: String?
    var cutsEnd = false
    var rest = arguments
    while let next = rest.popFirst() {
      switch next {
      case "--cut": cutsEnd = true
      case "--encoding":
        guard let value = rest.popFirst() else { return nil }
        word = value
      default:
        guard !next.hasPrefix("--") else { return nil }
        paths.append(next)
      }
    }
    guard paths.count == 2 else { return nil }
    (source, target) = (paths[0], paths[1])
    self.cutsEnd = cutsEnd
    container = try Self.container(of: target)
    encoding = try Self.encoding(word, in: container)
  }

  private static func container(of path: String) throws(Failure) -> SoundFormat.Container {
    switch path.split(separator: "/").last?.split(separator: ".").last?.lowercased() {
    case "caf": return .caf
    case "aif", "aiff": return .aiff
    case "wav": return .wav
    default:
      throw Failure(
        message: "cannot tell the format of \(path): use the extension .caf, .aiff or .wav")
    }
  }

  private static func encoding(
    _ word: String?, in container: SoundFormat.Container
  ) throws(Failure) -> SoundFormat.Encoding {
    switch word {
    case nil: return container == .caf ? .ima4 : .linearPCM
    case "pcm": return .linearPCM
    case "ulaw": return .uLaw
    case "alaw": return .aLaw
    case "ima4":
      guard container == .caf else {
        throw Failure(message: "IMA4 requires a caf file: use the extension .caf")
      }
      return .ima4
    case let other?:
      throw Failure(message: "unknown encoding '\(other)': use pcm, ima4, ulaw or alaw")
    }
  }

  /// Converts the file and returns the new file's format.
  func run() throws(Failure) -> SoundFormat {
    guard let input = SoundLoader.open(source) else {
      throw Failure(
        message:
          "\(source) is not a readable sound file: expected an aiff, wav, caf, flac, ogg or "
          + "mp3 file")
    }
    guard !Self.isSameFile(source, target) else {
      throw Failure(message: "\(target) is the input file: choose another name for the output")
    }
    let samples = try samples(of: input)
    var format = input.format
    (format.container, format.encoding) = (container, encoding)
    format.frames = Int64(samples.count / format.channels)
    // Write to a temporary name, so that the target name never refers to a partly written file.
    let draft = "\(target).\(getpid())"
    defer { _ = unsafe unlink(draft) }
    switch encoding {
    case .ima4:
      let bytes = CoreAudioFile.ima4(samples, channels: format.channels, rate: format.rate)
      try write(bytes, to: draft)
    case .linearPCM, .uLaw, .aLaw, .other:
      guard SoundLibrary.write(samples, as: format, to: draft) else {
        throw Failure(message: "cannot write \(target): check the folder and the disk space")
      }
    }
    guard unsafe rename(draft, target) == 0 else {
      throw Failure(message: "cannot write \(target): \(Self.reason)")
    }
    return format
  }

  /// Returns all samples up to the allowed length.
  private func samples(of input: any SoundSource) throws(Failure) -> [Int16] {
    let format = input.format
    let allowed = Int(Double(format.rate) * Limits.cutSeconds) * format.channels
    let isTooLong = format.seconds >= Limits.seconds
    var checked = format
    if isTooLong { checked.frames = 1 }
    if let reason = checked.whyUnplayable {
      throw Failure(message: "cannot convert \(source): \(reason)")
    }
    guard !isTooLong || cutsEnd else {
      throw Failure(
        message:
          "\(source) is \(Int(min(format.seconds, 1e9))) s long, but an alert sound is shorter "
          + "than 30 s: use --cut to keep its beginning")
    }
    var samples: [Int16] = []
    while case let next = input.next(), !next.isEmpty {
      samples += next
      // Enforce the limit here, because the length in the header might be wrong.
      guard samples.count < Limits.framesMax * format.channels else { break }
      if isTooLong, samples.count >= allowed { break }
    }
    guard !samples.isEmpty else { throw Failure(message: "\(source) contains no sound") }
    if isTooLong, samples.count > allowed { samples.removeLast(samples.count - allowed) }
    if isTooLong { Self.fadeOut(&samples, channels: format.channels, rate: format.rate) }
    return samples
  }

  /// Fades out the last tenth of a second, so that a truncated sound does not end with a click.
  private static func fadeOut(_ samples: inout [Int16], channels: Int, rate: Int) {
    let frames = min(rate / 10, samples.count / channels)
    let start = samples.count - frames * channels
    for index in start..<samples.count {
      samples[index].scale(1 - Double((index - start) / channels + 1) / Double(frames))
    }
  }

  /// The reason that the last system call failed.
  private static var reason: String { unsafe String(cString: strerror(errno)) }

  private static func isSameFile(_ one: String, _ other: String) -> Bool {
    var (first, second) = (stat(), stat())
    guard unsafe stat(one, &first) == 0, unsafe stat(other, &second) == 0 else { return false }
    return first.st_dev == second.st_dev && first.st_ino == second.st_ino
  }

  private func write(_ bytes: [UInt8], to path: String) throws(Failure) {
    guard let file = unsafe fopen(path, "we") else {
      throw Failure(message: "cannot write \(target): \(Self.reason)")
    }
    let count = unsafe bytes.withUnsafeBytes { unsafe fwrite($0.baseAddress, 1, $0.count, file) }
    guard unsafe fclose(file) == 0, count == bytes.count else {
      throw Failure(message: "cannot write \(target): check that the disk is not full")
    }
  }
}
