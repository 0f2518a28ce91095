/// The tables of the control store, whose rows have checksums.
enum ControlTable {
  static let all = [
    team, key, certificate, app, channel, broadcast, device, deviceCertificate, registration,
    formerRegistration, subscription, upstream, budget, setting, .setAside,
  ]

  static let team = ChecksummedTable(
    name: "team", key: ["id"], rest: ["name", "created"], isUpdated: true)
  static let key = ChecksummedTable(
    name: "provider_key", key: ["id"],
    rest: ["team", "spki", "environments", "topics", "related", "created", "revoked"],
    isUpdated: true)
  static let certificate = ChecksummedTable(
    name: "certificate", key: ["serial"],
    rest: [
      "team", "bundle_id", "environments", "universal", "not_after", "created", "revoked",
      "authority",
    ], isUpdated: true)
  /// The key has two columns, because tokens identify an app by its number, and pushes identify it by its bundle
  /// identifier.
  static let app = ChecksummedTable(
    name: "app", key: ["number", "bundle_id"],
    rest: ["team", "keep", "broadcast", "created", "adopter"], isUpdated: true)
  static let channel = ChecksummedTable(
    name: "channel", key: ["id"], rest: ["app", "keeps_latest", "created"], isUpdated: true)
  static let broadcast = ChecksummedTable(
    name: "broadcast", key: ["channel"],
    rest: [
      "unique_high", "unique_low", "expiration", "priority", "payload", "accepted",
      "request_high", "request_low", "request_lowercase",
    ])
  static let device = ChecksummedTable(
    name: "device", key: ["number"],
    rest: ["key_hash", "name", "enrolled", "revoked", "token_key"], isUpdated: true)
  static let deviceCertificate = ChecksummedTable(
    name: "device_certificate", key: ["serial"],
    rest: ["device", "not_after", "authority", "shown"], isUpdated: true)
  static let registration = ChecksummedTable(
    name: "registration", key: ["device", "app", "kind"],
    rest: ["generation", "state", "changed"], isUpdated: true)
  static let formerRegistration = ChecksummedTable(
    name: "former_registration", key: ["device", "app", "kind", "generation"], rest: ["changed"])
  static let subscription = ChecksummedTable(
    name: "subscription", key: ["device", "channel"], rest: ["received_high", "received_low"],
    isUpdated: true)
  static let upstream = ChecksummedTable(
    name: "upstream", key: ["app"],
    rest: [
      "key_id", "team_id", "sealed_key", "environment", "host", "port", "authority", "created",
    ])
  static let budget = ChecksummedTable(
    name: "budget", key: ["key"], rest: ["per_day", "per_second", "day", "used"],
    isUpdated: true)
  static let setting = ChecksummedTable(name: "setting", key: ["name"], rest: ["value"])
}

extension ControlChange {
  /// The key of the row that this change replaces; nil if the change does not replace a row.
  ///
  /// An earlier version of the row might have been set aside.
  var replacedRow: StoreDamage.Key? {
    switch self {
    case .putTeam(let team): .team(team.id)
    case .putKey(let key): .providerKey(key.id)
    case .putCertificate(let certificate): .certificate(certificate.serial)
    case .putChannel(let channel): .channel(channel.id)
    case .putDevice(let device): .device(device.number)
    case .putRegistration(let registration):
      .registration(
        device: registration.key.device, app: registration.key.app, kind: registration.key.kind)
    case .putUpstream(let upstream): .upstream(app: upstream.app)
    case .putBudget(let budget): .budget(budget.key)
    case .putSetting(let name, _): .setting(name)
    case .removeTeam, .putApp, .removeApp, .removeChannel, .putBroadcast, .removeBroadcast,
      .removeExpiredBroadcasts, .putDeviceCertificate, .recordArrival, .forgetFormerRegistrations,
      .unregisterAll, .putSubscription, .markSubscription, .removeSubscription, .removeUpstream,
      .addUse,
      .forgetSetAside:
      nil
    }
  }
}
