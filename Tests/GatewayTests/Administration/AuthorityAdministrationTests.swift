import BelfryWire
import Storage
import System
import TestSupport
import Testing
import Transport

@testable import Gateway

/// Tests of requests that rotate the certificate authority of a stopped gateway.
@Suite struct AuthorityAdministrationTests {
  private let folder: GatewayFolder
  private let scratch: ScratchFolder

  init() throws {
    scratch = try ScratchFolder()
    folder = GatewayFolder(path: scratch.file("gateway"))
    try FileSystem.makeDirectories(folder.path)
    let authorities = try folder.authorities(
      hosts: ["localhost"], nowSeconds: SystemClock.unixMilliseconds / 1_000)
    let store = try SQLiteControlStore(path: folder.controlStoreFile)
    try store.apply([
      .putSetting(name: ControlSetting.environment, value: Array("sandbox".utf8))
    ])
    // An earlier release issued the last certificate, without the name of its authority.
    for device: UInt64 in 1...8 {
      try store.apply([
        .putDevice(
          DeviceRecord(
            number: device, keyHash: SHA256.hash([UInt8(device)]),
            name: device == 2 ? "kitchen" : "", enrolledMilliseconds: 1)),
        .putDeviceCertificate(
          DeviceCertificateRecord(
            serial: "a\(device)", device: device, notAfter: 4_000_000_000,
            authority: device == 8 ? nil : authorities.keyName, isShown: true)),
      ])
    }
    store.close()
  }

  /// Records that a device has connected with a certificate from an authority.
  private func connect(
    _ device: UInt64, with authority: String, _ administration: Administration
  ) throws {
    let serial = "\(authority)\(device)"
    try administration.store.apply([
      .putDeviceCertificate(
        DeviceCertificateRecord(
          serial: serial, device: device, notAfter: 4_000_000_000, authority: authority)),
      .recordArrival(DeviceArrival(device: device, serial: serial, tokenKey: "k")),
    ])
  }

  private func numbers(_ lines: [JSONObject], _ member: String) -> [Int64?] {
    lines.map { $0[member]?.integerValue }
  }

  @Test func `the refusal to finish a rotation contains the devices that still need it`() throws {
    let administration = try Administration(stopped: folder)
    let both = try administration.perform(.rotateAuthority)
    #expect(numbers(both, "devices") == [8, 0])
    #expect(numbers(both, "lockedOut") == [nil, 0])
    let issuer = try #require(both.last?["id"]?.stringValue)
    try connect(1, with: issuer, administration)
    #expect {
      try administration.perform(.finishAuthority(isForced: false))
    } throws: { error in
      let failure = error as? AdministrationFailure
      #expect(failure?.advice.contains("'belfry device revoke DEVICE'") == true)
      #expect(failure?.advice.contains("certificate") == false)
      return failure?.what
        == "the previous authority is still needed by 7 of 8 devices (2 \"kitchen\", 3, 4, 5, 6, and 2 more)"
    }
    for device: UInt64 in 2...8 { _ = try administration.perform(.revokeDevice(number: device)) }
    let one = try administration.perform(.finishAuthority(isForced: false))
    #expect(numbers(one, "devices") == [1] && numbers(one, "lockedOut") == [0])
  }

  @Test func `a provider certificate of a retired authority is marked, and not counted`() throws {
    let administration = try Administration(stopped: folder)
    let team = "TEAMTEAM01"
    _ = try administration.perform(.addTeam(id: team, name: nil))
    _ = try administration.perform(.addTopic(.init(team: team, bundleID: "com.example.app")))
    func add() throws -> String? {
      try administration.perform(.addCertificate(.init(team: team, bundleID: "com.example.app")))
        .first?["serial"]?.stringValue
    }
    func marked() throws -> [String?] {
      try administration.perform(.listCertificates).filter {
        $0["authorityRetired"]?.boolValue == true
      }.map { $0["serial"]?.stringValue }
    }
    let former = try add()
    _ = try administration.perform(.rotateAuthority)
    #expect(try numbers(administration.perform(.listAuthorities), "providers") == [1, 0])
    #expect(try marked().isEmpty)
    let serial = try #require(former)
    #expect {
      try administration.perform(.finishAuthority(isForced: false))
    } throws: { error in
      let failure = error as? AdministrationFailure
      return failure?.what.contains(" and by 1 provider certificate (\(serial))") == true
    }
    let one = try administration.perform(.finishAuthority(isForced: true))
    #expect(numbers(one, "providers") == [0])
    #expect(try marked() == [former])
    _ = try add()
    #expect(try numbers(administration.perform(.listAuthorities), "providers") == [1])
    #expect(try marked() == [former])
  }

  @Test func `devices that a forced rotation locks out are counted separately`() throws {
    let administration = try Administration(stopped: folder)
    #expect(try numbers(administration.perform(.listAuthorities), "devices") == [8])
    #expect(try numbers(administration.perform(.listAuthorities), "lockedOut") == [0])
    let second = try #require(
      try administration.perform(.rotateAuthority).last?["id"]?.stringValue)
    try connect(1, with: second, administration)
    let one = try administration.perform(.finishAuthority(isForced: true))
    #expect(numbers(one, "devices") == [1] && numbers(one, "lockedOut") == [7])
    let marked = try administration.perform(.listDevices(of: nil)).filter {
      $0["lockedOut"]?.boolValue == true
    }
    #expect(numbers(marked, "device").compactMap(\.self).sorted() == Array(2...8))
    // A locked-out device enrolls again.
    try connect(2, with: second, administration)
    let listed = try administration.perform(.listAuthorities)
    #expect(numbers(listed, "devices") == [2] && numbers(listed, "lockedOut") == [6])
    // Locked-out devices do not delay the next rotation.
    let third = try #require(
      try administration.perform(.rotateAuthority).last?["id"]?.stringValue)
    for device: UInt64 in 1...2 { try connect(device, with: third, administration) }
    let finished = try administration.perform(.finishAuthority(isForced: false))
    // The authority of device 8's certificate is unknown, so this device is not counted as able to connect.
    #expect(numbers(finished, "devices") == [2] && numbers(finished, "lockedOut") == [6])
  }
}
