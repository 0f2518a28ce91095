import BelfryWire
import System
import TestSupport
import Testing
import Transport

@testable import Storage

/// Tests of the records by which the control store shows which devices have completed a rotation.
@Suite struct RotationRecordsTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func device(_ number: UInt64) -> ControlChange {
    .putDevice(
      DeviceRecord(
        number: number, keyHash: SHA256.hash([UInt8(number)]), name: "", enrolledMilliseconds: 0))
  }

  private func certificate(
    _ serial: String, _ device: UInt64, ends notAfter: Int64, _ authority: String
  ) -> ControlChange {
    .putDeviceCertificate(
      DeviceCertificateRecord(
        serial: serial, device: device, notAfter: notAfter, authority: authority))
  }

  private func registration(_ device: UInt64, _ state: RegistrationRecord.State) -> ControlChange {
    .putRegistration(
      RegistrationRecord(
        key: NotificationKey(device: device, app: 1, kind: 1), generation: 0, state: state,
        changedMilliseconds: 0))
  }

  @Test func `a certificate counts once it was shown, and the ones before it are forgotten`() throws
  {
    let store = try SQLiteControlStore.inMemory()
    try store.apply([device(1), device(2), certificate("a", 1, ends: 100, "one")])
    let first = DeviceArrival(device: 1, serial: "a", tokenKey: "k")
    #expect(try store.newer(in: [first]) == [first])
    try store.apply([.recordArrival(first)])
    #expect(try store.newer(in: [first]).isEmpty)
    #expect(
      try store.deviceCertificateSummary(authority: "one", atSeconds: 0)
        == .init(devices: 2, haveShown: 1, firstEnd: 100))
    // The answer was lost, so another certificate was issued.
    try store.apply([certificate("b", 1, ends: 200, "two")])
    try store.apply([certificate("c", 1, ends: 300, "two")])
    #expect(try store.deviceCertificates().map(\.serial) == ["a", "c"])
    #expect(
      try store.deviceCertificateSummary(authority: "two", atSeconds: 0)
        == .init(devices: 2, haveShown: 0, firstEnd: 100))
    try store.apply([.recordArrival(.init(device: 1, serial: "c", tokenKey: "k"))])
    #expect(try store.deviceCertificates().map(\.serial) == ["c"])
    #expect(
      try store.deviceCertificateSummary(authority: "two", atSeconds: 0)
        == .init(devices: 2, haveShown: 1, firstEnd: 300))
    // Neither expired certificates nor revoked devices count.
    var revoked = try #require(try store.device(number: 1))
    revoked.revokedMilliseconds = 5
    try store.apply([.putDevice(revoked)])
    #expect(
      try store.deviceCertificateSummary(authority: "two", atSeconds: 400)
        == .init(devices: 1, haveShown: 0, firstEnd: nil))
  }

  @Test func `good tokens are counted by the key that their device was given them with`() throws {
    let store = try SQLiteControlStore.inMemory()
    try store.apply([
      device(1), device(2), device(3), registration(1, .active), registration(2, .disabled),
      registration(3, .unregistered),
    ])
    #expect(try store.tokenCounts() == [nil: 2])
    #expect(try store.deviceCount(ofApp: 1) == 2)
    #expect(try store.deviceCount(ofApp: 2) == 0)
    let arrival = DeviceArrival(device: 1, serial: "", tokenKey: "k1")
    #expect(try store.newer(in: [arrival]) == [arrival])
    try store.apply([.recordArrival(arrival)])
    #expect(try store.tokenCounts() == [nil: 1, "k1": 1])
    #expect(
      try store.newer(in: [arrival, .init(device: 9, serial: "", tokenKey: "k1")]).isEmpty)
    // If a device enrolls again, the records of its tokens are kept.
    try store.apply([device(1)])
    #expect(try store.tokenCounts() == [nil: 1, "k1": 1])
  }

  @Test func `a store of the former schema is brought up to date`() throws {
    let path = folder.file("control.sqlite")
    let former = SQLiteDatabase.Schema(
      applicationID: ControlEngine.schema.applicationID,
      migrations: Array(ControlEngine.schema.migrations.prefix(5)))
    let database = try SQLiteDatabase(path: path, schema: former)
    try database.execute(
      """
      INSERT INTO device VALUES (7, zeroblob(32), 'kitchen', 1, NULL);
      INSERT INTO device_certificate VALUES ('0a', 7, 1000);
      INSERT INTO registration VALUES (7, 1, 1, 0, 1, 0);
      """)
    database.close()
    let store = try SQLiteControlStore(path: path)
    #expect(try store.devices().map(\.name) == ["kitchen"])
    #expect(
      try store.deviceCertificates()
        == [DeviceCertificateRecord(serial: "0a", device: 7, notAfter: 1_000, isShown: true)])
    #expect(
      try store.deviceCertificateSummary(authority: "new", atSeconds: 0)
        == .init(devices: 1, haveShown: 0, firstEnd: 1_000))
    #expect(try store.tokenCounts() == [nil: 1])
    store.close()
  }
}
