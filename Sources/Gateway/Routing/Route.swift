/// The location of a device's home or of a provider's front.
///
/// The location is a loop of this process.
public struct Route: Hashable, Sendable {
  /// The number of the loop.
  public let loop: Int

  /// Creates a route to a loop.
  public init(loop: Int) { self.loop = loop }
}

/// The address to which the answer to a push is sent: a connection of a front, and a stream on that connection.
///
/// For a push that another node forwarded, `connection` is that node's number for the push.
public struct ReplyAddress: Hashable, Sendable {
  /// The number of the node that forwarded the push; 0 for this node.
  public let node: UInt16
  /// The front that owns the connection.
  public let front: Route
  /// The connection's number on that front, which is never reused.
  public let connection: UInt64
  /// The stream, the frame's number on the binary interface, or the negative number of a message of a request to the
  /// Matrix push gateway.
  public let stream: Int32

  /// Creates an address from its parts.
  public init(node: UInt16 = 0, front: Route, connection: UInt64, stream: Int32) {
    self.node = node
    self.front = front
    self.connection = connection
    self.stream = stream
  }
}

/// The assignment of devices to their homes.
struct HomeMap: Sendable {
  /// The number of homes.
  let count: Int

  init(count: Int) {
    precondition(count > 0, "there is at least one home")
    self.count = count
  }

  /// Returns the home of a device.
  func home(of device: UInt64) -> Route { Route(loop: Int(device % UInt64(count))) }
}
