import Agent
import BelfryWire
import System
import TestSupport
import Testing
import Transport

private let oneMachine: [UInt8] = Array(0..<16)
private let anotherMachine: [UInt8] = Array(1..<17)

/// Tests of the identity that a device stores on disk.
@Suite struct DeviceIdentityTests {
  @Test func `the key is created once and is accessible only to its owner`() throws {
    let scratch = try ScratchFolder()
    let folder = DeviceIdentityFolder(scratch.file("device"), machine: oneMachine)
    let first = try folder.load(authorityPEM: []).identity
    let again = try folder.load(authorityPEM: []).identity
    #expect(first.key.publicKey.spkiDER == again.key.publicKey.spkiDER)
    #expect(try FileSystem.mode(of: scratch.file("device/identity.key")) == 0o600)
    #expect(try FileSystem.mode(of: scratch.file("device")) == 0o700)
    #expect(first.chainPEM == nil)
  }

  @Test func `a certificate is found again only under its own authority`() throws {
    let scratch = try ScratchFolder()
    let folder = DeviceIdentityFolder(scratch.file("device"), machine: oneMachine)
    let gateway = try LinkGateway(on: EventLoop())
    let other = try LinkGateway(on: EventLoop())
    let identity = try Self.enroll(folder, at: gateway)
    let found = try folder.load(authorityPEM: gateway.authority.certificatePEM).identity
    #expect(found.device == 7)
    #expect(found.chainPEM == identity.chainPEM)
    #expect(try folder.load(authorityPEM: other.authority.certificatePEM).identity.chainPEM == nil)
  }

  @Test(arguments: [(from: oneMachine, to: anotherMachine), (from: [], to: oneMachine)])
  func `A device folder that is copied to another machine becomes a new device there`(
    from: [UInt8], to: [UInt8]
  ) throws {
    let scratch = try ScratchFolder()
    let path = scratch.file("device")
    let gateway = try LinkGateway(on: EventLoop())
    let authority = gateway.authority.certificatePEM
    let first = try Self.enroll(DeviceIdentityFolder(path, machine: from), at: gateway)

    let moved = try DeviceIdentityFolder(path, machine: to).load(authorityPEM: authority)
    #expect(moved.hasMoved)
    #expect(moved.identity.key.publicKey.spkiDER != first.key.publicKey.spkiDER)
    #expect(moved.identity.device == nil && moved.identity.chainPEM == nil)
    let files = try FileSystem.list(path)
    #expect(files == ["identity.key"])

    let again = try DeviceIdentityFolder(path, machine: to).load(authorityPEM: authority)
    #expect(!again.hasMoved)
    #expect(again.identity.key.publicKey.spkiDER == moved.identity.key.publicKey.spkiDER)
  }

