import Agent
import Glibc
import System

/// `belfry sound`: checks and converts sound files for alerts, using `belfry-sound`.
enum SoundCommand {
  static let table = OptionTable(
    command: "belfry sound",
    summary: """
      Prints a sound file's format and length, and whether the file can be an alert sound, as one JSON object. An
      alert sound is Linear PCM, IMA4, µ-law or A-law in an aiff, wav or caf file, and is shorter than 30 seconds.
      Exits 1 if the file cannot be an alert sound. 'belfry sound convert FILE NEW' converts other sound files.
      """,
    positionals: "FILE", positionalCount: 1...1,
    [
      .flag("json", "no effect, because the output is always JSON"),
      .flag("play", "play the sound, or the system sound if the file cannot be an alert sound"),
    ])

  static let conversionTable = OptionTable(
    command: "belfry sound convert",
    summary: """
      Converts a sound file to an alert sound, which is IMA4 in a .caf file or Linear PCM in an .aiff or .wav file.
      Refuses a sound of 30 seconds or more, unless --cut is set. Exits 1 if the conversion fails. Also accepts the
      options of Apple's afconvert: -d ima4 -f caff -v.
      """,
    positionals: "FILE NEW", positionalCount: 2...2,
    [
      .value("encoding", "pcm|ima4|ulaw|alaw", "encoding of the samples, instead of the default"),
      .flag("cut", "keep only the beginning of a sound that is too long"),
      .flag("json", "one JSON object"),
    ])

  static func run(_ arguments: [String]) -> Int32 {
    arguments.first == "convert" ? convert(Array(arguments.dropFirst())) : look(arguments)
  }

  private static func convert(_ arguments: [String]) -> Int32 {
    CommandRun.status {
      let words = try AfconvertWords.translated(arguments)
      return conversionTable.run(words, convert)
    }
  }

  private static func convert(_ options: CommandLineOptions) throws -> Int32 {
    let paths = options.positionals.map(FileSystem.absolute)
    guard let source = paths.first, FileSystem.exists(source) else {
      Output.error("\(paths.first ?? "") does not exist", do: "specify a sound file")
      return 1
    }
    var words = ["convert"]
    if let encoding = try options.choice("encoding", of: ["pcm", "ima4", "ulaw", "alaw"]) {
      words += ["--encoding", encoding]
    }
    if options.has("cut") { words.append("--cut") }
    return become(words + paths)
  }

  private static func look(_ arguments: [String]) -> Int32 {
    table.run(arguments) { options in
      guard let file = options.positionals.first.map(FileSystem.absolute) else { return 2 }
      guard FileSystem.exists(file) else {
        Output.error("\(file) does not exist", do: "specify a sound file")
        return 1
      }
      return become(options.has("play") ? ["play", file] : ["check", file])
    }
  }

  /// Replaces this process with `belfry-sound`.
  private static func become(_ arguments: [String]) -> Int32 {
    let name = "belfry-sound"
    let path = HelperProgram.find(name)
    let words = [name] + arguments
    let pointers: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
    defer { unsafe pointers.forEach { unsafe free($0) } }
    if let path { _ = unsafe execv(path, pointers) }
    Output.error(
      "cannot run \(name)",
      do:
        "install the package belfry-agent-desktop, or build it ('make build') and put it next to belfry or on PATH"
    )
    return 1
  }
}
