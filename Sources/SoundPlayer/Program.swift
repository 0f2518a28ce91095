import CConfinement
import Glibc

/// `belfry-sound`: checks and plays sound files.
///
/// This is a separate process because sound files are untrusted bytes.
@main
enum Program {
  private static let usage = """
    belfry-sound: checks, converts and plays sound files.

      belfry-sound check FILE
          prints one JSON object: file, format, encoding, channels, rate, seconds, accepted, reason
      belfry-sound play [--volume 0..1] [--system FILE] [FILE]
          plays FILE if it is an alert sound, else the system sound, else a built-in chime; prints
          one JSON object: played, by (null if no sound was played), reason
      belfry-sound convert [--encoding pcm|ima4|ulaw|alaw] [--cut] FILE NEW
          converts FILE to an alert sound; NEW ends in .caf (IMA4 by default), .aiff or .wav (Linear
          PCM); --cut keeps only the beginning of a sound that is too long. Prints the same JSON
          object as check
      belfry-sound pcm FILE
          prints the samples to standard output: 16 bits, little-endian, interleaved channels
      belfry-sound confined FILE OTHER
          prints what a confined reader of FILE can do on this kernel, as one JSON object: lacking,
          named (read FILE), other (read OTHER), written (write FILE), socket (create a socket),
          started (start a process)

    Exits 0 if FILE is accepted or a sound was played, 1 if not, 2 on incorrect usage.

    """

  static func main() {
    confine()
    exit(run(Array(CommandLine.arguments.dropFirst())))
  }

  /// Limits the resources of this process, because it reads untrusted bytes.
  private static func confine() {
    belfry_take_no_privileges()
    func limit(_ resource: __rlimit_resource, _ value: UInt) {
      var limit = rlimit(rlim_cur: rlim_t(value), rlim_max: rlim_t(value))
      _ = unsafe setrlimit(__rlimit_resource_t(resource.rawValue), &limit)
    }
    limit(RLIMIT_CPU, Limits.processorSeconds)
    #if !SANITIZED
      // A sanitizer reserves more address space than any machine has.
      limit(RLIMIT_AS, Limits.memoryBytes)
    #endif
    limit(RLIMIT_CORE, 0)
    alarm(Limits.wallSeconds)
  }

  private static func run(_ arguments: [String]) -> Int32 {
    switch arguments.first {
    case "--help", "-h":
      print(usage, terminator: "")
      return 0
    case "check" where arguments.count == 2: return check(arguments[1])
    case "convert": return convert(arguments.dropFirst())
    case "pcm" where arguments.count == 2: return pcm(arguments[1])
    case "confined" where arguments.count == 3:
      print(Confinement.attempts(named: arguments[1], other: arguments[2]).text)
      return 0
    case "play":
      guard let command = PlayCommand(arguments.dropFirst()) else { return wrongUsage() }
      return play(command)
    default: return wrongUsage()
    }
  }

  private static func wrongUsage() -> Int32 {
    complain("incorrect usage: see belfry-sound --help")
    return 2
  }

