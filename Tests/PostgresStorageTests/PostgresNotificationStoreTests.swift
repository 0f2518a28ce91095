import Storage
import System
import TestSupport
import Testing

@testable import PostgresStorage

@Suite struct PostgresNotificationStoreTests {
  @Test(.requires(.initdb))
  func `the PostgreSQL store does what every store must`() async throws {
    let server = try await PostgresProgram()
    let databases = Databases(of: server)
    try StoreConformance { try PostgresStores(databases.make()).notifications }.check()
    try await server.stop()
  }

  @Test(.requires(.initdb))
  func `the store of a node that has claimed its devices does what every store must`()
    async throws
  {
    let server = try await PostgresProgram()
    let databases = Databases(of: server)
    try StoreConformance { try databases.makeNode().notifications }.check()
    try await server.stop()
  }

  @Test(.requires(.initdb))
  func `committed notifications are still there for the next gateway, which takes over`()
    async throws
  {
    let server = try await PostgresProgram()
    let address = try PostgresAddress(server.url)
    let first = try PostgresStores.shared(address)
    let key = NotificationKey(device: 1, app: 1, kind: 1)
    try first.commit((1...3).map { .put(.sample($0, key), keep: .max) })
    let second = try PostgresStores.shared(address)
    #expect(try second.load(device: 1).map(\.sequence) == [1, 2, 3])
    #expect(try second.highestSequence() == 3)
    #expect {
      try first.commit([.put(.sample(4, key), keep: .max)])
    } throws: {
      guard case .takenOver? = $0 as? StorageFailure else { return false }
      return true
    }
    #expect(try second.load(device: 1).map(\.sequence) == [1, 2, 3])
    try second.commit([.put(.sample(4, key), keep: 1)])
    #expect(try second.load(device: 1).map(\.sequence) == [4])
    try await server.stop()
  }

  @Test(.requires(.initdb))
  func `a lost connection is replaced, and a write whose result is unknown is repeated`()
    async throws
  {
    let server = try await PostgresProgram()
    let store = try PostgresStores(PostgresAddress(server.url)).notifications
    let other = try PostgresConnection(PostgresAddress(server.url))
    let key = NotificationKey(device: 1, app: 1, kind: 1)
    for sequence in UInt64(1)...3 {
      try other.execute(
        script: """
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = 'postgres' AND pid <> pg_backend_pid()
          """)
      try store.commit([.put(.sample(sequence, key), keep: .max)])
    }
    #expect(try store.load(device: 1).map(\.sequence) == [1, 2, 3])
    #expect(store.health?.failure == nil)
    try await server.stop()
  }

  @Test
  func `a URL with a password, or of another kind, is refused`() {
    #expect(throws: PostgresAddress.Failure.self) {
      try PostgresAddress("postgres://user:secret@host/database")
    }
    #expect(throws: PostgresAddress.Failure.self) {
      try PostgresAddress("postgres://host/database?password=secret")
    }
    #expect(throws: PostgresAddress.Failure.self) {
      try PostgresAddress("postgres://host/database?sslpassword=secret")
    }
    #expect(throws: PostgresAddress.Failure.self) { try PostgresAddress("mysql://host/database") }
    #expect(throws: PostgresAddress.Failure.self) {
      try PostgresAddress("postgres://host/database?no_such_option=1")
    }
    #expect(throws: Never.self) {
      try PostgresAddress("postgres://user@one,two:5433/database?sslmode=verify-full")
    }
  }
}
