import BelfryWire
import Gateway
import System

/// `belfry console`: prints a URL that opens the gateway's console with the user signed in.
enum ConsoleCommand {
  static let table = OptionTable(
    command: "belfry console",
    summary: """
      Prints a URL that opens a running gateway's console and signs you in. You can use the URL once, and it expires
      after one minute.
      """,
    [
      .value("data", "DIR", default: StateFolders.gatewayDefault, "the gateway's data folder"),
      .flag("json", "print one JSON object: url, validSeconds"),
    ])

  static func run(_ arguments: [String]) -> Int32 {
    table.run(arguments) { options in
      let folder = FileSystem.absolute(options.value("data") ?? StateFolders.gateway)
      try FolderOwner.act(in: folder)
      guard let link = try GatewayAccess(folder: folder).consoleLink() else {
        try GatewayFolder(path: folder).requireGateway()
        Output.error(
          "no gateway is running with the data folder \(folder)",
          do: "start it with 'belfry gateway', or \(GatewayFolder(path: folder).folderAdvice)")
        return 1
      }
      if options.has("json") {
        Output.json(
          .object(["url": .string(link.url), "validSeconds": .integer(link.seconds)]))
      } else {
        Output.line(link.url)
      }
      return 0
    }
  }
}
