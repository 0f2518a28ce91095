import WebPush

/// The connections of the browsers of one home, by session, and of the browsers that have not said which device they are.
///
/// The sessions come from ``DeviceConnections``, so that no two connections of a home have the same one.
struct AutopushConnections {
  private var connections: [SessionID: AutopushConnection] = [:]

  var count: Int { connections.count }

  subscript(session: SessionID) -> AutopushConnection? { connections[session] }

  mutating func add(_ connection: AutopushConnection) {
    assert(connections[connection.session] == nil, "no other connection has the session")
    connections[connection.session] = connection
  }

  /// Removes a connection and returns true if it was present.
  mutating func remove(_ connection: AutopushConnection) -> Bool {
    connections.removeValue(forKey: connection.session) != nil
  }

  /// All connections, sorted by session, so that operations on all of them have a deterministic order.
  var all: [AutopushConnection] {
    connections.values.sorted { $0.session.number < $1.session.number }
  }

  /// Returns the connections of one device, sorted by session.
  ///
  /// This method scans all connections, so use it only for rare operations.
  func connections(of device: UInt64) -> [AutopushConnection] {
    connections.values.filter { $0.device == device }
      .sorted { $0.session.number < $1.session.number }
  }

  func checkInvariants() {
    for (session, connection) in connections {
      assert(connection.session == session, "a browser is stored under its own session")
    }
  }
}

/// A browser's connection on its way to the home of its device.
struct AutopushArrival: Sendable {
  /// The state of the connection, after `hello`.
  let server: AutopushServer
  /// The enrollment code from the path of the browser's request.
  let code: [UInt8]
  /// The identifier that the browser presented, or that it was given.
  let uaid: AutopushUserAgentID
}
