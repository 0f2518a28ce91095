import PushWire
import Storage
import Transport

/// The control store of a gateway, which contains devices, apps, and registrations.
enum ControlUnderPowerCuts: PowerCutSubject {
  struct Contents: Equatable {
    var teams: [TeamRecord]
    var keys: [KeyRecord]
    var apps: [AppRecord]
    var channels: [ChannelRecord]
    var broadcasts: [BroadcastRecord]
    var devices: [DeviceRecord]
    var certificates: [DeviceCertificateRecord]
    var registrations: [RegistrationRecord]
    var subscriptions: [SubscriptionRecord]
    var setting: [UInt8]?
  }

  static let name = "control"
  private static let team = TeamRecord(id: "ABCDE12345", name: "A team", createdMilliseconds: 1)

  static func open(
    path: String, now: @escaping @Sendable () -> Int64
  ) throws(PowerCutFault) -> SQLiteControlStore {
    try inspectThenOpen(path) { path throws(StorageFailure) in
      try SQLiteControlStore.inspect(path: path)
    } open: { () throws(StorageFailure) in
      try SQLiteControlStore(path: path, now: now)
    } lost: { store throws(StorageFailure) in
      try store.lostCount()
    }
  }

  static func close(_ store: SQLiteControlStore) { store.close() }

  static func operation(
    after contents: Contents, number: UInt64, _ random: inout SeededGenerator
  ) -> [ControlChange] {
    var changes: [ControlChange] = [.putTeam(team)]
    let most = random.chance(0.1) ? 100 : 6
    for _ in 0..<random.draw(1...most) { changes += draw(number: number, &random) }
    return changes
  }

  private static func draw(
    number: UInt64, _ random: inout SeededGenerator
  ) -> [ControlChange] {
    let device = UInt64(random.draw(1...50))
    let app = UInt32(random.draw(1...4))
    let channel = [UInt8](repeating: UInt8(random.draw(1...9)), count: 16)
    let at = Int64(number)
    switch random.draw(0...11) {
    case 0:
      return [
        .putApp(
          AppRecord(
            number: app, bundleID: "com.example.app\(app)", team: team.id,
            keep: UInt32(random.draw(1...5)), createdMilliseconds: 2))
      ]
    case 1: return random.chance(0.3) ? [.removeApp(number: app)] : []
    case 2:
      return [
        .putChannel(
          ChannelRecord(id: channel, app: app, keepsLatest: true, createdMilliseconds: at))
      ]
    case 3: return random.chance(0.3) ? [.removeChannel(id: channel)] : []
    case 4:
      return [
        .putBroadcast(
          BroadcastRecord(
            channel: channel, requestID: NotificationID(high: 1, low: number),
            uniqueID: NotificationID(high: 2, low: number), expiration: at, priority: 5,
            payload: random.bytes(0...3_000), acceptedMilliseconds: at))
      ]
    case 5: return [.putSubscription(SubscriptionRecord(device: device, channel: channel))]
    case 6:
      return [
        .putKey(
          KeyRecord(
            id: "KEY\(random.draw(1...9))", team: team.id, publicKeySPKI: random.bytes(1...90),
            createdMilliseconds: 3, revokedMilliseconds: random.chance(0.3) ? at : nil))
      ]
    case 7: return [.putSetting(name: "code", value: random.bytes(1...20))]
    case 8...9:
      return [
        .putDevice(
          DeviceRecord(
            number: device, keyHash: SHA256.hash(random.bytes(1...9)), name: "device \(number)",
            enrolledMilliseconds: 4, revokedMilliseconds: random.chance(0.1) ? at : nil)),
        .putDeviceCertificate(
          DeviceCertificateRecord(serial: "\(random.draw(1...200))", device: device, notAfter: at)),
      ]
    default:
      let states: [RegistrationRecord.State] = [.active, .disabled, .unregistered]
      return [
        .putRegistration(
          RegistrationRecord(
            key: NotificationKey(device: device, app: app, kind: 1),
            generation: UInt16(random.draw(0...9)), state: states[random.draw(0...2)],
            changedMilliseconds: at))
      ]
    }
  }

  static func perform(
    _ operation: [ControlChange], on store: SQLiteControlStore
  ) throws(StorageFailure) { try store.apply(operation) }

  static func contents(of store: SQLiteControlStore) throws(StorageFailure) -> Contents {
    Contents(
      teams: try store.teams(), keys: try store.keys(), apps: try store.apps(),
      channels: try store.channels(), broadcasts: try store.broadcasts(),
      devices: try store.devices(), certificates: try store.deviceCertificates(),
      registrations: try store.registrations(), subscriptions: try store.subscriptions(),
      setting: try store.setting("code"))
  }

  static func records(_ contents: Contents) -> Set<String> {
    var records: [String] = contents.teams.map { "\($0)" }
    records += contents.keys.map { "\($0)" }
    records += contents.apps.map { "\($0)" }
    records += contents.channels.map { "\($0)" }
    records += contents.broadcasts.map { "\($0)" }
    records += contents.devices.map { "\($0)" }
    records += contents.certificates.map { "\($0)" }
    records += contents.registrations.map { "\($0)" }
    records += contents.subscriptions.map { "\($0)" }
    records += contents.setting.map { ["\($0)"] } ?? []
    return Set(records)
  }

  static func difference(_ expected: Contents, _ found: Contents) -> String {
    "expected \(expected.registrations.count) registrations and \(expected.devices.count) devices, "
      + "found \(found.registrations.count) and \(found.devices.count); registrations "
      + "\(expected.registrations == found.registrations ? "are" : "are not") the same"
  }
}
