internal import PushWire
internal import System

/// The notification store's database connection, which is used only under the store's lock.
final class NotificationEngine: MarkedStoreEngine {
  static let schema = SQLiteDatabase.Schema(
    applicationID: 0x4266_6E01,
    migrations: [
      """
      CREATE TABLE notification (
        sequence INTEGER PRIMARY KEY,
        device INTEGER NOT NULL, app INTEGER NOT NULL, kind INTEGER NOT NULL,
        id_high INTEGER NOT NULL, id_low INTEGER NOT NULL,
        unique_high INTEGER NOT NULL, unique_low INTEGER NOT NULL,
        expiration INTEGER NOT NULL, priority INTEGER NOT NULL, push_type INTEGER NOT NULL,
        accepted INTEGER NOT NULL, collapse BLOB NOT NULL, payload BLOB NOT NULL
      ) STRICT;
      CREATE INDEX notification_by_key ON notification (device, app, kind);
      CREATE INDEX notification_by_expiration ON notification (expiration);
      CREATE TABLE progress (highest INTEGER NOT NULL) STRICT;
      INSERT INTO progress VALUES (0);
      """,
      """
      ALTER TABLE progress ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;
      """,
      // The number of notifications ever stored, which is compared with the store's mark.
      """
      ALTER TABLE progress ADD COLUMN stored INTEGER NOT NULL DEFAULT 0;
      """,
      // Checksums of rows, and a table for rows whose checksums don't match.
      """
      CREATE TABLE new_notification (
        sequence INTEGER PRIMARY KEY, device INTEGER NOT NULL, app INTEGER NOT NULL,
        kind INTEGER NOT NULL, id_high INTEGER NOT NULL, id_low INTEGER NOT NULL,
        unique_high INTEGER NOT NULL, unique_low INTEGER NOT NULL, expiration INTEGER NOT NULL,
        priority INTEGER NOT NULL, push_type INTEGER NOT NULL, accepted INTEGER NOT NULL,
        checksum INTEGER NOT NULL GENERATED ALWAYS AS (
          row_checksum(8, device, app, kind, sequence, id_high, id_low, unique_high,
          unique_low, expiration, priority, push_type, accepted, collapse, payload)
        ) STORED,
        collapse BLOB NOT NULL, payload BLOB NOT NULL
      ) STRICT;
      INSERT INTO new_notification (sequence, device, app, kind, id_high, id_low, unique_high,
        unique_low, expiration, priority, push_type, accepted, collapse, payload)
        SELECT sequence, device, app, kind, id_high, id_low, unique_high, unique_low,
        expiration, priority, push_type, accepted, collapse, payload
        FROM notification;
      DROP TABLE notification;
      ALTER TABLE new_notification RENAME TO notification;
      CREATE INDEX notification_by_key ON notification (device, app, kind);
      CREATE INDEX notification_by_expiration ON notification (expiration);
      CREATE TABLE new_progress (
        highest INTEGER NOT NULL, epoch INTEGER NOT NULL DEFAULT 0,
        stored INTEGER NOT NULL DEFAULT 0,
        checksum INTEGER NOT NULL GENERATED ALWAYS AS (
          row_checksum(0, highest, epoch, stored)
        ) STORED
      ) STRICT;
      INSERT INTO new_progress (highest, epoch, stored)
        SELECT highest, epoch, stored
        FROM progress;
      DROP TABLE progress;
      ALTER TABLE new_progress RENAME TO progress;
      CREATE TABLE set_aside (
        number INTEGER PRIMARY KEY, source TEXT NOT NULL, key TEXT, content TEXT NOT NULL,
        found INTEGER NOT NULL,
        checksum INTEGER NOT NULL GENERATED ALWAYS AS (
          row_checksum(1, number, source, key, content, found)
        ) STORED
      ) STRICT;
      """,
    ],
    // After a repair, sequence numbers continue after the highest number that remains.
    afterRepair: """
      INSERT INTO progress (highest) SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM progress);
      UPDATE progress SET highest = max(
        highest, (SELECT coalesce(max(sequence), 0) FROM notification));
      """,
    tables: [rows, progress, .setAside])

