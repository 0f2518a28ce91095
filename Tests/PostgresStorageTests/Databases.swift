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

  /// Empties the database, and starts a node that has claimed every device of the conformance suites.
  ///
  /// The suites expect an empty store, so the devices themselves are removed again.
  func makeNode() throws -> Node {
    let address = try make()
    let node = try Node("a", on: address)
    let devices: [UInt64] = [1, 2, 3, 4, 5, 7, 8, 9, 77, .max]
    for device in devices { try node.enroll(device) }
    let results = try node.claims.claim(
      devices.map { DeviceClaimRequest(device: $0, mode: .ifFree, hasLink: false) })
    assert(results.count == devices.count, "every request has one result")
    try PostgresConnection(address).execute(script: "DELETE FROM device")
    return node
  }
}
