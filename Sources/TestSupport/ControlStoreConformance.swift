import PushWire
public import Storage
import Testing
import Transport

/// A suite of checks for the requirements that every implementation of `ControlStore` must meet.
///
/// Each check gets a new, empty store from `make`.
public struct ControlStoreConformance: Sendable {
  private let make: @Sendable () throws -> any ControlStore

  /// Creates the suite for the stores that `make` creates.
  public init(_ make: @escaping @Sendable () throws -> any ControlStore) { self.make = make }

  /// Runs every check in the suite.
  public func check() throws {
    try keepsEverything()
    try replacesRecords()
    try replacesUpstreamsAndBudgets()
    try removesAnApp()
    try removesATeam()
    try removesAChannel()
    try ignoresRemovedChannels()
    try remembersReceivedMessages()
    try removesExpiredBroadcasts()
    try appliesAllOrNothing()
    try findsDevices()
    try findsRegistrations()
    try distinguishesInactiveRegistrations()
    try followsRotations()
    try refusesAfterClosing()
  }

  private let team = TeamRecord(id: "ABCDE12345", name: "A team", createdMilliseconds: 1)
  private let app = AppRecord(
    number: 1, bundleID: "com.example.app", team: "ABCDE12345", keep: .max, hasBroadcast: true,
    createdMilliseconds: 2)
  private let channel = ChannelRecord(
    id: [UInt8](0..<16), app: 1, keepsLatest: true, createdMilliseconds: 3)
  private let device = DeviceRecord(
    number: .max, keyHash: SHA256.hash([1]), name: "kiosk", enrolledMilliseconds: 4)

  /// One change for each kind of record.
  public var everything: [ControlChange] {
    [
      .putTeam(team), .putApp(app), .putChannel(channel), .putDevice(device),
      .putKey(
        KeyRecord(
          id: "KEY0000001", team: team.id, publicKeySPKI: [1, 2], environments: .sandbox,
          topics: ["com.example.app", "com.example.other"], relatedKey: "KEY0000002",
          createdMilliseconds: 5, revokedMilliseconds: 6)),
      .putCertificate(
        CertificateRecord(
          serial: "0a0b", team: team.id, bundleID: "com.example.app", environments: .both,
          isUniversal: true, notAfter: 7, createdMilliseconds: 8)),
      .putBroadcast(
        BroadcastRecord(
          channel: channel.id, requestID: NotificationID(high: 3, low: .max),
          uniqueID: NotificationID(high: .max, low: 1), expiration: 9, priority: 10,
          payload: [7], acceptedMilliseconds: 10)),
      .putDeviceCertificate(
        DeviceCertificateRecord(serial: "0c", device: device.number, notAfter: 11)),
      .putRegistration(registration(device.number, generation: .max)),
      .putSubscription(SubscriptionRecord(device: device.number, channel: channel.id)),
      .putUpstream(upstream),
      .putBudget(
        BudgetRecord(key: "KEY0000001", perDay: 1_000, perSecond: 20, day: 13, used: 14)),
      .putSetting(name: "enrollment-code", value: [1, 2, 3]),
    ]
  }

  private let upstream = UpstreamRecord(
    app: 1, keyID: "PUBLISHER1", teamID: "PUBLISHERS", sealedKey: [9, 0, 9],
    environment: .production, host: "push.example.org", port: 2197, authorityPEM: [4],
    createdMilliseconds: 15)

