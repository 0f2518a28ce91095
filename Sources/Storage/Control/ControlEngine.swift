internal import Transport

/// The control store's database connection, which is used only under the store's lock.
final class ControlEngine: MarkedStoreEngine {
  static let schema = SQLiteDatabase.Schema(
    applicationID: 0x4266_6301,
    migrations: [
      """
      CREATE TABLE team (id TEXT PRIMARY KEY, name TEXT NOT NULL, created INTEGER NOT NULL) STRICT;
      CREATE TABLE provider_key (
        id TEXT PRIMARY KEY, team TEXT NOT NULL REFERENCES team, spki BLOB NOT NULL,
        environments INTEGER NOT NULL, topics TEXT NOT NULL, related TEXT,
        created INTEGER NOT NULL, revoked INTEGER
      ) STRICT;
      CREATE TABLE certificate (
        serial TEXT PRIMARY KEY, team TEXT NOT NULL REFERENCES team, bundle_id TEXT NOT NULL,
        environments INTEGER NOT NULL, universal INTEGER NOT NULL, not_after INTEGER NOT NULL,
        created INTEGER NOT NULL, revoked INTEGER
      ) STRICT;
      CREATE TABLE app (
        number INTEGER PRIMARY KEY, bundle_id TEXT NOT NULL UNIQUE,
        team TEXT NOT NULL REFERENCES team, keep INTEGER NOT NULL, broadcast INTEGER NOT NULL,
        created INTEGER NOT NULL
      ) STRICT;
      CREATE TABLE channel (
        id BLOB PRIMARY KEY, app INTEGER NOT NULL REFERENCES app ON DELETE CASCADE,
        keeps_latest INTEGER NOT NULL, created INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX channel_by_app ON channel (app);
      CREATE TABLE broadcast (
        channel BLOB PRIMARY KEY REFERENCES channel ON DELETE CASCADE,
        unique_high INTEGER NOT NULL, unique_low INTEGER NOT NULL, expiration INTEGER NOT NULL,
        priority INTEGER NOT NULL, payload BLOB NOT NULL, accepted INTEGER NOT NULL
      ) STRICT;
      CREATE TABLE device (
        number INTEGER PRIMARY KEY, key_hash BLOB NOT NULL, name TEXT NOT NULL,
        enrolled INTEGER NOT NULL, revoked INTEGER
      ) STRICT;
      CREATE TABLE device_certificate (
        serial TEXT PRIMARY KEY, device INTEGER NOT NULL REFERENCES device,
        not_after INTEGER NOT NULL
      ) STRICT;
      CREATE TABLE registration (
        device INTEGER NOT NULL, app INTEGER NOT NULL, kind INTEGER NOT NULL,
        generation INTEGER NOT NULL, state INTEGER NOT NULL, changed INTEGER NOT NULL,
        PRIMARY KEY (device, app, kind)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE subscription (
        device INTEGER NOT NULL, channel BLOB NOT NULL REFERENCES channel ON DELETE CASCADE,
        PRIMARY KEY (device, channel)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX subscription_by_channel ON subscription (channel);
      CREATE TABLE setting (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT;
      CREATE TABLE counter (name TEXT PRIMARY KEY, next INTEGER NOT NULL) STRICT;
      """,
      """
      ALTER TABLE broadcast ADD COLUMN request_high INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE broadcast ADD COLUMN request_low INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE broadcast ADD COLUMN request_lowercase INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE subscription ADD COLUMN received_high INTEGER;
      ALTER TABLE subscription ADD COLUMN received_low INTEGER;
      """,
      // New numbers contain a random epoch instead of being counted from 1.
      """
      CREATE INDEX device_by_key ON device (key_hash);
      DROP TABLE counter;
      """,
      // The number of apps that are created on behalf of one device is limited.
      "ALTER TABLE app ADD COLUMN adopter INTEGER;",
      // An index for reading the inactive registrations of one app.
      """
      CREATE INDEX registration_unregistered ON registration (app, kind, changed) WHERE state = 3;
      """,
      // Columns that record which devices and providers have followed a rotation of the authority and the token key.
      // Devices that enrolled earlier count as having presented their certificate.
      """
      ALTER TABLE device_certificate ADD COLUMN authority TEXT;
      ALTER TABLE device_certificate ADD COLUMN shown INTEGER NOT NULL DEFAULT 0;
      UPDATE device_certificate SET shown = 1;
      CREATE INDEX device_certificate_by_device ON device_certificate (device);
      ALTER TABLE certificate ADD COLUMN authority TEXT;
      ALTER TABLE device ADD COLUMN token_key TEXT;
      """,
      // A table of the previous tokens of apps that have registered again. The feedback service reads this table.
      """
      CREATE TABLE former_registration (
        device INTEGER NOT NULL, app INTEGER NOT NULL, kind INTEGER NOT NULL,
        generation INTEGER NOT NULL, changed INTEGER NOT NULL,
        PRIMARY KEY (device, app, kind, generation)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX former_registration_by_time ON former_registration (app, kind, changed);
      """,
      // Checksums of rows, and a table for rows whose checksums don't match.
      """
      CREATE TABLE new_team (
        id TEXT PRIMARY KEY, name TEXT NOT NULL, created INTEGER NOT NULL,
        checksum INTEGER NOT NULL GENERATED ALWAYS AS (
          row_checksum(1, id, name, created)
        ) STORED
      ) STRICT;
      INSERT INTO new_team (id, name, created)
        SELECT id, name, created
        FROM team;
      DROP TABLE team;
      ALTER TABLE new_team RENAME TO team;
      CREATE TABLE new_provider_key (
        id TEXT PRIMARY KEY, team TEXT NOT NULL REFERENCES team, spki BLOB NOT NULL,
        environments INTEGER NOT NULL, topics TEXT NOT NULL, related TEXT,
        created INTEGER NOT NULL, revoked INTEGER,
        checksum INTEGER NOT NULL GENERATED ALWAYS AS (
          row_checksum(1, id, team, spki, environments, topics, related, created, revoked)
        ) STORED
      ) STRICT;
      INSERT INTO new_provider_key (id, team, spki, environments, topics, related, created,
        revoked)
        SELECT id, team, spki, environments, topics, related, created, revoked
        FROM provider_key;
      DROP TABLE provider_key;
      ALTER TABLE new_provider_key RENAME TO provider_key;
      CREATE TABLE new_certificate (
        serial TEXT PRIMARY KEY, team TEXT NOT NULL REFERENCES team, bundle_id TEXT NOT NULL,
        environments INTEGER NOT NULL, universal INTEGER NOT NULL, not_after INTEGER NOT NULL,
        created INTEGER NOT NULL, revoked INTEGER, authority TEXT,
        checksum INTEGER NOT NULL GENERATED ALWAYS AS (
          row_checksum(1, serial, team, bundle_id, environments, universal, not_after, created,
          revoked, authority)
        ) STORED
      ) STRICT;
      INSERT INTO new_certificate (serial, team, bundle_id, environments, universal, not_after,
        created, revoked, authority)
        SELECT serial, team, bundle_id, environments, universal, not_after, created, revoked,
        authority
        FROM certificate;
      DROP TABLE certificate;
      ALTER TABLE new_certificate RENAME TO certificate;
      CREATE TABLE new_app (
        number INTEGER PRIMARY KEY, bundle_id TEXT NOT NULL UNIQUE,
        team TEXT NOT NULL REFERENCES team, keep INTEGER NOT NULL, broadcast INTEGER NOT NULL,
        created INTEGER NOT NULL, adopter INTEGER,
        checksum INTEGER NOT NULL GENERATED ALWAYS AS (
          row_checksum(2, number, bundle_id, team, keep, broadcast, created, adopter)
        ) STORED
      ) STRICT;
      INSERT INTO new_app (number, bundle_id, team, keep, broadcast, created, adopter)
        SELECT number, bundle_id, team, keep, broadcast, created, adopter
        FROM app;
      DROP TABLE app;
      ALTER TABLE new_app RENAME TO app;
      CREATE TABLE new_channel (
        id BLOB PRIMARY KEY, app INTEGER NOT NULL REFERENCES app ON DELETE CASCADE,
        keeps_latest INTEGER NOT NULL, created INTEGER NOT NULL,
        checksum INTEGER NOT NULL GENERATED ALWAYS AS (
          row_checksum(1, id, app, keeps_latest, created)
        ) STORED
      ) STRICT;
      INSERT INTO new_channel (id, app, keeps_latest, created)
        SELECT id, app, keeps_latest, created
        FROM channel;
      DROP TABLE channel;
      ALTER TABLE new_channel RENAME TO channel;
      CREATE INDEX channel_by_app ON channel (app);
      CREATE TABLE new_broadcast (
        channel BLOB PRIMARY KEY REFERENCES channel ON DELETE CASCADE,
        unique_high INTEGER NOT NULL, unique_low INTEGER NOT NULL, expiration INTEGER NOT NULL,
        priority INTEGER NOT NULL, payload BLOB NOT NULL, accepted INTEGER NOT NULL,
        request_high INTEGER NOT NULL, request_low INTEGER NOT NULL,
        request_lowercase INTEGER NOT NULL,
        checksum INTEGER NOT NULL GENERATED ALWAYS AS (
          row_checksum(1, channel, unique_high, unique_low, expiration, priority, payload,
          accepted, request_high, request_low, request_lowercase)
        ) STORED
      ) STRICT;
      INSERT INTO new_broadcast (channel, unique_high, unique_low, expiration, priority,
        payload, accepted, request_high, request_low, request_lowercase)
        SELECT channel, unique_high, unique_low, expiration, priority, payload, accepted,
        request_high, request_low, request_lowercase
        FROM broadcast;
      DROP TABLE broadcast;
      ALTER TABLE new_broadcast RENAME TO broadcast;
      CREATE TABLE new_device (
        number INTEGER PRIMARY KEY, key_hash BLOB NOT NULL, name TEXT NOT NULL,
        enrolled INTEGER NOT NULL, revoked INTEGER, token_key TEXT,
        checksum INTEGER NOT NULL GENERATED ALWAYS AS (
          row_checksum(1, number, key_hash, name, enrolled, revoked, token_key)
        ) STORED
      ) STRICT;
      INSERT INTO new_device (number, key_hash, name, enrolled, revoked, token_key)
        SELECT number, key_hash, name, enrolled, revoked, token_key
        FROM device;
      DROP TABLE device;
      ALTER TABLE new_device RENAME TO device;
      CREATE INDEX device_by_key ON device (key_hash);
      CREATE TABLE new_device_certificate (
        serial TEXT PRIMARY KEY, device INTEGER NOT NULL REFERENCES device,
        not_after INTEGER NOT NULL, authority TEXT, shown INTEGER NOT NULL,
        checksum INTEGER NOT NULL GENERATED ALWAYS AS (
          row_checksum(1, serial, device, not_after, authority, shown)
        ) STORED
      ) STRICT;
      INSERT INTO new_device_certificate (serial, device, not_after, authority, shown)
        SELECT serial, device, not_after, authority, shown
        FROM device_certificate;
      DROP TABLE device_certificate;
      ALTER TABLE new_device_certificate RENAME TO device_certificate;
      CREATE INDEX device_certificate_by_device ON device_certificate (device);
      CREATE TABLE new_registration (
        device INTEGER NOT NULL, app INTEGER NOT NULL, kind INTEGER NOT NULL,
        generation INTEGER NOT NULL, state INTEGER NOT NULL, changed INTEGER NOT NULL,
        checksum INTEGER NOT NULL GENERATED ALWAYS AS (
          row_checksum(3, device, app, kind, generation, state, changed)
        ) STORED,
        PRIMARY KEY (device, app, kind)
      ) STRICT, WITHOUT ROWID;
      INSERT INTO new_registration (device, app, kind, generation, state, changed)
        SELECT device, app, kind, generation, state, changed
        FROM registration;
      DROP TABLE registration;
      ALTER TABLE new_registration RENAME TO registration;
      CREATE INDEX registration_unregistered ON registration (app, kind, changed, device, state)
        WHERE state = 3;
      CREATE TABLE new_former_registration (
        device INTEGER NOT NULL, app INTEGER NOT NULL, kind INTEGER NOT NULL,
        generation INTEGER NOT NULL, changed INTEGER NOT NULL,
        checksum INTEGER NOT NULL GENERATED ALWAYS AS (
          row_checksum(4, device, app, kind, generation, changed)
        ) STORED,
        PRIMARY KEY (device, app, kind, generation)
      ) STRICT, WITHOUT ROWID;
      INSERT INTO new_former_registration (device, app, kind, generation, changed)
        SELECT device, app, kind, generation, changed
        FROM former_registration;
      DROP TABLE former_registration;
      ALTER TABLE new_former_registration RENAME TO former_registration;
      CREATE INDEX former_registration_by_time ON former_registration (app, kind, changed);
      CREATE TABLE new_subscription (
        device INTEGER NOT NULL, channel BLOB NOT NULL REFERENCES channel ON DELETE CASCADE,
        received_high INTEGER, received_low INTEGER,
        checksum INTEGER NOT NULL GENERATED ALWAYS AS (
          row_checksum(2, device, channel, received_high, received_low)
        ) STORED,
        PRIMARY KEY (device, channel)
      ) STRICT, WITHOUT ROWID;
      INSERT INTO new_subscription (device, channel, received_high, received_low)
        SELECT device, channel, received_high, received_low
        FROM subscription;
      DROP TABLE subscription;
      ALTER TABLE new_subscription RENAME TO subscription;
      CREATE INDEX subscription_by_channel ON subscription (channel);
      CREATE TABLE new_setting (
        name TEXT PRIMARY KEY, value BLOB NOT NULL,
        checksum INTEGER NOT NULL GENERATED ALWAYS AS (
          row_checksum(1, name, value)
        ) STORED
      ) STRICT;
      INSERT INTO new_setting (name, value)
        SELECT name, value
        FROM setting;
      DROP TABLE setting;
      ALTER TABLE new_setting RENAME TO setting;
      CREATE TABLE set_aside (
        number INTEGER PRIMARY KEY, source TEXT NOT NULL, key TEXT, content TEXT NOT NULL,
        found INTEGER NOT NULL,
        checksum INTEGER NOT NULL GENERATED ALWAYS AS (
          row_checksum(1, number, source, key, content, found)
        ) STORED
      ) STRICT;
      """,
      // The upstreams to which the gateway relays pushes, and the budgets of the senders' keys.
      """
      CREATE TABLE upstream (
        app INTEGER PRIMARY KEY REFERENCES app ON DELETE CASCADE, key_id TEXT NOT NULL,
        team_id TEXT NOT NULL, sealed_key BLOB NOT NULL, environment INTEGER NOT NULL,
        host TEXT NOT NULL, port INTEGER NOT NULL, authority BLOB NOT NULL,
        created INTEGER NOT NULL,
        checksum INTEGER NOT NULL GENERATED ALWAYS AS (
          row_checksum(1, app, key_id, team_id, sealed_key, environment, host, port, authority,
          created)
        ) STORED
      ) STRICT;
      CREATE TABLE budget (
        key TEXT PRIMARY KEY REFERENCES provider_key ON DELETE CASCADE, per_day INTEGER,
        per_second INTEGER, day INTEGER NOT NULL, used INTEGER NOT NULL,
        checksum INTEGER NOT NULL GENERATED ALWAYS AS (
          row_checksum(1, key, per_day, per_second, day, used)
        ) STORED
      ) STRICT;
      """,
    ], tables: ControlTable.all)