  @Test
  func `a machine whose id is missing for a while does not cost the device its identity`() throws {
    let scratch = try ScratchFolder()
    let path = scratch.file("device")
    let gateway = try LinkGateway(on: EventLoop())
    let authority = gateway.authority.certificatePEM
    let first = try Self.enroll(DeviceIdentityFolder(path, machine: oneMachine), at: gateway)
    let failure = #expect(throws: DeviceIdentityFolder.Failure.self) {
      _ = try DeviceIdentityFolder(path, machine: []).load(authorityPEM: authority)
    }
    #expect(failure.map { "\($0)" }?.contains("/etc/machine-id") == true)
    let again = try DeviceIdentityFolder(path, machine: oneMachine).load(authorityPEM: authority)
    #expect(!again.hasMoved)
    #expect(again.identity.device == first.device)
  }

  @Test
  func `An identity stays on the machine that made it, one without an id too`() throws {
    for machine in [oneMachine, []] {
      let scratch = try ScratchFolder()
      let gateway = try LinkGateway(on: EventLoop())
      let folder = DeviceIdentityFolder(scratch.file("device"), machine: machine)
      let first = try Self.enroll(folder, at: gateway)
      let (again, hasMoved) = try folder.load(authorityPEM: gateway.authority.certificatePEM)
      #expect(!hasMoved)
      #expect(again.key.publicKey.spkiDER == first.key.publicKey.spkiDER)
      #expect(again.device == 7)
    }
  }

  @Test func `the folder contains neither the plaintext key nor the machine's identifier`() throws {
    let scratch = try ScratchFolder()
    let folder = DeviceIdentityFolder(scratch.file("device"), machine: oneMachine)
    _ = try folder.load(authorityPEM: [])
    let file = try FileSystem.read(scratch.file("device/identity.key"), limit: 10_000)
    #expect(file.firstRange(of: Array("PRIVATE KEY".utf8)) == nil)
    #expect(file.firstRange(of: oneMachine) == nil)
    #expect(throws: CryptoFailure.self) { try ES256PrivateKey(pkcs8PEM: file) }
  }

  @Test
  func
    `a damaged key file is reported and not mistaken for another machine's, so nothing is deleted`()
    throws
  {
    let scratch = try ScratchFolder()
    let path = scratch.file("device/identity.key")
    let folder = DeviceIdentityFolder(scratch.file("device"), machine: oneMachine)
    let gateway = try LinkGateway(on: EventLoop())
    _ = try Self.enroll(folder, at: gateway)
    let whole = try FileSystem.read(path, limit: 10_000)
    var damaged = (0..<whole.count).map { Array(whole.prefix($0)) }
    for index in whole.indices {
      var file = whole
      file[index] ^= 0x10
      damaged.append(file)
    }
    damaged.append(whole + [0])
    damaged.append(try ES256PrivateKey().pkcs8PEM())
    for file in damaged {
      let failure = #expect(throws: CryptoFailure.self) {
        try DeviceKeySeal(machine: oneMachine).open(file)
      }
      #expect(failure == .malformed(expected: "a complete key that belfry sealed"))
    }
    try FileSystem.write(Array(whole.dropLast()), to: path)
    let failure = #expect(throws: DeviceIdentityFolder.Failure.self) {
      try folder.load(authorityPEM: gateway.authority.certificatePEM)
    }
    #expect("\(try #require(failure))".hasPrefix("no usable key in \(path)"))
    try FileSystem.write(whole, to: path)
    #expect(
      try folder.load(authorityPEM: gateway.authority.certificatePEM).identity.device == 7)
  }

  @Test func `a key that others can read is refused`() throws {
    let scratch = try ScratchFolder()
    let path = scratch.file("device/identity.key")
    let folder = DeviceIdentityFolder(scratch.file("device"), machine: oneMachine)
    _ = try folder.load(authorityPEM: [])
    let key = try FileSystem.read(path, limit: 10_000)
    try FileSystem.write(key, to: path, mode: 0o644)
    let failure = #expect(throws: DeviceIdentityFolder.Failure.self) {
      try folder.load(authorityPEM: [])
    }
    #expect("\(try #require(failure))".contains("other users can read"))
    // The agent still replaces an identity that was copied from another machine.
    let elsewhere = DeviceIdentityFolder(scratch.file("device"), machine: anotherMachine)
    #expect(try elsewhere.load(authorityPEM: []).hasMoved)
    #expect(try FileSystem.mode(of: path) == 0o600)
  }

  /// Creates an identity in the folder and enrolls it as device 7.
  private static func enroll(
    _ folder: DeviceIdentityFolder, at gateway: LinkGateway
  ) throws -> DeviceIdentity {
    var identity = try folder.load(authorityPEM: []).identity
    let certificate = try gateway.authority.issueDevice(
      publicKeySPKI: identity.key.publicKey.spkiDER, device: "7",
      now: SystemClock.unixMilliseconds / 1_000, days: 1)
    identity.device = 7
    identity.chainPEM = try certificate.pem() + gateway.authority.certificatePEM
    try folder.save(identity)
    return identity
  }
}
