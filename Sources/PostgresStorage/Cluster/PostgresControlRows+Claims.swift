internal import Storage

/// The queries for the records of devices that a node has just claimed: `$1` is the node, and `$2` lists the devices.
extension PostgresControlRows where Record == DeviceRecord {
  static let ofClaims = PostgresControlRows(
    statement: Statement(
      name: "devices_of_claims",
      sql: """
        SELECT d.number, d.key_hash, d.name, d.enrolled, d.revoked
        FROM claim c JOIN device d ON d.number = c.device
        WHERE c.node = $1 AND c.device = ANY ($2::bigint[])
        """), record: all.record)
}

extension PostgresControlRows where Record == RegistrationRecord {
  static let ofClaims = PostgresControlRows(
    statement: Statement(
      name: "registrations_of_claims",
      sql: """
        SELECT r.device, r.app, r.kind, r.generation, r.state, r.changed
        FROM claim c JOIN registration r ON r.device = c.device
        WHERE c.node = $1 AND c.device = ANY ($2::bigint[]) ORDER BY r.device, r.app, r.kind
        """), record: all.record)
}

extension PostgresControlRows where Record == SubscriptionRecord {
  static let ofClaims = PostgresControlRows(
    statement: Statement(
      name: "subscriptions_of_claims",
      sql: """
        SELECT s.device, s.channel, s.received_high, s.received_low
        FROM claim c JOIN subscription s ON s.device = c.device
        WHERE c.node = $1 AND c.device = ANY ($2::bigint[]) ORDER BY s.device, s.channel
        """), record: all.record)
}