  let database: SQLiteDatabase
  let damage: StoreDamage
  private var statements: [Write: SQLiteStatement] = [:]
  /// The number of changes made since the store was created.
  private var made: UInt64 = 0
  private let mark: CommitMark?

  /// The number of rows that this connection has changed.
  var changeCount: Int64 { database.changeCount }

  init(path: String, mayCreate: Bool, damage: StoreDamage) throws(StorageFailure) {
    database = try SQLiteDatabase(path: path, schema: Self.schema, mayCreate: mayCreate)
    self.damage = damage
    mark = try CommitMark.open(ofStore: path)
    try noteDamage()
    made = try changesMade()
  }

  private func changesMade() throws(StorageFailure) -> UInt64 {
    guard let text = try setting(Self.changesMade) else { return 0 }
    return UInt64(String(decoding: text, as: UTF8.self)) ?? 0
  }

  /// The name of the setting that is compared with the store's mark; its value is a decimal number.
  static let changesMade = "changes-made"

  func rows<Record>(_ table: ControlRows<Record>) throws(StorageFailure) -> [Record] {
    try records(of: table, database.prepare(once: table.query))
  }

  private func records<Record>(
    of table: ControlRows<Record>, _ statement: SQLiteStatement
  ) throws(StorageFailure) -> [Record] {
    var records: [Record] = []
    while try statement.step() {
      guard statement.integer(statement.columnCount - 1) != 0 else {
        statement.reset()
        throw .damagedRow(path: database.path, table: "\(Record.self)")
      }
      guard let record = table.record(statement) else {
        throw .corrupt(path: database.path, detail: "a \(Record.self) cannot be read")
      }
      records.append(record)
    }
    return records
  }

