internal import PushWire
internal import Storage
internal import Transport

/// The query for one kind of record, and the conversion of a row to a record; an invalid row yields nil.
struct PostgresControlRows<Record: Sendable>: Sendable {
  typealias Statement = PostgresConnection.Statement

  let statement: Statement
  let record: @Sendable (PostgresRows, Int) -> Record?
}

extension PostgresServer {
  /// Returns the records in the rows of a query.
  func records<Record: Sendable>(
    _ table: PostgresControlRows<Record>, in rows: PostgresRows
  ) throws(StorageFailure) -> [Record] {
    var records: [Record] = []
    records.reserveCapacity(rows.count)
    for row in 0..<rows.count {
      guard let record = table.record(rows, row) else { throw invalidRow("\(Record.self)") }
      records.append(record)
    }
    return records
  }
}

extension PostgresControlRows where Record == TeamRecord {
  static let all = PostgresControlRows(
    statement: Statement(
      name: "teams", sql: "SELECT id, name, created FROM team ORDER BY created, id")
  ) { rows, row in
    TeamRecord(
      id: rows.text(row, 0), name: rows.text(row, 1), createdMilliseconds: rows.integer(row, 2))
  }
}

extension PostgresControlRows where Record == KeyRecord {
  static let all = PostgresControlRows(
    statement: Statement(
      name: "keys",
      sql: """
        SELECT id, team, spki, environments, topics, related, created, revoked
        FROM provider_key ORDER BY created, id
        """)
  ) { rows, row in
    scope(rows, row, 3).map { environments in
      KeyRecord(
        id: rows.text(row, 0), team: rows.text(row, 1), publicKeySPKI: rows.bytes(row, 2),
        environments: environments,
        topics: rows.text(row, 4).split(separator: "\n").map(String.init),
        relatedKey: rows.optionalText(row, 5), createdMilliseconds: rows.integer(row, 6),
        revokedMilliseconds: rows.optionalInteger(row, 7))
    }
  }
}

extension PostgresControlRows where Record == CertificateRecord {
  static let all = PostgresControlRows(
    statement: Statement(
      name: "certificates",
      sql: """
        SELECT serial, team, bundle_id, environments, universal, not_after, created, revoked,
          authority
        FROM certificate ORDER BY created, serial
        """)
  ) { rows, row in
    scope(rows, row, 3).map { environments in
      CertificateRecord(
        serial: rows.text(row, 0), team: rows.text(row, 1), bundleID: rows.text(row, 2),
        environments: environments, isUniversal: rows.integer(row, 4) != 0,
        notAfter: rows.integer(row, 5), createdMilliseconds: rows.integer(row, 6),
        revokedMilliseconds: rows.optionalInteger(row, 7), authority: rows.optionalText(row, 8))
    }
  }
}

extension PostgresControlRows where Record == AppRecord {
  static let all = PostgresControlRows(
    statement: Statement(
      name: "apps",
      sql: """
        SELECT number, bundle_id, team, keep, broadcast, created, adopter
        FROM app ORDER BY number
        """), record: app)

  static let ofBundle = PostgresControlRows(
    statement: Statement(
      name: "app_of_bundle",
      sql: """
        SELECT number, bundle_id, team, keep, broadcast, created, adopter
        FROM app WHERE bundle_id = $1
        """), record: app)

  private static func app(_ rows: PostgresRows, _ row: Int) -> AppRecord? {
    guard let number = UInt32(exactly: rows.integer(row, 0)),
      let keep = UInt32(exactly: rows.integer(row, 3))
    else { return nil }
    return AppRecord(
      number: number, bundleID: rows.text(row, 1), team: rows.text(row, 2), keep: keep,
      hasBroadcast: rows.integer(row, 4) != 0, createdMilliseconds: rows.integer(row, 5),
      adopter: rows.optionalInteger(row, 6).map { UInt64(bitPattern: $0) })
  }
}

