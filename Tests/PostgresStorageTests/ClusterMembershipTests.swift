import Storage
import TestSupport
import Testing

@testable import PostgresStorage

@Suite(.timeLimit(.minutes(5))) struct ClusterMembershipTests {
  @Test(.requires(.initdb))
  func `a node renews its lease, and others see its beats and the changes that it has applied`()
    async throws
  {
    let server = try await PostgresProgram()
    let address = try PostgresAddress(server.url)
    let (a, b) = (try Node("a", on: address), try Node("b", on: address))
    #expect(a.membership.number == 1 && a.membership.name.utf8.elementsEqual("a".utf8))
    #expect(b.membership.number == 2)
    try b.control.apply([.putSetting(name: "x", value: [1])])
    #expect(try a.membership.renew(applied: 0, devices: 4, version: "1.2") == 1)
    #expect(try a.membership.renew(applied: 1, devices: 4, version: "1.2") == 1)
    let nodes = try b.membership.nodes()
    let seen = nodes.map(\.seenMilliseconds)
    #expect(seen.first.map { $0 > 1_700_000_000_000 } == true && seen.last == 0)
    #expect(
      nodes == [
        ClusterNode(
          number: 1, name: "a", epoch: 1, beat: 2, appliedChange: 1, isEnded: false,
          seenMilliseconds: seen.first ?? 0, devices: 4, version: "1.2"),
        ClusterNode(number: 2, name: "b", epoch: 1, beat: 0, appliedChange: 0, isEnded: false),
      ])
    try await server.stop()
  }

  @Test(.requires(.initdb))
  func `a silent node is declared dead, and a node that has renewed its lease is not`()
    async throws
  {
    let server = try await PostgresProgram()
    let address = try PostgresAddress(server.url)
    let (a, b) = (try Node("a", on: address), try Node("b", on: address))
    let seen = try #require(try b.membership.nodes().first { $0.number == 1 })
    #expect(try a.membership.renew(applied: 0, devices: 4, version: "1.2") == 0)
    #expect(try !b.membership.end(seen))
    #expect(try a.membership.renew(applied: 0, devices: 4, version: "1.2") == 0)
    let again = try #require(try b.membership.nodes().first { $0.number == 1 })
    #expect(try b.membership.end(again))
    #expect(try b.membership.end(again), "the node is still ended")
    #expect(try b.membership.nodes().map(\.isEnded) == [true, false])
    #expect(try b.membership.nodes().map(\.epoch) == [2, 1])
    #expect { try a.membership.renew(applied: 0, devices: 4, version: "1.2") } throws: {
      isTakenOver($0)
    }
    #expect {
      try a.control.apply([.putSetting(name: "x", value: [1])])
    } throws: {
      isTakenOver($0)
    }
    try await server.stop()
  }

  @Test(.requires(.initdb))
  func `a renewal does not wait for commits of the node, but the end of the node does`()
    async throws
  {
    let server = try await PostgresProgram()
    let address = try PostgresAddress(server.url)
    let (a, b) = (try Node("a", on: address), try Node("b", on: address))
    let commit = try PostgresConnection(address)
    try commit.begin("SELECT belfry_fence('a', 1)")
    #expect(try a.membership.renew(applied: 0, devices: 4, version: "1.2") == 0)
    try commit.execute(script: "COMMIT")
    let seen = try #require(try b.membership.nodes().first { $0.number == 1 })
    #expect(seen.beat == 1)
    let isEnded = try await onThread(
      whileOpen: "SELECT belfry_fence('a', 1)",
      then: "UPDATE node SET highest = 3 WHERE name = 'a'", on: address
    ) { try b.membership.end(seen) }
    #expect(isEnded)
    #expect(try b.notifications.highestSequence() == 3, "the commit was made before the end")
    try await server.stop()
  }

  @Test(.requires(.initdb))
  func `a node that starts again has the same number, and replaces the earlier process`()
    async throws
  {
    let server = try await PostgresProgram()
    let address = try PostgresAddress(server.url)
    let (a, b) = (try Node("a", on: address), try Node("b", on: address))
    let seen = try #require(try b.membership.nodes().first { $0.number == 1 })
    #expect(try b.membership.end(seen))
    let restarted = try Node("a", on: address)
    #expect(restarted.membership.number == 1)
    let row = try #require(try b.membership.nodes().first { $0.number == 1 })
    #expect(row.epoch == 3 && !row.isEnded)
    #expect(try restarted.membership.renew(applied: 0, devices: 4, version: "1.2") == 0)
    #expect { try a.membership.renew(applied: 0, devices: 4, version: "1.2") } throws: {
      isTakenOver($0)
    }
    #expect(try !b.membership.end(seen), "the observation is of an earlier process")
    try await server.stop()
  }

  @Test(.requires(.initdb))
  func `a node and a single gateway exclude each other, and each start ends the other's epoch`()
    async throws
  {
    let server = try await PostgresProgram()
    let address = try PostgresAddress(server.url)
    let (a, b) = (try Node("a", on: address), try Node("b", on: address))
    func isInUse(_ error: any Error) -> Bool {
      guard case .inUse? = error as? StorageFailure else { return false }
      return true
    }
    #expect { try PostgresStores(address) } throws: { isInUse($0) }
    #expect(try a.membership.renew(applied: 0, devices: 4, version: "1.2") == 0)
    for node in [a, b] { node.control.close() }
    let single = try PostgresStores(address)
    #expect(single.cluster == nil)
    // The connection of the membership is still open, as in a process that was frozen.
    #expect { try a.membership.renew(applied: 0, devices: 4, version: "1.2") } throws: {
      isTakenOver($0)
    }
    #expect {
      try b.notifications.commit([.removeExpired(beforeUnixSeconds: 1, limit: 1)])
    } throws: {
      isTakenOver($0)
    }
    #expect { try Node("a", on: address) } throws: { isInUse($0) }
    try single.control.apply([.putSetting(name: "x", value: [1])])
    single.control.close()
    let c = try Node("c", on: address)
    #expect(c.membership.number == 3)
    #expect { try single.notifications.commit([.removeDevice(1)]) } throws: { isTakenOver($0) }
    #expect(try c.control.setting("x") == [1])
    try await server.stop()
  }

  @Test(.requires(.initdb))
  func `a node that leaves cannot write, and its devices are free`() async throws {
    let server = try await PostgresProgram()
    let address = try PostgresAddress(server.url)
    let (a, b) = (try Node("a", on: address), try Node("b", on: address))
    try a.enroll(1)
    #expect(try a.claim(.ifFree, 1) == ["held"])
    try a.membership.leave()
    #expect(try b.membership.nodes().map(\.isEnded) == [true, false])
    #expect { try a.put((1, device: 1)) } throws: { isTakenOver($0) }
    #expect { try a.membership.renew(applied: 0, devices: 4, version: "1.2") } throws: {
      isTakenOver($0)
    }
    #expect(try b.claim(.ifFree, 1) == ["held"])
    let restarted = try Node("a", on: address)
    #expect(try b.membership.nodes().map(\.isEnded) == [false, false])
    #expect(try restarted.claim(.ifFree, 1) == ["node 2"])
    try await server.stop()
  }

  @Test(.requires(.initdb))
  func `a secret is stored once unless it is replaced, and every node reads it`() async throws {
    let server = try await PostgresProgram()
    let address = try PostgresAddress(server.url)
    let (a, b) = (try Node("a", on: address), try Node("b", on: address))
    #expect(try a.membership.secret("key") == nil)
    #expect(try a.membership.putSecret("key", [1, 0, 255], replaces: false) == [1, 0, 255])
    #expect(try b.membership.putSecret("key", [2], replaces: false) == [1, 0, 255])
    #expect(try b.membership.secret("key") == [1, 0, 255])
    #expect(try b.membership.putSecret("key", [], replaces: true) == [])
    #expect(try a.membership.secret("key") == [])
    try await server.stop()
  }

  @Test(.requires(.initdb))
  func `a reserved name, or a new name among 1,023 running nodes, is refused`() async throws {
    let server = try await PostgresProgram()
    let address = try PostgresAddress(server.url)
    func isUnsuitable(_ error: any Error) -> Bool {
      guard case .unsuitable? = error as? StorageFailure else { return false }
      return true
    }
    #expect { try Node("only", on: address) } throws: { isUnsuitable($0) }
    #expect { try Node("", on: address) } throws: { isUnsuitable($0) }
    let a = try Node("a", on: address)
    let direct = try PostgresConnection(address)
    try direct.execute(
      script: """
        INSERT INTO node (name, epoch, beat, number)
        SELECT 'n' || n, 1, 0, n FROM generate_series(2, 1023) AS n WHERE n <> 500
        """)
    #expect(try Node("b", on: address).membership.number == 500)
    #expect { try Node("c", on: address) } throws: { isUnsuitable($0) }
    #expect(try Node("n1023", on: address).membership.number == 1023)
    #expect(try a.membership.nodes().count == 1023)
    // A new name replaces that of the node that ended first.
    try direct.execute(
      script: """
        UPDATE node SET ended = true, epoch = 7, seen = 2000 WHERE name = 'n700';
        UPDATE node SET ended = true, epoch = 8, seen = 1000 WHERE name = 'n800'
        """)
    let c = try Node("c", on: address)
    #expect(c.membership.number == 800)
    let nodes = try c.membership.nodes()
    #expect(nodes.count == 1023)
    #expect(!nodes.contains { $0.name == "n800" })
    let own = try #require(nodes.first { $0.name == "c" })
    #expect(own.epoch == 9 && !own.isEnded)
    try await server.stop()
  }
}
