import AppLink
import BelfryWire
import System

/// A command's connection to the agent, and how the agent's rows are printed.
struct AgentControl {
  /// The option that every command of the agent takes.
  static let socketOption = OptionTable.Entry.value(
    "socket", "PATH", default: "$BELFRY_SOCKET, else $XDG_RUNTIME_DIR/belfry/agent.sock",
    "the agent's socket")
  /// The option of commands that print data.
  static let jsonOption = OptionTable.Entry.flag("json", "one JSON object a line")

  private let connection: AppLinkConnection

  /// Connects to the agent that `--socket` or the environment names.
  init(_ options: CommandLineOptions) {
    connection = AppLinkConnection(
      socketPath: options.value("socket") ?? AgentSocket.path, reconnects: false,
      hello: { AppHello(role: .control, appID: nil, state: .background) }, handler: { _ in })
    connection.start()
  }

  /// Asks and waits; a person may have to decide first, so without a bound.
  func ask(_ request: ControlRequest) throws(AppLinkFailure) -> AppAnswer {
    defer { connection.close() }
    return try connection.call(.control(request), timeoutMilliseconds: 86_400_000)
  }

  /// Runs a command: reads its options, does it, tells what went wrong.
  ///
  /// The exit status.
  static func run(
    _ arguments: [String], _ table: OptionTable,
    _ body: (CommandLineOptions, AgentControl) throws -> Void
  ) -> Int32 {
    do {
      let options = try CommandLineOptions(arguments, by: table)
      if options.wantsHelp {
        Output.text(table.help)
        return 0
      }
      try body(options, AgentControl(options))
      return 0
    } catch let problem as CommandLineOptions.Problem {
      Output.error(problem)
      return 2
    } catch let problem as UsageProblem {
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

/// Arguments that cannot be understood: exit status 2.
struct UsageProblem: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
