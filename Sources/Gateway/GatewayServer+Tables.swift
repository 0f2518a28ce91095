internal import Storage

/// The devices and registrations that the loops start with.
///
/// A node of a cluster reads a device when it claims the device, so its tables are empty.
extension GatewayServer {
  /// Removes the rows of devices that were revoked while the gateway was stopped.
  func dropRowsOfRevoked(_ devices: [DeviceRecord]) throws(StorageFailure) {
    let revoked = devices.filter { $0.revokedMilliseconds != nil }
    guard !revoked.isEmpty, try resources.notificationStore.count() > 0 else { return }
    _ = try resources.notificationStore.commit(revoked.map { .removeDevice($0.number) })
  }

  func deviceTables(_ devices: [DeviceRecord]) -> [DeviceTable] {
    let homes = controlPlane.homes
    var tables = Array(repeating: DeviceTable(), count: configuration.loops)
    for index in tables.indices { tables[index].reserve(devices.count / tables.count) }
    for device in devices {
      tables[homes.home(of: device.number).loop].add(
        DeviceClaim(number: device.number, keyHash: device.keyHash))
    }
    return tables
  }

  func registrationTables(
    _ devices: [DeviceRecord]
  ) throws(StorageFailure) -> [RegistrationTable] {
    let homes = controlPlane.homes
    var tables = Array(
      repeating: RegistrationTable(damage: resources.controlStore.damage),
      count: configuration.loops)
    guard cluster == nil else {
      for index in tables.indices { tables[index].tracksKeys = true }
      return tables
    }
    let records = try resources.controlStore.registrations()
    for index in tables.indices { tables[index].reserve(records.count / tables.count) }
    for record in records {
      tables[homes.home(of: record.key.device).loop].set(record.key, to: .init(record))
    }
    for device in devices {
      guard let revoked = device.revokedMilliseconds else { continue }
      tables[homes.home(of: device.number).loop].revoke(
        device.number, atMilliseconds: revoked)
    }
    return tables
  }
}
