import PushWire
package import Storage

/// The comparison of a node's memory with the store, for simulations.
extension GatewayServer {
  /// Returns a description of the first part of the configuration that differs from the store; nil if there is none.
  package func configurationDifference() throws(StorageFailure) -> String? {
    guard let directory = controlPlane.published else { return "no configuration was read" }
    for key in try resources.controlStore.keys() {
      guard (directory.key(key.id) != nil) == (key.revokedMilliseconds == nil) else {
        return "key \(key.id)"
      }
    }
    for app in try resources.controlStore.apps() {
      guard directory.app(number: app.number)?.bundleID == Array(app.bundleID.utf8) else {
        return "app \(app.number)"
      }
    }
    return try controlPlane.channels.difference()
  }
}

extension ChannelService {
  /// Returns a description of the first channel that differs from the store; nil if there is none.
  func difference() throws(StorageFailure) -> String? {
    let stored = Set(try store.channels().compactMap { ChannelID($0.id) })
    for id in Set(registry.allChannels).symmetricDifference(stored) { return "channel \(id.text)" }
    return nil
  }
}

extension GatewayLoop {
  /// Returns a description of the first difference between the state of a claimed device and its stored state; nil if
  /// there is none, or if this loop is not the device's home.
  package func difference(
    ofClaimed device: UInt64, registrations: [RegistrationRecord],
    subscriptions: [SubscriptionRecord]
  ) -> String? {
    guard let cluster = home.cluster, cluster.table.isHeld(device) else { return nil }
    for record in registrations {
      guard home.registrations.entry(record.key) == RegistrationTable.Entry(record) else {
        return "the registration of device \(device) for app \(record.key.app)"
      }
    }
    let known = cluster.subscriptions[device] ?? []
    guard known.allSatisfy({ home.core.standing(of: device, to: $0) == .subscriber }),
      known.count == subscriptions.count,
      Set(known) == Set(subscriptions.compactMap { ChannelID($0.channel) })
    else { return "the subscriptions of device \(device)" }
    return nil
  }
}