extension PostgresControlRows where Record == ChannelRecord {
  static let all = PostgresControlRows(
    statement: Statement(
      name: "channels",
      sql: "SELECT id, app, keeps_latest, created FROM channel ORDER BY app, created, id")
  ) { rows, row in
    UInt32(exactly: rows.integer(row, 1)).map { app in
      ChannelRecord(
        id: rows.bytes(row, 0), app: app, keepsLatest: rows.integer(row, 2) != 0,
        createdMilliseconds: rows.integer(row, 3))
    }
  }
}

extension PostgresControlRows where Record == BroadcastRecord {
  static let all = PostgresControlRows(
    statement: Statement(
      name: "broadcasts",
      sql: """
        SELECT channel, unique_high, unique_low, expiration, priority, payload, accepted,
          request_high, request_low, request_lowercase
        FROM broadcast ORDER BY accepted
        """)
  ) { rows, row in
    UInt8(exactly: rows.integer(row, 4)).map { priority in
      BroadcastRecord(
        channel: rows.bytes(row, 0),
        requestID: NotificationID(
          high: rows.bits(row, 7), low: rows.bits(row, 8), isLowercase: rows.integer(row, 9) != 0),
        uniqueID: NotificationID(high: rows.bits(row, 1), low: rows.bits(row, 2)),
        expiration: rows.integer(row, 3), priority: priority, payload: rows.bytes(row, 5),
        acceptedMilliseconds: rows.integer(row, 6))
    }
  }
}

extension PostgresControlRows where Record == DeviceRecord {
  static let all = PostgresControlRows(
    statement: Statement(
      name: "all_devices",
      sql: "SELECT number, key_hash, name, enrolled, revoked FROM device ORDER BY number"),
    record: device)

  static let ofNumber = PostgresControlRows(
    statement: Statement(
      name: "device_of_number",
      sql: "SELECT number, key_hash, name, enrolled, revoked FROM device WHERE number = $1"),
    record: device)

  static let withKey = PostgresControlRows(
    statement: Statement(
      name: "devices_with_key",
      sql: """
        SELECT number, key_hash, name, enrolled, revoked FROM device WHERE key_hash = $1
        ORDER BY number
        """), record: device)

  private static func device(_ rows: PostgresRows, _ row: Int) -> DeviceRecord? {
    SHA256.Digest(rows.bytes(row, 1)).map { keyHash in
      DeviceRecord(
        number: rows.bits(row, 0), keyHash: keyHash, name: rows.text(row, 2),
        enrolledMilliseconds: rows.integer(row, 3),
        revokedMilliseconds: rows.optionalInteger(row, 4))
    }
  }
}

extension PostgresControlRows where Record == DeviceCertificateRecord {
  static let all = PostgresControlRows(
    statement: Statement(
      name: "device_certificates",
      sql: """
        SELECT serial, device, not_after, authority, shown FROM device_certificate
        ORDER BY device, not_after, serial
        """)
  ) { rows, row in
    DeviceCertificateRecord(
      serial: rows.text(row, 0), device: rows.bits(row, 1), notAfter: rows.integer(row, 2),
      authority: rows.optionalText(row, 3), isShown: rows.integer(row, 4) != 0)
  }
}

extension PostgresControlRows where Record == RegistrationRecord {
  static let all = PostgresControlRows(
    statement: Statement(
      name: "registrations",
      sql: """
        SELECT device, app, kind, generation, state, changed FROM registration
        ORDER BY device, app, kind
        """), record: registration)

  /// The query for inactive registrations: unregistered tokens, and earlier tokens of apps that have registered again.
  static let unregistered = PostgresControlRows(
    statement: Statement(
      name: "unregistered",
      sql: """
        SELECT device, app, kind, generation, state, changed FROM registration
        WHERE app = $1 AND kind = $2 AND (changed, device) > ($3, $4) AND state = 3
        UNION ALL
        SELECT device, app, kind, generation, 3, changed FROM former_registration
        WHERE app = $1 AND kind = $2 AND (changed, device) > ($3, $4)
        ORDER BY changed, device LIMIT $5
        """), record: registration)

