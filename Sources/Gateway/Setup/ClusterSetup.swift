public import BelfryWire
import PostgresStorage
import PushWire
import Storage
import System

/// The creation of a cluster: its keys, its first team, and the key that encrypts them.
public enum ClusterSetup {
  /// The name under which the set-up uses the database; no node can have it.
  static let nodeName = "(setup)"

  /// The permitted numbers of cells.
  public static let cells = 0...Int(TokenContents.cellMax)

  /// The result of a set-up.
  public struct Result: Sendable {
    /// The ID of the first team.
    public let teamID: String
    /// The ID of the first team's provider key.
    public let keyID: String
    /// True if the file with the cluster key was created.
    public let hasNewKey: Bool
  }

  /// Creates the keys of a cluster in the database at `url`, or stores the keys of the stopped gateway in `folder`, whose
  /// data is in that database.
  ///
  /// The device tokens of the cluster contain the number `cell`, which distinguishes it from other clusters.
  public static func run(
    database url: String, keyFile: String, folder path: String?, temporaryFolder: String,
    environment: BelfryWire.Environment, cell: UInt16 = 0, nowMilliseconds: Int64
  ) throws -> Result {
    let address: PostgresAddress
    do {
      guard case .database(let found) = try StoreLocation(url: url) else {
        throw AdministrationFailure(
          .invalid, "the data of a cluster cannot be in '\(url)'",
          do: "specify postgres://USER@HOST/DATABASE")
      }
      address = found
    } catch let invalid as StoreLocation.Invalid {
      throw AdministrationFailure(
        .invalid, "invalid value '\(invalid.value)' for --store", do: "use \(invalid.expected)")
    }
    let temporary = "\(temporaryFolder)/belfry-cluster-\(Hexadecimal.encode(SystemRandom.bytes(8)))"
    let folder = GatewayFolder(path: path ?? temporary)
    defer { if path == nil { remove(folder) } }
    let lock = try DataFolder(folder.path)
    defer { withExtendedLifetime(lock) {} }
    if path != nil {
      try folder.requireGateway()
      guard !FileSystem.exists(folder.controlStoreFile) else {
        throw AdministrationFailure(
          .conflict, "the data of \(folder.path) is in SQLite files",
          do: "copy it first with 'belfry store copy sqlite:\(folder.path) \(address.url)'")
      }
    }
    let stores = try folder.openStores(in: address, isComplete: path != nil, asNode: nodeName)
    guard let membership = stores.cluster?.membership else {
      throw GatewayServer.Failure.setup("the database was not opened by a node of a cluster")
    }
    defer {
      try? membership.leave()
      stores.control.close()
      stores.notifications.close()
    }
    guard try membership.secret(ClusterSecrets.name) == nil else {
      throw AdministrationFailure(
        .conflict, "the database \(address) already contains a cluster",
        do: "start its nodes with 'belfry gateway --bus', or specify an empty database")
    }
    if path == nil, try !stores.control.teams().isEmpty {
      throw AdministrationFailure(
        .conflict, "the database \(address) contains the data of a single gateway",
        do: "specify the data folder of that gateway with --data")
    }
    if cell != 0, path != nil {
      throw AdministrationFailure(
        .conflict, "the tokens of an existing gateway belong to cell 0", do: "omit --cell")
    }
    let names = ServerNames(of: GatewayConfiguration(folder: folder.path))
    let hasNewKey = try makeKey(keyFile)
    let secrets = try ClusterSecrets(membership, keyFile: keyFile)
    _ = try folder.authorities(hosts: names.hosts, nowSeconds: nowMilliseconds / 1_000)
    _ = try folder.tokenKeys()
    let identity = try FirstIdentity.makeOrRead(
      in: folder, store: stores.control, environment: environment,
      nowMilliseconds: nowMilliseconds)
    var settings = [ControlChange.putSetting(name: ControlSetting.cluster, value: [1])]
    if cell != 0 {
      settings.append(.putSetting(name: ControlSetting.cell, value: Array("\(cell)".utf8)))
    }
    try stores.control.apply(settings)
    guard try secrets.push(from: folder, replaces: false) else {
      throw AdministrationFailure(
        .conflict, "another command has just created a cluster in the database \(address)",
        do: "copy the cluster key of that command to each node")
    }
    return Result(teamID: identity.teamID, keyID: identity.keyID, hasNewKey: hasNewKey)
  }

  /// Removes the temporary folder, whose keys are now in the database.
  private static func remove(_ folder: GatewayFolder) {
    for name in (try? FileSystem.list(folder.path)) ?? [] {
      try? FileSystem.remove(folder.file(name))
    }
    try? FileSystem.removeEmptyFolder(folder.path)
  }

  /// Creates the file with the cluster key; returns false if the file exists.
  private static func makeKey(_ path: String) throws(SystemFailure) -> Bool {
    guard !FileSystem.exists(path) else { return false }
    let key = Hexadecimal.encode(SystemRandom.bytes(32)) + "\n"
    try FileSystem.write(Array(key.utf8), to: path, mode: 0o600)
    return true
  }
}
