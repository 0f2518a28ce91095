import PushWire
import Storage
import TestSupport
import Testing

@testable import PostgresStorage

@Suite(.timeLimit(.minutes(5))) struct FencedCommitTests {
  @Test(.requires(.initdb))
  func `operations for a lost device are refused, and the rest of the commit is stored`()
    async throws
  {
    let server = try await PostgresProgram()
    let address = try PostgresAddress(server.url)
    let (a, b) = (try Node("a", on: address), try Node("b", on: address))
    try a.enroll(1, 2)
    #expect(try a.claim(.ifFree, 1, 2) == ["held", "held"])
    #expect(try a.put((1, device: 1), (2, device: 2)).isEmpty)
    #expect(try b.claim(.take, 1) == ["held"])
    for _ in 1...2 {
      // The second time, the node knows that it has lost the device.
      let dropped = try a.notifications.commit([
        .removeKey(.of(1)), .put(.sample(3, .of(1)), keep: 1),
        .put(.sample(4, .of(2)), keep: 1), .remove(.of(1), sequence: 1), .removeDevice(1),
      ])
      #expect(dropped.filter { $0.reason == .claimLost }.map(\.operation) == [1, 3])
      #expect(dropped.filter { $0.reason == .claimLost }.map(\.sequence) == [3, 1])
      #expect(dropped.first?.uniqueID == StoredNotification.sample(3, .of(1)).uniqueID)
      #expect(dropped.last?.uniqueID == NotificationID(high: 0, low: 0))
      #expect(try a.sequences(1) == [1] && a.sequences(2) == [4])
    }
    let replaced = try a.notifications.commit([
      .put(.sample(5, .of(1)), keep: 1), .put(.sample(6, .of(2)), keep: 1),
    ])
    #expect(replaced.map(\.reason) == [.claimLost, .replaced])
    #expect(replaced.map(\.operation) == [0, 1], "operations have their original indexes")
    #expect(replaced.map(\.sequence) == [5, 4])
    let id = StoredNotification.sample(1, .of(1)).uniqueID
    let withdrawn = try a.notifications.commit([
      .withdraw(.of(1), uniqueID: id),
      .withdraw(.of(2), uniqueID: StoredNotification.sample(6, .of(2)).uniqueID),
    ])
    #expect(withdrawn.map(\.reason) == [.claimLost, .withdrawn])
    #expect(withdrawn.map(\.sequence) == [0, 6])
    #expect(withdrawn.first?.uniqueID == id)
    #expect(try a.sequences(1) == [1] && a.sequences(2).isEmpty)
    #expect(a.notifications.health?.failure == nil, "a lost claim is no failure of the server")
    try await server.stop()
  }

  @Test(.requires(.initdb))
  func `a commit that waits for a takeover is refused when the takeover commits`() async throws {
    let server = try await PostgresProgram()
    let address = try PostgresAddress(server.url)
    let (a, b) = (try Node("a", on: address), try Node("b", on: address))
    try a.enroll(1, 2)
    #expect(try a.claim(.ifFree, 1, 2) == ["held", "held"])
    let refused = try await onThread(
      whileOpen: "SELECT belfry_claim(\(b.membership.number), '{1}', '{2}', '{0}')", on: address
    ) { try a.put((1, device: 1), (2, device: 2)) }
    #expect(refused == [.claimLost])
    #expect(try a.sequences(1).isEmpty && a.sequences(2) == [2])
    try await server.stop()
  }

  @Test(.requires(.initdb))
  func `a takeover waits for a commit that has checked the claim, and returns what it stored`()
    async throws
  {
    let server = try await PostgresProgram()
    let address = try PostgresAddress(server.url)
    let (a, b) = (try Node("a", on: address), try Node("b", on: address))
    try a.enroll(1)
    #expect(try a.claim(.ifFree, 1) == ["held"])
    let results = try await onThread(
      whileOpen: """
        SELECT belfry_check_claims(\(a.membership.number), '{1}', '{1}');
        INSERT INTO notification VALUES (77, 1, 1, 1, 0, 0, 0, 0, 100, 10, 1, 0, '', '')
        """, on: address
    ) { try b.claims.claim([DeviceClaimRequest(device: 1, mode: .take, hasLink: true)]) }
    guard case .held(let claimed)? = results.first else {
      Issue.record("the takeover failed")
      return
    }
    #expect(claimed.highestSequence == 77)
    try await server.stop()
  }

  @Test(.requires(.initdb))
  func `a batch with a registration of a lost device is refused`() async throws {
    let server = try await PostgresProgram()
    let address = try PostgresAddress(server.url)
    let (a, b) = (try Node("a", on: address), try Node("b", on: address))
    try a.enroll(1, 2)
    #expect(try a.claim(.ifFree, 1, 2) == ["held", "held"])
    #expect(try b.claim(.take, 1) == ["held"])
    let batch: [ControlChange] =
      [.putSetting(name: "x", value: [1])]
      + [UInt64(2), 1].map {
        .putRegistration(
          RegistrationRecord(key: .of($0), generation: 1, state: .active, changedMilliseconds: 1))
      }
    for _ in 1...2 {
      // The second time, the node knows that it has lost the device.
      #expect {
        try a.control.apply(batch)
      } throws: {
        guard case .claimLost(let devices)? = $0 as? StorageFailure else { return false }
        return devices == [1]
      }
    }
    #expect(try a.control.registrations().isEmpty && a.control.setting("x") == nil)
    #expect(throws: StorageFailure.self) {
      try a.control.apply([
        .markSubscription(SubscriptionRecord(device: 1, channel: [UInt8](0..<16)))
      ])
    }
    try a.control.apply(batch.dropLast())
    #expect(try a.control.registrations().map(\.key.device) == [2])
    #expect(a.control.health?.failure == nil)
    try await server.stop()
  }

  @Test(.requires(.initdb))
  func `any node removes expired notifications, but not those that another transaction has locked`()
    async throws
  {
    let server = try await PostgresProgram()
    let address = try PostgresAddress(server.url)
    let (a, b) = (try Node("a", on: address), try Node("b", on: address))
    try a.enroll(1, 2)
    #expect(try a.claim(.ifFree, 1) == ["held"])
    #expect(try b.claim(.ifFree, 2) == ["held"])
    try a.notifications.commit([.put(.sample(1, .of(1), expiration: 5), keep: .max)])
    try b.notifications.commit(
      (2...4).map { .put(.sample($0, .of(2), expiration: $0 == 4 ? 50 : 5), keep: .max) })
    let other = try PostgresConnection(address)
    try other.begin("SELECT FROM notification WHERE sequence = 2 FOR UPDATE")
    let first = try a.notifications.commit([.removeExpired(beforeUnixSeconds: 10, limit: 10)])
    #expect(first.map(\.sequence) == [1, 3])
    #expect(first.map(\.reason) == [.expired, .expired])
    #expect(try b.sequences(2) == [2, 4])
    try other.execute(script: "COMMIT")
    let second = try a.notifications.commit([.removeExpired(beforeUnixSeconds: 10, limit: 10)])
    #expect(second.map(\.sequence) == [2])
    #expect(try b.sequences(2) == [4])
    try await server.stop()
  }

  @Test(.requires(.initdb))
  func `the highest sequence number is that of all nodes, and of a later single gateway`()
    async throws
  {
    let server = try await PostgresProgram()
    let address = try PostgresAddress(server.url)
    do {
      let (a, b) = (try Node("a", on: address), try Node("b", on: address))
      try a.enroll(1, 2)
      #expect(try a.claim(.ifFree, 1) == ["held"])
      #expect(try b.claim(.ifFree, 2) == ["held"])
      #expect(try a.put((9, device: 1)).isEmpty)
      #expect(try b.put((5, device: 2)).isEmpty)
      try b.notifications.commit([.removeDevice(2)])
      #expect(try a.notifications.highestSequence() == 9)
      #expect(try b.notifications.highestSequence() == 9)
      #expect(throws: Never.self) { try a.notifications.probe() }
      #expect(throws: Never.self) { try a.control.probe() }
      for node in [a, b] { node.control.close() }
    }
    let single = try PostgresStores(address)
    #expect(try single.notifications.highestSequence() == 9)
    #expect(try single.notifications.load(device: 1).map(\.sequence) == [9])
    try await server.stop()
  }

  @Test(.requires(.initdb))
  func `commits succeed while their node claims the device again and again`() async throws {
    let server = try await PostgresProgram()
    let address = try PostgresAddress(server.url)
    let a = try Node("a", on: address)
    try a.enroll(1)
    #expect(try a.claim(.ifFree, 1) == ["held"])
    let writer = onThread { try (UInt64(1)...50).flatMap { try a.put(($0, device: 1)) } }
    let claimer = onThread { try (1...50).flatMap { _ in try a.claim(.take, 1, hasLink: true) } }
    #expect(try await writer.value.isEmpty, "no commit is refused")
    #expect(try await claimer.value.allSatisfy { $0.utf8.elementsEqual("held".utf8) })
    #expect(try a.sequences(1) == Array(1...50))
    try await server.stop()
  }
}
