internal import PushWire
internal import Transport

/// The query for one kind of record, and the conversion of a row to a record.
///
/// The last column indicates whether the row is unchanged since it was written. An invalid row yields nil.
struct ControlRows<Record: Sendable>: Sendable {
  let query: String
  let record: @Sendable (SQLiteStatement) -> Record?
}

extension ControlRows where Record == TeamRecord {
  static let teams = ControlRows(
    query: "SELECT id, name, created, \(ControlTable.team.isWhole) FROM team ORDER BY created, id"
  ) { row in
    TeamRecord(id: row.text(0), name: row.text(1), createdMilliseconds: row.integer(2))
  }
}

extension ControlRows where Record == KeyRecord {
  static let keys = ControlRows(
    query: """
      SELECT id, team, spki, environments, topics, related, created, revoked,
        \(ControlTable.key.isWhole)
      FROM provider_key ORDER BY created, id
      """
  ) { row in
    scope(row, 3).map { environments in
      KeyRecord(
        id: row.text(0), team: row.text(1), publicKeySPKI: row.bytes(2),
        environments: environments,
        topics: row.text(4).split(separator: "\n").map(String.init),
        relatedKey: row.optionalText(5), createdMilliseconds: row.integer(6),
        revokedMilliseconds: row.optionalInteger(7))
    }
  }
}

extension ControlRows where Record == CertificateRecord {
  static let certificates = ControlRows(
    query: """
      SELECT serial, team, bundle_id, environments, universal, not_after, created, revoked,
        authority, \(ControlTable.certificate.isWhole)
      FROM certificate ORDER BY created, serial
      """
  ) { row in
    scope(row, 3).map { environments in
      CertificateRecord(
        serial: row.text(0), team: row.text(1), bundleID: row.text(2),
        environments: environments, isUniversal: row.integer(4) != 0, notAfter: row.integer(5),
        createdMilliseconds: row.integer(6), revokedMilliseconds: row.optionalInteger(7),
        authority: row.optionalText(8))
    }
  }
}

extension ControlRows where Record == AppRecord {
  static let apps = ControlRows(
    query: """
      SELECT number, bundle_id, team, keep, broadcast, created, adopter, \(ControlTable.app.isWhole)
      FROM app ORDER BY number
      """, record: app)

  static let appsOfBundle = ControlRows(
    query: """
      SELECT number, bundle_id, team, keep, broadcast, created, adopter, \(ControlTable.app.isWhole)
      FROM app WHERE bundle_id = ?1
      """, record: app)

  private static func app(_ row: SQLiteStatement) -> AppRecord? {
    guard let number = UInt32(exactly: row.integer(0)), let keep = UInt32(exactly: row.integer(3))
    else { return nil }
    return AppRecord(
      number: number, bundleID: row.text(1), team: row.text(2), keep: keep,
      hasBroadcast: row.integer(4) != 0, createdMilliseconds: row.integer(5),
      adopter: row.optionalInteger(6).map { UInt64(bitPattern: $0) })
  }
}

extension ControlRows where Record == ChannelRecord {
  static let channels = ControlRows(
    query: """
      SELECT id, app, keeps_latest, created, \(ControlTable.channel.isWhole) FROM channel
      ORDER BY app, created, id
      """
  ) { row in
    UInt32(exactly: row.integer(1)).map { app in
      ChannelRecord(
        id: row.bytes(0), app: app, keepsLatest: row.integer(2) != 0,
        createdMilliseconds: row.integer(3))
    }
  }
}

extension ControlRows where Record == BroadcastRecord {
  static let broadcasts = ControlRows(
    query: """
      SELECT channel, unique_high, unique_low, expiration, priority, payload, accepted,
        request_high, request_low, request_lowercase, \(ControlTable.broadcast.isWhole)
      FROM broadcast ORDER BY accepted
      """
  ) { row in
    UInt8(exactly: row.integer(4)).map { priority in
      BroadcastRecord(
        channel: row.bytes(0),
        requestID: NotificationID(
          high: row.unsigned(7), low: row.unsigned(8), isLowercase: row.integer(9) != 0),
        uniqueID: NotificationID(high: row.unsigned(1), low: row.unsigned(2)),
        expiration: row.integer(3), priority: priority, payload: row.bytes(5),
        acceptedMilliseconds: row.integer(6))
    }
  }
}

extension ControlRows where Record == DeviceRecord {
  static let devices = ControlRows(
    query: """
      SELECT number, key_hash, name, enrolled, revoked, \(ControlTable.device.isWhole)
      FROM device ORDER BY number
      """,
    record: device)

  static let deviceOfNumber = ControlRows(
    query: """
      SELECT number, key_hash, name, enrolled, revoked, \(ControlTable.device.isWhole)
      FROM device WHERE number = ?1
      """,
    record: device)

  static let devicesWithKey = ControlRows(
    query: """
      SELECT number, key_hash, name, enrolled, revoked, \(ControlTable.device.isWhole)
      FROM device WHERE key_hash = ?1
      ORDER BY number
      """, record: device)

