import BelfryWire
import Glibc
import System

/// `belfry device received`: prints the pushes that the devices of `belfry test-gateway` receive, as they arrive.
enum ReceivedCommand {
  static let table = OptionTable(
    command: "belfry device received",
    summary: """
      For a command under 'belfry test-gateway': prints the first N pushes that its devices have received,
      one JSON line each, and waits for those that are missing. Ends with 1 when they do not come in time.
      """,
    [
      .value("count", "N", default: "1", "how many"),
      .value("timeout", "SECONDS", default: "10", "how long to wait for them"),
      .value("file", "FILE", default: "$BELFRY_RECEIVED", "where they are"),
    ])

  static func run(_ arguments: [String]) -> Int32 {
    do {
      let options = try CommandLineOptions(arguments, by: table)
      if options.wantsHelp {
        Output.text(table.help)
        return 0
      }
      guard let file = options.value("file") ?? StateFolders.variable("BELFRY_RECEIVED") else {
        throw CommandLineOptions.Problem.required(key: "file")
      }
      let count = try options.integer("count", in: 1...1_000_000) ?? 1
      let timeout = try options.integer("timeout", in: Int64(0)...86_400) ?? 10
      return try show(count, of: file, within: .seconds(timeout))
    } catch let problem as CommandLineOptions.Problem {
      Output.error(problem)
      return 2
    } catch {
      Output.error(error)
      return 1
    }
  }

  private static func show(_ count: Int, of file: String, within limit: Duration) throws -> Int32 {
    let descriptor = unsafe open(file, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw SystemFailure.call(name: "open", errno: errno, subject: file)
    }
    var shown = 0
    let reader = LineReader(descriptor) { line in
      if shown < count { Output.line(line) }
      shown += 1
    }
    let end = ContinuousClock.now + limit
    while shown < count {
      // A file does not report readiness, so poll it at its end.
      guard !reader.read() else { continue }
      guard ContinuousClock.now < end else {
        Output.error(
          "\(shown) of \(count) pushes came in time",
          do: "see 'belfry log' for what became of the others, or give a longer --timeout")
        return 1
      }
      usleep(pauseMicroseconds)
    }
    return 0
  }

  private static let pauseMicroseconds: UInt32 = 10_000
}