  func setting(_ name: String) throws(StorageFailure) -> [UInt8]? {
    let statement = try database.prepare(
      once: "SELECT value, \(ControlTable.setting.isWhole) FROM setting WHERE name = ?1")
    try statement.bind(1, name)
    guard try statement.step() else { return nil }
    guard statement.integer(1) != 0 else {
      throw .damagedRow(path: database.path, table: ControlTable.setting.name)
    }
    return statement.bytes(0)
  }

  func devices(withKey keyHash: [UInt8]) throws(StorageFailure) -> [DeviceRecord] {
    let table = ControlRows.devicesWithKey
    let statement = try database.prepare(once: table.query)
    assert(keyHash.count == 32, "a key hash has 32 bytes")
    try statement.bind(1, keyHash)
    let devices = try records(of: table, statement)
    assert(devices.allSatisfy { $0.keyHash.bytes == keyHash }, "every found device has this key")
    return devices
  }

  func app(bundleID: String) throws(StorageFailure) -> AppRecord? {
    let table = ControlRows.appsOfBundle
    let statement = try database.prepare(once: table.query)
    try statement.bind(1, bundleID)
    return try records(of: table, statement).first
  }

  func budget(ofKey key: String) throws(StorageFailure) -> BudgetRecord? {
    let table = ControlRows.budgetOfKey
    let statement = try database.prepare(once: table.query)
    try statement.bind(1, key)
    return try records(of: table, statement).first
  }

