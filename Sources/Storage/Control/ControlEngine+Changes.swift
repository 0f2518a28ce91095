internal import PushWire
internal import Transport

/// The SQL for each change.
extension ControlEngine {
  /// The statements that change data.
  enum Write: Hashable {
    case unshownCertificates, shownCertificate, formerCertificates, tokenKey
    case team, key, certificate, app, channel, broadcast, device, deviceCertificate, registration,
      noneRegistered
    case formerRegistration, noOldFormerRegistrations, noFormerRegistrationsOfApp,
      noReadFormerRegistrations
    case subscription, subscriptionMark, setting
    case noTeam, noKeysOfTeam, noCertificatesOfTeam
    case noApp, noRegistrationsOfApp, noChannel, noBroadcast, noExpiredBroadcasts
    case noSubscription, noSetting
    case upstream, noUpstream, budget, budgetUse

    var sql: String {
      switch self {
      case .unshownCertificates:
        "DELETE FROM device_certificate WHERE device = ?1 AND shown = 0"
      case .shownCertificate:
        "UPDATE device_certificate SET shown = 1 WHERE serial = ?2 AND device = ?1"
      case .formerCertificates:
        """
        DELETE FROM device_certificate WHERE device = ?1 AND serial <> ?2 AND shown = 1 AND not_after <=
          (SELECT not_after FROM device_certificate WHERE serial = ?2 AND device = ?1)
        """
      case .tokenKey: "UPDATE device SET token_key = ?2 WHERE number = ?1"
      case .team:
        """
        INSERT INTO team VALUES (?1, ?2, ?3) ON CONFLICT (id) DO UPDATE SET name = ?2
        """
      case .key:
        """
        INSERT INTO provider_key VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
        ON CONFLICT (id) DO UPDATE SET
          team = ?2, spki = ?3, environments = ?4, topics = ?5, related = ?6, revoked = ?8
        """
      case .certificate:
        """
        INSERT INTO certificate VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
        ON CONFLICT (serial) DO UPDATE SET revoked = ?8
        """
      case .app:
        """
        INSERT INTO app VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
        ON CONFLICT (number) DO UPDATE SET
          bundle_id = ?2, team = ?3, keep = ?4, broadcast = ?5
        """
      case .channel:
        """
        INSERT INTO channel SELECT ?1, ?2, ?3, ?4
        WHERE EXISTS (SELECT 1 FROM app WHERE number = ?2)
        ON CONFLICT (id) DO UPDATE SET keeps_latest = ?3
        """
      case .broadcast:
        """
        INSERT OR REPLACE INTO broadcast
        SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10
        WHERE EXISTS (SELECT 1 FROM channel WHERE id = ?1)
        """
      case .device:
        """
        INSERT INTO device (number, key_hash, name, enrolled, revoked)
        VALUES (?1, ?2, ?3, ?4, ?5)
        ON CONFLICT (number) DO UPDATE SET key_hash = ?2, name = ?3, revoked = ?5
        """
      case .deviceCertificate:
        """
        INSERT OR REPLACE INTO device_certificate (serial, device, not_after, authority, shown)
        VALUES (?1, ?2, ?3, ?4, ?5)
        """
      case .registration: "INSERT OR REPLACE INTO registration VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
      case .formerRegistration:
        """
        INSERT OR REPLACE INTO former_registration
        SELECT device, app, kind, generation, changed FROM registration
        WHERE device = ?1 AND app = ?2 AND kind = ?3 AND generation <> ?4 AND state = 3
          AND \(ControlTable.registration.isWhole)
        """
      case .noOldFormerRegistrations:
        // The number of rows is limited, so that a device that registers repeatedly cannot fill the table.
        """
        DELETE FROM former_registration WHERE device = ?1 AND app = ?2 AND kind = ?3
          AND generation NOT BETWEEN ?4 - 4 AND ?4 - 1
        """
      case .noFormerRegistrationsOfApp: "DELETE FROM former_registration WHERE app = ?1"
      case .noReadFormerRegistrations:
        "DELETE FROM former_registration WHERE app = ?1 AND kind = ?2 AND changed <= ?3"
      case .noneRegistered:
        "UPDATE registration SET state = 3, changed = ?2 WHERE device = ?1 AND state <> 3"
      case .subscription:
        """
        INSERT OR IGNORE INTO subscription SELECT ?1, ?2, ?3, ?4
        WHERE EXISTS (SELECT 1 FROM channel WHERE id = ?2)
        """
      case .subscriptionMark:
        """
        UPDATE subscription SET received_high = ?3, received_low = ?4
        WHERE device = ?1 AND channel = ?2
        """
      case .setting: "INSERT OR REPLACE INTO setting VALUES (?1, ?2)"
      case .noTeam: "DELETE FROM team WHERE id = ?1"
      case .noKeysOfTeam: "DELETE FROM provider_key WHERE team = ?1"
      case .noCertificatesOfTeam: "DELETE FROM certificate WHERE team = ?1"
      case .noApp: "DELETE FROM app WHERE number = ?1"
      case .noRegistrationsOfApp: "DELETE FROM registration WHERE app = ?1"
      case .noChannel: "DELETE FROM channel WHERE id = ?1"
      case .noBroadcast: "DELETE FROM broadcast WHERE channel = ?1"
      case .noExpiredBroadcasts: "DELETE FROM broadcast WHERE expiration <= ?1"
      case .noSubscription: "DELETE FROM subscription WHERE device = ?1 AND channel = ?2"
      case .noSetting: "DELETE FROM setting WHERE name = ?1"
      case .upstream:
        "INSERT OR REPLACE INTO upstream VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
      case .noUpstream: "DELETE FROM upstream WHERE app = ?1"
      case .budget:
        """
        INSERT INTO budget VALUES (?1, ?2, ?3, ?4, ?5)
        ON CONFLICT (key) DO UPDATE SET per_day = ?2, per_second = ?3
        """
      case .budgetUse:
        """
        UPDATE budget SET used = iif(day < ?2, 0, used) + ?3, day = max(day, ?2) WHERE key = ?1
        """
      }
    }
  }

