internal import Storage
internal import PushWire

extension PostgresNotificationStore {
  static let schema = PostgresSchema(
    name: "notifications",
    migrations: [
      """
      CREATE TABLE notification (
        sequence bigint PRIMARY KEY, device bigint NOT NULL, app bigint NOT NULL,
        kind bigint NOT NULL, id_high bigint NOT NULL, id_low bigint NOT NULL,
        unique_high bigint NOT NULL, unique_low bigint NOT NULL, expiration bigint NOT NULL,
        priority bigint NOT NULL, push_type bigint NOT NULL, accepted bigint NOT NULL,
        collapse bytea NOT NULL, payload bytea NOT NULL
      );
      CREATE INDEX notification_by_key ON notification (device, app, kind, sequence);
      CREATE INDEX notification_by_expiration ON notification (expiration, sequence);
      CREATE TABLE notification_progress (
        one boolean PRIMARY KEY DEFAULT true CHECK (one), highest bigint NOT NULL,
        folder_epoch bigint NOT NULL
      );
      INSERT INTO notification_progress VALUES (true, 0, 0);
      """
    ])

  static let ofKeys = PostgresConnection.Statement(
    name: "of_keys",
    sql: """
      SELECT n.device, n.app, n.kind, n.sequence, n.id_high, n.id_low, n.unique_high,
        n.unique_low, n.expiration, n.push_type, n.collapse
      FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS wanted (device, app, kind)
      JOIN notification n USING (device, app, kind)
      """)
  static let ofDevices = PostgresConnection.Statement(
    name: "of_devices",
    sql: """
      SELECT device, app, kind, sequence, id_high, id_low, unique_high, unique_low, expiration,
        push_type, collapse
      FROM notification WHERE device = ANY ($1::bigint[])
      """)
  static let expiring = PostgresConnection.Statement(
    name: "expiring",
    sql: """
      SELECT device, app, kind, sequence, id_high, id_low, unique_high, unique_low, expiration,
        push_type, collapse
      FROM notification WHERE expiration < $1 ORDER BY expiration, sequence LIMIT $2
      """)
  static let insert = PostgresConnection.Statement(
    name: "insert",
    sql: """
      INSERT INTO notification (sequence, device, app, kind, id_high, id_low, unique_high,
        unique_low, expiration, priority, push_type, accepted, collapse, payload)
      SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[],
        $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[],
        $12::bigint[], $13::bytea[], $14::bytea[])
      ON CONFLICT (sequence) DO UPDATE SET sequence = excluded.sequence
      """)
  static let remove = PostgresConnection.Statement(
    name: "remove",
    sql: """
      DELETE FROM notification n
      USING unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[])
        AS gone (sequence, device, app, kind)
      WHERE n.sequence = gone.sequence AND n.device = gone.device AND n.app = gone.app
        AND n.kind = gone.kind
      """)
  static let advance = PostgresConnection.Statement(
    name: "advance",
    sql: "UPDATE notification_progress SET highest = greatest(highest, $1::bigint)")
  static let select = PostgresConnection.Statement(
    name: "select",
    sql: """
      SELECT device, app, kind, sequence, id_high, id_low, unique_high, unique_low, expiration,
        priority, push_type, accepted, collapse, payload
      FROM notification WHERE device = $1 AND sequence > $2 ORDER BY sequence LIMIT $3
      """)
  static let find = PostgresConnection.Statement(
    name: "find",
    sql: """
      SELECT accepted, expiration FROM notification WHERE device = $1 AND app = $2 AND kind = $3
        AND unique_high = $4 AND unique_low = $5
      """)
  static let highest = PostgresConnection.Statement(
    name: "highest",
    sql: """
      SELECT greatest((SELECT highest FROM notification_progress),
        (SELECT max(highest) FROM node))
      """)
  static let countAll = PostgresConnection.Statement(
    name: "count", sql: "SELECT count(*) FROM notification")
  static let allDevices = PostgresConnection.Statement(
    name: "devices", sql: "SELECT DISTINCT device FROM notification")
  static let folderEpoch = PostgresConnection.Statement(
    name: "folder_epoch", sql: "SELECT folder_epoch FROM notification_progress")
  static let putEpoch = PostgresConnection.Statement(
    name: "put_epoch", sql: "UPDATE notification_progress SET folder_epoch = $1")

