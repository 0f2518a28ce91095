internal import Storage
internal import System

/// The gateway's row in the table of nodes, which lets the database reject commits of a process that was replaced.
///
/// Every transaction locks the row (`FOR KEY SHARE`). The index on the epoch makes the epoch a part of a key, so that a
/// change of the epoch waits for these transactions, but a renewal of the lease does not.
struct PostgresNode: Sendable {
  static let schema = PostgresSchema(
    name: "node",
    migrations: [
      """
      CREATE TABLE node (name text PRIMARY KEY, epoch bigint NOT NULL, beat bigint NOT NULL);
      CREATE FUNCTION belfry_fence(node_name text, expected bigint) RETURNS void
      LANGUAGE plpgsql AS $fence$
      BEGIN
        PERFORM 1 FROM node WHERE name = node_name AND epoch = expected FOR SHARE;
        IF NOT FOUND THEN
          RAISE EXCEPTION 'another gateway has taken over the database' USING ERRCODE = 'BF001';
        END IF;
      END
      $fence$;
      """,
      """
      ALTER TABLE node
        ADD COLUMN number smallint UNIQUE CHECK (number BETWEEN 1 AND 1023),
        ADD COLUMN applied bigint NOT NULL DEFAULT 0,
        ADD COLUMN ended boolean NOT NULL DEFAULT false,
        ADD COLUMN highest bigint NOT NULL DEFAULT 0,
        ADD COLUMN seen bigint NOT NULL DEFAULT 0,
        ADD COLUMN devices bigint NOT NULL DEFAULT 0,
        ADD COLUMN version text NOT NULL DEFAULT '';
      CREATE UNIQUE INDEX node_by_epoch ON node (name, epoch);
      CREATE OR REPLACE FUNCTION belfry_fence(node_name text, expected bigint) RETURNS void
      LANGUAGE plpgsql AS $fence$
      BEGIN
        PERFORM 1 FROM node WHERE name = node_name AND epoch = expected FOR KEY SHARE;
        IF NOT FOUND THEN
          RAISE EXCEPTION 'another gateway has taken over the database' USING ERRCODE = 'BF001';
        END IF;
      END
      $fence$;
      CREATE FUNCTION belfry_start_node(node_name text)
      RETURNS TABLE (started_epoch bigint, started_number smallint)
      LANGUAGE plpgsql AS $start$
      DECLARE free smallint;
      BEGIN
        PERFORM pg_advisory_xact_lock(1113879662);
        UPDATE node SET epoch = epoch + 1 WHERE name = 'only';
        SELECT n.number INTO free FROM node n WHERE n.name = node_name;
        IF free IS NULL THEN
          SELECT min(candidate) INTO free FROM generate_series(1, 1023) AS candidate
          WHERE NOT EXISTS (SELECT 1 FROM node n WHERE n.number = candidate);
          IF free IS NULL THEN
            RAISE EXCEPTION 'all 1,023 numbers of nodes are in use: start the node under the name of a former node'
              USING ERRCODE = 'BF004';
          END IF;
        END IF;
        RETURN QUERY
          INSERT INTO node AS n (name, epoch, beat, number) VALUES (node_name, 1, 0, free)
          ON CONFLICT (name) DO UPDATE SET epoch = n.epoch + 1, ended = false
          RETURNING n.epoch, n.number;
      END
      $start$;
      """,
      """
      CREATE OR REPLACE FUNCTION belfry_start_node(node_name text)
      RETURNS TABLE (started_epoch bigint, started_number smallint)
      LANGUAGE plpgsql AS $start$
      DECLARE free smallint;
      BEGIN
        PERFORM pg_advisory_xact_lock(1113879662);
        UPDATE node SET epoch = epoch + 1 WHERE name = 'only';
        SELECT n.number INTO free FROM node n WHERE n.name = node_name;
        IF free IS NULL THEN
          SELECT min(candidate) INTO free FROM generate_series(1, 1023) AS candidate
          WHERE NOT EXISTS (SELECT 1 FROM node n WHERE n.number = candidate);
        END IF;
        IF free IS NULL THEN
          SELECT n.number INTO free FROM node n WHERE n.number IS NOT NULL AND n.ended
          ORDER BY n.seen, n.number LIMIT 1;
          IF free IS NULL THEN
            RAISE EXCEPTION 'the cluster has 1,023 running nodes, which is the maximum'
              USING ERRCODE = 'BF004';
          END IF;
          UPDATE node n SET name = node_name WHERE n.number = free;
        END IF;
        RETURN QUERY
          INSERT INTO node AS n (name, epoch, beat, number) VALUES (node_name, 1, 0, free)
          ON CONFLICT (name) DO UPDATE SET epoch = n.epoch + 1, ended = false
          RETURNING n.epoch, n.number;
      END
      $start$;
      """,
    ])

