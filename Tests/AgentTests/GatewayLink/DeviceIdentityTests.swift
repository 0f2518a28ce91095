import Agent
import BelfryWire
import System
import TestSupport
import Testing
import Transport

/// What a device keeps of itself on disk.
@Suite struct DeviceIdentityTests {
  @Test func theKeyIsMadeOnceAndKeptForItsOwnerAlone() throws {
    let scratch = try ScratchFolder()
    let folder = DeviceIdentityFolder(scratch.file("device"))
    let first = try folder.load(authorityPEM: [])
    let again = try folder.load(authorityPEM: [])
    #expect(first.key.publicKey.spkiDER == again.key.publicKey.spkiDER)
    #expect(try FileSystem.mode(of: scratch.file("device/identity.key")) == 0o600)
    #expect(try FileSystem.mode(of: scratch.file("device")) == 0o700)
    #expect(first.chainPEM == nil)
  }

  @Test func aCertificateIsFoundAgainUnderItsAuthorityAlone() throws {
    let scratch = try ScratchFolder()
    let folder = DeviceIdentityFolder(scratch.file("device"))
    var identity = try folder.load(authorityPEM: [])
    let gateway = try LinkGateway(on: EventLoop())
    let other = try LinkGateway(on: EventLoop())
    let certificate = try gateway.authority.issueDevice(
      publicKeySPKI: identity.key.publicKey.spkiDER, device: "7",
      now: SystemClock.unixMilliseconds / 1_000, days: 1)
    identity.device = 7
    identity.chainPEM = try certificate.pem() + gateway.authority.certificatePEM
    try folder.save(identity)
    let found = try folder.load(authorityPEM: gateway.authority.certificatePEM)
    #expect(found.device == 7)
    #expect(found.chainPEM == identity.chainPEM)
    #expect(try folder.load(authorityPEM: other.authority.certificatePEM).chainPEM == nil)
  }

  @Test("S1-16: on another machine the identity is another one, on the same it stays")
  func anotherMachine() throws {
    let scratch = try ScratchFolder()
    let folder = DeviceIdentityFolder(scratch.file("device"))
    #expect(try folder.settle(on: "0a") == false)
    let first = try folder.load(authorityPEM: []).key.publicKey.spkiDER
    #expect(try folder.settle(on: "0a") == false)
    #expect(try folder.load(authorityPEM: []).key.publicKey.spkiDER == first)
    #expect(try folder.settle(on: "0b"))
    #expect(try folder.load(authorityPEM: []).key.publicKey.spkiDER != first)
    #expect(try folder.settle(on: "0b") == false)
    // What an earlier version kept belongs to this machine.
    try FileSystem.remove(scratch.file("device/identity.machine"))
    let second = try folder.load(authorityPEM: []).key.publicKey.spkiDER
    #expect(try folder.settle(on: "0c") == false)
    #expect(try folder.load(authorityPEM: []).key.publicKey.spkiDER == second)
  }

  @Test func aKeyThatOthersCanReadOrThatIsNoneIsRefused() throws {
    let scratch = try ScratchFolder()
    let path = scratch.file("device/identity.key")
    let folder = DeviceIdentityFolder(scratch.file("device"))
    _ = try folder.load(authorityPEM: [])
    let key = try FileSystem.read(path, limit: 10_000)
    try FileSystem.write(key, to: path, mode: 0o644)
    #expect(throws: DeviceIdentityFolder.Failure.self) { try folder.load(authorityPEM: []) }
    try FileSystem.write([1, 2, 3], to: path)
    #expect(throws: DeviceIdentityFolder.Failure.self) { try folder.load(authorityPEM: []) }
  }
}
