import BelfryWire
import Gateway
import Glibc
import PostgresStorage
import ProviderService
import System

/// `belfry store copy`: moves the data of a stopped gateway or provider from its folder to a database.
enum StoreCommand {
  static let table = OptionTable(
    command: "belfry store copy",
    summary:
      "Copies the data of a stopped gateway or provider from the SQLite files in its data folder to an empty "
      + "PostgreSQL database, and compares both. Afterward, start the gateway or provider with the same data folder and "
      + "--store postgres://USER@HOST/DATABASE. Tokens, certificates and keys stay valid. A gateway and a provider can "
      + "use the same database.",
    positionals: "sqlite:DIR postgres://USER@HOST/DATABASE", positionalCount: 2...2,
    [.flag("json", "one JSON object per table")])

  /// The service that a data folder belongs to.
  private enum CopiedService: String {
    case gateway, provider
  }

  static func run(_ arguments: [String]) -> Int32 {
    guard arguments.first == "copy" else {
      if arguments.contains("--help") {
        Output.help(table)
        return 0
      }
      Output.error(
        arguments.first.map { "unknown command 'belfry store \($0)'" } ?? "missing command",
        do: "use 'belfry store copy'")
      return 2
    }
    return table.run(Array(arguments.dropFirst())) { options in
      let path = try Self.path(of: options.positionals[0])
      try FolderOwner.act(in: path)
      let address = try Self.address(options.positionals[1])
      let service = try Self.service(ofFolder: path)
      let isTerminal = isatty(STDERR_FILENO) == 1
      func report(_ table: String, _ rows: Int, _ isComplete: Bool) {
        guard isComplete else {
          if isTerminal {
            _ = StandardStream.error.write("\r\u{1B}[K\(table): \(rows) rows".utf8)
          }
          return
        }
        if isTerminal { _ = StandardStream.error.write("\r\u{1B}[K".utf8) }
        if options.has("json") {
          Output.json(["table": .string(table), "rows": .integer(Int64(rows))])
        } else {
          Output.line("\(table): \(Output.counted(rows, "row"))")
        }
      }
      let nowSeconds = SystemClock.unixMilliseconds / 1_000
      switch service {
      case .gateway:
        try StoreTransfer.run(
          from: GatewayFolder(path: path), to: address, nowSeconds: nowSeconds, report: report)
      case .provider:
        try RegistryTransfer.run(from: path, to: address, nowSeconds: nowSeconds, report: report)
      }
      if !options.has("json") {
        let name = service.rawValue
        Output.line(
          "The \(name)'s data is now in the database. Start the \(name) with --data \(path) and --store "
            + "\(address.url).")
      }
      return 0
    }
  }

  /// Returns the absolute path of the folder that is written as `sqlite:DIR`.
  private static func path(of source: String) throws(AdministrationFailure) -> String {
    guard source.utf8.starts(with: "sqlite:".utf8), source.utf8.count > 7 else {
      // A text without a colon is probably the path of a folder.
      let isPath = !source.isEmpty && !source.utf8.contains(UInt8(ascii: ":"))
      throw AdministrationFailure(
        .invalid, "cannot copy from '\(source)'",
        do: isPath
          ? "specify the data folder as sqlite:\(source)"
          : "specify the data folder of the gateway or provider, for example sqlite:\(StateFolders.gateway)"
      )
    }
    return FileSystem.absolute(String(source.dropFirst(7)))
  }

  private static func address(_ url: String) throws(AdministrationFailure) -> PostgresAddress {
    let location: StoreLocation
    do throws(StoreLocation.Invalid) {
      location = try StoreLocation(url: url)
    } catch {
      throw AdministrationFailure(
        .invalid, "cannot copy to \(error.value)", do: "expected \(error.expected)")
    }
    guard case .database(let address) = location else {
      throw AdministrationFailure(
        .invalid, "cannot copy to \(url)", do: "specify postgres://USER@HOST/DATABASE")
    }
    return address
  }

  private static func service(
    ofFolder path: String
  ) throws(AdministrationFailure) -> CopiedService {
    let gateway = GatewayFolder(path: path)
    do throws(SystemFailure) {
      if try FileSystem.isPresent(gateway.controlStoreFile) { return .gateway }
      if try ProviderFolder.isProvider(path) { return .provider }
      // The stores of this gateway are already in a database.
      if try FileSystem.isPresent(gateway.file(DatabaseLink.file)) { return .gateway }
    } catch {
      throw AdministrationFailure(
        .broken, "cannot read \(path) (\(error.reason))",
        do: "run the command as the user of the gateway or provider")
    }
    throw AdministrationFailure(
      .missing, "\(path) is not the data folder of a gateway or a provider",
      do: "specify the data folder of a stopped gateway or provider, for example "
        + "sqlite:\(StateFolders.gateway) or sqlite:\(StateFolders.provider)")
  }
}