  /// The SQLSTATE with which the start of a node fails if every number belongs to a running node.
  static let fullState = "BF004"

  /// The name of the only node of a database without a bus.
  static let onlyName = "only"

  /// The name of the provider service among the nodes of its database.
  static let providerName = "provider"

  let name: String
  /// The number of starts under this name; the database rejects commits with another number.
  let epoch: Int64
  /// The number of the node in its cluster; nil for a single gateway.
  let number: NodeNumber?

  /// Begins a new epoch of a single gateway: commits of earlier processes, and of all nodes of a cluster, fail from now
  /// on.
  init(onlyOn server: PostgresServer) throws(StorageFailure) {
    let rows = try server.write([
      .init(Self.begin, [.text(Self.onlyName)]), .init(Self.endOthers, [.text(Self.onlyName)]),
    ])
    name = Self.onlyName
    epoch = rows.first.map { $0.count > 0 ? $0.integer(0, 0) : 0 } ?? 0
    number = nil
    assert(epoch > 0, "the first epoch is 1")
  }

  /// Begins a new epoch of the provider service: commits of earlier processes fail from now on.
  init(providerOn server: PostgresServer) throws(StorageFailure) {
    let rows = try server.write([.init(Self.begin, [.text(Self.providerName)])])
    name = Self.providerName
    epoch = rows.first.map { $0.count > 0 ? $0.integer(0, 0) : 0 } ?? 0
    number = nil
    assert(epoch > 0, "the first epoch is 1")
  }

  /// Begins a new epoch of a node of a cluster: commits of earlier processes with the same name, and of a single gateway,
  /// fail from now on.
  ///
  /// A new name gets the lowest number that no other name has. If all are in use, it replaces the name of the node that
  /// ended first, as if that node started again.
  init(named name: String, on server: PostgresServer) throws(StorageFailure) {
    let isReserved = [Self.onlyName, Self.providerName].contains {
      $0.utf8.elementsEqual(name.utf8)
    }
    guard !name.isEmpty, !isReserved, !name.utf8.contains(0) else {
      throw .unsuitable(
        server: "\(server.address)", why: "no node can have the name \"\(name)\": choose another")
    }
    let rows = try server.write([.init(Self.startNode, [.text(name)])])
    guard let row = rows.first, row.count == 1 else { throw server.invalidRow("node") }
    self.name = name
    epoch = row.integer(0, 0)
    number = NodeNumber(truncatingIfNeeded: row.integer(0, 1))
    assert(epoch > 0, "the first epoch is 1")
    assert(number.map { (1...1023).contains($0) } ?? false, "a node has a number")
  }

  /// The first statement of every transaction, which fails if the epoch has ended.
  ///
  /// The lock of the row is a write, so the answer depends on the primary server's ability to commit.
  var fence: PostgresConnection.Call { .init(Self.fence, [.text(name), .integer(epoch)]) }

  private static let fence = PostgresConnection.Statement(
    name: "fence", sql: "SELECT belfry_fence($1, $2)")
  private static let begin = PostgresConnection.Statement(
    name: "begin_epoch",
    sql: """
      INSERT INTO node (name, epoch, beat) VALUES ($1, 1, 0)
      ON CONFLICT (name) DO UPDATE SET epoch = node.epoch + 1 RETURNING epoch
      """)
  private static let endOthers = PostgresConnection.Statement(
    name: "end_other_epochs",
    sql: "UPDATE node SET epoch = epoch + 1 WHERE name <> $1 AND number IS NOT NULL")
  private static let startNode = PostgresConnection.Statement(
    name: "start_node",
    sql: "SELECT started_epoch, started_number FROM belfry_start_node($1)")
}
