internal import Storage
internal import Synchronization

/// A counter of the notifications in a database, with a connection of its own.
public final class PostgresNotificationCounter: Sendable {
  private let address: PostgresAddress
  private let server = Mutex<PostgresServer?>(nil)

  /// Creates a counter, which connects to the database at the first count.
  public init(_ address: PostgresAddress) { self.address = address }

  /// Returns the number of stored notifications, or nil if the database cannot be reached now.
  ///
  /// Above 100,000, the number is the database's own estimate, because counting visits every row.
  public func count() -> Int? {
    server.withLock { server in
      do throws(StorageFailure) {
        if server == nil {
          server = try PostgresServer(address, name: "counter")
        }
        guard let rows = try server?.read([.init(Self.statement)]).first, rows.count > 0 else {
          return nil
        }
        let count = Int(rows.integer(0, 0))
        assert(count >= 0, "the estimate is used only if it is known")
        return count
      } catch {
        server = nil
        return nil
      }
    }
  }

  private static let statement = PostgresConnection.Statement(
    name: "estimate",
    sql: """
      SELECT CASE WHEN reltuples > 100000 THEN reltuples::bigint
        ELSE (SELECT count(*) FROM notification) END
      FROM pg_class WHERE oid = 'notification'::regclass
      """)
}
