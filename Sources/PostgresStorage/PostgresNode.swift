internal import Storage
internal import System

/// The gateway's row in the table of nodes, which lets the database reject commits of a process that was replaced.
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
      """
    ])

  /// The name of the only node of a database without a bus.
  static let onlyName = "only"

  let name: String
  /// The number of starts under this name; the database rejects commits with another number.
  let epoch: Int64

  /// Begins a new epoch: commits of earlier processes with the same name fail from now on.
  init(name: String, on server: PostgresServer) throws(StorageFailure) {
    assert(!name.isEmpty, "a node has a name")
    let rows = try server.write([.init(Self.begin, [.text(name)])])
    self.name = name
    epoch = rows.first.map { $0.count > 0 ? $0.integer(0, 0) : 0 } ?? 0
    assert(epoch > 0, "the first epoch is 1")
  }

  /// The first statement of every transaction, which fails if the epoch has ended.
  var fence: PostgresConnection.Call { .init(Self.fence, [.text(name), .integer(epoch)]) }

  private static let fence = PostgresConnection.Statement(
    name: "fence", sql: "SELECT belfry_fence($1, $2)")
  private static let begin = PostgresConnection.Statement(
    name: "begin_epoch",
    sql: """
      INSERT INTO node VALUES ($1, 1, 0)
      ON CONFLICT (name) DO UPDATE SET epoch = node.epoch + 1 RETURNING epoch
      """)
}
