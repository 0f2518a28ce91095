internal import PushWire
internal import Storage
internal import Transport

/// The statements for each change, all of which have the same effect when they are repeated.
extension PostgresControlStore {
  private typealias Statement = PostgresConnection.Statement

  /// Returns the statement that ends each transaction; it writes, even if the changes had no effect.
  static func progress(_ count: Int) -> PostgresConnection.Call {
    assert(count >= 0, "the number of changes never decreases")
    return .init(countChanges, [.integer(Int64(count))])
  }

  /// Returns the statements for a change, in order.
  static func calls(for change: ControlChange) -> [PostgresConnection.Call] {
    switch change {
    case .putTeam(let team):
      [
        .init(
          putTeam, [.text(team.id), .text(team.name), .integer(team.createdMilliseconds)])
      ]
    case .removeTeam(let id):
      [removeKeysOfTeam, removeCertificatesOfTeam, removeTeam].map { .init($0, [.text(id)]) }
    case .putKey(let key): [.init(putKey, parameters(key))]
    case .putCertificate(let certificate): [.init(putCertificate, parameters(certificate))]
    case .putApp(let app): [.init(putApp, parameters(app))]
    case .removeApp(let number):
      [removeApp, removeRegistrationsOfApp, removeFormerRegistrationsOfApp].map {
        .init($0, [.integer(Int64(number))])
      }
    case .putChannel(let channel):
      [
        .init(
          putChannel,
          [
            .data(channel.id), .integer(Int64(channel.app)), flag(channel.keepsLatest),
            .integer(channel.createdMilliseconds),
          ])
      ]
    case .removeChannel(let id): [.init(removeChannel, [.data(id)])]
    case .putBroadcast(let broadcast): [.init(putBroadcast, parameters(broadcast))]
    case .removeBroadcast(let channel): [.init(removeBroadcast, [.data(channel)])]
    case .removeExpiredBroadcasts(let second):
      [.init(removeExpiredBroadcasts, [.integer(second)])]
    case .putDevice(let device):
      [
        .init(
          putDevice,
          [
            .bits(device.number), .data(device.keyHash.bytes), .text(device.name),
            .integer(device.enrolledMilliseconds), .integer(device.revokedMilliseconds),
          ])
      ]
    case .putDeviceCertificate(let certificate):
      [
        .init(removeUnshownCertificates, [.bits(certificate.device)]),
        .init(
          putDeviceCertificate,
          [
            .text(certificate.serial), .bits(certificate.device), .integer(certificate.notAfter),
            .text(certificate.authority), flag(certificate.isShown),
          ]),
      ]
    case .recordArrival(let arrival):
      [markShown, removeFormerCertificates].map {
        .init($0, [.bits(arrival.device), .text(arrival.serial)])
      } + [.init(putTokenKey, [.bits(arrival.device), .text(arrival.tokenKey)])]
    case .putRegistration(let registration): calls(for: registration)
    case .forgetFormerRegistrations(let app, let kind, let milliseconds):
      [
        .init(
          removeReadFormerRegistrations,
          [.integer(Int64(app)), .integer(Int64(kind)), .integer(milliseconds)])
      ]
    case .unregisterAll(let device, let milliseconds):
      [.init(unregisterAll, [.bits(device), .integer(milliseconds)])]
    case .putSubscription(let subscription):
      [.init(putSubscription, parameters(subscription))]
    case .markSubscription(let subscription):
      [.init(markSubscription, parameters(subscription))]
    case .removeSubscription(let subscription):
      [.init(removeSubscription, [.bits(subscription.device), .data(subscription.channel)])]
    case .putUpstream(let upstream): [.init(putUpstream, parameters(upstream))]
    case .removeUpstream(let app): [.init(removeUpstream, [.integer(Int64(app))])]
    case .putBudget(let budget):
      [
        .init(
          putBudget,
          [
            .text(budget.key), .integer(budget.perDay),
            .integer(budget.perSecond.map { Int64($0) }), .integer(budget.day),
            .integer(budget.used),
          ])
      ]
    case .addUse(let key, let day, let count):
      [.init(addUse, [.text(key), .integer(day), .integer(count)])]
    case .forgetSetAside: []
    case .putSetting(let name, let value):
      if let value {
        [.init(putSetting, [.text(name), .data(value)])]
      } else {
        [.init(removeSetting, [.text(name)])]
      }
    }
  }

