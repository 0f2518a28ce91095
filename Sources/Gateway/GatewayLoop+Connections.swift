import System

extension GatewayLoop {
  /// Creates a provider connection, on any interface, and adds it.
  func makeProvider<Peer: ProviderPeer>(_ make: (UInt64, GatewayLoop) -> Peer) -> Peer {
    let connection = make(connections.makeNumber(), self)
    connections.add(connection)
    metrics.providerConnections.add()
    return connection
  }

  func makeDeviceConnection(device: DeviceClaim?) -> DeviceConnection {
    assert(device.map { isHome(of: $0.number) } ?? true, "the device belongs to this loop")
    let connection = DeviceConnection(
      session: SessionID(connections.makeNumber()), device: device,
      isKnown: device.map(devices.has) ?? true, home: self)
    connections.add(connection)
    if device != nil { shared.census.countDevice(1) }
    metrics.deviceConnections.add()
    return connection
  }

  /// Removes a provider connection that has closed.
  func remove(_ connection: some ProviderPeer) {
    guard connections.remove(connection) else { return }
    metrics.providerConnections.add(-1)
    reportIfDrained()
  }

  /// Removes a device connection that has closed.
  func remove(_ connection: DeviceConnection) {
    guard connections.remove(connection) else { return }
    metrics.deviceConnections.add(-1)
    if let device = connection.device {
      shared.census.countDevice(-1)
      departedDevices.note(device, atMilliseconds: loop.unixMilliseconds)
      core.disconnect(device, session: connection.session, now: now)
      performEffects()
    }
    reportIfDrained()
  }
}
