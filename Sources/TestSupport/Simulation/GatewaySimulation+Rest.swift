import PushWire
import Storage

/// The state that a world reaches after the faults have ended.
extension GatewaySimulation {
  /// True if every request is answered and every accepted push is delivered.
  var isAtRest: Bool {
    ledger.isAnswered && providers.allSatisfy(\.isIdle)
      && devices.allSatisfy { $0.mayBeRevoked || $0.isUp }
      && (try? gateway.notificationStore.count()) == 0 && unmetWish == nil
      && cluster?.difference == nil
  }

  /// A description of the first registration or subscription whose latest state is not on the gateway's disk.
  var unmetWish: String? {
    let registrations = gateway.controlStore.registered
    let subscriptions = gateway.controlStore.subscribers
    let uncertain = cluster?.database.uncertainDevices ?? []
    for device in devices
    where device.number != 0 && !device.mayBeRevoked && !uncertain.contains(device.number) {
      // docs/cluster.md, "Pauses": a slow node "handles requests of connections that the devices have given up".
      let unsure = cluster == nil ? [] : device.abandoned
      for topic in topics where !unsure.contains(.topic(topic)) {
        let key = NotificationKey(
          device: device.number, app: app(of: topic), kind: topic.kind.rawValue)
        let isRegistered = registrations.contains(key)
        guard isMet(isRegistered, device.wants(topic)) else {
          return
            "device \(device.index) has the wrong registration for \(topic.bundleID): "
            + "\(isRegistered)"
        }
      }
      for channel in channels where !unsure.contains(.channel(channel)) {
        let isSubscribed = subscriptions.contains(
          SubscriptionRecord(device: device.number, channel: channel.identifier))
        guard isMet(isSubscribed, device.wants(channel)) else {
          return
            "device \(device.index) has the wrong subscription to \(channel.identifier[15]): "
            + "\(isSubscribed)"
        }
      }
    }
    return nil
  }

  /// Returns true if a registration or subscription has the wanted state.
  ///
  /// After a restoration, the store contains the registrations that a device cancelled after the copy was made. The
  /// device does not cancel them again.
  private func isMet(_ isThere: Bool, _ isWanted: Bool) -> Bool {
    isThere == isWanted || isThere && controlRestorations > 0
  }
}
