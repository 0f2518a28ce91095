import PushWire
import System
import TestSupport
import Testing
import Transport

@testable import Storage

@Suite struct ControlStoreTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private let team = TeamRecord(id: "ABCDE12345", name: "A team", createdMilliseconds: 1)
  private let app = AppRecord(
    number: 1, bundleID: "com.example.app", team: "ABCDE12345", keep: .max, hasBroadcast: true,
    createdMilliseconds: 2)
  private let channel = ChannelRecord(
    id: [UInt8](0..<16), app: 1, keepsLatest: true, createdMilliseconds: 3)
  private let device = DeviceRecord(
    number: .max, keyHash: SHA256.hash([1]), name: "kiosk", enrolledMilliseconds: 4)

  private var everything: [ControlChange] {
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
      .putSetting(name: "enrollment-code", value: [1, 2, 3]),
    ]
  }

  @Test
  func `everything is there after reopening, in a file of mode 0600`() throws {
    let path = folder.file("control.db")
    let store = try SQLiteControlStore(path: path)
    try store.apply(everything)
    store.close()
    #expect(try FileSystem.mode(of: path) == 0o600)
    #expect(throws: StorageFailure.self) { try store.teams() }
    let again = try SQLiteControlStore(path: path)
    #expect(try contents(again) == Set(everything))
    #expect(try again.setting("enrollment-code") == [1, 2, 3])
    #expect(try again.setting("nothing") == nil)
    // Storing everything again has no effect.
    try again.apply(everything)
    #expect(try contents(again) == Set(everything))
  }

  @Test
  func `putting again replaces what may change`() throws {
    let store = try SQLiteControlStore.inMemory()
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

  @Test
  func `removing an app takes its channels, messages, registrations and subscriptions along`()
    throws
  {
    let store = try SQLiteControlStore.inMemory()
    try store.apply(everything)
    try store.apply([.removeApp(number: 1)])
    #expect(try store.apps().isEmpty)
    #expect(try store.channels().isEmpty)
    #expect(try store.broadcasts().isEmpty)
    #expect(try store.registrations().isEmpty)
    #expect(try store.subscriptions().isEmpty)
    #expect(try store.devices() == [device])
  }

  @Test
  func `removing a team takes its keys and certificates along, and needs its apps removed`() throws
  {
    let store = try SQLiteControlStore.inMemory()
    try store.apply(everything)
    #expect(throws: StorageFailure.self) { try store.apply([.removeTeam(id: team.id)]) }
    #expect(
      try store.keys().count == 1 && store.teams() == [team], "a failed batch changes nothing")
    try store.apply([.removeApp(number: 1), .removeTeam(id: team.id)])
    #expect(try store.teams().isEmpty)
    #expect(try store.keys().isEmpty)
    #expect(try store.certificates().isEmpty)
    #expect(try store.devices() == [device])
  }

  @Test
  func `removing a channel takes its message and subscriptions along`() throws {
    let store = try SQLiteControlStore.inMemory()
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

  @Test
  func `broadcasts and subscriptions for a channel that was removed are ignored`() throws {
    let store = try SQLiteControlStore.inMemory()
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

  @Test
  func `a subscription remembers what its device received, and putting it again forgets nothing`()
    throws
  {
    let store = try SQLiteControlStore.inMemory()
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

  @Test
  func `expired broadcasts go, others stay`() throws {
    let store = try SQLiteControlStore.inMemory()
    try store.apply(everything)
    try store.apply([.removeExpiredBroadcasts(atUnixSeconds: 8)])
    #expect(try store.broadcasts().count == 1)
    try store.apply([.removeExpiredBroadcasts(atUnixSeconds: 9)])
    #expect(try store.broadcasts().isEmpty)
  }

  @Test
  func `a batch that cannot be carried out changes nothing`() throws {
    let store = try SQLiteControlStore.inMemory()
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
    #expect(try contents(store) == Set(everything))
  }

  @Test
  func `devices are found by their key and by their number`() throws {
    let store = try SQLiteControlStore.inMemory()
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

  @Test
  func `a registration is found by its device, app and kind`() throws {
    let store = try SQLiteControlStore.inMemory()
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

  @Test
  func `foreign files are refused`() throws {
    let path = folder.file("store.db")
    try SQLiteNotificationStore(path: path).close()
    #expect {
      try SQLiteControlStore(path: path)
    } throws: { error in
      if case StorageFailure.foreign = error { true } else { false }
    }
  }

  @Test
  func `a store path that is not a regular file is named in the error and left unchanged`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("store.sqlite")
    try FileSystem.makeDirectories(path)
    #expect {
      _ = try SQLiteControlStore(path: path)
    } throws: {
      "\($0)".contains("\(path) is not a regular file")
    }
    #expect(FileSystem.isDirectory(path))
  }

  @Test
  func `a hundred thousand registrations load in one go`() throws {
    let store = try SQLiteControlStore.inMemory()
    let all = (UInt64(1)...100_000).map { registration($0, generation: 1) }
    try store.apply(all.map { .putRegistration($0) })
    #expect(try store.registrations() == all)
  }

  @Test
  func `a scope contains its environments`() {
    #expect(EnvironmentScope.both.contains(.sandbox) && EnvironmentScope.both.contains(.production))
    #expect(EnvironmentScope.sandbox.contains(.sandbox))
    #expect(!EnvironmentScope.sandbox.contains(.production))
    #expect(EnvironmentScope(.production) == .production)
  }

  @Test
  func `a data folder belongs to one process at a time`() throws {
    let path = folder.file("gateway/data")
    var first: DataFolder? = try DataFolder(path)
    #expect(try FileSystem.mode(of: path) == 0o700)
    #expect(first?.file("x") == path + "/x")
    #expect {
      try DataFolder(path)
    } throws: { error in
      if case StorageFailure.busy = error { true } else { false }
    }
    first = nil
    _ = try DataFolder(path)
  }

  private func registration(_ device: UInt64, generation: UInt16) -> RegistrationRecord {
    RegistrationRecord(
      key: NotificationKey(device: device, app: 1, kind: 1), generation: generation,
      state: .disabled, changedMilliseconds: 12)
  }

  private func contents(_ store: SQLiteControlStore) throws -> Set<ControlChange> {
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
    all.append(
      .putSetting(name: "enrollment-code", value: try store.setting("enrollment-code")))
    return Set(all)
  }
}
