import AppWire
import BelfryWire
import System

/// `belfry unifiedpush`: shows and ends the registrations of apps with the agent's UnifiedPush distributor.
enum UnifiedPushCommand {
  static let tables = [listTable, removeTable, testTable]

  private static let verbs = "list, remove or test"

  static func run(_ arguments: [String]) -> Int32 {
    let rest = Array(arguments.dropFirst())
    switch arguments.first {
    case "list": return list(rest)
    case "remove": return remove(rest)
    case "test": return test(rest)
    case "--help":
      Output.help(tables)
      return 0
    case let word:
      Output.error(
        word.map { "unknown command 'belfry unifiedpush \($0)'" } ?? "missing command",
        do: "use \(verbs)")
      return 2
    }
  }

  static let listTable = OptionTable(
    command: "belfry unifiedpush list",
    summary: """
      Lists the apps that receive Web Push messages through the agent: the app's name on the bus, its own description,
      the token of the registration, the version of the D-Bus interface, the number of messages that wait for the app,
      and the endpoint to which servers send. Keep the tokens secret: a program that knows a token can end the
      registration.
      """,
    [AgentControl.jsonOption, AgentControl.socketOption])

  private static func list(_ arguments: [String]) -> Int32 {
    AgentControl.run(arguments, listTable) { options, agent in
      let columns = ["service", "description", "token", "version", "waiting", "endpoint"]
      OutputTable.show(
        try agent.ask(.subscriptions).rows, columns: columns, .headings(of: "registrations"),
        asJSON: options.has("json"), shortening: ["endpoint", "description"])
    }
  }

  static let removeTable = OptionTable(
    command: "belfry unifiedpush remove",
    summary: """
      Ends the registration with this token, and notifies its app. The registration's endpoint becomes invalid.
      """,
    positionals: "TOKEN", positionalCount: 1...1, [AgentControl.socketOption])

  private static func remove(_ arguments: [String]) -> Int32 {
    AgentControl.run(arguments, removeTable) { options, agent in
      _ = try agent.ask(.removeSubscription(token: options.positionals[0]))
    }
  }

  static let testTable = OptionTable(
    command: "belfry unifiedpush test",
    summary: """
      Checks each step of a registration: the distributor's name on the session bus, the link to the gateway, the
      gateway's Web Push service, and a temporary subscription, which the command then removes. Exits with 1 if a step
      failed. The command does not send a message.
      """,
    [AgentControl.jsonOption, AgentControl.socketOption])

  /// A step that failed, whose row has already been printed.
  private struct StepFailure: Error, CustomStringConvertible {
    let description: String
  }

  private static func test(_ arguments: [String]) -> Int32 {
    AgentControl.run(arguments, testTable) { options, agent in
      let rows = try agent.ask(.testSubscription).rows
      AgentControl.show(rows, .headings(of: "steps"), asJSON: options.has("json"))
      guard let failed = rows.first(where: { $0["state"] != "ok" }) else {
        if !options.has("json") {
          Output.line("sending  not tested: send a message from an app's server to test delivery")
        }
        return
      }
      throw StepFailure(description: failed["detail"]?.stringValue ?? "a step failed")
    }
  }
}