  func device(number: UInt64) throws(StorageFailure) -> DeviceRecord? {
    let table = ControlRows.deviceOfNumber
    let statement = try database.prepare(once: table.query)
    try statement.bind(1, number)
    return try records(of: table, statement).first
  }

  func registration(of key: NotificationKey) throws(StorageFailure) -> RegistrationRecord? {
    let table = ControlRows.registrationOfKey
    let statement = try database.prepare(once: table.query)
    try statement.bind(1, key.device)
    try statement.bind(2, Int64(key.app))
    try statement.bind(3, Int64(key.kind))
    return try records(of: table, statement).first
  }

  /// Returns a device's registrations, active or not, sorted by app and kind.
  func registrations(ofDevice device: UInt64) throws(StorageFailure) -> [RegistrationRecord] {
    let table = ControlRows.registrationsOfDevice
    let statement = try database.prepare(once: table.query)
    try statement.bind(1, device)
    return try records(of: table, statement)
  }

  /// Returns true if an arrival contains information that is missing from the rows.
  func isNewer(_ arrival: DeviceArrival) throws(StorageFailure) -> Bool {
    let statement = try database.prepare(
      """
      SELECT token_key IS NOT ?2
        OR EXISTS (SELECT 1 FROM device_certificate WHERE serial = ?3 AND device = ?1 AND shown = 0)
      FROM device WHERE number = ?1
      """)
    assert(!arrival.tokenKey.isEmpty, "an arrival has a token key")
    try statement.bind(1, arrival.device)
    try statement.bind(2, arrival.tokenKey)
    try statement.bind(3, arrival.serial)
    return try statement.step() && statement.integer(0) != 0
  }