  private static func calls(for registration: RegistrationRecord) -> [PostgresConnection.Call] {
    let key: [PostgresValue] = [
      .bits(registration.key.device), .integer(Int64(registration.key.app)),
      .integer(Int64(registration.key.kind)), .integer(Int64(registration.generation)),
    ]
    let put = PostgresConnection.Call(
      putRegistration,
      key + [
        .integer(Int64(registration.state.rawValue)), .integer(registration.changedMilliseconds),
      ])
    // The row of an earlier token is about to be overwritten, so save it for the feedback service.
    guard registration.generation > 0, registration.state == .active else { return [put] }
    return [
      .init(putFormerRegistration, key), .init(removeOldFormerRegistrations, key), put,
    ]
  }

  // MARK: - Parameters

  private static func flag(_ isSet: Bool) -> PostgresValue { .integer(isSet ? 1 : 0) }

  private static func parameters(_ key: KeyRecord) -> [PostgresValue] {
    assert(
      key.topics.allSatisfy { !$0.utf8.contains(UInt8(ascii: "\n")) },
      "a newline separates the topics")
    return [
      .text(key.id), .text(key.team), .data(key.publicKeySPKI),
      .integer(Int64(key.environments.rawValue)), .text(key.topics.joined(separator: "\n")),
      .text(key.relatedKey), .integer(key.createdMilliseconds), .integer(key.revokedMilliseconds),
    ]
  }

  private static func parameters(_ certificate: CertificateRecord) -> [PostgresValue] {
    assert(!certificate.serial.isEmpty, "a certificate has a serial number")
    return [
      .text(certificate.serial), .text(certificate.team), .text(certificate.bundleID),
      .integer(Int64(certificate.environments.rawValue)), flag(certificate.isUniversal),
      .integer(certificate.notAfter), .integer(certificate.createdMilliseconds),
      .integer(certificate.revokedMilliseconds), .text(certificate.authority),
    ]
  }

  private static func parameters(_ app: AppRecord) -> [PostgresValue] {
    assert(!app.bundleID.isEmpty, "an app has a bundle identifier")
    return [
      .integer(Int64(app.number)), .text(app.bundleID), .text(app.team),
      .integer(Int64(app.keep)), flag(app.hasBroadcast), .integer(app.createdMilliseconds),
      .bits(app.adopter),
    ]
  }

  private static func parameters(_ broadcast: BroadcastRecord) -> [PostgresValue] {
    assert(broadcast.channel.count == 16, "a channel's identifier has 16 bytes")
    return [
      .data(broadcast.channel), .bits(broadcast.uniqueID.high), .bits(broadcast.uniqueID.low),
      .integer(broadcast.expiration), .integer(Int64(broadcast.priority)),
      .data(broadcast.payload), .integer(broadcast.acceptedMilliseconds),
      .bits(broadcast.requestID.high), .bits(broadcast.requestID.low),
      flag(broadcast.requestID.isLowercase),
    ]
  }

  private static func parameters(_ subscription: SubscriptionRecord) -> [PostgresValue] {
    assert(subscription.channel.count == 16, "a channel's identifier has 16 bytes")
    return [
      .bits(subscription.device), .data(subscription.channel), .bits(subscription.received?.high),
      .bits(subscription.received?.low),
    ]
  }

  private static func parameters(_ upstream: UpstreamRecord) -> [PostgresValue] {
    assert(!upstream.sealedKey.isEmpty, "an upstream has a key")
    return [
      .integer(Int64(upstream.app)), .text(upstream.keyID), .text(upstream.teamID),
      .data(upstream.sealedKey),
      .integer(Int64(EnvironmentScope(upstream.environment).rawValue)), .text(upstream.host),
      .integer(Int64(upstream.port)), .data(upstream.authorityPEM),
      .integer(upstream.createdMilliseconds),
    ]
  }

