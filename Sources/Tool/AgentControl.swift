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
    guard !asJSON else {
      for row in rows { Output.json(.object(row)) }
      return
    }
    guard let keys = rows.first?.keys else { return }
    let cells = rows.map { row in keys.map { cell(row[$0] ?? .null) } }
    let widths = keys.indices.map { column in
      max(keys[column].count, cells.map { $0[column].count }.max() ?? 0)
    }
    for line in [keys] + cells {
      let padded = zip(line, widths).map { text, width in
        text + String(repeating: " ", count: width - text.count)
      }
      Output.line(padded.joined(separator: "  ").trimmingTrailingSpaces)
    }
  }

  private static func cell(_ value: JSONValue) -> String {
    switch value {
    case .null: "-"
    case .string(let text): text.isEmpty ? "-" : printable(text)
    case .array(let elements): elements.isEmpty ? "-" : elements.map(cell).joined(separator: ",")
    case .object(let object): object.isEmpty ? "-" : printable(object.text)
    default: value.text
    }
  }

  /// An app's text must not move the cursor of the terminal that it is printed on.
  private static func printable(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) ? " " : $0 }))
  }
}

/// Arguments that cannot be understood: exit status 2.
struct UsageProblem: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

extension String {
  fileprivate var trimmingTrailingSpaces: String {
    var text = self
    while text.hasSuffix(" ") { text.removeLast() }
    return text
  }
}