  /// The key consists of the columns that are reported for a removed row, so that no other columns need to be read.
  static let rows = ChecksummedTable(
    name: "notification",
    key: [
      "device", "app", "kind", "sequence", "id_high", "id_low", "unique_high", "unique_low",
    ],
    rest: ["expiration", "priority", "push_type", "accepted", "collapse", "payload"])
  static let progress = ChecksummedTable(
    name: "progress", key: [], rest: ["highest", "epoch", "stored"], isUpdated: true)

  let database: SQLiteDatabase
  let damage: StoreDamage
  private let insert: SQLiteStatement
  private let trim: SQLiteStatement
  private let collapse: SQLiteStatement
  private let removeOne: SQLiteStatement
  private let withdraw: SQLiteStatement
  private let removeKey: SQLiteStatement
  private let removeDevice: SQLiteStatement
  private let removeExpired: SQLiteStatement
  private let advance: SQLiteStatement
  private let select: SQLiteStatement
  private let find: SQLiteStatement
  /// The index of the current operation.
  private var current = 0
  /// The number of notifications ever stored.
  private var stored: UInt64
  private let mark: CommitMark?

  /// The number of rows that this connection has changed.
  var changeCount: Int64 { database.changeCount }

  init(path: String, mayCreate: Bool, damage: StoreDamage) throws(StorageFailure) {
    database = try SQLiteDatabase(path: path, schema: Self.schema, mayCreate: mayCreate)
    self.damage = damage
    stored = UInt64(bitPattern: try database.integer("SELECT stored FROM progress"))
    mark = try CommitMark.open(ofStore: path)
    insert = try database.prepare(
      """
      INSERT INTO notification (
        device, app, kind, sequence, id_high, id_low, unique_high, unique_low, expiration,
        priority, push_type, accepted, collapse, payload
      ) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
      ON CONFLICT DO NOTHING
      """)
    trim = try database.prepare(
      kept: """
        DELETE FROM notification WHERE device = ?1 AND app = ?2 AND kind = ?3 AND sequence <= (
          SELECT sequence FROM notification WHERE device = ?1 AND app = ?2 AND kind = ?3
          ORDER BY sequence DESC LIMIT 1 OFFSET ?4
        ) RETURNING \(Self.dropped)
        """)
    collapse = try database.prepare(
      kept: """
        DELETE FROM notification
        WHERE device = ?1 AND app = ?2 AND kind = ?3 AND collapse = ?4 AND sequence < (
          SELECT max(sequence) FROM notification
          WHERE device = ?1 AND app = ?2 AND kind = ?3 AND collapse = ?4
        ) RETURNING \(Self.dropped)
        """)
    removeOne = try database.prepare(
      "DELETE FROM notification WHERE sequence = ?4 AND device = ?1 AND app = ?2 AND kind = ?3")
    // A key has a bounded number of rows, so no index contains the unique IDs.
    withdraw = try database.prepare(
      kept: """
        DELETE FROM notification WHERE device = ?1 AND app = ?2 AND kind = ?3
          AND unique_high = ?4 AND unique_low = ?5
        RETURNING \(Self.dropped)
        """)
    removeKey = try database.prepare(
      kept: """
        DELETE FROM notification WHERE device = ?1 AND app = ?2 AND kind = ?3
        RETURNING \(Self.dropped)
        """)
    removeDevice = try database.prepare(
      kept: """
        DELETE FROM notification WHERE device = ?1
        RETURNING \(Self.dropped)
        """)
    removeExpired = try database.prepare(
      kept: """
        DELETE FROM notification WHERE sequence IN (
          SELECT sequence FROM notification WHERE expiration < ?1
          ORDER BY expiration, sequence LIMIT ?2
        ) RETURNING \(Self.dropped)
        """)
    advance = try database.prepare(
      "UPDATE progress SET highest = max(highest, ?1), stored = stored + ?2")
    select = try database.prepare(
      kept: """
        SELECT device, app, kind, sequence, id_high, id_low, unique_high, unique_low, expiration,
          priority, push_type, accepted, collapse, payload, \(Self.rows.isWhole)
        FROM notification WHERE device = ?1 AND sequence > ?2 ORDER BY sequence LIMIT ?3
        """)
    find = try database.prepare(
      kept: """
        SELECT accepted, \(Self.rows.isWhole), expiration FROM notification
        WHERE device = ?1 AND app = ?2 AND kind = ?3 AND unique_high = ?4 AND unique_low = ?5
        """)
    try noteDamage()
  }