  func deviceCertificateSummary(
    authority: String, atSeconds now: Int64
  ) throws(StorageFailure) -> DeviceCertificateSummary {
    let statement = try database.prepare(
      """
      SELECT count(*), coalesce(sum(has), 0), min(CASE WHEN ends > ?2 THEN ends END) FROM (
        SELECT max(c.shown AND c.authority IS ?1) AS has,
          max(CASE WHEN c.shown THEN c.not_after END) AS ends
        FROM device d LEFT JOIN device_certificate c ON c.device = d.number
        WHERE d.revoked IS NULL GROUP BY d.number)
      """)
    try statement.bind(1, authority)
    try statement.bind(2, now)
    guard try statement.step() else {
      throw .corrupt(path: database.path, detail: "devices cannot be counted")
    }
    let summary = DeviceCertificateSummary(
      devices: Int(statement.integer(0)), haveShown: Int(statement.integer(1)),
      firstEnd: statement.optionalInteger(2))
    assert(summary.firstEnd.map { $0 > now } ?? true, "the first expiration is in the future")
    return summary
  }

  func tokenCounts() throws(StorageFailure) -> [String?: Int] {
    let statement = try database.prepare(
      """
      SELECT d.token_key, count(*) FROM registration r JOIN device d ON d.number = r.device
      WHERE r.state <> 3 AND d.revoked IS NULL GROUP BY d.token_key
      """)
    var counts: [String?: Int] = [:]
    while try statement.step() { counts[statement.optionalText(0)] = Int(statement.integer(1)) }
    assert(counts.values.allSatisfy { $0 > 0 }, "every counted key has tokens")
    return counts
  }