  private static func complain(_ message: String) {
    let bytes = Array("belfry: \(message)\n".utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  private static func check(_ path: String) -> Int32 {
    _ = Confinement.enter(reading: [path])
    guard let source = SoundLoader.open(path) else {
      print(
        JSONLine([
          ("file", .text(path)), ("accepted", .truth(false)),
          ("reason", .text("not a readable sound file")),
        ]).text)
      return 1
    }
    print(line(path, source.format))
    return source.format.whyRefused == nil ? 0 : 1
  }

  private static func convert(_ arguments: ArraySlice<String>) -> Int32 {
    do throws(SoundConversion.Failure) {
      guard let conversion = try SoundConversion(arguments) else { return wrongUsage() }
      let format = try conversion.run()
      print(line(conversion.target, format))
      return 0
    } catch {
      complain(error.message)
      return 1
    }
  }

  private static func line(_ path: String, _ format: SoundFormat) -> String {
    let reason = format.whyRefused
    return JSONLine([
      ("file", .text(path)), ("format", .text(format.container.name)),
      ("encoding", .text(format.encoding.name)), ("channels", .number(Double(format.channels))),
      ("rate", .number(Double(format.rate))), ("seconds", .number(format.seconds)),
      ("accepted", .truth(reason == nil)), ("reason", reason.map(JSONLine.Value.text) ?? .null),
    ]).text
  }

  private static func pcm(_ path: String) -> Int32 {
    _ = Confinement.enter(reading: [path])
    guard let source = SoundLoader.open(path) else {
      complain("\(path) is not a readable sound file: expected an aiff, wav or caf file")
      return 1
    }
    if let reason = source.format.whyUnplayable {
      complain("cannot play \(path): \(reason)")
      return 1
    }
    while case let samples = source.next(), !samples.isEmpty {
      guard unsafe samples.withUnsafeBytes({ unsafe writeAll($0, on: STDOUT_FILENO) }) else {
        return 1
      }
    }
    return 0
  }

  static func writeAll(_ bytes: UnsafeRawBufferPointer, on descriptor: Int32) -> Bool {
    var rest = unsafe bytes[...]
    while unsafe !rest.isEmpty {
      let piece = unsafe UnsafeRawBufferPointer(rebasing: rest)
      let count = unsafe write(descriptor, piece.baseAddress, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      unsafe rest = rest.dropFirst(count)
    }
    return true
  }

  private static func play(_ command: PlayCommand) -> Int32 {
    // Create the reader first: it forks the decoding child, and this process must have only one thread at that time.
    let reader = SoundReader(command)
    let chime = Chime()
    let (channels, rate) = (
      reader?.header.channels ?? chime.format.channels, reader?.header.rate ?? chime.format.rate
    )
    let output: (any SoundOutput)? =
      PulseOutput(channels: channels, rate: rate) ?? ALSAOutput(channels: channels, rate: rate)
    guard let output else {
      let problem = "no sound output: start PulseAudio or PipeWire, or configure an ALSA device"
      print(JSONLine([("played", .null), ("by", .null), ("reason", .text(problem))]).text)
      complain(problem)
      return 1
    }
    while case var samples = reader?.next() ?? chime.next(), !samples.isEmpty {
      if command.volume < 1 {
        for index in samples.indices { samples[index].scale(command.volume) }
      }
      guard output.write(samples) else {
        complain("cannot play the sound: the sound server no longer accepts data")
        return 1
      }
    }
    output.finish()
    reader?.close()
    let reason = reader == nil ? "the sound file cannot be read" : reader?.header.reason
    let lacking = reader?.header.lacking ?? []
    print(
      JSONLine([
        ("played", .text(reader?.header.name ?? "chime")),
        ("by", .text(output is PulseOutput ? "pulse" : "alsa")),
        ("reason", reason.map(JSONLine.Value.text) ?? .null),
        ("lacking", lacking.isEmpty ? .null : .text(lacking.joined(separator: ", "))),
      ]).text)
    return 0
  }

  /// Returns a sound that can be played, its name, and the reason that it is not the app's own sound.
  ///
  /// The choices are, in order, the app's own sound, the system's sound (S0-6), and the chime.
  static func choose(_ command: PlayCommand) -> (any SoundSource, String, String?) {
    var reason: String?
    if let path = command.path {
      if let source = SoundLoader.open(path) {
        reason = source.format.whyRefused
        if reason == nil { return (source, path, nil) }
      } else {
        reason = "not a readable sound file"
      }
    }
    // The theme's sound can have a format that apps are not allowed to use.
    if let path = command.systemPath, let source = SoundLoader.open(path),
      source.format.whyUnplayable == nil
    {
      return (source, path, reason)
    }
    return (Chime(), "chime", reason)
  }
}

/// The arguments of the `play` command.
struct PlayCommand: Hashable {
  var volume = 1.0
  var systemPath: String?
  var path: String?

  /// Parses the arguments, or returns nil if they are invalid.
  init?(_ arguments: ArraySlice<String>) {
    var rest = arguments
    while let word = rest.popFirst() {
      switch word {
      case "--volume":
        guard let text = rest.popFirst(), let volume = Double(text), (0...1).contains(volume) else {
          return nil
        }
        self.volume = volume
      case "--system":
        guard let path = rest.popFirst() else { return nil }
        systemPath = path
      default:
        guard path == nil, !word.hasPrefix("--") else { return nil }
        path = word
      }
    }
  }
}

extension Int16 {
  /// Reduces a sample's amplitude; `volume` is from 0 to 1.
  mutating func scale(_ volume: Double) { self = Int16((Double(self) * volume).rounded()) }
}