  /// The columns that are returned for a removed row: the key, its checksum, and the letter case of the notification's
  /// ID.
  ///
  /// Only the delivery log shows the letter case.
  private static let dropped = rows.key.joined(separator: ", ") + ", checksum, push_type >= 256"

  func commit(_ operations: [StoreOperation]) throws(StorageFailure) -> [DroppedNotification] {
    guard !operations.isEmpty else { return [] }
    var added: UInt64 = 0
    let dropped = try database.transaction { () throws(StorageFailure) in
      var dropped: [DroppedNotification] = []
      var highest: UInt64 = 0
      for index in operations.indices {
        current = index
        if case .put(let notification, _) = operations[index] {
          highest = max(highest, notification.sequence)
          added += 1
        }
        let start = dropped.count
        try apply(operations[index], &dropped)
        if dropped.count > start + 1 { dropped[start...].sort { $0.sequence < $1.sequence } }
      }
      assert(
        zip(dropped, dropped.dropFirst()).allSatisfy {
          ($0.operation, $0.sequence) < ($1.operation, $1.sequence)
        }, "dropped notifications are ordered by operation and sequence")
      if highest > 0 { try count(added, highest: highest) }
      return dropped
    }
    noteCommitted(added)
    return dropped
  }

  /// Advances the highest sequence number and the number of notifications ever stored.
  ///
  /// The number of notifications is compared with the store's mark to detect a loss.
  private func count(_ added: UInt64, highest: UInt64) throws(StorageFailure) {
    try advance.bind(1, highest)
    try advance.bind(2, added)
    try advance.run()
  }

  private func noteCommitted(_ added: UInt64) {
    guard added > 0 else { return }
    stored += added
    mark?.advance(to: stored)
  }

  /// Performs a write to test whether the disk accepts writes.
  func probe() throws(StorageFailure) {
    try database.transaction { () throws(StorageFailure) in try count(1, highest: 0) }
    noteCommitted(1)
  }

  /// The number of notifications that were stored but are missing from the file.
  ///
  /// If the count itself was damaged, the number is unknown and 0 is returned.
  var lostCount: UInt64 {
    damage.has(table: Self.progress.name) ? 0 : mark?.missing(from: stored) ?? 0
  }

  /// Discards the record of lost notifications.
  func forgetLost() { mark?.reset(to: stored) }

  private func apply(
    _ operation: StoreOperation, _ dropped: inout [DroppedNotification]
  ) throws(StorageFailure) {
    switch operation {
    case .put(let notification, let keep):
      assert(keep > 0, "an app keeps at least one notification")
      try put(notification)
      if keep > 1, !notification.collapseID.isEmpty {
        try bind(notification.key, to: collapse)
        try collapse.bind(4, notification.collapseID)
        try drain(collapse, .replaced, &dropped)
      }
      guard keep < .max else { return }
      try bind(notification.key, to: trim)
      try trim.bind(4, Int64(keep))
      try drain(trim, .replaced, &dropped)
    case .remove(let key, let sequence):
      try bind(key, to: removeOne)
      try removeOne.bind(4, sequence)
      try removeOne.run()
    case .withdraw(let key, let uniqueID):
      try bind(key, uniqueID, to: withdraw)
      try drain(withdraw, .withdrawn, &dropped)
    case .removeKey(let key):
      try bind(key, to: removeKey)
      try drain(removeKey, .unregistered, &dropped)
    case .removeDevice(let device):
      try removeDevice.bind(1, device)
      try drain(removeDevice, .unregistered, &dropped)
    case .removeExpired(let second, let limit):
      assert(limit > 0, "the limit is positive")
      try removeExpired.bind(1, second)
      try removeExpired.bind(2, Int64(limit))
      try drain(removeExpired, .expired, &dropped)
    }
  }

