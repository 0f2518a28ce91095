/// The history of a schema in PostgreSQL.
struct PostgresSchema: Sendable {
  /// The SQLSTATE with which a transaction of a gateway fails after another gateway has taken over the database.
  static let takenOverState = "BF001"

  /// The name under which the version is recorded.
  let name: String
  /// The scripts, one per version, in order.
  ///
  /// Released scripts never change; new scripts are only appended. A script must not break gateways of the previous
  /// release, which run at the same time during a rolling upgrade.
  let migrations: [String]

  /// Brings the schema up to date; nodes that start at the same time wait for each other.
  func migrate(_ connection: PostgresConnection) throws(PostgresFailure) {
    assert(
      name.utf8.allSatisfy { (0x61...0x7A).contains($0) }, "the name needs no quoting")
    try connection.execute(
      script: """
        CREATE TABLE IF NOT EXISTS belfry_schema (name text PRIMARY KEY, version bigint NOT NULL)
        """)
    for version in migrations.indices {
      // The advisory lock ends with the transaction. The block is skipped if another node was faster.
      try connection.execute(
        script: """
          BEGIN;
          SELECT pg_advisory_xact_lock(\(Self.lock));
          DO $migration$ BEGIN
            IF coalesce((SELECT version FROM belfry_schema WHERE name = '\(name)'), 0) = \(version)
            THEN
              EXECUTE $script$ \(migrations[version]) $script$;
              INSERT INTO belfry_schema VALUES ('\(name)', \(version + 1))
                ON CONFLICT (name) DO UPDATE SET version = \(version + 1);
            END IF;
          END $migration$;
          COMMIT
          """)
    }
  }

  /// The number of the advisory lock, which is arbitrary.
  private static let lock = 0x4266_5361
}