  func deviceCount(ofApp app: UInt32) throws(StorageFailure) -> Int {
    let statement = try database.prepare(
      """
      SELECT count(DISTINCT r.device) FROM registration r JOIN device d ON d.number = r.device
      WHERE r.app = ?1 AND r.state <> 3 AND d.revoked IS NULL
      """)
    try statement.bind(1, Int64(app))
    guard try statement.step() else {
      throw .corrupt(path: database.path, detail: "devices cannot be counted")
    }
    return Int(statement.integer(0))
  }

  func hasDevice(numbered numbers: Range<UInt64>) throws(StorageFailure) -> Bool {
    assert(!numbers.isEmpty, "the range of numbers is not empty")
    let statement = try database.prepare(
      "SELECT 1 FROM device WHERE number >= ?1 AND number < ?2 LIMIT 1")
    try statement.bind(1, numbers.lowerBound)
    try statement.bind(2, numbers.upperBound)
    return try statement.step()
  }

  func apply(_ changes: [ControlChange]) throws(StorageFailure) {
    guard !changes.isEmpty else { return }
    try commit(changes)
  }

  /// Performs a write to test whether the disk accepts writes.
  func probe() throws(StorageFailure) { try commit([]) }

  private func commit(_ changes: [ControlChange]) throws(StorageFailure) {
    let next = made + UInt64(max(1, changes.count))
    try database.transaction { () throws(StorageFailure) in
      for change in changes {
        try apply(change)
        if damage.count > 0, let key = change.replacedRow { try database.forgetSetAside(key) }
      }
      try apply(.putSetting(name: Self.changesMade, value: Array(String(next).utf8)))
      if damage.count > 0 { try database.forgetSetAside(.setting(Self.changesMade)) }
    }
    made = next
    mark?.advance(to: next)
    if damage.count > 0 { try noteDamage() }
  }

  /// The number of changes that were made but are missing from the file.
  ///
  /// If the count itself was damaged, the number is unknown and 0 is returned.
  var lostCount: UInt64 {
    damage.mayHave(.setting(Self.changesMade)) ? 0 : mark?.missing(from: made) ?? 0
  }

  /// Discards the record of lost changes.
  func forgetLost() { mark?.reset(to: made) }

  func unregistered(
    app: UInt32, kind: UInt8, after: FeedbackCursor, limit: Int
  ) throws(StorageFailure) -> [RegistrationRecord] {
    let table = ControlRows.unregistered
    let statement = try database.prepare(once: table.query)
    try statement.bind(1, Int64(app))
    try statement.bind(2, Int64(kind))
    try statement.bind(3, after.changedMilliseconds)
    try statement.bind(4, after.device)
    try statement.bind(5, Int64(limit))
    return try records(of: table, statement)
  }

  /// Returns the cached prepared statement for a kind of change.
  func statement(_ write: Write) throws(StorageFailure) -> SQLiteStatement {
    if let statement = statements[write] { return statement }
    let statement = try database.prepare(kept: write.sql)
    statements[write] = statement
    return statement
  }
}
