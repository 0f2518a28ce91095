import Dispatch
import Foundation
import Synchronization

/// A crew of processes that share the worlds.
///
/// Together, the processes use all processors, and a trap stops only one of them.
final class Crew {
  private var options: SimulationOptions
  private let first: UInt64
  private let start = Date()

  init(_ options: SimulationOptions) {
    self.options = options
    first = options.seed ?? UInt64(Date().timeIntervalSince1970 * 1_000)
    if options.seed != nil, options.seconds == nil, options.worlds == nil {
      self.options.worlds = 1
    }
    if self.options.worlds == nil, options.seconds == nil { self.options.seconds = 60 }
    if let worlds = self.options.worlds {
      self.options.jobs = min(options.jobs, Int(clamping: worlds))
    }
  }

  /// Runs the worlds and returns the exit status.
  ///
  /// The status is 1 if a guarantee was broken.
  func play() -> Int32 {
    let players = (0..<options.jobs).compactMap { start($0) }
    let outputs = Self.readAll(players.map { $0.1.fileHandleForReading })
    var status: Int32 = players.count == options.jobs ? 0 : 1
    var worlds = 0
    var events = 0
    for (index, (process, _)) in players.enumerated() {
      process.waitUntilExit()
      let lines = outputs[index].split(separator: "\n", omittingEmptySubsequences: false)
      for line in lines where line.hasPrefix("report ") { print(line.dropFirst(7)) }
      if let broken = lines.firstIndex(where: { $0.hasPrefix("broken ") }) {
        print(lines[broken...].joined(separator: "\n").dropFirst(7))
        status = 1
      } else if process.terminationReason == .uncaughtSignal || process.terminationStatus != 0 {
        let seed = lines.last { $0.hasPrefix("begin ") }?.dropFirst(6) ?? "?"
        print("seed \(seed): the process exited with \(process.terminationStatus)")
        print(
          "replay it with: make simulate MODEL=\(options.model.rawValue) SEED=\(seed)"
            + options.length.replayOption)
        status = 1
      }
      let played = lines.last { $0.hasPrefix("played ") }?.split(separator: " ").dropFirst() ?? []
      let figures = played.compactMap { Int($0) }
      if figures.count == 2 {
        worlds += figures[0]
        events += figures[1]
      } else {
        worlds += lines.count { $0.hasPrefix("begin ") }
      }
    }
    report(worlds: worlds, events: events)
    return status
  }

  /// Reads the output of all players until it ends.
  ///
  /// The outputs are read concurrently, because a player blocks while its pipe is full.
  private static func readAll(_ handles: [FileHandle]) -> [String] {
    let outputs = Mutex([String](repeating: "", count: handles.count))
    DispatchQueue.concurrentPerform(iterations: handles.count) { index in
      let output = String(decoding: handles[index].readDataToEndOfFile(), as: UTF8.self)
      outputs.withLock { $0[index] = output }
    }
    return outputs.withLock { $0 }
  }

  private func start(_ index: Int) -> (Process, Pipe)? {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    var arguments = [
      "--model", options.model.rawValue, "--length", options.length.rawValue,
      "--seed", "\(first + UInt64(index))", "--stride", "\(options.jobs)",
      "--replay", "\(options.replay)",
    ]
    if let planted = options.planted { arguments += ["--plant", planted.rawValue] }
    if let seconds = options.seconds { arguments += ["--seconds", "\(seconds)"] }
    if let worlds = options.worlds {
      let share = worlds / UInt64(options.jobs)
      let rest = worlds % UInt64(options.jobs) > UInt64(index) ? 1 : 0
      arguments += ["--worlds", "\(share + UInt64(rest))"]
    }
    process.arguments = arguments
    process.standardOutput = pipe
    do {
      try process.run()
    } catch {
      print("cannot start a player: \(error)")
      return nil
    }
    return (process, pipe)
  }

  private func report(worlds: Int, events: Int) {
    let seconds = max(0.001, Date().timeIntervalSince(start))
    print(
      "\(options.model.rawValue): \(worlds) worlds from seed \(first), \(events) events, "
        + "\(String(format: "%.1f", Double(worlds) / seconds)) worlds and "
        + "\(Int(Double(events) / seconds)) events per second")
  }
}