  // MARK: - Statements

  private static let countChanges = Statement(
    name: "count_changes", sql: "UPDATE control_progress SET changes = changes + $1")
  private static let putTeam = Statement(
    name: "put_team",
    sql: """
      INSERT INTO team VALUES ($1, $2, $3) ON CONFLICT (id) DO UPDATE SET name = excluded.name
      """)
  private static let putKey = Statement(
    name: "put_key",
    sql: """
      INSERT INTO provider_key VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
      ON CONFLICT (id) DO UPDATE SET team = excluded.team, spki = excluded.spki,
        environments = excluded.environments, topics = excluded.topics,
        related = excluded.related, revoked = excluded.revoked
      """)
  private static let putCertificate = Statement(
    name: "put_certificate",
    sql: """
      INSERT INTO certificate VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
      ON CONFLICT (serial) DO UPDATE SET revoked = excluded.revoked
      """)
  private static let putApp = Statement(
    name: "put_app",
    sql: """
      INSERT INTO app VALUES ($1, $2, $3, $4, $5, $6, $7)
      ON CONFLICT (number) DO UPDATE SET bundle_id = excluded.bundle_id, team = excluded.team,
        keep = excluded.keep, broadcast = excluded.broadcast
      """)
  private static let putChannel = Statement(
    name: "put_channel",
    sql: """
      INSERT INTO channel SELECT $1, $2, $3, $4 WHERE EXISTS (SELECT 1 FROM app WHERE number = $2)
      ON CONFLICT (id) DO UPDATE SET keeps_latest = excluded.keeps_latest
      """)
  private static let putBroadcast = Statement(
    name: "put_broadcast",
    sql: """
      INSERT INTO broadcast SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10
      WHERE EXISTS (SELECT 1 FROM channel WHERE id = $1)
      ON CONFLICT (channel) DO UPDATE SET unique_high = excluded.unique_high,
        unique_low = excluded.unique_low, expiration = excluded.expiration,
        priority = excluded.priority, payload = excluded.payload, accepted = excluded.accepted,
        request_high = excluded.request_high, request_low = excluded.request_low,
        request_lowercase = excluded.request_lowercase
      """)
  private static let putDevice = Statement(
    name: "put_device",
    sql: """
      INSERT INTO device (number, key_hash, name, enrolled, revoked) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (number) DO UPDATE SET key_hash = excluded.key_hash, name = excluded.name,
        revoked = excluded.revoked
      """)
  private static let putDeviceCertificate = Statement(
    name: "put_device_certificate",
    sql: """
      INSERT INTO device_certificate (serial, device, not_after, authority, shown)
      VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (serial) DO UPDATE SET device = excluded.device,
        not_after = excluded.not_after, authority = excluded.authority, shown = excluded.shown
      """)
  private static let putRegistration = Statement(
    name: "put_registration",
    sql: """
      INSERT INTO registration VALUES ($1, $2, $3, $4, $5, $6)
      ON CONFLICT (device, app, kind) DO UPDATE SET generation = excluded.generation,
        state = excluded.state, changed = excluded.changed
      """)
  private static let putFormerRegistration = Statement(
    name: "put_former_registration",
    sql: """
      INSERT INTO former_registration
      SELECT device, app, kind, generation, changed FROM registration
      WHERE device = $1 AND app = $2 AND kind = $3 AND generation <> $4 AND state = 3
      ON CONFLICT (device, app, kind, generation) DO UPDATE SET changed = excluded.changed
      """)
  private static let putTokenKey = Statement(
    name: "put_token_key", sql: "UPDATE device SET token_key = $2 WHERE number = $1")
  private static let putSubscription = Statement(
    name: "put_subscription",
    sql: """
      INSERT INTO subscription SELECT $1, $2, $3, $4
      WHERE EXISTS (SELECT 1 FROM channel WHERE id = $2)
      ON CONFLICT (device, channel) DO NOTHING
      """)
  private static let markSubscription = Statement(
    name: "mark_subscription",
    sql: """
      UPDATE subscription SET received_high = $3, received_low = $4
      WHERE device = $1 AND channel = $2
      """)
  private static let putUpstream = Statement(
    name: "put_upstream",
    sql: """
      INSERT INTO upstream VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
      ON CONFLICT (app) DO UPDATE SET key_id = excluded.key_id, team_id = excluded.team_id,
        sealed_key = excluded.sealed_key, environment = excluded.environment,
        host = excluded.host, port = excluded.port, authority = excluded.authority,
        created = excluded.created
      """)
  private static let putBudget = Statement(
    name: "put_budget",
    sql: """
      INSERT INTO budget VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (key) DO UPDATE SET per_day = excluded.per_day, per_second = excluded.per_second
      """)
  private static let addUse = Statement(
    name: "add_use",
    sql: """
      UPDATE budget SET used = CASE WHEN day < $2 THEN 0 ELSE used END + $3,
        day = GREATEST(day, $2)
      WHERE key = $1
      """)
  private static let removeUpstream = Statement(
    name: "remove_upstream", sql: "DELETE FROM upstream WHERE app = $1")
  private static let putSetting = Statement(
    name: "put_setting",
    sql: """
      INSERT INTO setting VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value
      """)

