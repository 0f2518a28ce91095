/// An event of the bus between the nodes of a cluster.
package enum ClusterBusEvent: Sendable {
  case message([UInt8])
  case connected
  /// The bus is absent; messages may have been lost.
  case disconnected(why: String)
  /// Messages were lost, because this node did not read them in time.
  case lost(why: String)
}

/// The bus between the nodes of a cluster, whose messages can be lost, doubled, or late.
///
/// Any thread can use the bus; no call blocks.
package protocol ClusterBus: AnyObject, Sendable {
  /// True if messages can be sent.
  var isConnected: Bool { get }
  /// Sends a message to the node with this number, or to all nodes if `node` is nil, including this one.
  ///
  /// Returns false if the bus is absent, or if the message is too long.
  func send(_ message: [UInt8], to node: UInt16?) -> Bool
  /// Closes the connection; no event follows.
  func close()
}

/// A function that connects a node to the bus.
package typealias ClusterBusConnector =
  @Sendable (
    _ node: UInt16, _ onEvent: @escaping @Sendable (ClusterBusEvent) -> Void
  ) throws -> any ClusterBus