  /// Returns the columns of rows to remove as parameters.
  static func columns(_ rows: some Collection<NotificationPlan.Row>) -> [PostgresValue] {
    let sequences = PostgresValue.integers(rows.map { Int64(bitPattern: $0.sequence) })
    return [sequences] + columns(rows.map(\.key))
  }

  /// Returns the columns of keys as parameters.
  static func columns(_ keys: [NotificationKey]) -> [PostgresValue] {
    [
      .integers(keys.map { Int64(bitPattern: $0.device) }), .integers(keys.map { Int64($0.app) }),
      .integers(keys.map { Int64($0.kind) }),
    ]
  }

  /// Returns the parameters of ``insert``.
  static func parameters(_ notifications: [StoredNotification]) -> [PostgresValue] {
    assert(
      notifications.allSatisfy { (1...UInt64(Int64.max)).contains($0.sequence) },
      "the sequence fits in PostgreSQL's signed integers")
    let sequences = notifications.map { Int64(bitPattern: $0.sequence) }
    return [.integers(sequences)] + columns(notifications.map(\.key)) + [
      .integers(notifications.map { Int64(bitPattern: $0.id.high) }),
      .integers(notifications.map { Int64(bitPattern: $0.id.low) }),
      .integers(notifications.map { Int64(bitPattern: $0.uniqueID.high) }),
      .integers(notifications.map { Int64(bitPattern: $0.uniqueID.low) }),
      .integers(notifications.map(\.expiration)),
      .integers(notifications.map { Int64($0.priority) }),
      // One column holds two values: the push type in the low byte, and the flag for a lowercase ID above that byte.
      .integers(notifications.map { Int64($0.pushType) + ($0.id.isLowercase ? 256 : 0) }),
      .integers(notifications.map(\.acceptedMilliseconds)),
      .datas(notifications.map(\.collapseID)), .datas(notifications.map(\.payload)),
    ]
  }

  /// Returns the outlines in the rows of a statement.
  static func outlines(_ rows: PostgresRows) -> [NotificationOutline] {
    (0..<rows.count).map { row in
      NotificationOutline(
        key: key(rows, row), sequence: rows.bits(row, 3),
        id: NotificationID(
          high: rows.bits(row, 4), low: rows.bits(row, 5),
          isLowercase: rows.integer(row, 9) >= 256),
        uniqueID: NotificationID(high: rows.bits(row, 6), low: rows.bits(row, 7)),
        expiration: rows.integer(row, 8), collapseID: rows.bytes(row, 10))
    }
  }

  /// Returns the notification in a row of ``select``.
  static func notification(_ rows: PostgresRows, _ row: Int) -> StoredNotification {
    StoredNotification(
      key: key(rows, row), sequence: rows.bits(row, 3),
      id: NotificationID(
        high: rows.bits(row, 4), low: rows.bits(row, 5), isLowercase: rows.integer(row, 10) >= 256),
      uniqueID: NotificationID(high: rows.bits(row, 6), low: rows.bits(row, 7)),
      expiration: rows.integer(row, 8), priority: UInt8(truncatingIfNeeded: rows.integer(row, 9)),
      pushType: UInt8(truncatingIfNeeded: rows.integer(row, 10)), collapseID: rows.bytes(row, 12),
      payload: rows.bytes(row, 13), acceptedMilliseconds: rows.integer(row, 11))
  }

  private static func key(_ rows: PostgresRows, _ row: Int) -> NotificationKey {
    NotificationKey(
      device: rows.bits(row, 0), app: UInt32(truncatingIfNeeded: rows.integer(row, 1)),
      kind: UInt8(truncatingIfNeeded: rows.integer(row, 2)))
  }
}
