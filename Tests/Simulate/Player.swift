import Foundation

/// A runner of worlds, one after the other, in this process.
///
/// It prints a line to standard output for each world that begins, and a line with the results of all worlds.
struct Player {
  private let options: SimulationOptions
  /// The number of worlds after which the first world is run again.
  ///
  /// Its result must be the same.
  private static let worldsBetweenReplays = 250

  init(_ options: SimulationOptions) { self.options = options }

  /// Runs the worlds, and returns the exit status.
  ///
  /// The status is 1 if a guarantee was broken.
  func play() -> Int32 {
    var seed = options.seed ?? 1
    let end = Date(timeIntervalSinceNow: options.seconds ?? .infinity)
    var left = options.worlds ?? .max
    var worlds = 0
    var events = 0
    var first: (seed: UInt64, digest: UInt64)?
    while left > 0, Date() < end {
      say("begin \(seed)")
      let descriptors = openDescriptors
      let outcome = options.model.play(seed, length: options.length)
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
      if let digest = outcome.digest, first == nil { first = (seed, digest) }
      if let first, worlds % Self.worldsBetweenReplays == 0,
        options.model.play(first.seed, length: options.length).digest != first.digest
      {
        say("broken seed \(first.seed): it is another world after \(worlds) others")
        return 1
      }
      if options.worlds == 1 { say("report \(outcome.report)") }
      seed += options.stride ?? 1
      left -= 1
    }
    say("played \(worlds) \(events)")
    return 0
  }

  /// Prints a line without buffering, so that the line is not lost when the process traps.
  private func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }

  private var openDescriptors: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
  }
}
