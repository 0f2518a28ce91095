internal import Storage

/// The membership of a node, which has a connection of its own, so that the lease is renewed during other work.
final class PostgresMembership: ClusterMembership {
  let number: NodeNumber
  let name: String
  private let server: PostgresServer
  private let node: PostgresNode

  /// Creates the membership of a node that has started.
  init(_ server: PostgresServer, node: PostgresNode, number: NodeNumber) {
    assert(node.number == number, "the node has this number")
    self.server = server
    self.node = node
    self.number = number
    name = node.name
  }

  func renew(
    applied: Int64, devices: Int64, version: String
  ) throws(StorageFailure) -> Int64 {
    assert(applied >= 0, "the first change has the number 1")
    let rows = try server.write([
      node.fence,
      .init(Self.renew, [.text(name), .integer(applied), .integer(devices), .text(version)]),
      .init(Self.lastChange),
    ])
    return try lastChange(rows.last)
  }

  func nodes() throws(StorageFailure) -> [ClusterNode] {
    guard let rows = try server.read([.init(Self.nodes)]).first else {
      throw server.invalidRow("node")
    }
    let nodes = (0..<rows.count).map { row in
      ClusterNode(
        number: NodeNumber(truncatingIfNeeded: rows.integer(row, 0)), name: rows.text(row, 1),
        epoch: rows.integer(row, 2), beat: rows.integer(row, 3),
        appliedChange: rows.integer(row, 4), isEnded: rows.integer(row, 5) != 0,
        seenMilliseconds: rows.integer(row, 6), devices: rows.integer(row, 7),
        version: rows.text(row, 8))
    }
    assert(nodes.contains { $0.number == number }, "the table contains this node")
    return nodes
  }

  func end(_ node: ClusterNode) throws(StorageFailure) -> Bool {
    assert(node.number != number, "a node that ends itself leaves")
    let rows = try server.write([
      self.node.fence,
      .init(
        Self.end,
        [.integer(Int64(node.number)), .integer(node.epoch), .integer(node.beat)]),
      // A repeated update finds no row, because the node has ended.
      .init(Self.isEnded, [.integer(Int64(node.number))]),
    ])
    return rows.last.map { $0.count > 0 && $0.integer(0, 0) != 0 } ?? false
  }

  func changes(after number: Int64, limit: Int) throws(StorageFailure) -> [ClusterChange] {
    assert(limit > 0, "the limit is positive")
    let read = try server.read([
      .init(Self.changes, [.integer(number), .integer(Int64(clamping: limit))])
    ])
    guard let rows = read.first else { throw server.invalidRow("change") }
    var changes: [ClusterChange] = []
    for row in 0..<rows.count {
      let change = PostgresChange(kind: rows.integer(row, 1), bytes: rows.bytes(row, 2))
      guard let subject = change.subject else { throw server.invalidRow("change") }
      changes.append(ClusterChange(number: rows.integer(row, 0), subject: subject))
    }
    assert(changes.allSatisfy { $0.number > number }, "only later changes are returned")
    return changes
  }

  func lastChange() throws(StorageFailure) -> Int64 {
    try lastChange(try server.read([.init(Self.lastChange)]).first)
  }

  func secret(_ name: String) throws(StorageFailure) -> [UInt8]? {
    let rows = try server.read([.init(Self.secret, [.text(name)])]).first
    return rows.flatMap { $0.count > 0 ? $0.bytes(0, 0) : nil }
  }

  func putSecret(
    _ name: String, _ value: [UInt8], replaces: Bool
  ) throws(StorageFailure) -> [UInt8] {
    assert(!name.isEmpty, "a secret has a name")
    let rows = try server.write([
      node.fence,
      .init(Self.putSecret, [.text(name), .data(value), .integer(replaces ? 1 : 0)]),
    ])
    guard let row = rows.last, row.count == 1 else { throw server.invalidRow("secret") }
    return row.bytes(0, 0)
  }

  func leave() throws(StorageFailure) {
    do {
      _ = try server.write([node.fence, .init(Self.leave, [.text(name)])])
    } catch {
      // A repeated departure, or another node ended this node first.
      guard case .takenOver = error else { throw error }
    }
  }

  private func lastChange(_ rows: PostgresRows?) throws(StorageFailure) -> Int64 {
    guard let rows, rows.count == 1 else { throw server.invalidRow("number of a change") }
    return rows.integer(0, 0)
  }

  private static let renew = PostgresConnection.Statement(
    name: "renew",
    sql: """
      UPDATE node SET beat = beat + 1, applied = $2, devices = $3, version = $4,
        seen = (extract(epoch FROM clock_timestamp()) * 1000)::bigint
      WHERE name = $1
      """)
  private static let lastChange = PostgresConnection.Statement(
    name: "last_change", sql: "SELECT number FROM change_progress")
  private static let nodes = PostgresConnection.Statement(
    name: "nodes",
    sql: """
      SELECT number, name, epoch, beat, applied, ended, seen, devices, version
      FROM node WHERE number IS NOT NULL
      ORDER BY number
      """)
  private static let end = PostgresConnection.Statement(
    name: "end_node",
    sql: """
      UPDATE node SET epoch = epoch + 1, ended = true
      WHERE number = $1 AND epoch = $2 AND beat = $3 AND NOT ended
      """)
  private static let isEnded = PostgresConnection.Statement(
    name: "is_ended", sql: "SELECT ended FROM node WHERE number = $1")
  private static let changes = PostgresConnection.Statement(
    name: "changes_after",
    sql: "SELECT number, kind, subject FROM change WHERE number > $1 ORDER BY number LIMIT $2")
  private static let secret = PostgresConnection.Statement(
    name: "secret", sql: "SELECT value FROM secret WHERE name = $1")
  private static let putSecret = PostgresConnection.Statement(
    name: "put_secret",
    sql: """
      INSERT INTO secret VALUES ($1, $2) ON CONFLICT (name) DO UPDATE
      SET value = CASE WHEN $3 <> 0 THEN excluded.value ELSE secret.value END RETURNING value
      """)
  private static let leave = PostgresConnection.Statement(
    name: "leave", sql: "UPDATE node SET epoch = epoch + 1, ended = true WHERE name = $1")
}
