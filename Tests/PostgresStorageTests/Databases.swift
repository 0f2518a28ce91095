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

/// Databases of one server, each of which is created for one store.
final class Databases: Sendable {
  private let server: PostgresProgram
  private let number = MetricRegistry().counter("databases", help: "Created.")

  init(of server: PostgresProgram) { self.server = server }

  func make() throws -> PostgresAddress {
    number.add()
    let name = "store\(number.value)"
    let connection = try PostgresConnection(PostgresAddress(server.url))
    try connection.execute(script: "CREATE DATABASE \(name)")
    return try PostgresAddress(server.url(ofDatabase: name))
  }
}