  private static let markShown = Statement(
    name: "mark_shown",
    sql: "UPDATE device_certificate SET shown = 1 WHERE serial = $2 AND device = $1")
  private static let unregisterAll = Statement(
    name: "unregister_all",
    sql: "UPDATE registration SET state = 3, changed = $2 WHERE device = $1 AND state <> 3")

  private static let removeTeam = Statement(
    name: "remove_team", sql: "DELETE FROM team WHERE id = $1")
  private static let removeKeysOfTeam = Statement(
    name: "remove_keys_of_team", sql: "DELETE FROM provider_key WHERE team = $1")
  private static let removeCertificatesOfTeam = Statement(
    name: "remove_certificates_of_team", sql: "DELETE FROM certificate WHERE team = $1")
  private static let removeApp = Statement(
    name: "remove_app", sql: "DELETE FROM app WHERE number = $1")
  private static let removeRegistrationsOfApp = Statement(
    name: "remove_registrations_of_app", sql: "DELETE FROM registration WHERE app = $1")
  private static let removeFormerRegistrationsOfApp = Statement(
    name: "remove_former_registrations_of_app",
    sql: "DELETE FROM former_registration WHERE app = $1")
  private static let removeReadFormerRegistrations = Statement(
    name: "remove_read_former_registrations",
    sql: "DELETE FROM former_registration WHERE app = $1 AND kind = $2 AND changed <= $3")
  /// The number of rows is limited, so that a device that registers repeatedly cannot fill the table.
  private static let removeOldFormerRegistrations = Statement(
    name: "remove_old_former_registrations",
    sql: """
      DELETE FROM former_registration WHERE device = $1 AND app = $2 AND kind = $3
        AND generation NOT BETWEEN $4 - 4 AND $4 - 1
      """)
  private static let removeChannel = Statement(
    name: "remove_channel", sql: "DELETE FROM channel WHERE id = $1")
  private static let removeBroadcast = Statement(
    name: "remove_broadcast", sql: "DELETE FROM broadcast WHERE channel = $1")
  private static let removeExpiredBroadcasts = Statement(
    name: "remove_expired_broadcasts", sql: "DELETE FROM broadcast WHERE expiration <= $1")
  private static let removeUnshownCertificates = Statement(
    name: "remove_unshown_certificates",
    sql: "DELETE FROM device_certificate WHERE device = $1 AND shown = 0")
  private static let removeFormerCertificates = Statement(
    name: "remove_former_certificates",
    sql: """
      DELETE FROM device_certificate WHERE device = $1 AND serial <> $2 AND shown = 1
        AND not_after <=
          (SELECT not_after FROM device_certificate WHERE serial = $2 AND device = $1)
      """)
  private static let removeSubscription = Statement(
    name: "remove_subscription",
    sql: "DELETE FROM subscription WHERE device = $1 AND channel = $2")
  private static let removeSetting = Statement(
    name: "remove_setting", sql: "DELETE FROM setting WHERE name = $1")
}
