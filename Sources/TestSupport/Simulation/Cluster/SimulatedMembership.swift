import Storage

/// The membership of one process in a simulated cluster, with the semantics of `PostgresMembership`.
final class SimulatedMembership: ClusterMembership, @unchecked Sendable {
  // The class is used only on the simulation's own thread, which makes the unchecked conformance safe.
  private unowned let session: SimulatedSession
  private let server: SimulatedServer

  init(in session: SimulatedSession) {
    self.session = session
    server = SimulatedServer("membership", in: session)
  }

  private var database: SimulatedDatabase { session.database }
  var number: NodeNumber { session.number }
  var name: String { session.name }

  func renew(
    applied: Int64, devices: Int64, version: String
  ) throws(StorageFailure) -> Int64 {
    assert(applied >= 0, "the first change has the number 1")
    let session = session
    return try server.write("a renewal") { () throws(StorageFailure) in
      try session.fence()
      session.database.update(session.number) { row in
        row.beat += 1
        row.applied = applied
        row.devices = devices
        row.version = version
      }
      return session.database.lastChange
    }
  }

  func nodes() throws(StorageFailure) -> [ClusterNode] {
    try server.read { () throws(StorageFailure) in
      database.nodes.map { row in
        ClusterNode(
          number: row.number, name: row.name, epoch: row.epoch, beat: row.beat,
          appliedChange: row.applied, isEnded: row.isEnded, devices: row.devices,
          version: row.version)
      }
    }
  }

  func end(_ node: ClusterNode) throws(StorageFailure) -> Bool {
    assert(node.number != number, "a node that ends itself leaves")
    let session = session
    return try server.write("the end of node \(node.name)") { () throws(StorageFailure) in
      try session.fence()
      let database = session.database
      if let row = database.node(node.number), row.epoch == node.epoch, row.beat == node.beat,
        !row.isEnded
      {
        database.cluster.world.note("\(session.name) declares node \(node.name) dead")
        database.update(node.number) { row in
          row.epoch += 1
          row.isEnded = true
        }
      }
      return database.isEnded(node.number)
    }
  }

  func changes(after number: Int64, limit: Int) throws(StorageFailure) -> [ClusterChange] {
    assert(limit > 0, "the limit is positive")
    return try server.read { () throws(StorageFailure) in
      Array(database.changes.filter { $0.number > number }.prefix(limit))
    }
  }

  func lastChange() throws(StorageFailure) -> Int64 {
    try server.read { () throws(StorageFailure) in database.lastChange }
  }

  func secret(_ name: String) throws(StorageFailure) -> [UInt8]? { nil }

  func putSecret(
    _ name: String, _ value: [UInt8], replaces: Bool
  ) throws(StorageFailure) -> [UInt8] { value }

  func leave() throws(StorageFailure) {
    let session = session
    do throws(StorageFailure) {
      try server.write("a departure") { () throws(StorageFailure) in
        try session.fence()
        session.database.update(session.number) { row in
          row.epoch += 1
          row.isEnded = true
        }
      }
    } catch {
      guard case .takenOver = error else { throw error }
    }
  }
}