  func apply(_ change: ControlChange) throws(StorageFailure) {
    switch change {
    case .putTeam(let team): try put(team)
    case .removeTeam(let id):
      for write in [Write.noKeysOfTeam, .noCertificatesOfTeam, .noTeam] {
        let statement = try statement(write)
        try statement.bind(1, id)
        try statement.run()
      }
    case .putKey(let key): try put(key)
    case .putCertificate(let certificate): try put(certificate)
    case .putApp(let app): try put(app)
    case .removeApp(let number):
      for write in [Write.noApp, .noRegistrationsOfApp, .noFormerRegistrationsOfApp] {
        let statement = try statement(write)
        try statement.bind(1, Int64(number))
        try statement.run()
      }
    case .putChannel(let channel): try put(channel)
    case .removeChannel(let id): try remove(.noChannel, id)
    case .putBroadcast(let broadcast): try put(broadcast)
    case .removeBroadcast(let channel): try remove(.noBroadcast, channel)
    case .removeExpiredBroadcasts(let second):
      let statement = try statement(.noExpiredBroadcasts)
      try statement.bind(1, second)
      try statement.run()
    case .putDevice(let device): try put(device)
    case .putDeviceCertificate(let certificate): try put(certificate)
    case .recordArrival(let arrival): try note(arrival)
    case .putRegistration(let registration): try put(registration)
    case .forgetFormerRegistrations(let app, let kind, let milliseconds):
      let statement = try statement(.noReadFormerRegistrations)
      try statement.bind(1, Int64(app))
      try statement.bind(2, Int64(kind))
      try statement.bind(3, milliseconds)
      try statement.run()
    case .unregisterAll(let device, let milliseconds):
      let statement = try statement(.noneRegistered)
      try statement.bind(1, device)
      try statement.bind(2, milliseconds)
      try statement.run()
    case .putSubscription(let subscription): try put(subscription, by: .subscription)
    case .markSubscription(let subscription): try put(subscription, by: .subscriptionMark)
    case .removeSubscription(let subscription):
      let statement = try statement(.noSubscription)
      try statement.bind(1, subscription.device)
      try statement.bind(2, subscription.channel)
      try statement.run()
    case .putUpstream(let upstream): try put(upstream)
    case .removeUpstream(let app):
      let statement = try statement(.noUpstream)
      try statement.bind(1, Int64(app))
      try statement.run()
    case .putBudget(let budget): try put(budget)
    case .addUse(let key, let day, let count):
      assert(count > 0, "an added use is at least one push")
      let statement = try statement(.budgetUse)
      try statement.bind(1, key)
      try statement.bind(2, day)
      try statement.bind(3, count)
      try statement.run()
    case .forgetSetAside: try database.forgetSetAside()
    case .putSetting(let name, let value):
      let statement = try statement(value == nil ? .noSetting : .setting)
      try statement.bind(1, name)
      if let value { try statement.bind(2, value) }
      try statement.run()
    }
  }

