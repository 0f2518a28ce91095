import AppLink
import BelfryWire
import System

/// A command's connection to the agent, and the output of the agent's rows.
struct AgentControl {
  /// The option of every command for the agent.
  static let socketOption = OptionTable.Entry.value(
    "socket", "PATH", default: "$BELFRY_SOCKET, else $XDG_RUNTIME_DIR/belfry/agent.sock",
    "the agent's socket")
  /// The option of commands that print data.
  static let jsonOption = OptionTable.Entry.flag("json", "one JSON object a line")

  let connection: AppLinkConnection

  /// Connects to the agent of `--socket` or the environment.
  init(_ options: CommandLineOptions) {
    connection = AppLinkConnection(
      socketPath: options.value("socket") ?? StateFolders.socket, reconnects: false,
      greetingMilliseconds: Self.greetingMilliseconds(options),
      hello: { AppHello(role: .control, appID: nil, state: .background) }, handler: { _ in })
    connection.start()
  }

  /// Milliseconds for an agent to answer a command's greeting: `--timeout` where that is shorter.
  static func greetingMilliseconds(_ options: CommandLineOptions) -> Int64 {
    let seconds = options.value("timeout").flatMap { Int64($0) } ?? longestGreetingSeconds
    // No agent answers in no time at all.
    return min(max(seconds, 1), longestGreetingSeconds) * 1_000
  }

  /// Seconds for an agent to answer a greeting, which it does at once unless something holds it up.
  private static let longestGreetingSeconds: Int64 = 5

  /// Sends a request and waits for the answer, which no person has to give.
  func ask(
    _ request: ControlRequest, timeoutMilliseconds: Int64 = answerMilliseconds
  ) throws(AppLinkFailure) -> AppAnswer {
    defer { connection.close() }
    return try connection.call(.control(request), timeoutMilliseconds: timeoutMilliseconds)
  }

  /// Milliseconds for an answer that no person decides about: a busy machine is slow.
  static let answerMilliseconds: Int64 = 60_000
  /// Milliseconds for a manual clock to pass every moment in between: a day, for years of notifications.
  static let clockMilliseconds: Int64 = 86_400_000

  /// Runs a command: parses its options, carries it out and prints an error.
  ///
  /// The exit status. `verbs` have help of their own.
  static func run(
    _ arguments: [String], _ table: OptionTable, verbs: [OptionTable] = [],
    _ body: (CommandLineOptions, AgentControl) throws -> Void
  ) -> Int32 {
    do {
      let options = try CommandLineOptions(arguments, by: table)
      if options.wantsHelp {
        let verb = arguments.first.flatMap { word in
          verbs.first { $0.command == "\(table.command) \(word)" }
        }
        Output.text((verb ?? table).help)
        return 0
      }
      try body(options, AgentControl(options))
      return 0
    } catch let problem as CommandLineOptions.Problem {
      Output.error(problem)
      return 2
    } catch let problem as UsageError {
      Output.error(problem)
      return 2
    } catch {
      Output.error(error)
      return 1
    }
  }

  /// Prints rows: as JSON lines, or as a table for a person.
  static func show(_ rows: [JSONObject], asJSON: Bool) {
    OutputTable.show(rows, columns: rows.first?.keys ?? [], hasHeader: true, asJSON: asJSON)
  }
}

/// Wrong arguments: exit status 2.
struct UsageError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
