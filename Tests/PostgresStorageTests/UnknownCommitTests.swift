import Storage
import TestSupport
import Testing

@testable import PostgresStorage

/// Tests with commits whose result the store cannot know, because the connection is cut before, during or after them.
@Suite(.timeLimit(.minutes(5))) struct UnknownCommitTests {
  @Test(.requires(.initdb), arguments: CuttingProxy.Cut.allCases)
  func `a commit that was cut off has been made exactly once when the store returns`(
    cut: CuttingProxy.Cut
  ) async throws {
    let server = try await PostgresProgram()
    let proxy = try CuttingProxy(to: server.socketFolder)
    // With a clock that does not advance, a commit is repeated until its result is known, on a slow machine too.
    let stores = try PostgresStores(
      PostgresAddress(proxy.url), isExclusive: true, now: { 0 })
    let model = MemoryNotificationStore()
    var random = SeededGenerator(seed: 1)
    for sequence in UInt64(1)...40 {
      let key = NotificationKey(
        device: .random(in: 1...3, using: &random), app: 1, kind: 1)
      let operation: StoreOperation =
        switch sequence % 5 {
        case 0: .removeKey(key)
        case 1: .put(.sample(sequence, key), keep: 1)
        default: .put(.sample(sequence, key), keep: .max)
        }
      if sequence % 3 == 0 { proxy.cutNextCommit(cut) }
      let dropped = try stores.notifications.commit([operation])
      let expected = try model.commit([operation])
      #expect(dropped == expected)
    }
    #expect(proxy.cutCount == 13)
    for device in UInt64(1)...3 {
      #expect(try stores.notifications.load(device: device) == model.load(device: device))
    }
    // Configuration changes are repeated too.
    proxy.cutNextCommit(cut)
    try stores.control.apply([
      .putTeam(TeamRecord(id: "T", name: "T", createdMilliseconds: 1)),
      .putApp(AppRecord(number: 1, bundleID: "a.b", team: "T", createdMilliseconds: 1)),
    ])
    #expect(proxy.cutCount == 14)
    #expect(try stores.control.apps().map(\.bundleID) == ["a.b"])
    // The server counts every change. A commit whose confirmation is incomplete must be repeated: a server that is being
    // demoted confirms commits that its successor does not have.
    let direct = try PostgresConnection(PostgresAddress(server.url))
    let rows = try direct.run([
      .init(.init(name: "changes", sql: "SELECT changes FROM control_progress"))
    ])
    #expect(rows.first?.integer(0, 0) == (cut == .beforeRequest ? 2 : 4))
    #expect(stores.notifications.health?.failure == nil)
    stores.control.close()
    stores.notifications.close()
    proxy.stop()
    try await server.stop()
  }

  @Test(.requires(.initdb))
  func `reads from a frozen server fail soon, and later reads fail at once until it answers`()
    async throws
  {
    let server = try await PostgresProgram()
    let proxy = try CuttingProxy(to: server.socketFolder)
    let stores = try PostgresStores(PostgresAddress(proxy.url))
    let device = try stores.control.device(number: 1)
    #expect(device == nil)
    proxy.setFrozen(true)
    let clock = ContinuousClock()
    let first = clock.measure {
      #expect(throws: StorageFailure.self) { try stores.control.device(number: 1) }
    }
    // The watchdog ends a gateway whose main loop does not answer for 30 seconds.
    #expect(first < .seconds(20))
    let second = clock.measure {
      #expect(throws: StorageFailure.self) { try stores.control.device(number: 1) }
    }
    #expect(second < first / 10)
    #expect(stores.control.health?.failure?.isOfServer == true)
    proxy.setFrozen(false)
    while stores.control.health?.failure != nil {
      try? stores.control.probe()
      await Task.yield()
    }
    #expect(try stores.control.device(number: 1) == nil)
    #expect(stores.control.health?.failure == nil)
    stores.control.close()
    stores.notifications.close()
    proxy.stop()
    try await server.stop()
  }
}
