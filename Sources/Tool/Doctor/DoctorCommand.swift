import AppLink
import BelfryWire
import AppWire
import System

/// `belfry doctor`: shows which features work or are missing on this machine, and how to fix problems.
enum DoctorCommand {
  static let table = OptionTable(
    command: "belfry doctor",
    summary: """
      Checks which features work on this machine, explains what to do about those that do not, and checks the link to
      the gateway. Requires a running agent, and exits 1 if no agent answers. With --gateway, checks a gateway instead,
      and exits 1 if a required part is missing.
      """,
    [
      .flag("gateway", "check the gateway on this machine instead of the agent"),
      .value(
        "data", "DIR", default: StateFolders.gatewayDefault,
        "with --gateway: the gateway's data folder"),
      AgentControl.jsonOption, AgentControl.socketOption,
    ])

  static func run(_ arguments: [String]) -> Int32 {
    // A gateway check doesn't require an agent, and the environment of a service might lack the variables that locate
    // one.
    if let options = try? CommandLineOptions(arguments, by: table), options.has("gateway"),
      !options.wantsHelp
    {
      let folder = FileSystem.absolute(options.value("data") ?? StateFolders.gateway)
      do throws(SystemFailure) {
        try FolderOwner.act(in: folder)
      } catch {
        Output.error(error)
        return 1
      }
      let rows = GatewayDoctor.rows(folder: folder)
      show(rows, options)
      return GatewayDoctor.isFine(rows) ? 0 : 1
    }
    return AgentControl.run(arguments, table) { options, agent in
      guard options.value("data") == nil else {
        throw UsageError("--data requires --gateway: add --gateway, or remove --data")
      }
      try showAgent(options, agent)
    }
  }

  /// Shows the findings about the agent.
  ///
  /// If no agent answers, an error message with advice is printed to standard error; programs also receive the error as
  /// a finding.
  private static func showAgent(_ options: CommandLineOptions, _ agent: AgentControl) throws {
    do throws(AppLinkFailure) {
      let rows = try agent.ask(.diagnose).rows
      show(options.has("json") ? rows : rows.map(withOtherGateway), options)
    } catch {
      guard options.has("json") else {
        throw AppLinkFailure(
          error.reason,
          "\(error.message); then run 'belfry doctor' again to check notifications, sounds and the link to a gateway; "
            + "to check the gateway itself, run 'belfry doctor --gateway'"
        )
      }
      let message = ProblemText(error.message)
      let advice = message.advice ?? "start it with 'belfry agent'"
      show(
        [
          [
            "feature": "agent", "state": "missing", "optional": false,
            "detail": .string(message.problem), "do": .string(advice),
          ]
        ], options)
      throw error
    }
  }

  /// Returns a finding unchanged, unless the agent has no gateway; this finding then names a gateway with a port offset
  /// on this machine, if there is one.
  private static func withOtherGateway(_ row: JSONObject) -> JSONObject {
    guard row["feature"] == "gateway", row["state"] == "missing",
      row["detail"]?.stringValue?.hasPrefix("none:") == true,
      let file = DeviceGateway.example(insteadOf: DeviceGateway.usersFile),
      let advice = row["do"]?.stringValue
    else { return row }
    var row = row
    let folder = FileSystem.parent(of: file)
    row["do"] = .string(
      "\(advice); for the gateway in \(folder), start the agent with --gateway \(file)")
    return row
  }

  private static func show(_ rows: [JSONObject], _ options: CommandLineOptions) {
    if options.has("json") { return AgentControl.show(rows, .none, asJSON: true) }
    for line in DoctorPage(rows).lines { Output.line(line) }
  }
}