  static let ofDevice = PostgresControlRows(
    statement: Statement(
      name: "registrations_of_device",
      sql: """
        SELECT device, app, kind, generation, state, changed FROM registration
        WHERE device = $1 ORDER BY app, kind
        """), record: registration)

  static let ofKey = PostgresControlRows(
    statement: Statement(
      name: "registration_of_key",
      sql: """
        SELECT device, app, kind, generation, state, changed FROM registration
        WHERE device = $1 AND app = $2 AND kind = $3
        """), record: registration)

  private static func registration(_ rows: PostgresRows, _ row: Int) -> RegistrationRecord? {
    guard let app = UInt32(exactly: rows.integer(row, 1)),
      let kind = UInt8(exactly: rows.integer(row, 2)),
      let generation = UInt16(exactly: rows.integer(row, 3)),
      let state = UInt8(exactly: rows.integer(row, 4)).flatMap(RegistrationRecord.State.init)
    else { return nil }
    return RegistrationRecord(
      key: NotificationKey(device: rows.bits(row, 0), app: app, kind: kind),
      generation: generation, state: state, changedMilliseconds: rows.integer(row, 5))
  }
}

extension PostgresControlRows where Record == SubscriptionRecord {
  static let all = PostgresControlRows(
    statement: Statement(
      name: "subscriptions",
      sql: """
        SELECT device, channel, received_high, received_low FROM subscription
        ORDER BY device, channel
        """)
  ) { rows, row in
    var received: NotificationID?
    if let high = rows.optionalInteger(row, 2), let low = rows.optionalInteger(row, 3) {
      received = NotificationID(high: UInt64(bitPattern: high), low: UInt64(bitPattern: low))
    }
    return SubscriptionRecord(
      device: rows.bits(row, 0), channel: rows.bytes(row, 1), received: received)
  }
}

extension PostgresControlRows where Record == UpstreamRecord {
  static let all = PostgresControlRows(
    statement: Statement(
      name: "upstreams",
      sql: """
        SELECT app, key_id, team_id, sealed_key, environment, host, port, authority, created
        FROM upstream ORDER BY app
        """)
  ) { rows, row in
    guard let app = UInt32(exactly: rows.integer(row, 0)),
      let port = UInt16(exactly: rows.integer(row, 6)),
      let environment = scope(rows, row, 4)?.only
    else { return nil }
    return UpstreamRecord(
      app: app, keyID: rows.text(row, 1), teamID: rows.text(row, 2),
      sealedKey: rows.bytes(row, 3), environment: environment, host: rows.text(row, 5),
      port: port, authorityPEM: rows.bytes(row, 7), createdMilliseconds: rows.integer(row, 8))
  }
}

extension PostgresControlRows where Record == BudgetRecord {
  static let all = PostgresControlRows(
    statement: Statement(
      name: "budgets",
      sql: "SELECT key, per_day, per_second, day, used FROM budget ORDER BY key"), record: budget)

  static let budgetOfKey = PostgresControlRows(
    statement: Statement(
      name: "budget_of_key",
      sql: "SELECT key, per_day, per_second, day, used FROM budget WHERE key = $1"),
    record: budget)

  private static func budget(_ rows: PostgresRows, _ row: Int) -> BudgetRecord? {
    let perSecond = rows.optionalInteger(row, 2)
    let limit = perSecond.flatMap { UInt32(exactly: $0) }
    guard (perSecond == nil) == (limit == nil) else { return nil }
    return BudgetRecord(
      key: rows.text(row, 0), perDay: rows.optionalInteger(row, 1), perSecond: limit,
      day: rows.integer(row, 3), used: rows.integer(row, 4))
  }
}

private func scope(_ rows: PostgresRows, _ row: Int, _ column: Int) -> EnvironmentScope? {
  UInt8(exactly: rows.integer(row, column)).flatMap(EnvironmentScope.init)
}
