import BelfryWire
import Gateway
import Glibc
import System

/// `belfry store copy`: moves a stopped gateway's data from its folder to a database.
enum StoreCommand {
  static let table = OptionTable(
    command: "belfry store copy",
    summary:
      "Copies the data of a stopped gateway from SQLite files to an empty PostgreSQL database, and compares both. "
      + "Afterward, start the gateway with the same data folder and --store postgres://USER@HOST/DATABASE. Tokens, "
      + "certificates and keys stay valid.",
    positionals: "sqlite:DIR postgres://USER@HOST/DATABASE", positionalCount: 2...2,
    [.flag("json", "one JSON object per table")])

  static func run(_ arguments: [String]) -> Int32 {
    guard arguments.first == "copy" else {
      if arguments.contains("--help") {
        Output.text(table.help)
        return 0
      }
      Output.error(
        arguments.first.map { "unknown command 'belfry store \($0)'" } ?? "missing command",
        do: "use 'belfry store copy'")
      return 2
    }
    return table.run(Array(arguments.dropFirst())) { options in
      let (source, target) = (options.positionals[0], options.positionals[1])
      guard source.utf8.starts(with: "sqlite:".utf8), source.utf8.count > 7 else {
        // A text without a colon is probably the path of a folder.
        let isPath = !source.isEmpty && !source.utf8.contains(UInt8(ascii: ":"))
        throw AdministrationFailure(
          .invalid, "cannot copy from '\(source)'",
          do: isPath
            ? "specify the gateway's data folder as sqlite:\(source)"
            : "specify the gateway's data folder, for example sqlite:\(StateFolders.gateway)")
      }
      let folder = GatewayFolder(path: String(source.dropFirst(7)))
      try FolderOwner.act(in: folder.path)
      let isTerminal = isatty(STDERR_FILENO) == 1
      try StoreTransfer.run(
        from: folder, to: target, nowSeconds: SystemClock.unixMilliseconds / 1_000
      ) { table, rows, isComplete in
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
      if !options.has("json") {
        Output.line(
          "The gateway's data is now in the database. Start the gateway with --data \(folder.path) and --store "
            + "\(target).")
      }
      return 0
    }
  }
}
