import BelfryWire
import Gateway
import System

/// `belfry device invite`: prints the line with which another machine joins the gateway.
enum InviteCommand {
  static let table = OptionTable(
    command: "belfry device invite",
    summary: """
      Prints the line that makes another machine a device of the gateway: its address, its authority and the
      code to enrol with in one word, which 'belfry device run --gateway' takes too. Who has the line can
      enrol devices until the code is rotated.
      """,
    [
      .value("data", "DIR", default: "$XDG_STATE_HOME/belfry/gateway", "the gateway's folder"),
      .value(
        "host", "NAME", default: "the address that the gateway listens on",
        "by which the other machine reaches this one"),
      .flag("json", "one JSON object: line, invitation, host, port, code"),
    ])

  static func run(_ arguments: [String]) -> Int32 {
    do {
      let options = try CommandLineOptions(arguments, by: table)
      if options.wantsHelp {
        Output.text(table.help)
        return 0
      }
      let folder = FileSystem.absolute(options.value("data") ?? StateFolders.gateway)
      try FolderOwner.act(in: folder)
      var gateway = try DeviceGateway(file: folder + "/gateway.json")
      let isAlone = SocketAddress(host: gateway.host, port: 0)?.isLoopback == true
      let listensForOthers = gateway.listensEverywhere || !isAlone
      if let host = options.value("host") {
        guard GatewayConfiguration.isName(host) else {
          throw CommandLineOptions.Problem.badValue(
            key: "host", value: host, wanted: "a host name or an IP address")
        }
        gateway.host = host
      } else {
        gateway.host = reachableHost(gateway)
      }
      // The file of a stopped gateway may contain an older code.
      let lines = try GatewayAccess(folder: folder).perform(.enrolmentCode)
      if let code = lines.first?["code"]?.stringValue { gateway.enrolmentCode = code }
      if !listensForOthers {
        Output.error(
          "the gateway listens on this machine alone",
          do: "start it with --host 0.0.0.0 for others to join")
      }
      if GatewayFolder(path: folder).isCertified(for: gateway.host) == false {
        Output.error(
          "the gateway's certificate is not for \(gateway.host), so devices refuse it",
          do: "start the gateway with --name \(gateway.host), or invite by a name that it has")
      }
      let invitation = try Invitation.text(of: gateway)
      let line = ShellWords.line(["belfry", "agent", "--gateway", invitation])
      guard options.has("json") else {
        Output.line(line)
        return 0
      }
      Output.json([
        "line": .string(line), "invitation": .string(invitation), "host": .string(gateway.host),
        "port": .integer(Int64(gateway.port)), "code": .string(gateway.enrolmentCode),
      ])
      return 0
    } catch let problem as CommandLineOptions.Problem {
      Output.error(problem)
      return 2
    } catch {
      Output.error(error)
      return 1
    }
  }

  /// Returns the first address of this machine that others may reach, for a gateway that listens on all addresses.
  private static func reachableHost(_ gateway: DeviceGateway) -> String {
    guard gateway.listensEverywhere else { return gateway.host }
    let addresses = LocalHost.addresses
    return addresses.first { !$0.contains(":") } ?? addresses.first ?? gateway.host
  }
}