  private static func device(_ row: SQLiteStatement) -> DeviceRecord? {
    row.digest(1).map { keyHash in
      DeviceRecord(
        number: row.unsigned(0), keyHash: keyHash, name: row.text(2),
        enrolledMilliseconds: row.integer(3), revokedMilliseconds: row.optionalInteger(4))
    }
  }
}

extension ControlRows where Record == DeviceCertificateRecord {
  static let deviceCertificates = ControlRows(
    query: """
      SELECT serial, device, not_after, authority, shown,
        \(ControlTable.deviceCertificate.isWhole)
      FROM device_certificate
      ORDER BY device, not_after, serial
      """
  ) { row in
    DeviceCertificateRecord(
      serial: row.text(0), device: row.unsigned(1), notAfter: row.integer(2),
      authority: row.optionalText(3), isShown: row.integer(4) != 0)
  }
}

extension ControlRows where Record == RegistrationRecord {
  static let registrations = ControlRows(
    query: """
      SELECT device, app, kind, generation, state, changed, \(ControlTable.registration.isWhole)
      FROM registration ORDER BY device, app, kind
      """, record: registration)

  /// The query for inactive registrations: unregistered tokens, and earlier tokens of apps that have registered again.
  ///
  /// The query uses an index for each of the two tables.
  static let unregistered = ControlRows(
    query: """
      SELECT device, app, kind, generation, state, changed, \(ControlTable.registration.isWhole)
      FROM registration
      WHERE app = ?1 AND kind = ?2 AND (changed, device) > (?3, ?4) AND state = 3
      UNION ALL
      SELECT device, app, kind, generation, 3, changed, \(ControlTable.formerRegistration.isWhole)
      FROM former_registration
      WHERE app = ?1 AND kind = ?2 AND (changed, device) > (?3, ?4)
      ORDER BY changed, device LIMIT ?5
      """, record: registration)

  static let registrationsOfDevice = ControlRows(
    query: """
      SELECT device, app, kind, generation, state, changed, \(ControlTable.registration.isWhole)
      FROM registration
      WHERE device = ?1 ORDER BY app, kind
      """, record: registration)

  static let registrationOfKey = ControlRows(
    query: """
      SELECT device, app, kind, generation, state, changed, \(ControlTable.registration.isWhole)
      FROM registration
      WHERE device = ?1 AND app = ?2 AND kind = ?3
      """, record: registration)

  private static func registration(_ row: SQLiteStatement) -> RegistrationRecord? {
    guard let app = UInt32(exactly: row.integer(1)), let kind = UInt8(exactly: row.integer(2)),
      let generation = UInt16(exactly: row.integer(3)),
      let state = UInt8(exactly: row.integer(4)).flatMap(RegistrationRecord.State.init)
    else { return nil }
    return RegistrationRecord(
      key: NotificationKey(device: row.unsigned(0), app: app, kind: kind),
      generation: generation, state: state, changedMilliseconds: row.integer(5))
  }
}

extension ControlRows where Record == SubscriptionRecord {
  static let subscriptions = ControlRows(
    query: """
      SELECT device, channel, received_high, received_low, \(ControlTable.subscription.isWhole)
      FROM subscription
      ORDER BY device, channel
      """
  ) { row in
    var received: NotificationID?
    if let high = row.optionalInteger(2), let low = row.optionalInteger(3) {
      received = NotificationID(high: UInt64(bitPattern: high), low: UInt64(bitPattern: low))
    }
    return SubscriptionRecord(device: row.unsigned(0), channel: row.bytes(1), received: received)
  }
}

extension ControlRows where Record == UpstreamRecord {
  static let upstreams = ControlRows(
    query: """
      SELECT app, key_id, team_id, sealed_key, environment, host, port, authority, created,
        \(ControlTable.upstream.isWhole)
      FROM upstream ORDER BY app
      """
  ) { row in
    guard let app = UInt32(exactly: row.integer(0)), let port = UInt16(exactly: row.integer(6)),
      let environment = scope(row, 4)?.only
    else { return nil }
    return UpstreamRecord(
      app: app, keyID: row.text(1), teamID: row.text(2), sealedKey: row.bytes(3),
      environment: environment, host: row.text(5), port: port, authorityPEM: row.bytes(7),
      createdMilliseconds: row.integer(8))
  }
}

extension ControlRows where Record == BudgetRecord {
  static let budgets = ControlRows(query: "\(columns) ORDER BY key", record: budget)
  static let budgetOfKey = ControlRows(query: "\(columns) WHERE key = ?1", record: budget)

  private static let columns =
    "SELECT key, per_day, per_second, day, used, \(ControlTable.budget.isWhole) FROM budget"

  private static func budget(_ row: SQLiteStatement) -> BudgetRecord? {
    let perSecond = row.optionalInteger(2)
    let limit = perSecond.flatMap { UInt32(exactly: $0) }
    guard (perSecond == nil) == (limit == nil) else { return nil }
    return BudgetRecord(
      key: row.text(0), perDay: row.optionalInteger(1), perSecond: limit, day: row.integer(3),
      used: row.integer(4))
  }
}

private func scope(_ row: SQLiteStatement, _ column: Int32) -> EnvironmentScope? {
  UInt8(exactly: row.integer(column)).flatMap(EnvironmentScope.init)
}
