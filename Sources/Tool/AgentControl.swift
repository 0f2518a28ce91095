import AppLink
import BelfryWire
import AppWire
import System

/// A command's connection to the agent, with functions that print the agent's rows.
struct AgentControl {
  /// The option that all commands that control the agent have.
  static let socketOption = OptionTable.Entry.value(
    "socket", "PATH",
    default: "$BELFRY_SOCKET if set; otherwise, $XDG_RUNTIME_DIR/belfry/agent.sock",
    "the agent's socket")
  /// The option that all commands that print data have.
  static let jsonOption = OptionTable.Entry.flag("json", "one JSON object per line")

  let connection: AppLinkConnection

  /// Connects to the agent that `--socket` or the environment specifies.
  init(_ options: CommandLineOptions) {
    connection = AppLinkConnection(
      socketPath: options.value("socket") ?? StateFolders.socket, reconnects: false,
      greetingMilliseconds: Self.greetingMilliseconds(options),
      hello: { AppHello(role: .control, appID: nil, state: .background) }, handler: { _ in })
    connection.start()
  }

  /// Returns the time, in milliseconds, within which an agent must answer a command's greeting: `--timeout`, if that is
  /// shorter than the default.
  static func greetingMilliseconds(_ options: CommandLineOptions) -> Int64 {
    let seconds = options.value("timeout").flatMap { Int64($0) } ?? longestGreetingSeconds
    // Allow at least one second, because no agent can answer instantly.
    return min(max(seconds, 1), longestGreetingSeconds) * 1_000
  }

  /// The time, in seconds, within which an agent must answer a greeting; normally, it answers immediately.
  private static let longestGreetingSeconds: Int64 = 5

  /// Sends a request and waits for the answer, which doesn't depend on the user.
  func ask(
    _ request: ControlRequest, timeoutMilliseconds: Int64 = answerMilliseconds
  ) throws(AppLinkFailure) -> AppAnswer {
    defer { connection.close() }
    return try connection.call(.control(request), timeoutMilliseconds: timeoutMilliseconds)
  }

  /// The time, in milliseconds, within which an answer that doesn't depend on the user must arrive, even from a busy
  /// machine.
  static let answerMilliseconds: Int64 = 60_000
  /// The time limit, in milliseconds, for a manual clock to step through all due times: one day, because the due times
  /// can span years of notifications.
  static let clockMilliseconds: Int64 = 86_400_000

  /// Runs a command: parses its options, executes it, and prints any error.
  ///
  /// Returns the exit status. Each of the subcommands in `verbs` has its own help.
  static func run(
    _ arguments: [String], _ table: OptionTable, verbs: [OptionTable] = [],
    _ body: (CommandLineOptions, AgentControl) throws -> Void
  ) -> Int32 {
    let verb = arguments.first.flatMap { word in
      verbs.first { $0.command == "\(table.command) \(word)" }
    }
    return table.run(arguments, help: { Output.help(verb ?? table) }) { options in
      do {
        try body(options, AgentControl(options))
      } catch let failure as AppLinkFailure where failure.reason == .connectionLost {
        throw AppLinkFailure(failure.reason, "\(failure.message): run the command again")
      }
      return 0
    }
  }

  /// Prints rows as JSON lines or as a table.
  static func show(
    _ rows: [JSONObject], _ header: OutputTable.Header, asJSON: Bool
  ) {
    OutputTable.show(rows, columns: rows.first?.keys ?? [], header, asJSON: asJSON)
  }
}
