public import PushWire
public import Storage

/// A notification store in a PostgreSQL database.
///
/// A commit takes two round trips: the first reads the rows that the operations can replace, and the second writes all
/// changes in one transaction with one statement for all insertions and one for all removals.
public final class PostgresNotificationStore: NotificationStore {
  let server: PostgresServer
  let node: PostgresNode
  /// The claims of this process, if it is a node of a cluster.
  private let claims: PostgresClaims?

  /// Creates a store that uses an open connection, and whose commits fail when the node's epoch ends.
  init(_ server: PostgresServer, node: PostgresNode, claims: PostgresClaims?) {
    assert((claims == nil) == (node.number == nil), "the nodes of a cluster have claims")
    self.server = server
    self.node = node
    self.claims = claims
  }

  /// The health of the store, which shows whether the database accepts writes.
  public var health: StoreHealth? { server.health }

  /// Applies `operations` in one transaction.
  ///
  /// In a node of a cluster, operations for devices that the node has not claimed have no effect. The result contains
  /// the puts, the removals of single notifications and the withdrawals among them, with the reason `.claimLost`.
  @discardableResult
  public func commit(
    _ operations: [StoreOperation]
  ) throws(StorageFailure) -> [DroppedNotification] {
    guard !operations.isEmpty else { return [] }
    if let claims { return try commit(operations, with: claims) }
    let plan = try plan(operations)
    try write(plan)
    return plan.dropped
  }

  /// Reads the rows that the operations can remove, and calculates the effect of the operations.
  func plan(_ operations: [StoreOperation]) throws(StorageFailure) -> NotificationPlan {
    let needs = NotificationPlan.Needs(of: operations)
    let existing = try outlines(needs)
    var expiring: [NotificationOutline] = []
    if let expired = needs.expired {
      // Earlier operations of the commit can remove some of the rows that expire first.
      let limit = expired.limit + needs.otherRemovals + existing.count
      expiring = try server.readBeforeWrite([
        .init(Self.expiring, [.integer(expired.beforeUnixSeconds), .integer(Int64(limit))])
      ]).flatMap(Self.outlines)
    }
    return NotificationPlan(operations, existing: existing, expiring: expiring)
  }

  private func outlines(
    _ needs: NotificationPlan.Needs
  ) throws(StorageFailure) -> [NotificationOutline] {
    var calls: [PostgresConnection.Call] = []
    if !needs.keys.isEmpty {
      calls.append(.init(Self.ofKeys, Self.columns(Array(needs.keys))))
    }
    if !needs.devices.isEmpty {
      calls.append(
        .init(Self.ofDevices, [.integers(needs.devices.map { Int64(bitPattern: $0) })]))
    }
    return calls.isEmpty ? [] : try server.readBeforeWrite(calls).flatMap(Self.outlines)
  }

  private func write(_ plan: NotificationPlan) throws(StorageFailure) {
    var calls = [node.fence]
    if !plan.removals.isEmpty {
      calls.append(.init(Self.remove, Self.columns(plan.removals)))
    }
    if !plan.insertions.isEmpty {
      calls.append(.init(Self.insert, Self.parameters(Array(plan.insertions.values))))
    }
    calls.append(.init(Self.advance, [.bits(plan.highest)]))
    _ = try server.write(calls)
  }

  /// Returns at most `limit` of a device's notifications with a sequence number above `after`, sorted by sequence.
  public func load(
    device: UInt64, after: UInt64, limit: Int
  ) throws(StorageFailure) -> [StoredNotification] {
    assert(limit > 0, "the limit is positive")
    let rows = try server.read([
      .init(
        Self.select,
        [.bits(device), .integer(Int64(clamping: after)), .integer(Int64(clamping: limit))])
    ])
    return rows.flatMap { rows in (0..<rows.count).map { Self.notification(rows, $0) } }
  }

  /// Returns the times of a stored notification, or nil.
  public func times(
    _ key: NotificationKey, uniqueID: NotificationID
  ) throws(StorageFailure) -> StoredTimes? {
    let rows = try server.read([
      .init(
        Self.find,
        [
          .bits(key.device), .integer(Int64(key.app)), .integer(Int64(key.kind)),
          .bits(uniqueID.high), .bits(uniqueID.low),
        ])
    ])
    guard let found = rows.first, found.count > 0 else { return nil }
    return StoredTimes(
      acceptedMilliseconds: found.integer(0, 0), expiration: found.integer(0, 1))
  }

  /// Returns the highest sequence number ever stored.
  public func highestSequence() throws(StorageFailure) -> UInt64 {
    UInt64(bitPattern: try integer(Self.highest))
  }

  /// Returns the number of stored notifications.
  public func count() throws(StorageFailure) -> Int { Int(try integer(Self.countAll)) }

  /// Returns every device with a stored notification, in ascending order.
  public func devices() throws(StorageFailure) -> [UInt64] {
    try server.read([.init(Self.allDevices)])
      .flatMap { rows in (0..<rows.count).map { rows.bits($0, 0) } }.sorted()
  }

  /// Returns the epoch last stored with `putEpoch`; 0 in a new store.
  public func epoch() throws(StorageFailure) -> UInt32 {
    UInt32(truncatingIfNeeded: try integer(Self.folderEpoch))
  }

  /// Stores the epoch of the gateway's folder durably.
  public func putEpoch(_ epoch: UInt32) throws(StorageFailure) {
    _ = try server.write([
      node.fence, .init(Self.putEpoch, [.integer(Int64(epoch))]),
    ])
  }

  /// Performs a write to test whether the database accepts writes.
  public func probe() throws(StorageFailure) {
    // The fence of a node of a cluster is its only write, because all nodes share the row of the progress.
    _ = try server.write(
      claims == nil ? [node.fence, .init(Self.advance, [.integer(0)])] : [node.fence])
  }

  /// Closes the connection; later calls throw `.closed`.
  public func close() { server.close() }

  private func integer(_ statement: PostgresConnection.Statement) throws(StorageFailure) -> Int64 {
    let rows = try server.read([.init(statement)])
    return rows.first.map { $0.count > 0 ? $0.integer(0, 0) : 0 } ?? 0
  }
}
