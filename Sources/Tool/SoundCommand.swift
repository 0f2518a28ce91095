import Glibc
import System

/// `belfry sound`: checks with `belfry-sound` whether a file can be an alert sound.
enum SoundCommand {
  static let table = OptionTable(
    command: "belfry sound",
    summary: """
      Tells a sound file's format and length, and whether it may be an alert sound: Linear PCM, IMA4,
      µ-law or A-law in an aiff, wav or caf file, shorter than 30 seconds. Ends with 1 when not.
      """,
    positionals: "FILE", positionalCount: 1...1,
    [.flag("json", "one JSON object"), .flag("play", "play it, or what is heard instead")])

  static func run(_ arguments: [String]) -> Int32 {
    do {
      let options = try CommandLineOptions(arguments, by: table)
      if options.wantsHelp {
        Output.text(table.help)
        return 0
      }
      guard let file = options.positionals.first.map(FileSystem.absolute) else { return 2 }
      guard FileSystem.exists(file) else {
        Output.error("\(file) does not exist", do: "give a sound file")
        return 1
      }
      return become(options.has("play") ? ["play", file] : ["check", file])
    } catch {
      Output.error(error)
      return 2
    }
  }

  /// Replaces this process by `belfry-sound`, which is beside this program or on `PATH`.
  private static func become(_ arguments: [String]) -> Int32 {
    let name = "belfry-sound"
    let path = FileSystem.programFolder.map { "\($0)/\(name)" }
    let words = [name] + arguments
    let pointers: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
    defer { unsafe pointers.forEach { unsafe free($0) } }
    if let path { _ = unsafe execv(path, pointers) }
    _ = unsafe execvp(name, pointers)
    Output.error("\(name) cannot be run", do: "install it beside belfry or on PATH")
    return 1
  }
}
