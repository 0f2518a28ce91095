/// The tables of the notification store and the history of their schema.
enum NotificationSchema {
  /// The schema in which each row is one record of a log.
  static let current = SQLiteDatabase.Schema(
    applicationID: applicationID, migrations: legacyScripts + [logScript],
    afterRepair: """
      INSERT INTO progress (highest) SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM progress);
      """,
    tables: [log, progress, .setAside], firstInPlaceVersion: logVersion, isShrunk: true)

  private static let applicationID: Int32 = 0x4266_6E01

  /// The first version of the schema whose rows are records of a log.
  ///
  /// A file with an earlier version is converted into a new file (`NotificationConversion`).
  static let logVersion = 5

  /// The log: each row is a stored notification (`StoredRecord`) or a list of notifications that have ended
  /// (`EndRecord`).
  ///
  /// The table has no other index, so that a commit only appends to the end of the table.
  static let log = ChecksummedTable(name: "notification", key: ["position"], rest: ["data"])

  /// The counters, which each commit updates.
  static let progress = ChecksummedTable(
    name: "progress", key: [],
    rest: ["highest", "epoch", "stored", "position", "waiting", "digest"], isUpdated: true)

  /// Returns the schema of a file that must be converted.
  static func legacy(version: Int) -> SQLiteDatabase.Schema {
    let isChecksummed = version >= checksumVersion
    return SQLiteDatabase.Schema(
      applicationID: applicationID, migrations: Array(legacyScripts.prefix(version)),
      afterRepair: """
        INSERT INTO progress (highest) SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM progress);
        UPDATE progress SET highest = max(
          highest, (SELECT coalesce(max(sequence), 0) FROM notification));
        """,
      tables: isChecksummed ? [legacyRows, legacyProgress, .setAside] : [])
  }

  /// The first version of the schema whose rows have checksums.
  static let checksumVersion = 4

  /// The rows of schema 4.
  static let legacyRows = ChecksummedTable(
    name: "notification",
    key: [
      "device", "app", "kind", "sequence", "id_high", "id_low", "unique_high", "unique_low",
    ],
    rest: ["expiration", "priority", "push_type", "accepted", "collapse", "payload"])

  static let legacyProgress = ChecksummedTable(
    name: "progress", key: [], rest: ["highest", "epoch", "stored"], isUpdated: true)

  /// A new file runs this script after the earlier scripts, when the tables are still empty.
  private static let logScript: StaticString = """
    DROP TABLE notification;
    DROP TABLE progress;
    CREATE TABLE notification (
      position INTEGER PRIMARY KEY,
      checksum INTEGER NOT NULL GENERATED ALWAYS AS (
        row_checksum(1, position, data)
      ) STORED,
      data BLOB NOT NULL
    ) STRICT;
    CREATE TABLE progress (
      highest INTEGER NOT NULL, epoch INTEGER NOT NULL DEFAULT 0,
      stored INTEGER NOT NULL DEFAULT 0, position INTEGER NOT NULL DEFAULT 0,
      waiting INTEGER NOT NULL DEFAULT 0, digest BLOB NOT NULL DEFAULT x'',
      checksum INTEGER NOT NULL GENERATED ALWAYS AS (
        row_checksum(0, highest, epoch, stored, position, waiting, digest)
      ) STORED
    ) STRICT;
    INSERT INTO progress (highest) VALUES (0);
    """

  private static let legacyScripts: [StaticString] = [
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
  ]
}
