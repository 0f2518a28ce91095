import BelfryWire

/// A connection of a device to its home, over any protocol.
protocol DeviceSession: AnyObject {
  var session: SessionID { get }
  /// The number of the device; nil before the device is identified.
  var device: UInt64? { get }
}

/// The connections of one home that use the same protocol, by session.
struct SessionTable<Connection: DeviceSession> {
  private var connections: [SessionID: Connection] = [:]

  var count: Int { connections.count }

  subscript(session: SessionID) -> Connection? { connections[session] }

  mutating func add(_ connection: Connection) {
    assert(connections[connection.session] == nil, "no other connection has the session")
    connections[connection.session] = connection
  }

  /// Removes a connection and returns true if it was present.
  mutating func remove(_ connection: Connection) -> Bool {
    connections.removeValue(forKey: connection.session) != nil
  }

  /// All connections, sorted by session, so that operations on all of them have a deterministic order.
  var all: [Connection] { connections.values.sorted { $0.session.number < $1.session.number } }

  /// Returns the connections of one device, sorted by session.
  ///
  /// This method scans all connections, so use it only for rare operations.
  func connections(of device: UInt64) -> [Connection] {
    connections.values.filter { $0.device == device }
      .sorted { $0.session.number < $1.session.number }
  }

  /// Traps in debug builds if a connection is stored under another session, or if its session is above `latest`.
  func checkInvariants(latest: UInt64) {
    for (session, connection) in connections {
      assert(
        connection.session == session && session.number <= latest,
        "a connection is stored under its own session")
    }
  }
}
