public import Storage
internal import System

/// The stores of one gateway in a PostgreSQL database.
public struct PostgresStores {
  /// The store of teams, keys, apps, devices, and registrations.
  public let control: PostgresControlStore
  /// The store of undelivered notifications.
  public let notifications: PostgresNotificationStore
  /// The claims and the membership of a node of a cluster; nil for a single gateway.
  public let cluster: (claims: any DeviceClaims, membership: any ClusterMembership)?
  /// Warnings about the server's settings, one sentence each.
  public let warnings: [String]

  static let schemas = [
    PostgresNode.schema, PostgresControlStore.schema, PostgresNotificationStore.schema,
    PostgresCluster.schema,
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

  /// Connects to the database as the node of a cluster, and brings its schemas up to date.
  ///
  /// Throws `.inUse` if a single gateway uses the database, and `.unsuitable` if the name is empty or reserved, or if the
  /// cluster has no free number for a new name. Commits of an earlier process with the same name, and of a single gateway
  /// that can no longer be reached, fail from now on. Claims of an earlier process with this name still belong to the
  /// node, but commits fail until this process has claimed the devices.
  ///
  /// If `mayCreate` is false, throws `.unsuitable` if the database does not contain a gateway's tables.
  public init(
    cluster address: PostgresAddress, nodeName: String, mayCreate: Bool = true
  ) throws(StorageFailure) {
    try self.init(
      cluster: address, nodeName: nodeName, mayCreate: mayCreate,
      now: { SystemClock.monotonicNanoseconds })
  }

  /// Connects to the database with a specific monotonic clock, and can share the database, for tests.
  package init(
    _ address: PostgresAddress, isExclusive: Bool, mayCreate: Bool = true,
    now: @escaping @Sendable () -> Int64
  ) throws(StorageFailure) {
    let (server, warnings) = try Self.open(
      address, isExclusive ? .exclusive : nil, mayCreate: mayCreate, now: now)
    try self.init(
      server, node: try PostgresNode(onlyOn: server), warnings: warnings, now: now)
  }

  /// Connects to the database as the node of a cluster with a specific monotonic clock, for tests.
  package init(
    cluster address: PostgresAddress, nodeName: String, mayCreate: Bool = true,
    now: @escaping @Sendable () -> Int64
  ) throws(StorageFailure) {
    let (server, warnings) = try Self.open(address, .shared, mayCreate: mayCreate, now: now)
    try self.init(
      server, node: try PostgresNode(named: nodeName, on: server), warnings: warnings, now: now)
  }

  /// Creates the stores of a node that has started; `server` becomes the control store's connection.
  private init(
    _ server: PostgresServer, node: PostgresNode, warnings: [String],
    now: @escaping @Sendable () -> Int64
  ) throws(StorageFailure) {
    self.warnings = warnings
    let address = server.address
    var claims: PostgresClaims?
    if let number = node.number {
      let own = PostgresClaims(
        try PostgresServer(address, name: "claims", now: now), node: node, number: number)
      claims = own
      cluster = (
        own,
        PostgresMembership(
          try PostgresServer(address, name: "membership", now: now), node: node, number: number)
      )
    } else {
      cluster = nil
    }
    control = PostgresControlStore(
      server,
      reader: try PostgresServer(address, name: "control", sharing: server.health, now: now),
      node: node, claims: claims)
    // Each store has a connection of its own, so that administration does not delay pushes.
    notifications = PostgresNotificationStore(
      try PostgresServer(address, name: "notifications", now: now), node: node, claims: claims)
  }

  /// Connects to the database, locks it, and brings its schemas up to date; also returns warnings about its settings.
  private static func open(
    _ address: PostgresAddress, _ lock: PostgresServer.Lock?, mayCreate: Bool,
    now: @escaping @Sendable () -> Int64
  ) throws(StorageFailure) -> (PostgresServer, warnings: [String]) {
    let server = try PostgresServer(address, name: "control", lock: lock, now: now)
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
    try server.migrate(schemas)
    return (server, settings.warnings)
  }
}