  private func replacesUpstreamsAndBudgets() throws {
    let store = try make()
    try store.apply(everything)
    var changed = upstream
    changed.environment = .sandbox
    changed.host = ""
    changed.authorityPEM = []
    changed.sealedKey = [1]
    try store.apply([.putUpstream(changed)])
    #expect(try store.upstreams() == [changed])
    // Changed limits leave the number of used pushes unchanged, and uses leave the limits unchanged.
    try store.apply([.putBudget(BudgetRecord(key: "KEY0000001", perSecond: 1))])
    #expect(
      try store.budgets() == [BudgetRecord(key: "KEY0000001", perSecond: 1, day: 13, used: 14)])
    // A use on an earlier day than the stored one counts for the stored day.
    let uses: [(day: Int64, count: Int64, stored: Int64, used: Int64)] = [
      (13, 3, 13, 17), (14, 2, 14, 2), (13, 4, 14, 6),
    ]
    for use in uses {
      try store.apply([
        .addUse(key: "KEY0000001", day: use.day, count: use.count),
        .addUse(key: "UNKNOWN", day: use.day, count: use.count),
      ])
      let stored = BudgetRecord(
        key: "KEY0000001", perSecond: 1, day: use.stored, used: use.used)
      #expect(try store.budgets() == [stored])
      #expect(try store.budget(ofKey: "KEY0000001") == stored)
    }
    try store.apply([.removeUpstream(app: 1), .removeUpstream(app: 2)])
    #expect(try store.upstreams().isEmpty)
    var orphan = upstream
    orphan.app = 9
    #expect {
      try store.apply([.putUpstream(orphan)])
    } throws: { error in
      if case StorageFailure.missing = error { true } else { false }
    }
  }

  private func keepsEverything() throws {
    let store = try make()
    try store.apply(everything)
    #expect(try Self.contents(store) == Set(everything))
    #expect(try store.setting("enrollment-code") == [1, 2, 3])
    #expect(try store.setting("nothing") == nil)
    // Storing everything again has no effect.
    try store.apply(everything)
    #expect(try Self.contents(store) == Set(everything))
    #expect(try store.app(bundleID: app.bundleID) == app)
    #expect(try store.app(bundleID: "unknown") == nil)
  }

  private func replacesRecords() throws {
    let store = try make()
    try store.apply(everything)
    var changed = app
    changed.keep = 3
    changed.hasBroadcast = false
    var revoked = device
    revoked.revokedMilliseconds = 99
    var later = registration(device.number, generation: 4)
    later.state = .unregistered
    try store.apply([
      .putApp(changed), .putDevice(revoked), .putRegistration(later),
      .putSetting(name: "enrollment-code", value: []),
    ])
    #expect(try store.apps() == [changed])
    #expect(try store.devices() == [revoked])
    #expect(try store.registrations() == [later])
    #expect(try store.setting("enrollment-code") == [])
    // Records that belong to the app still exist, because replacing an app doesn't remove them.
    #expect(try store.channels() == [channel])
    try store.apply([.putSetting(name: "enrollment-code", value: nil)])
    #expect(try store.setting("enrollment-code") == nil)
  }

  private func removesAnApp() throws {
    let store = try make()
    try store.apply(everything)
    try store.apply([.removeApp(number: 1)])
    #expect(try store.apps().isEmpty)
    #expect(try store.channels().isEmpty)
    #expect(try store.upstreams().isEmpty)
    #expect(try store.broadcasts().isEmpty)
    #expect(try store.registrations().isEmpty)
    #expect(try store.subscriptions().isEmpty)
    #expect(try store.devices() == [device])
  }

  private func removesATeam() throws {
    let store = try make()
    try store.apply(everything)
    #expect(throws: StorageFailure.self) { try store.apply([.removeTeam(id: team.id)]) }
    #expect(
      try store.keys().count == 1 && store.teams() == [team], "a failed batch changes nothing")
    try store.apply([.removeApp(number: 1), .removeTeam(id: team.id)])
    #expect(try store.teams().isEmpty)
    #expect(try store.keys().isEmpty)
    #expect(try store.budgets().isEmpty)
    #expect(try store.certificates().isEmpty)
    #expect(try store.devices() == [device])
  }

  private func removesAChannel() throws {
    let store = try make()
    try store.apply(everything)
    try store.apply([
      .removeSubscription(SubscriptionRecord(device: 5, channel: channel.id)),
      .removeChannel(id: channel.id),
    ])
    #expect(try store.channels().isEmpty)
    #expect(try store.broadcasts().isEmpty)
    #expect(try store.subscriptions().isEmpty)
    #expect(try store.apps() == [app])
  }

  private func ignoresRemovedChannels() throws {
    let store = try make()
    try store.apply(everything)
    try store.apply([.removeChannel(id: channel.id)])
    try store.apply(
      everything.filter { change in
        switch change {
        case .putBroadcast, .putSubscription: true
        default: false
        }
      })
    #expect(try store.broadcasts().isEmpty)
    #expect(try store.subscriptions().isEmpty)
  }

  private func remembersReceivedMessages() throws {
    let store = try make()
    try store.apply(everything)
    var marked = SubscriptionRecord(device: device.number, channel: channel.id)
    marked.received = NotificationID(high: .max, low: 1)
    try store.apply([.markSubscription(marked)])
    #expect(try store.subscriptions().first?.received == marked.received)
    marked.received = nil
    try store.apply([.putSubscription(marked)])
    #expect(try store.subscriptions().first?.received != nil)
    marked.device = 77
    try store.apply([.markSubscription(marked)])
    #expect(try store.subscriptions().count == 1)
  }

  private func removesExpiredBroadcasts() throws {
    let store = try make()
    try store.apply(everything)
    try store.apply([.removeExpiredBroadcasts(atUnixSeconds: 8)])
    #expect(try store.broadcasts().count == 1)
    try store.apply([.removeExpiredBroadcasts(atUnixSeconds: 9)])
    #expect(try store.broadcasts().isEmpty)
  }

  private func appliesAllOrNothing() throws {
    let store = try make()
    try store.apply(everything)
    var twin = app
    twin.number = 2
    #expect {
      try store.apply([.putSetting(name: "x", value: [1]), .putApp(twin)])
    } throws: { error in
      if case StorageFailure.exists = error { true } else { false }
    }
    #expect(try store.setting("x") == nil)
    var orphan = app
    orphan.number = 3
    orphan.bundleID = "org.orphan"
    orphan.team = "NOBODY0000"
    #expect {
      try store.apply([.putApp(orphan)])
    } throws: { error in
      if case StorageFailure.missing = error { true } else { false }
    }
    #expect(try Self.contents(store) == Set(everything))
  }

  private func findsDevices() throws {
    let store = try make()
    let key = SHA256.hash(Array("key".utf8))
    let devices = [3, 5, 9].map { (number: UInt64) in
      DeviceRecord(
        number: number, keyHash: number == 5 ? SHA256.hash([]) : key, name: "",
        enrolledMilliseconds: 1, revokedMilliseconds: number == 3 ? 2 : nil)
    }
    try store.apply(devices.map { .putDevice($0) })
    #expect(try store.devices(withKey: key) == [devices[0], devices[2]])
    #expect(try store.devices(withKey: SHA256.hash([1])).isEmpty)
    #expect(try store.hasDevice(numbered: 5..<6))
    #expect(try store.hasDevice(numbered: 0..<100))
    #expect(try !store.hasDevice(numbered: 6..<9))
    #expect(try !store.hasDevice(numbered: 10..<1 << 53))
    #expect(try store.device(number: 3) == devices[0])
    #expect(try store.device(number: 4) == nil)
  }

  private func findsRegistrations() throws {
    let store = try make()
    let device = DeviceRecord(
      number: 3, keyHash: SHA256.hash([]), name: "", enrolledMilliseconds: 1)
    let records = [(UInt32(5), UInt8(1)), (5, 2), (6, 1)].map { app, kind in
      RegistrationRecord(
        key: NotificationKey(device: 3, app: app, kind: kind), generation: UInt16(app),
        state: kind == 1 ? .active : .unregistered, changedMilliseconds: 7)
    }
    try store.apply(
      [.putTeam(TeamRecord(id: "T", name: "T", createdMilliseconds: 1)), .putDevice(device)]
        + [UInt32(5), 6].map {
          .putApp(AppRecord(number: $0, bundleID: "a.\($0)", team: "T", createdMilliseconds: 1))
        })
    try store.apply(records.map { .putRegistration($0) })
    for record in records { #expect(try store.registration(of: record.key) == record) }
    #expect(try store.registrations(ofDevice: 3) == records)
    #expect(try store.registrations(ofDevice: 4).isEmpty)
    #expect(try store.registration(of: NotificationKey(device: 4, app: 5, kind: 1)) == nil)
    #expect(try store.registration(of: NotificationKey(device: 3, app: 6, kind: 2)) == nil)
  }

  private func distinguishesInactiveRegistrations() throws {
    let store = try make()
    try store.apply(everything)
    let key = NotificationKey(device: 7, app: 1, kind: 1)
    for generation in UInt16(0)..<7 {
      let active = RegistrationRecord(
        key: key, generation: generation, state: .active,
        changedMilliseconds: Int64(generation) * 10)
      var ended = active
      ended.state = .unregistered
      ended.changedMilliseconds += 5
      try store.apply([.putRegistration(active)])
      try store.apply([.putRegistration(ended)])
    }
    let start = FeedbackCursor(endOfMillisecond: -1)
    let all = try store.unregistered(app: 1, kind: 1, after: start, limit: 100)
    #expect(all.map(\.generation) == [2, 3, 4, 5, 6], "four earlier tokens and the last one")
    #expect(all.allSatisfy { $0.state == .unregistered && $0.key == key })
    try #require(all.count > 2)
    let page = try store.unregistered(app: 1, kind: 1, after: start, limit: 2)
    #expect(page.map(\.generation) == [2, 3])
    let next = try store.unregistered(
      app: 1, kind: 1, after: FeedbackCursor(page[1]), limit: 2)
    #expect(next.map(\.generation) == [4, 5])
    try store.apply([.forgetFormerRegistrations(app: 1, kind: 1, upToMilliseconds: 45)])
    let rest = try store.unregistered(app: 1, kind: 1, after: start, limit: 100)
    #expect(rest.map(\.generation) == [5, 6])
    try store.apply([
      .putRegistration(registration(8, generation: 1)),
      .unregisterAll(device: 8, atMilliseconds: 99),
    ])
    #expect(try store.registrations(ofDevice: 8).map(\.state) == [.unregistered])
    #expect(try store.registrations(ofDevice: 8).map(\.changedMilliseconds) == [99])
  }

  private func followsRotations() throws {
    let store = try make()
    try store.apply(everything)
    let number = device.number
    try store.apply([
      .putDeviceCertificate(
        DeviceCertificateRecord(serial: "0d", device: number, notAfter: 50, authority: "new"))
    ])
    #expect(try store.deviceCertificates().map(\.serial) == ["0d"], "the other one was never shown")
    let none = try store.deviceCertificateSummary(authority: "new", atSeconds: 1)
    #expect(none == DeviceCertificateSummary(devices: 1, haveShown: 0, firstEnd: nil))
    #expect(try store.tokenCounts() == [nil: 1])
    #expect(try store.deviceCount(ofApp: 1) == 1 && store.deviceCount(ofApp: 2) == 0)
    let arrival = DeviceArrival(device: number, serial: "0d", tokenKey: "first")
    #expect(try store.newer(in: [arrival]) == [arrival])
    try store.apply([.recordArrival(arrival)])
    #expect(try store.newer(in: [arrival]).isEmpty)
    let shown = try store.deviceCertificateSummary(authority: "new", atSeconds: 1)
    #expect(shown == DeviceCertificateSummary(devices: 1, haveShown: 1, firstEnd: 50))
    let later = try store.deviceCertificateSummary(authority: "old", atSeconds: 50)
    #expect(later == DeviceCertificateSummary(devices: 1, haveShown: 0, firstEnd: nil))
    #expect(try store.tokenCounts() == ["first": 1])
    // A later certificate replaces the earlier one as soon as the device has presented it.
    try store.apply([
      .putDeviceCertificate(
        DeviceCertificateRecord(serial: "0e", device: number, notAfter: 60, authority: "new"))
    ])
    #expect(try store.deviceCertificates().map(\.serial) == ["0d", "0e"])
    try store.apply([
      .recordArrival(DeviceArrival(device: number, serial: "0e", tokenKey: "second"))
    ])
    #expect(try store.deviceCertificates().map(\.serial) == ["0e"])
    #expect(try store.tokenCounts() == ["second": 1])
  }

  private func refusesAfterClosing() throws {
    let store = try make()
    store.close()
    #expect(throws: StorageFailure.self) { try store.teams() }
    #expect(throws: StorageFailure.self) { try store.apply(everything) }
  }

  private func registration(_ device: UInt64, generation: UInt16) -> RegistrationRecord {
    assert(device > 0, "the number of a device is positive")
    return RegistrationRecord(
      key: NotificationKey(device: device, app: 1, kind: 1), generation: generation,
      state: .disabled, changedMilliseconds: 12)
  }

  /// Returns a change for each record in a store.
  public static func contents(_ store: any ControlStore) throws -> Set<ControlChange> {
    var all: [ControlChange] = []
    all += try store.teams().map { .putTeam($0) }
    all += try store.keys().map { .putKey($0) }
    all += try store.certificates().map { .putCertificate($0) }
    all += try store.apps().map { .putApp($0) }
    all += try store.channels().map { .putChannel($0) }
    all += try store.broadcasts().map { .putBroadcast($0) }
    all += try store.devices().map { .putDevice($0) }
    all += try store.deviceCertificates().map { .putDeviceCertificate($0) }
    all += try store.registrations().map { .putRegistration($0) }
    all += try store.subscriptions().map { .putSubscription($0) }
    all += try store.upstreams().map { .putUpstream($0) }
    all += try store.budgets().map { .putBudget($0) }
    all.append(
      .putSetting(name: "enrollment-code", value: try store.setting("enrollment-code")))
    return Set(all)
  }
}
