public import Storage
internal import System

/// The stores of one gateway in a PostgreSQL database.
public struct PostgresStores {
  /// The store of teams, keys, apps, devices, and registrations.
  public let control: PostgresControlStore
  /// The store of undelivered notifications.
  public let notifications: PostgresNotificationStore
  /// Warnings about the server's settings, one sentence each.
  public let warnings: [String]

  static let schemas = [
    PostgresNode.schema, PostgresControlStore.schema, PostgresNotificationStore.schema,
  ]

  /// Connects to the database, and brings its schemas up to date.
  ///
  /// Throws `.inUse` if another gateway uses the database. Commits of an earlier process that can no longer be reached
  /// fail from now on.
  ///
  /// If `mayCreate` is false, throws `.unsuitable` if the database does not contain a gateway's tables.
  public init(_ address: PostgresAddress, mayCreate: Bool = true) throws(StorageFailure) {
    try self.init(
      address, isExclusive: true, mayCreate: mayCreate,
      now: { SystemClock.monotonicNanoseconds })
  }

  /// Connects to the database with a specific monotonic clock, and can share the database, for tests.
  package init(
    _ address: PostgresAddress, isExclusive: Bool, mayCreate: Bool = true,
    now: @escaping @Sendable () -> Int64
  ) throws(StorageFailure) {
    let server = try PostgresServer(
      address, name: "control", isExclusive: isExclusive, now: now)
    let settings = try PostgresSettings(of: server)
    if let obstacle = settings.obstacle {
      throw .unsuitable(server: "\(address)", why: obstacle)
    }
    if !mayCreate, try !server.hasTables() {
      throw .unsuitable(
        server: "\(address)",
        why:
          "it does not contain the data of this gateway: restore the database from a backup, or choose an "
          + "empty data folder")
    }
    try server.migrate(Self.schemas)
    warnings = settings.warnings
    let node = try PostgresNode(name: PostgresNode.onlyName, on: server)
    control = PostgresControlStore(
      server,
      reader: try PostgresServer(address, name: "control", sharing: server.health, now: now),
      node: node)
    // Each store has a connection of its own, so that administration does not delay pushes.
    notifications = PostgresNotificationStore(
      try PostgresServer(address, name: "notifications", now: now), node: node)
  }
}
