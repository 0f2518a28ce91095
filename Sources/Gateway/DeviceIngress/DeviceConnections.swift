import BelfryWire

/// The connections of one home's devices, by session.
struct DeviceConnections {
  private var connections: [SessionID: DeviceConnection] = [:]
  private var lastNumber: UInt64 = 0

  var count: Int { connections.count }

  /// Returns a session that no connection of this home has had.
  mutating func makeSession() -> SessionID {
    lastNumber += 1
    return SessionID(lastNumber)
  }

  subscript(session: SessionID) -> DeviceConnection? { connections[session] }

  mutating func add(_ connection: DeviceConnection) {
    assert(connection.session.number <= lastNumber, "a connection has an assigned session")
    assert(connections[connection.session] == nil, "no other connection has the session")
    connections[connection.session] = connection
  }

  /// Removes a connection and returns true if it was present.
  mutating func remove(_ connection: DeviceConnection) -> Bool {
    connections.removeValue(forKey: connection.session) != nil
  }

  /// All connections, sorted by session, so that operations on all of them have a deterministic order.
  var all: [DeviceConnection] {
    connections.values.sorted { $0.session.number < $1.session.number }
  }

  /// Returns the connections of one device, sorted by session.
  ///
  /// This method scans all connections, so use it only for rare operations.
  func connections(of device: UInt64) -> [DeviceConnection] {
    connections.values.filter { $0.device == device }
      .sorted { $0.session.number < $1.session.number }
  }

  func checkInvariants() {
    for (session, connection) in connections {
      assert(
        connection.session == session && session.number <= lastNumber,
        "a device is stored under its own session")
    }
  }
}
