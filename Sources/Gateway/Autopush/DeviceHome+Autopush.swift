import PushWire
import System
import Transport
import WebPush

/// The connections of browsers to a home.
extension DeviceHome {
  /// Takes over a WebSocket that this loop has accepted; `unread` are the bytes that followed the handshake.
  func openAutopush(_ stream: ByteStream, unread: [UInt8], _ opening: AutopushOpening) {
    let connection = makeAutopush(AutopushServer(at: loop.nowNanoseconds), opening)
    // A browser without an identifier keeps its slot among the unproven connections.
    connection.slot = stream.slot
    stream.slot = nil
    connection.streamOpened(
      stream.detach(unread: unread).attach(to: loop, handler: connection))
  }

  /// Takes over a browser's connection that another loop accepted.
  func attachAutopush(_ detached: DetachedStream, _ arrival: AutopushArrival) {
    let number = arrival.uaid.claim.number
    assert(context.isHome(of: number), "device \(number) belongs to this home")
    let connection = makeAutopush(arrival.server, arrival.opening)
    connection.unproven = arrival.unproven
    connection.streamOpened(detached.attach(to: loop, handler: connection))
    connection.identify(as: arrival.uaid)
  }

  private func makeAutopush(
    _ server: AutopushServer, _ opening: AutopushOpening
  ) -> AutopushConnection {
    let connection = AutopushConnection(
      session: makeSession(), server: server, opening: opening, home: self)
    autopush.add(connection)
    metrics.deviceConnections.add()
    return connection
  }

  /// Returns true if one more device can be connected; a simulated network has no addresses.
  func hasRoomForDevice(from address: String?) -> Bool {
    guard let address else { return true }
    return context.shared.census.excess(.device, from: address) != .device
  }

  /// Counts a browser whose identifier is that of a device.
  func countConnected(_ device: UInt64, _ session: SessionID) {
    context.shared.census.countDevice(1)
    cluster?.linked[device] = session
  }

  /// Moves a connection to the home of its device on another loop.
  func move(
    _ connection: AutopushConnection, _ stream: DetachedStream, _ arrival: AutopushArrival,
    to device: UInt64
  ) {
    remove(connection)
    guard context.post(.attachAutopush(stream, arrival), to: context.homes.home(of: device)) else {
      // The stream closes when it is released, and the browser reconnects.
      return assertionFailure("a browser connected before the gateway was open")
    }
  }

  /// Removes a connection that has closed or has moved to another loop.
  func remove(_ connection: AutopushConnection) {
    guard autopush.remove(connection) else { return }
    metrics.deviceConnections.add(-1)
    depart(connection.device, connection.session)
  }
}
