import PushWire
import Storage
import TestSupport
import Testing
import Transport

@testable import PostgresStorage

@Suite(.timeLimit(.minutes(5))) struct ClusterChangeTests {
  @Test(.requires(.initdb))
  func `changes that other nodes must learn of are recorded, each subject once per commit`()
    async throws
  {
    let server = try await PostgresProgram()
    let address = try PostgresAddress(server.url)
    let (a, b) = (try Node("a", on: address), try Node("b", on: address))
    try a.enroll(7)
    #expect(try a.claim(.ifFree, 7) == ["held"])
    #expect(try b.membership.lastChange() == 0, "an enrollment concerns no other node")
    let channel = ChannelRecord(
      id: [UInt8](0..<16), app: 1, keepsLatest: true, createdMilliseconds: 3)
    try a.control.apply([
      .putTeam(TeamRecord(id: "T", name: "T", createdMilliseconds: 1)),
      .putApp(AppRecord(number: 1, bundleID: "a.b", team: "T", createdMilliseconds: 1)),
      .putChannel(channel),
      .putRegistration(
        RegistrationRecord(key: .of(7), generation: 1, state: .active, changedMilliseconds: 1)),
      .putSubscription(SubscriptionRecord(device: 7, channel: channel.id)),
      .putSetting(name: "epoch", value: [1]), .putSetting(name: "database-link", value: [1]),
      .removeBroadcast(channel: channel.id),
    ])
    let revoked = DeviceRecord(
      number: 7, keyHash: SHA256.hash([]), name: "", enrolledMilliseconds: 1,
      revokedMilliseconds: 2)
    try b.control.apply([
      .putDevice(revoked), .unregisterAll(device: 7, atMilliseconds: 2),
      .putSetting(name: "token-keys", value: [2]), .removeApp(number: 1),
    ])
    let changes = try a.membership.changes(after: 0, limit: 10)
    #expect(changes.map(\.number) == [1, 2, 3, 4, 5])
    #expect(
      changes.map(\.subject) == [
        .directory, .channel(channel.id), .device(7), .setting("token-keys"), .directory,
      ])
    #expect(try a.membership.changes(after: 2, limit: 2).map(\.number) == [3, 4])
    #expect(try a.membership.lastChange() == 5)
    try a.control.apply([.recordArrival(DeviceArrival(device: 7, serial: "0", tokenKey: "k"))])
    #expect(throws: StorageFailure.self) {
      try a.control.apply([
        .putTeam(TeamRecord(id: "U", name: "U", createdMilliseconds: 1)),
        .removeTeam(id: "U"), .putChannel(channel),
        .putApp(
          AppRecord(number: 3, bundleID: "a.c", team: "NOBODY", createdMilliseconds: 1)),
      ])
    }
    #expect(try a.membership.lastChange() == 5, "a rejected batch uses no numbers")
    try await server.stop()
  }

  @Test(.requires(.initdb))
  func `a reader that follows two writers misses no change`() async throws {
    let server = try await PostgresProgram()
    let address = try PostgresAddress(server.url)
    let nodes = [try Node("a", on: address), try Node("b", on: address)]
    let count: Int64 = 60
    let writers = nodes.map { node in
      onThread {
        for number in 1...count {
          try node.control.apply([
            .putSetting(name: node.membership.name, value: [UInt8(number)]),
            .putSetting(name: "n\(number % 7)", value: [1]),
          ])
        }
      }
    }
    let reader = onThread {
      var numbers: [Int64] = []
      while numbers.count < count * 4 {
        numbers += try nodes[0].membership.changes(after: numbers.last ?? 0, limit: 50)
          .map(\.number)
      }
      return numbers
    }
    for writer in writers { try await writer.value }
    #expect(try await reader.value == Array(1...count * 4), "no number appears late")
    let own = try nodes[1].membership.changes(after: 0, limit: .max)
      .filter { $0.subject == .setting("b") }
    #expect(own.count == Int(count))
    try await server.stop()
  }

  @Test(.requires(.initdb))
  func `only the newest 100,000 changes are kept`() async throws {
    let server = try await PostgresProgram()
    let address = try PostgresAddress(server.url)
    let a = try Node("a", on: address)
    let direct = try PostgresConnection(address)
    try direct.execute(
      script: """
        SELECT belfry_record_changes(array_fill(1, ARRAY[1500]), array_fill(''::bytea, ARRAY[1500]))
        FROM generate_series(1, 75)
        """)
    #expect(try a.membership.lastChange() == 112_500)
    #expect(
      try direct.integer(.init(name: "count_all", sql: "SELECT count(*) FROM change"))
        == 100_000)
    #expect(try a.membership.changes(after: 0, limit: 1).map(\.number) == [12_501])
    try await server.stop()
  }
}
