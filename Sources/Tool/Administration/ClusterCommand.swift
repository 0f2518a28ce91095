import BelfryWire
import Gateway
import System

/// `belfry cluster init`: creates the keys of a cluster.
enum ClusterCommand {
  static let table = OptionTable(
    command: "belfry cluster init",
    summary:
      "Creates the keys of a cluster in a PostgreSQL database, encrypted with a cluster key. Copy the file with the "
      + "cluster key to each node, and start the nodes with 'belfry gateway --store URL --bus nats://HOST "
      + "--cluster-key FILE'.",
    [
      .value("store", "URL", "the database: postgres://USER@HOST/DATABASE"),
      .value(
        "cluster-key", "FILE", "the file with the cluster key, which is created if it is missing"),
      .value(
        "data", "DIR",
        "data folder of a stopped gateway whose data is in this database; its keys stay valid"),
      .value(
        "environment", "sandbox|production", default: "sandbox",
        "the environment of a new cluster"),
      .value(
        "cell", "NUMBER", default: "0",
        "the number of this cluster, 0-1023, which its device tokens contain"),
    ])

  static func run(_ arguments: [String]) -> Int32 {
    guard arguments.first == "init" else {
      if arguments.contains("--help") {
        Output.help(table)
        return 0
      }
      Output.error(
        arguments.first.map { "unknown command 'belfry cluster \($0)'" } ?? "missing command",
        do: "use 'belfry cluster init'")
      return 2
    }
    return table.run(Array(arguments.dropFirst())) { options in
      guard let store = options.value("store") else {
        throw CommandLineOptions.Problem.required(
          key: "store", name: "postgres://USER@HOST/DATABASE")
      }
      guard let key = options.value("cluster-key") else {
        throw CommandLineOptions.Problem.required(key: "cluster-key", name: "FILE")
      }
      let name = try options.choice("environment", of: ["sandbox", "production"])
      let cell = try options.integer("cell", in: ClusterSetup.cells) ?? 0
      let file = FileSystem.absolute(key)
      let result = try ClusterSetup.run(
        database: store, keyFile: file, folder: options.value("data").map(FileSystem.absolute),
        temporaryFolder: StateFolders.variable("TMPDIR") ?? "/tmp",
        environment: name.flatMap { BelfryWire.Environment(name: $0) } ?? .sandbox,
        cell: UInt16(cell),
        nowMilliseconds: SystemClock.unixMilliseconds)
      // The result names only the first team and key, although all of the gateway's are kept.
      if let folder = options.value("data") {
        Output.line("Created a cluster with all teams and keys of the gateway in \(folder).")
      } else {
        Output.line("Created a cluster with the team \(result.teamID) and the key \(result.keyID).")
      }
      Output.line(
        result.hasNewKey
          ? "Copy \(file) to each node, and keep a copy in a safe place: without it, the cluster's keys are lost."
          : "The keys are encrypted with the cluster key in \(file).")
      return 0
    }
  }
}
