public import Storage

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
      try PostgresDatabase(address, asNode: false), nodeName: nil, mayCreate: mayCreate)
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
      try PostgresDatabase(address, asNode: true), nodeName: nodeName, mayCreate: mayCreate)
  }

  /// Connects to the database with a specific monotonic clock, and can share the database, for tests.
  package init(
    _ address: PostgresAddress, isExclusive: Bool, mayCreate: Bool = true,
    now: @escaping @Sendable () -> Int64
  ) throws(StorageFailure) {
    try self.init(
      try PostgresDatabase(address, isExclusive ? .exclusive : nil, now: now), nodeName: nil,
      mayCreate: mayCreate)
  }

  /// Connects to the database as the node of a cluster with a specific monotonic clock, for tests.
  package init(
    cluster address: PostgresAddress, nodeName: String, mayCreate: Bool = true,
    now: @escaping @Sendable () -> Int64
  ) throws(StorageFailure) {
    try self.init(
      try PostgresDatabase(address, .shared, now: now), nodeName: nodeName, mayCreate: mayCreate)
  }

  /// Brings the schemas of a locked database up to date, and begins a new epoch: of the node with this name, or of a
  /// single gateway if `nodeName` is nil.
  ///
  /// The connection of `database` becomes that of the control store. If `mayCreate` is false, throws `.unsuitable` if the
  /// database does not contain a gateway's tables.
  public init(
    _ database: PostgresDatabase, nodeName: String?, mayCreate: Bool
  ) throws(StorageFailure) {
    let (server, now) = (database.server, database.now)
    let address = server.address
    if !mayCreate, try !server.hasTables() {
      throw .unsuitable(
        server: "\(address)",
        why:
          "it does not contain the data of this gateway: restore the database from a backup, or choose an "
          + "empty data folder")
    }
    try server.migrate(Self.schemas)
    // Each store has a connection of its own, so that administration does not delay pushes. A node joins its cluster only
    // with all of them, because the other nodes would wait for a node that cannot start.
    let reader = try PostgresServer(address, name: "control", sharing: server.health, now: now)
    let pushes = try PostgresServer(address, name: "notifications", now: now)
    let node: PostgresNode
    var claims: PostgresClaims?
    if let nodeName {
      let claiming = try PostgresServer(address, name: "claims", now: now)
      let renewing = try PostgresServer(address, name: "membership", now: now)
      node = try PostgresNode(named: nodeName, on: server)
      guard let number = node.number else { throw server.invalidRow("node") }
      let own = PostgresClaims(claiming, node: node, number: number)
      claims = own
      cluster = (own, PostgresMembership(renewing, node: node, number: number))
    } else {
      node = try PostgresNode(onlyOn: server)
      cluster = nil
    }
    warnings = database.warnings
    control = PostgresControlStore(server, reader: reader, node: node, claims: claims)
    notifications = PostgresNotificationStore(pushes, node: node, claims: claims)
  }
}
