import Storage
import System
import TestSupport
import Testing

@testable import Gateway
@testable import Transport

private let now: Int64 = 1_795_000_000
private let hosts = ["localhost"]

/// Tests of the rotation of the authority in the folder.
///
/// A gateway can be killed between any two writes.
@Suite struct AuthorityRotationTests {
  private let scratch: ScratchFolder
  private let folder: GatewayFolder

  init() throws {
    scratch = try ScratchFolder()
    folder = GatewayFolder(path: scratch.file("gateway"))
    _ = try DataFolder(folder.path)
  }

  private func authorities() throws -> Authorities {
    try folder.authorities(hosts: hosts, nowSeconds: now)
  }

  private func server(_ authorities: Authorities) throws -> Certificate {
    try folder.server(
      hosts: hosts, addresses: ["127.0.0.1"], authority: authorities.server, nowSeconds: now
    ).general.certificate
  }

  private func device(_ authorities: Authorities) throws -> Certificate {
    try authorities.issueDevice(
      publicKeySPKI: ES256PrivateKey().publicKey.spkiDER, device: "7", now: now, days: 30)
  }

  private func content(_ name: String) throws -> [UInt8] {
    try FileSystem.read(folder.file(name), limit: 65_536)
  }

  @Test func `both authorities are trusted until the rotation is finished, then only the new one`()
    throws
  {
    let first = try authorities()
    let copy = try Certificate(pem: content("ca.pem"))
    let formerDevice = try device(first)
    _ = try #require(try folder.addAuthority(nowSeconds: now))
    #expect(try folder.addAuthority(nowSeconds: now) == nil)

    let both = try authorities()
    #expect(both.isRotating && both.server.certificate == first.server.certificate)
    let newDevice = try device(both)
    for device in [formerDevice, newDevice] {
      try CertificateChain.check(
        device, authorities: both.trusted.certificates, purpose: .client, now: now)
    }
    // Check a client with a copy of the previous ca.pem, and a client with the current file.
    for trusted in [[copy], try AuthorityBundle(pem: content("ca.pem")).certificates] {
      try CertificateChain.check(
        server(both), authorities: trusted, purpose: .server, now: now)
    }
    #expect(both.trustedCertificates == [both.issuer.certificate, first.server.certificate])

    _ = try #require(try folder.giveUpFormerAuthorities())
    #expect(try folder.giveUpFormerAuthorities() == nil)
    let one = try authorities()
    #expect(!one.isRotating && one.server.certificate == both.issuer.certificate)
    for authority in [both.issuer.certificate] {
      try CertificateChain.check(
        server(one), authorities: [authority], purpose: .server, now: now)
      try CertificateChain.check(
        newDevice, authorities: one.trusted.certificates, purpose: .client, now: now)
    }
    #expect(throws: CertificateChain.Failure.self) {
      try CertificateChain.check(
        formerDevice, authorities: one.trusted.certificates, purpose: .client, now: now)
    }
    #expect(try PEMText.blocks(of: content("ca-key.pem"), label: "PRIVATE KEY").count == 1)
    #expect(one.server.certificate.commonName == "Belfry gateway authority 2")
    #expect(
      try folder.addAuthority(nowSeconds: now)?.issuer.certificate.commonName
        == "Belfry gateway authority 3")
  }

  @Test func `whichever write was the last, the folder has its authorities`() throws {
    let first = try authorities()
    let (oneKey, oneCertificate) = (try content("ca-key.pem"), try content("ca.pem"))
    let both = try #require(try folder.addAuthority(nowSeconds: now))
    let (bothKeys, bothCertificates) = (try content("ca-key.pem"), try content("ca.pem"))

    // The gateway was killed in `rotate`, after it wrote the keys. The rotation has not started, and the new key is
    // removed.
    try folder.write(bothKeys, "ca-key.pem")
    try folder.write(oneCertificate, "ca.pem")
    var found = try authorities()
    #expect(!found.isRotating && found.server.certificate == first.server.certificate)
    try folder.removeFormerKeys(found)
    #expect(try content("ca-key.pem") == oneKey)

    // The gateway was killed in `finish`, after it wrote the certificates. The rotation is finished, and the former key
    // is removed.
    try folder.write(bothKeys, "ca-key.pem")
    try folder.write(both.issuer.certificatePEM, "ca.pem")
    found = try authorities()
    #expect(!found.isRotating && found.server.certificate == both.issuer.certificate)
    try folder.removeFormerKeys(found)
    #expect(try content("ca-key.pem") == both.issuer.privateKeyPEM)

    // Simulate a backup with the keys from before `rotate` and the certificates from after it. Devices of both
    // authorities are admitted.
    try folder.write(oneKey, "ca-key.pem")
    try folder.write(bothCertificates, "ca.pem")
    found = try authorities()
    #expect(found.server.certificate == first.server.certificate)
    try CertificateChain.check(
      device(both), authorities: found.trusted.certificates, purpose: .client, now: now)
    try CertificateChain.check(
      device(found), authorities: found.trusted.certificates, purpose: .client, now: now)
  }

  @Test func `names added during a rotation are permitted by both authorities`() throws {
    _ = try authorities()
    let handedOut = try #require(try folder.addAuthority(nowSeconds: now)).issuer.certificate
    let both = try folder.authorities(hosts: hosts + ["new"], nowSeconds: now)
    for authority in both.signing {
      #expect(GatewayFolder.hosts(permittedBy: authority.certificate).contains("new"))
    }
    #expect(try authorities().trusted == both.trusted)
    // During the rotation, the first certificate belongs to the former authority; afterward, it belongs to the new
    // authority.
    #expect(
      try folder.firstCertificate(of: both.server).publicKeySPKI
        == both.server.certificate.publicKeySPKI)
    _ = try folder.giveUpFormerAuthorities()
    let newer = try folder.authorities(hosts: hosts + ["new", "newer"], nowSeconds: now)
    #expect(try folder.firstCertificate(of: newer.server) == handedOut)
    // A client with a copy of the authority's certificate from the start of the rotation can still connect, because
    // that copy permits every name in the general certificate.
    let shown = try folder.server(
      hosts: hosts + ["new", "newer"], addresses: ["127.0.0.1"], authority: newer.server,
      nowSeconds: now)
    #expect(shown.general.names == hosts + ["127.0.0.1"])
    #expect(shown.addedNames == ["new", "newer"])
  }

  @Test func `an operator's own authority is not rotated`() throws {
    let own = try CertificateAuthority.make(
      commonName: "Example Corporation", nameConstraints: .init(hostNames: hosts), now: now)
    try folder.write(own.certificatePEM, "ca.pem")
    try folder.write(own.privateKeyPEM, "ca-key.pem")
    #expect(try folder.addAuthority(nowSeconds: now) == nil)
    // The operator appends the next authority.
    let next = try CertificateAuthority.make(
      commonName: "Example Corporation, next", nameConstraints: .init(hostNames: hosts), now: now)
    try folder.write(own.certificatePEM + next.certificatePEM, "ca.pem")
    try folder.write(own.privateKeyPEM + next.privateKeyPEM, "ca-key.pem")
    let both = try authorities()
    #expect(both.isRotating && both.server.certificate == own.certificate)
    #expect(both.issuer.certificate == next.certificate)
  }
}
