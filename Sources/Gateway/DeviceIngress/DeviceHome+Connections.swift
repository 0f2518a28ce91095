import PushWire
import System
import Transport

/// The connections of a home's devices.
extension DeviceHome {
  /// Opens the listener for devices; replaces the port with the one that the listener uses.
  func open(_ ports: inout GatewayPorts) throws(ListenFailure) {
    let listener = try context.listen(
      ports.device, "device-port", listeners.security.device, for: .device
    ) { [unowned self] in DeviceHandoff(home: self) }
    // After an outage, all devices reconnect at once. Their handshakes must leave time for pushes.
    listener.limitAdmissions(
      perSecond: Limits.deviceAdmissionsPerSecond, burst: Limits.deviceAdmissionsBurst)
    listeners.add(listener, showing: \.device)
    ports.device = listener.port
    setWebPushOrigin(context.shared.configuration.webPushOrigin(for: ports))
  }

  /// Creates a connection for a device or, if `device` is nil, for a device that is enrolling.
  func makeConnection(device: DeviceClaim?) -> DeviceConnection {
    assert(device.map { context.isHome(of: $0.number) } ?? true, "the device belongs to this home")
    let connection = DeviceConnection(
      session: makeSession(), device: device,
      isKnown: device.map(devices.has) ?? true, home: self)
    connections.add(connection)
    if let device { cluster?.linked[device.number] = connection.session }
    if device != nil { context.shared.census.countDevice(1) }
    metrics.deviceConnections.add()
    return connection
  }

  /// Takes over a device's connection that another loop accepted.
  func attach(_ detached: DetachedStream, _ device: DeviceClaim) {
    assert(context.isHome(of: device.number), "device \(device.number) belongs to this home")
    if cluster == nil { attachClaimed(detached, device) } else { park(detached, of: device) }
  }

  /// Takes over a device's connection once this node may write the device's rows.
  func attachClaimed(_ detached: DetachedStream, _ device: DeviceClaim) {
    let connection = makeConnection(device: device)
    connection.streamOpened(detached.attach(to: loop, handler: connection))
  }

  /// Removes a connection that has closed.
  func remove(_ connection: DeviceConnection) {
    guard connections.remove(connection) else { return }
    metrics.deviceConnections.add(-1)
    depart(connection.device, connection.session)
  }

  /// Records the end of a session; `device` is nil if the peer was not identified.
  func depart(_ device: UInt64?, _ session: SessionID) {
    if let device {
      context.shared.census.countDevice(-1)
      departedDevices.note(device, atMilliseconds: loop.unixMilliseconds)
      if cluster?.linked[device] == session { cluster?.linked[device] = nil }
      core.disconnect(device, session: session, now: now)
      performEffects()
    }
    context.scheduleTurnEnd()
  }

  /// Adds a device that has enrolled.
  func add(_ device: DeviceClaim) {
    assert(context.isHome(of: device.number), "device \(device.number) belongs to this home")
    // In a cluster, the device is added when it connects.
    if cluster == nil { devices.add(device) }
  }

  /// Revokes a device at the given time, in milliseconds since 1970.
  func revoke(_ device: UInt64, atMilliseconds: Int64) {
    assert(context.isHome(of: device), "revoked device \(device) belongs to this home")
    registrations.revoke(device, atMilliseconds: atMilliseconds)
    core.revoke(device, now: now)
    // A connection that is still in its handshake doesn't have a session yet, so the core can't end it.
    for connection in connections.connections(of: device) { connection.end(.revoked) }
    for connection in autopush.connections(of: device) { connection.end(.revoked) }
  }

  /// The devices that are connected, and the times at which the others disconnected.
  var presences: [DevicePresence] {
    let now = loop.unixMilliseconds
    let connected =
      connections.all.compactMap { connection in connection.device }
      + autopush.all.compactMap { connection in connection.device }
    let up = connected.map { device in
      DevicePresence(device: device, isUp: true, lastSeenMilliseconds: now)
    }
    return departedDevices.presences + up
  }

  // MARK: Trusted authorities

  /// Notifies the connected devices that the trusted authorities have changed.
  func announceTrust() { announceTrust(to: connections.all.map(\.session)[...]) }

  /// Notifies some devices, then reschedules itself so that other work can run.
  func announceTrust(to sessions: ArraySlice<SessionID>) {
    for session in sessions.prefix(Limits.fanOutDevices) { connections[session]?.announceTrust() }
    let rest = sessions.dropFirst(Limits.fanOutDevices)
    guard !rest.isEmpty else { return }
    _ = context.post(.rotation(.continueTrust(sessions: rest)), to: context.route)
  }
}
