/// The meaning of a change in a cluster (docs/cluster.md).
extension ControlChange {
  /// The settings that other nodes do not need: those about a node's folder, and a node's own use counts.
  ///
  /// The names are those of the gateway's `ControlSetting`.
  private static let privateSettings = ["epoch", "database-link", "fault-uses"]

  /// The data that other nodes must read again; nil if they need not learn of the change.
  package var clusterSubject: ClusterChange.Subject? {
    switch self {
    case .putTeam, .removeTeam, .putKey, .putCertificate, .putApp, .removeApp, .putUpstream,
      .removeUpstream, .putBudget:
      .directory
    case .putChannel(let channel): .channel(channel.id)
    case .removeChannel(let id): .channel(id)
    case .putBroadcast(let broadcast): .channel(broadcast.channel)
    case .removeBroadcast(let channel): .channel(channel)
    case .putDevice(let device):
      device.revokedMilliseconds == nil ? nil : .device(device.number)
    case .putSetting(let name, _):
      Self.privateSettings.contains { $0.utf8.elementsEqual(name.utf8) } ? nil : .setting(name)
    case .removeExpiredBroadcasts, .putDeviceCertificate, .recordArrival, .putRegistration,
      .forgetFormerRegistrations, .unregisterAll, .putSubscription, .markSubscription,
      .removeSubscription, .addUse, .forgetSetAside:
      nil
    }
  }

  /// The device that a node must have claimed to make this change; nil if every node can make it.
  package var claimedDevice: UInt64? {
    switch self {
    case .putRegistration(let registration): registration.key.device
    case .putSubscription(let subscription), .markSubscription(let subscription),
      .removeSubscription(let subscription):
      subscription.device
    case .putTeam, .removeTeam, .putKey, .putCertificate, .putApp, .removeApp, .putChannel,
      .removeChannel, .putBroadcast, .removeBroadcast, .removeExpiredBroadcasts, .putDevice,
      .putDeviceCertificate, .recordArrival, .forgetFormerRegistrations, .unregisterAll,
      .putUpstream, .removeUpstream, .putBudget, .addUse, .forgetSetAside, .putSetting:
      nil
    }
  }
}
