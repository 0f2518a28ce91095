/// The history of a schema in PostgreSQL.
struct PostgresSchema: Sendable {
  /// The SQLSTATE with which a transaction of a gateway fails after another gateway has taken over the database.
  static let takenOverState = "BF001"

  /// The SQLSTATE with which the upgrade of a schema from a newer release fails.
  static let newerState = "BF002"

  /// The name under which the version is recorded.
  let name: String
  /// The scripts, one per version, in order.
  ///
  /// Released scripts never change; new scripts are only appended.
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
    try checkVersion(connection)
  }

  /// Fails if a newer release has upgraded the schema.
  private func checkVersion(_ connection: PostgresConnection) throws(PostgresFailure) {
    let known = migrations.count
    try connection.execute(
      script: """
        DO $check$ DECLARE found bigint; BEGIN
          SELECT version INTO found FROM belfry_schema WHERE name = '\(name)';
          IF found > \(known) THEN
            RAISE EXCEPTION 'the schema \(name) has version %, but this release supports up to \(known): use the newer release',
              found USING ERRCODE = '\(Self.newerState)';
          END IF;
        END $check$
        """)
  }

  /// The number of the advisory lock, which is arbitrary.
  private static let lock = 0x4266_5361
}