  private func put(_ notification: StoredNotification) throws(StorageFailure) {
    assert(notification.sequence > 0, "sequences count from 1")
    assert(
      notification.sequence <= UInt64(Int64.max), "the sequence fits in SQLite's signed integers")
    try bind(notification.key, to: insert)
    try insert.bind(4, notification.sequence)
    try insert.bind(5, notification.id.high)
    try insert.bind(6, notification.id.low)
    try insert.bind(7, notification.uniqueID.high)
    try insert.bind(8, notification.uniqueID.low)
    try insert.bind(9, notification.expiration)
    try insert.bind(10, Int64(notification.priority))
    // One column holds two values: the push type in the low byte, and the flag for a lowercase ID above that byte.
    try insert.bind(11, Int64(notification.pushType) + (notification.id.isLowercase ? 256 : 0))
    try insert.bind(12, notification.acceptedMilliseconds)
    try insert.bind(13, notification.collapseID)
    try insert.bind(14, notification.payload)
    try insert.run()
  }

  private func bind(
    _ key: NotificationKey, to statement: SQLiteStatement
  ) throws(StorageFailure) {
    try statement.bind(1, key.device)
    try statement.bind(2, Int64(key.app))
    try statement.bind(3, Int64(key.kind))
  }

  private func bind(
    _ key: NotificationKey, _ uniqueID: NotificationID, to statement: SQLiteStatement
  ) throws(StorageFailure) {
    try bind(key, to: statement)
    try statement.bind(4, uniqueID.high)
    try statement.bind(5, uniqueID.low)
  }

  /// Runs a deletion and records the removed rows.
  private func drain(
    _ statement: SQLiteStatement, _ reason: DroppedNotification.Reason,
    _ dropped: inout [DroppedNotification]
  ) throws(StorageFailure) {
    while try statement.step() {
      guard Checksum.vouches(statement.integer(8), for: statement, columns: 8) else {
        throw damagedRow(of: statement)
      }
      assert(statement.unsigned(3) > 0, "sequences count from 1")
      dropped.append(
        DroppedNotification(
          key: key(statement), sequence: statement.unsigned(3),
          id: NotificationID(
            high: statement.unsigned(4), low: statement.unsigned(5),
            isLowercase: statement.integer(9) != 0),
          uniqueID: NotificationID(high: statement.unsigned(6), low: statement.unsigned(7)),
          reason: reason, operation: current))
    }
  }

  private func damagedRow(of statement: SQLiteStatement) -> StorageFailure {
    statement.reset()
    return .damagedRow(path: database.path, table: Self.rows.name)
  }

  private func key(_ row: SQLiteStatement) -> NotificationKey {
    NotificationKey(
      device: row.unsigned(0), app: UInt32(truncatingIfNeeded: row.integer(1)),
      kind: UInt8(truncatingIfNeeded: row.integer(2)))
  }

  /// Returns the times of a stored notification, or nil.
  func times(
    _ key: NotificationKey, uniqueID: NotificationID
  ) throws(StorageFailure) -> StoredTimes? {
    try bind(key, uniqueID, to: find)
    var times: StoredTimes?
    while try find.step() {
      guard find.integer(1) != 0 else { throw damagedRow(of: find) }
      times = StoredTimes(acceptedMilliseconds: find.integer(0), expiration: find.integer(2))
    }
    return times
  }

  func load(
    device: UInt64, after: UInt64, limit: Int
  ) throws(StorageFailure) -> [StoredNotification] {
    assert(limit > 0, "the limit is positive")
    try select.bind(1, device)
    try select.bind(2, Int64(clamping: after))
    try select.bind(3, Int64(limit))
    var loaded: [StoredNotification] = []
    while try select.step() {
      // Compare the device, because a damaged index can lead to another device's row.
      guard select.integer(14) != 0, select.unsigned(0) == device else {
        throw damagedRow(of: select)
      }
      assert(select.unsigned(3) > loaded.last?.sequence ?? after, "rows are in ascending order")
      loaded.append(
        StoredNotification(
          key: key(select), sequence: select.unsigned(3),
          id: NotificationID(
            high: select.unsigned(4), low: select.unsigned(5),
            isLowercase: select.integer(10) >= 256),
          uniqueID: NotificationID(high: select.unsigned(6), low: select.unsigned(7)),
          expiration: select.integer(8), priority: UInt8(truncatingIfNeeded: select.integer(9)),
          pushType: UInt8(truncatingIfNeeded: select.integer(10)),
          collapseID: select.bytes(12), payload: select.bytes(13),
          acceptedMilliseconds: select.integer(11)))
    }
    return loaded
  }
}
