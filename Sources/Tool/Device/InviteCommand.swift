import BelfryWire
import Gateway
import System

/// `belfry device invite`: prints an invitation with which another machine can join the gateway.
enum InviteCommand {
  static let table = OptionTable(
    command: "belfry device invite",
    summary: """
      Prints the command that enrolls another machine as a device of the gateway. The command contains the gateway's
      address, its CA certificate and the enrollment code. Anyone who has the command can enroll devices until you
      rotate the code.

      With --out, writes the invitation to a file that only you can read, for
      'belfry agent --gateway FILE' and 'belfry device run --gateway FILE'.
      """,
    [
      .value("data", "DIR", default: StateFolders.gatewayDefault, "the gateway's data folder"),
      .value(
        "host", "NAME",
        default: "the first --name of the gateway; otherwise, the address that it listens on",
        "the name or address by which the other machine reaches this machine"),
      .value(
        "address", "HOST:PORT",
        "the address and port by which the other machine reaches a proxy or a load balancer in front of the gateway, "
          + "instead of --host"),
      .value(
        "out", "FILE", "write the invitation to this file, which must not exist, with mode 0600"),
      .flag("qr", "also print the invitation as a QR code"),
      .flag(
        "json",
        "print one JSON object: line, invitation, host, port, code; with --out, also file"),
    ])

  static func run(_ arguments: [String]) -> Int32 {
    table.run(arguments) { options in
      guard !(options.has("qr") && options.has("json")) else {
        throw UsageError("--qr and --json cannot be combined: use one of them")
      }
      let folder = FileSystem.absolute(options.value("data") ?? StateFolders.gateway)
      try FolderOwner.act(in: folder)
      var gateway = try Self.gateway(in: folder)
      let isAlone = SocketAddress(host: gateway.host, port: 0)?.isLoopback == true
      let listensForOthers = gateway.listensEverywhere || !isAlone
      if let (host, port) = try Self.address(options) {
        gateway.host = host
        gateway.port = port ?? gateway.port
      } else {
        gateway.host = invitingHost(gateway, GatewayFolder(path: folder), listensForOthers)
      }
      let hasName = gateway.publicName != nil
      guard GatewayFolder(path: folder).isCertified(for: gateway.host) != false else {
        Output.error(
          "the gateway's certificate is not valid for \(gateway.host), so devices refuse it",
          do:
            "start the gateway with --name \(gateway.host), or use a name in the certificate"
        )
        return 1
      }
      // The file of a stopped gateway might contain an older code.
      let lines = try GatewayAccess(folder: folder).perform(.enrollmentCode)
      if let code = lines.first?["code"]?.stringValue { gateway.enrollmentCode = code }
      // A proxy on the gateway's machine can listen for other machines.
      if !listensForOthers, options.value("address") == nil {
        Output.error(
          "warning: the gateway listens only on this machine, so the invitation works only here",
          do: "to invite other machines, restart the gateway with --host 0.0.0.0"
            + (hasName ? "" : " --name NAME"))
      }
      let invitation = try Invitation.text(of: gateway)
      let out = try options.value("out").map(AdministrationVerb.reserve)
      try out?.write(Array((invitation + "\n").utf8))
      let file = out?.path
      let line = ShellWords.line(["belfry", "agent", "--gateway", file ?? invitation])
      if options.has("json") {
        Output.json([
          "line": .string(line), "invitation": .string(invitation), "host": .string(gateway.host),
          "port": .integer(Int64(gateway.port)), "code": .string(gateway.enrollmentCode),
          "file": file.map(JSONValue.string) ?? .null,
        ])
      } else {
        Output.line(line)
      }
      guard options.has("qr") else { return 0 }
      guard let code = QRCode(Array(invitation.utf8)) else {
        Output.error(
          "the invitation is too long for a QR code (more than \(QRCode.bytesMax) bytes)",
          do: "use --out FILE")
        return 1
      }
      let rows = code.lines
      for row in rows { Output.line(row) }
      if let columns = rows.first?.count, let width = RawTerminal.outputWidth, width < columns {
        Output.error(
          "the QR code cannot be read, because it is \(columns) columns wide and the terminal has \(width)",
          do: "make the terminal wider or its font smaller, and run this command again")
      }
      return 0
    }
  }

  /// Returns the host that the options specify, and its port if they specify one; nil if they specify no host.
  private static func address(_ options: CommandLineOptions) throws -> (String, UInt16?)? {
    let host = options.value("host")
    if let address = options.value("address") {
      guard host == nil else {
        throw UsageError.contradiction("--host and --address", "use one of them")
      }
      guard let (name, port) = DeviceGateway.address(address), GatewayConfiguration.isName(name)
      else {
        throw CommandLineOptions.Problem.badValue(
          key: "address", value: address,
          wanted: "HOST:PORT, with a host name or an IP address and a port from 1 to 65535")
      }
      return (name, port)
    }
    guard let host else { return nil }
    guard GatewayConfiguration.isName(host) else {
      let hasPort = DeviceGateway.address(host) != nil
      throw CommandLineOptions.Problem.badValue(
        key: "host", value: host,
        wanted: "a host name or an IP address" + (hasPort ? "; with a port, use --address" : ""))
    }
    return (host, nil)
  }

  /// Reads the description of the gateway in a folder.
  private static func gateway(in folder: String) throws -> DeviceGateway {
    do {
      return try DeviceGateway(file: folder + "/gateway.json")
    } catch DeviceGateway.Problem.badFile(let path, let reason) {
      throw DeviceGateway.Problem.badFileInFolder(path, reason: reason)
    }
  }

  /// Returns the host for the invitation: the first name that the operator configured.
  ///
  /// Without such a name, the host is the address that other machines can reach. If the certificate doesn't contain
  /// this address, the host is a name from the certificate.
  private static func invitingHost(
    _ gateway: DeviceGateway, _ folder: GatewayFolder, _ listensForOthers: Bool
  ) -> String {
    if let named = gateway.publicName { return named }
    let host = reachableHost(gateway)
    guard listensForOthers, folder.isCertified(for: host) == false else { return host }
    return folder.certifiedNames.first ?? host
  }

  /// Returns this machine's first address that other machines can reach, if the gateway listens on all addresses.
  private static func reachableHost(_ gateway: DeviceGateway) -> String {
    guard gateway.listensEverywhere else { return gateway.host }
    let addresses = LocalHost.addresses
    return addresses.first { !$0.contains(":") } ?? addresses.first ?? gateway.host
  }
}