  private func put(_ team: TeamRecord) throws(StorageFailure) {
    let statement = try statement(.team)
    try statement.bind(1, team.id)
    try statement.bind(2, team.name)
    try statement.bind(3, team.createdMilliseconds)
    try statement.run()
  }

  private func put(_ key: KeyRecord) throws(StorageFailure) {
    let statement = try statement(.key)
    try statement.bind(1, key.id)
    try statement.bind(2, key.team)
    try statement.bind(3, key.publicKeySPKI)
    try statement.bind(4, Int64(key.environments.rawValue))
    try statement.bind(5, key.topics.joined(separator: "\n"))
    try statement.bind(6, key.relatedKey)
    try statement.bind(7, key.createdMilliseconds)
    try statement.bind(8, key.revokedMilliseconds)
    try statement.run()
  }

  private func put(_ certificate: CertificateRecord) throws(StorageFailure) {
    let statement = try statement(.certificate)
    try statement.bind(1, certificate.serial)
    try statement.bind(2, certificate.team)
    try statement.bind(3, certificate.bundleID)
    try statement.bind(4, Int64(certificate.environments.rawValue))
    try statement.bind(5, Int64(certificate.isUniversal ? 1 : 0))
    try statement.bind(6, certificate.notAfter)
    try statement.bind(7, certificate.createdMilliseconds)
    try statement.bind(8, certificate.revokedMilliseconds)
    try statement.bind(9, certificate.authority)
    try statement.run()
  }

  private func put(_ app: AppRecord) throws(StorageFailure) {
    let statement = try statement(.app)
    try statement.bind(1, Int64(app.number))
    try statement.bind(2, app.bundleID)
    try statement.bind(3, app.team)
    try statement.bind(4, Int64(app.keep))
    try statement.bind(5, Int64(app.hasBroadcast ? 1 : 0))
    try statement.bind(6, app.createdMilliseconds)
    try statement.bind(7, app.adopter.map { Int64(bitPattern: $0) })
    try statement.run()
  }

  private func put(_ channel: ChannelRecord) throws(StorageFailure) {
    let statement = try statement(.channel)
    try statement.bind(1, channel.id)
    try statement.bind(2, Int64(channel.app))
    try statement.bind(3, Int64(channel.keepsLatest ? 1 : 0))
    try statement.bind(4, channel.createdMilliseconds)
    try statement.run()
  }

  private func put(_ broadcast: BroadcastRecord) throws(StorageFailure) {
    let statement = try statement(.broadcast)
    try statement.bind(1, broadcast.channel)
    try statement.bind(2, broadcast.uniqueID.high)
    try statement.bind(3, broadcast.uniqueID.low)
    try statement.bind(4, broadcast.expiration)
    try statement.bind(5, Int64(broadcast.priority))
    try statement.bind(6, broadcast.payload)
    try statement.bind(7, broadcast.acceptedMilliseconds)
    try statement.bind(8, broadcast.requestID.high)
    try statement.bind(9, broadcast.requestID.low)
    try statement.bind(10, Int64(broadcast.requestID.isLowercase ? 1 : 0))
    try statement.run()
  }

  private func put(_ device: DeviceRecord) throws(StorageFailure) {
    let statement = try statement(.device)
    try statement.bind(1, device.number)
    try statement.bind(2, device.keyHash.bytes)
    try statement.bind(3, device.name)
    try statement.bind(4, device.enrolledMilliseconds)
    try statement.bind(5, device.revokedMilliseconds)
    try statement.run()
  }

