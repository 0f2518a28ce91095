import Storage
import TestSupport
import Testing

@testable import PostgresStorage

@Suite struct PostgresControlStoreTests {
  @Test(.requires(.initdb))
  func `the PostgreSQL control store does what every control store must`() async throws {
    let server = try await PostgresProgram()
    let databases = Databases(of: server)
    try ControlStoreConformance { try PostgresStores(databases.make()).control }.check()
    try await server.stop()
  }

  @Test(.requires(.initdb))
  func `the control store of a node that has claimed its devices does what every store must`()
    async throws
  {
    let server = try await PostgresProgram()
    let databases = Databases(of: server)
    try ControlStoreConformance { try databases.makeNode().control }.check()
    try await server.stop()
  }

  @Test(.requires(.initdb))
  func `a second gateway does not start while the first uses the database`() async throws {
    let server = try await PostgresProgram()
    let address = try PostgresAddress(server.url)
    let first = try PostgresStores(address)
    try first.control.apply([.putSetting(name: "a", value: [1])])
    #expect {
      _ = try PostgresStores(address)
    } throws: {
      guard case .inUse? = $0 as? StorageFailure else { return false }
      return true
    }
    try first.control.apply([.putSetting(name: "a", value: [2])])
    first.control.close()
    first.notifications.close()
    #expect(try PostgresStores(address).control.setting("a") == [2])
    try await server.stop()
  }

  @Test(.requires(.initdb))
  func `changes of a gateway that was taken over are rejected`() async throws {
    let server = try await PostgresProgram()
    let address = try PostgresAddress(server.url)
    let first = try PostgresStores(address)
    try first.control.apply([.putSetting(name: "a", value: [1])])
    let second = try PostgresStores(address, isExclusive: false, now: { 0 })
    #expect {
      try first.control.apply([.putSetting(name: "a", value: [2])])
    } throws: {
      guard case .takenOver? = $0 as? StorageFailure else { return false }
      return true
    }
    #expect(try second.control.setting("a") == [1])
    try await server.stop()
  }
}
