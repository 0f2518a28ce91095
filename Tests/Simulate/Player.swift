import Foundation

/// A runner that runs worlds one after another in this process.
///
/// The runner prints a line to standard output for each world that begins, and a line with the results of all worlds.
struct Player {
  private let options: SimulationOptions

  init(_ options: SimulationOptions) { self.options = options }

  /// Runs the worlds and returns the exit status.
  ///
  /// The status is 1 if a guarantee was broken.
  func play() -> Int32 {
    var seed = options.seed ?? 1
    let end = Date(timeIntervalSinceNow: options.seconds ?? .infinity)
    var left = options.worlds ?? .max
    var worlds = 0
    var events = 0
    var first: (seed: UInt64, outcome: SimulationModel.Outcome)?
    while left > 0, Date() < end {
      say("begin \(seed)")
      let descriptors = openDescriptors
      let outcome = options.model.play(seed, length: options.length, planted: options.planted)
      worlds += 1
      events += outcome.events
      guard outcome.violation == nil else {
        say("broken \(outcome.report)")
        return 1
      }
      guard worlds < 3 || openDescriptors <= descriptors else {
        say("broken seed \(seed): \(openDescriptors - descriptors) descriptors are left open")
        return 1
      }
      if outcome.digest != nil, first == nil { first = (seed, outcome) }
      if let (seed, outcome) = first, worlds % options.replay == 0 {
        let again = options.model.play(seed, length: options.length, planted: options.planted)
        guard again.digest == outcome.digest else {
          say(
            "broken seed \(seed): a second run differs\n\(difference(outcome.report, again.report))"
          )
          return 1
        }
        first = nil
      }
      if options.worlds == 1 { say("report \(outcome.report)") }
      seed += options.stride ?? 1
      left -= 1
    }
    say("played \(worlds) \(events)")
    return 0
  }

  /// Returns the last lines that two reports have in common, and the first lines that differ.
  private func difference(_ one: String, _ other: String) -> String {
    let lines = [one, other].map { $0.split(separator: "\n", omittingEmptySubsequences: false) }
    let common = zip(lines[0], lines[1]).prefix { $0.utf8.elementsEqual($1.utf8) }.count
    return
      (lines[0].prefix(common).suffix(10)
      + ["first run:"] + lines[0].dropFirst(common).prefix(3)
      + ["second run:"] + lines[1].dropFirst(common).prefix(3)).joined(separator: "\n")
  }

  /// Prints a line without buffering, so that the line is not lost if the process traps.
  private func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }

  private var openDescriptors: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
  }
}
