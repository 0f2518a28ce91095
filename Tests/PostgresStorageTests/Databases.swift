import Storage
import System
import TestSupport

@testable import PostgresStorage

extension PostgresStores {
  /// Opens the notification store of a gateway that does not lock the database.
  static func shared(_ address: PostgresAddress) throws -> PostgresNotificationStore {
    try PostgresStores(
      address, isExclusive: false, now: { SystemClock.monotonicNanoseconds }
    ).notifications
  }
}

/// The database of a server, which is emptied for each store.
final class Databases: Sendable {
  private let server: PostgresProgram

  init(of server: PostgresProgram) { self.server = server }

  func make() throws -> PostgresAddress {
    let address = try PostgresAddress(server.url)
    let connection = try PostgresConnection(address)
    try connection.execute(script: "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    return address
  }
}
