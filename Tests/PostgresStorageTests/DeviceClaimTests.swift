import PushWire
import Storage
import TestSupport
import Testing

@testable import PostgresStorage

@Suite(.timeLimit(.minutes(5))) struct DeviceClaimTests {
  @Test(.requires(.initdb))
  func `a device belongs to the first node that claims it, until another node takes it`()
    async throws
  {
    let server = try await PostgresProgram()
    let address = try PostgresAddress(server.url)
    let (a, b) = (try Node("a", on: address), try Node("b", on: address))
    try a.enroll(1, 2)
    #expect(try a.claim(.ifFree, 1, 2, 3) == ["held", "held", "unknown"])
    #expect(try b.claim(.ifFree, 2, 3, 1) == ["node 1", "unknown", "node 1"])
    #expect(try a.claim(.ifFree, 1) == ["held"], "a node can claim its own device again")
    #expect(try b.claim(.take, 1) == ["held"])
    #expect(try a.claim(.ifFree, 1, 2) == ["node 2", "held"])
    #expect(try a.claim(.take, 3) == ["unknown"])
    #expect(try b.put((1, device: 1)).isEmpty)
    #expect(try a.put((2, device: 1), (3, device: 2)) == [.claimLost])
    a.claims.forget(2)
    #expect(try a.put((4, device: 2)) == [.claimLost], "a forgotten claim must be made again")
    #expect(try a.claim(.ifFree, 2) == ["held"])
    #expect(try a.put((4, device: 2)).isEmpty)
    #expect(try a.sequences(1) == [1] && a.sequences(2) == [3, 4])
    try await server.stop()
  }

  @Test(.requires(.initdb))
  func `a claim returns the records that the former owner has written`() async throws {
    let server = try await PostgresProgram()
    let address = try PostgresAddress(server.url)
    let (a, b) = (try Node("a", on: address), try Node("b", on: address))
    try a.enroll(.max, 5)
    #expect(try a.claim(.ifFree, .max, 5) == ["held", "held"])
    let channel = ChannelRecord(
      id: [UInt8](0..<16), app: 1, keepsLatest: true, createdMilliseconds: 3)
    let registrations = [UInt32(1), 2].map { app in
      RegistrationRecord(
        key: NotificationKey(device: .max, app: app, kind: 1), generation: 3,
        state: app == 1 ? .active : .unregistered, changedMilliseconds: 7)
    }
    let subscription = SubscriptionRecord(device: .max, channel: channel.id)
    try a.control.apply(
      [
        .putTeam(TeamRecord(id: "T", name: "T", createdMilliseconds: 1)),
        .putApp(
          AppRecord(number: 1, bundleID: "a.b", team: "T", createdMilliseconds: 1)),
        .putChannel(channel), .putSubscription(subscription),
      ] + registrations.map { .putRegistration($0) })
    try a.put((8, device: .max), (9, device: .max))
    let results = try b.claims.claim(
      [.max, 5].map { DeviceClaimRequest(device: $0, mode: .take, hasLink: true) })
    guard results.count == 2, case .held(let first) = results[0],
      case .held(let second) = results[1]
    else {
      Issue.record("the claims failed: \(results)")
      return
    }
    #expect(first.device.number == .max && second.device.number == 5)
    #expect(first.registrations == registrations && second.registrations.isEmpty)
    #expect(first.subscriptions == [subscription] && second.subscriptions.isEmpty)
    #expect(first.highestSequence == 9 && second.highestSequence == 0)
    try await server.stop()
  }

  @Test(.requires(.initdb))
  func `a node reclaims only devices that were last connected to it`() async throws {
    let server = try await PostgresProgram()
    let address = try PostgresAddress(server.url)
    let (a, b) = (try Node("a", on: address), try Node("b", on: address))
    try a.enroll(1, 2, 3)
    #expect(try a.claim(.take, 1, 2, hasLink: true) == ["held", "held"])
    #expect(try a.claims.devicesClaimedElsewhere().isEmpty)
    #expect(try b.claim(.take, 1, 2) == ["held", "held"])
    let lost = try a.claims.devicesClaimedElsewhere()
    #expect(lost.map(\.device) == [1, 2])
    #expect(try a.claims.lostLinks(among: [3, 2, 1]).sorted() == [1, 2])
    #expect(
      try b.claims.lostLinks(among: [1, 2]).sorted() == [1, 2], "neither was connected to b")
    #expect(try b.claims.devicesClaimedElsewhere().isEmpty)
    #expect(try b.claim(.reclaim, 1, 3) == ["node 2", "node 0"], "neither was connected to b")
    #expect(try b.put((1, device: 1)).isEmpty, "b still owns the device")
    #expect(try a.claim(.reclaim, 1) == ["held"])
    #expect(try a.claims.devicesClaimedElsewhere() == lost.filter { $0.device == 2 })
    #expect(try b.claim(.ifFree, 1) == ["node 1"])
    try a.claims.removeLinks(lost + [ClaimElsewhere(device: 3, number: 1)])
    #expect(try a.claims.devicesClaimedElsewhere().isEmpty)
    #expect(try a.claim(.reclaim, 2) == ["node 2"])
    #expect(try b.claim(.take, 1, hasLink: true) == ["held"])
    #expect(try b.claims.lostLinks(among: [1]).isEmpty)
    #expect(try a.claim(.reclaim, 1) == ["node 2"], "the device has connected to b")
    try await server.stop()
  }

  @Test(.requires(.initdb))
  func `a notification that was numbered before another node's is not stored after it`()
    async throws
  {
    let server = try await PostgresProgram()
    let address = try PostgresAddress(server.url)
    let (a, b) = (try Node("a", on: address), try Node("b", on: address))
    try a.enroll(1)
    #expect(try a.claim(.take, 1) == ["held"])
    #expect(try b.claim(.take, 1) == ["held"])
    #expect(try b.put((9, device: 1)).isEmpty)
    #expect(try a.claim(.take, 1) == ["held"])
    #expect(try a.put((3, device: 1)) == [.claimLost], "a numbered the row before b's")
    #expect(try a.put((10, device: 1)).isEmpty)
    #expect(try a.sequences(1) == [9, 10])
    try await server.stop()
  }

  @Test(.requires(.initdb))
  func `the record of a link that is new since the claims were read is not removed`() async throws {
    let server = try await PostgresProgram()
    let address = try PostgresAddress(server.url)
    let (a, b) = (try Node("a", on: address), try Node("b", on: address))
    try a.enroll(1)
    #expect(try a.claim(.take, 1, hasLink: true) == ["held"])
    #expect(try b.claim(.take, 1) == ["held"])
    let lost = try a.claims.devicesClaimedElsewhere()
    #expect(lost.count == 1)
    // The device connects to a again, before a removes the record of the earlier connection.
    #expect(try a.claim(.take, 1, hasLink: true) == ["held"])
    try a.claims.removeLinks(lost)
    #expect(try b.claim(.take, 1) == ["held"])
    #expect(try a.claims.devicesClaimedElsewhere().map(\.device) == [1], "a has the link")
    try await server.stop()
  }

  @Test(.requires(.initdb))
  func `devices of a node that has ended are free, and a restarted node keeps its devices`()
    async throws
  {
    let server = try await PostgresProgram()
    let address = try PostgresAddress(server.url)
    let (a, b) = (try Node("a", on: address), try Node("b", on: address))
    try a.enroll(1, 2)
    #expect(try a.claim(.ifFree, 1, 2) == ["held", "held"])
    let restarted = try Node("a", on: address)
    #expect(try b.claim(.ifFree, 1) == ["node 1"])
    #expect(try restarted.put((1, device: 1)) == [.claimLost], "the process has no claims yet")
    #expect(try restarted.claim(.ifFree, 1) == ["held"])
    #expect(try restarted.put((1, device: 1)).isEmpty)
    #expect(throws: StorageFailure.self) { try a.claim(.ifFree, 1) }
    let row = try #require(try b.membership.nodes().first { $0.number == 1 })
    #expect(try b.membership.end(row))
    #expect(try b.claim(.ifFree, 1, 2) == ["held", "held"])
    #expect { try restarted.put((2, device: 1)) } throws: { isTakenOver($0) }
    #expect { try restarted.claim(.take, 1) } throws: { isTakenOver($0) }
    try await server.stop()
  }

  @Test(.requires(.initdb))
  func `nodes that take the same devices at the same time do not deadlock, and one owns each`()
    async throws
  {
    let server = try await PostgresProgram()
    let address = try PostgresAddress(server.url)
    let nodes = [try Node("a", on: address), try Node("b", on: address)]
    let devices = UInt64(1)...20
    for device in devices { try nodes[0].enroll(device) }
    // Half of the claims do not exist yet.
    _ = try nodes[0].claims.claim(
      devices.prefix(10).map { DeviceClaimRequest(device: $0, mode: .take, hasLink: false) })
    let work = nodes.enumerated().map { index, node in
      onThread {
        var random = SeededGenerator(seed: UInt64(index) + 1)
        for _ in 0..<30 {
          let requests = devices.shuffled(using: &random).prefix(15).map {
            DeviceClaimRequest(device: $0, mode: .take, hasLink: false)
          }
          _ = try node.claims.claim(Array(requests))
          for device in devices {
            _ = try node.notifications.commit([.remove(.of(device), sequence: 1)])
          }
        }
      }
    }
    for work in work { try await work.value }
    for device in devices {
      let refusals = try nodes.map { try $0.put((device, device: device)) }
      #expect(refusals.filter(\.isEmpty).count <= 1, "device \(device) has one owner")
      let claims = try nodes.map { try $0.claim(.ifFree, device) }
      #expect(claims.filter { $0 == ["held"] }.count == 1)
    }
    try await server.stop()
  }

  @Test(.requires(.initdb), arguments: CuttingProxy.Cut.allCases)
  func `a claim and a commit whose results are unknown are repeated`(
    cut: CuttingProxy.Cut
  ) async throws {
    let server = try await PostgresProgram()
    let proxy = try CuttingProxy(to: server.socketFolder)
    let a = try Node("a", on: try PostgresAddress(proxy.url), now: { 0 })
    let b = try Node("b", on: try PostgresAddress(server.url))
    try b.enroll(1)
    #expect(try b.claim(.ifFree, 1) == ["held"])
    proxy.cutNextCommit(cut)
    #expect(try a.claim(.take, 1) == ["held"])
    proxy.cutNextCommit(cut)
    #expect(try a.put((1, device: 1)).isEmpty)
    proxy.cutNextCommit(cut)
    try a.control.apply([.putSetting(name: "a", value: [1])])
    proxy.cutNextCommit(cut)
    try a.membership.leave()
    #expect(proxy.cutCount == 4)
    #expect(try b.sequences(1) == [1])
    #expect(try b.claim(.ifFree, 1) == ["held"], "the node has left")
    proxy.stop()
    try await server.stop()
  }
}