  private func note(_ arrival: DeviceArrival) throws(StorageFailure) {
    assert(!arrival.tokenKey.isEmpty, "an arrival has a token key")
    for write in [Write.shownCertificate, .formerCertificates] {
      let statement = try statement(write)
      try statement.bind(1, arrival.device)
      try statement.bind(2, arrival.serial)
      try statement.run()
    }
    let statement = try statement(.tokenKey)
    try statement.bind(1, arrival.device)
    try statement.bind(2, arrival.tokenKey)
    try statement.run()
  }

  private func put(_ certificate: DeviceCertificateRecord) throws(StorageFailure) {
    let former = try statement(.unshownCertificates)
    try former.bind(1, certificate.device)
    try former.run()
    let statement = try statement(.deviceCertificate)
    try statement.bind(1, certificate.serial)
    try statement.bind(2, certificate.device)
    try statement.bind(3, certificate.notAfter)
    try statement.bind(4, certificate.authority)
    try statement.bind(5, Int64(certificate.isShown ? 1 : 0))
    try statement.run()
  }

  private func put(_ registration: RegistrationRecord) throws(StorageFailure) {
    // The registration has a new generation, so its row is about to be overwritten. Save the row of the previous token,
    // which is inactive.
    if registration.generation > 0, registration.state == .active {
      for write in [Write.formerRegistration, .noOldFormerRegistrations] {
        let statement = try statement(write)
        try statement.bind(1, registration.key.device)
        try statement.bind(2, Int64(registration.key.app))
        try statement.bind(3, Int64(registration.key.kind))
        try statement.bind(4, Int64(registration.generation))
        try statement.run()
      }
    }
    let statement = try statement(.registration)
    try statement.bind(1, registration.key.device)
    try statement.bind(2, Int64(registration.key.app))
    try statement.bind(3, Int64(registration.key.kind))
    try statement.bind(4, Int64(registration.generation))
    try statement.bind(5, Int64(registration.state.rawValue))
    try statement.bind(6, registration.changedMilliseconds)
    try statement.run()
  }

  private func put(
    _ subscription: SubscriptionRecord, by write: Write
  ) throws(StorageFailure) {
    let statement = try statement(write)
    try statement.bind(1, subscription.device)
    try statement.bind(2, subscription.channel)
    try statement.bind(3, subscription.received.map { Int64(bitPattern: $0.high) })
    try statement.bind(4, subscription.received.map { Int64(bitPattern: $0.low) })
    try statement.run()
  }

  private func put(_ upstream: UpstreamRecord) throws(StorageFailure) {
    assert(!upstream.sealedKey.isEmpty, "an upstream has a key")
    assert(!upstream.keyID.isEmpty && !upstream.teamID.isEmpty, "a key has an ID and a team")
    assert(upstream.port > 0, "an upstream has a port")
    let statement = try statement(.upstream)
    try statement.bind(1, Int64(upstream.app))
    try statement.bind(2, upstream.keyID)
    try statement.bind(3, upstream.teamID)
    try statement.bind(4, upstream.sealedKey)
    try statement.bind(5, Int64(EnvironmentScope(upstream.environment).rawValue))
    try statement.bind(6, upstream.host)
    try statement.bind(7, Int64(upstream.port))
    try statement.bind(8, upstream.authorityPEM)
    try statement.bind(9, upstream.createdMilliseconds)
    try statement.run()
  }

  private func put(_ budget: BudgetRecord) throws(StorageFailure) {
    assert(budget.used >= 0, "the number of used pushes is not negative")
    assert(budget.perDay.map { $0 > 0 } ?? true, "a limit per day is positive")
    let statement = try statement(.budget)
    try statement.bind(1, budget.key)
    try statement.bind(2, budget.perDay)
    try statement.bind(3, budget.perSecond.map { Int64($0) })
    try statement.bind(4, budget.day)
    try statement.bind(5, budget.used)
    try statement.run()
  }

  private func remove(_ write: Write, _ bytes: [UInt8]) throws(StorageFailure) {
    let statement = try statement(write)
    try statement.bind(1, bytes)
    try statement.run()
  }
}
