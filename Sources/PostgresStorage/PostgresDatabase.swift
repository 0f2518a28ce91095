public import Storage
internal import System

/// A gateway's database that is locked, and that has not been changed yet.
///
/// A gateway checks the database in this state, so that a start that is refused changes nothing and joins no cluster. The
/// lock ends with the connection, when neither this value nor the stores that were created from it exist.
public struct PostgresDatabase: Sendable {
  let server: PostgresServer
  let now: @Sendable () -> Int64
  /// Warnings about the server's settings, one sentence each.
  let warnings: [String]

  /// Connects to the database, and locks it: for one node of a cluster, or for a single gateway.
  ///
  /// Throws `.inUse` if the lock of another process excludes this one, and `.unsuitable` if the server or the database
  /// has settings that a gateway cannot use.
  public init(_ address: PostgresAddress, asNode isNode: Bool) throws(StorageFailure) {
    try self.init(
      address, isNode ? .shared : .exclusive, now: { SystemClock.monotonicNanoseconds })
  }

  /// Connects to the database with a specific lock, or without one, and a specific monotonic clock.
  init(
    _ address: PostgresAddress, _ lock: PostgresServer.Lock?,
    now: @escaping @Sendable () -> Int64
  ) throws(StorageFailure) {
    let server = try PostgresServer(address, name: "control", lock: lock, now: now)
    let settings = try PostgresSettings(of: server)
    if let obstacle = settings.obstacle {
      throw .unsuitable(server: "\(address)", why: obstacle)
    }
    self.server = server
    self.now = now
    warnings = settings.warnings
  }

  /// Returns true if the database contains the tables of a gateway.
  public func hasTables() throws(StorageFailure) -> Bool { try server.hasTables() }

  /// Returns a setting of the gateway whose data is in the database; nil if the setting or the gateway is missing.
  public func setting(_ name: String) throws(StorageFailure) -> [UInt8]? {
    try value(of: name, with: Self.setting, if: Self.hasSettings)
  }

  /// Returns a secret of the cluster in the database, as it was stored; nil if the secret or the cluster is missing.
  public func secret(_ name: String) throws(StorageFailure) -> [UInt8]? {
    try value(of: name, with: Self.secret, if: Self.hasSecrets)
  }

  private func value(
    of name: String, with statement: PostgresConnection.Statement,
    if hasTable: PostgresConnection.Statement
  ) throws(StorageFailure) -> [UInt8]? {
    assert(!name.isEmpty, "a value has a name")
    let found = try server.read([.init(hasTable)]).first
    guard let found, found.count > 0, found.integer(0, 0) != 0 else { return nil }
    let rows = try server.read([.init(statement, [.text(name)])]).first
    return rows.flatMap { $0.count > 0 ? $0.bytes(0, 0) : nil }
  }

  // Another program can have a table with the same name. The names differ from those of the stores' statements, which
  // are prepared on the same connection.
  private static let hasSettings = PostgresConnection.Statement(
    name: "has_settings",
    sql: """
      SELECT to_regclass('belfry_schema') IS NOT NULL AND to_regclass('setting') IS NOT NULL
      """)
  private static let setting = PostgresConnection.Statement(
    name: "stored_setting", sql: "SELECT value FROM setting WHERE name = $1")
  private static let hasSecrets = PostgresConnection.Statement(
    name: "has_secrets",
    sql: """
      SELECT to_regclass('belfry_schema') IS NOT NULL AND to_regclass('secret') IS NOT NULL
      """)
  private static let secret = PostgresConnection.Statement(
    name: "stored_secret", sql: "SELECT value FROM secret WHERE name = $1")
}
