import Glibc
import Storage
import System
import TestSupport
import Testing

@testable import Gateway
@testable import Transport

private let now: Int64 = 1_795_000_000

@Suite struct GatewayFolderTests {
  private let scratch: ScratchFolder
  private let folder: GatewayFolder
  private let hosts = ["localhost", "api.push.apple.com"]

  init() throws {
    scratch = try ScratchFolder()
    folder = GatewayFolder(path: scratch.file("gateway"))
    _ = try DataFolder(folder.path)
  }

  @Test(arguments: ["admin-token", "token-keys", "ca.pem", "lock"])
  func `a pipe in place of a file causes an error instead of blocking`(name: String) throws {
    #expect(unsafe mkfifo(folder.file(name), 0o600) == 0 || name == "lock")
    if name == "lock" {
      try FileSystem.remove(folder.file(name))
      #expect(unsafe mkfifo(folder.file(name), 0o600) == 0)
    }
    #expect(throws: (any Error).self) {
      switch name {
      case "admin-token": _ = try folder.adminToken()
      case "token-keys": _ = try folder.tokenKeys()
      case "ca.pem": _ = try folder.authority(hosts: hosts, nowSeconds: now)
      default: _ = try DataFolder(folder.path)
      }
    }
  }

  /// Writes an authority in the form of earlier releases, with `127.0.0.0/8` among its name constraints.
  private func writeFormerAuthority(named name: String) throws -> CertificateAuthority {
    let key = try EVPKey.generate()
    let subtrees = [
      DER.sequence([DER.element(DERTag.context(2), Array("localhost".utf8))]),
      DER.sequence([DER.element(DERTag.context(7), [127, 0, 0, 0, 255, 0, 0, 0])]),
    ]
    let constraints = CertificateExtension(
      ObjectIdentifier(2, 5, 29, 30), isCritical: true,
      value: DER.sequence([
        DER.element(DERTag.context(0, constructed: true), Array(subtrees.joined()))
      ]))
    let form = CertificateForm(
      commonName: name, notBefore: now - 86_400, notAfter: now + 86_400 * 3_000, publicKey: key,
      extensions: [.authority, .signsCertificates, .usages([.server, .client]), constraints])
    let certificate = try form.signed(by: key, issuer: nil)
    try folder.write(certificate.pem(), "ca.pem")
    try folder.write(key.pkcs8PEM(), "ca-key.pem")
    return try .load(certificatePEM: certificate.pem(), privateKeyPEM: key.pkcs8PEM())
  }

  @Test
  func `an authority that constrains addresses gets a new certificate; what it signed still holds`()
    throws
  {
    let former = try writeFormerAuthority(named: "Belfry gateway authority")
    let device = try former.issueDevice(
      publicKeySPKI: ES256PrivateKey().publicKey.spkiDER, device: "7", now: now, days: 30)
    let formerServer = try folder.server(
      hosts: ["localhost"], addresses: ["127.0.0.1"], authority: former, nowSeconds: now)

    let mended = try folder.authority(hosts: hosts, nowSeconds: now)
    #expect(try mended.has(.init(hostNames: hosts)))
    #expect(mended.privateKeyPEM == former.privateKeyPEM)
    #expect(
      try Certificate(pem: FileSystem.read(folder.authorityFile, limit: 65_536))
        == mended.certificate)
    try CertificateChain.check(
      device, authorities: [mended.certificate], purpose: .client, now: now)

    let server = try folder.server(
      hosts: ["localhost"], addresses: ["127.0.0.1"], authority: mended, nowSeconds: now)
    #expect(server.general.chainPEM != formerServer.general.chainPEM)
    #expect(
      server.general.chainPEM.suffix(mended.certificatePEM.count) == mended.certificatePEM[...])
    // A device that enrolled earlier trusts the previous certificate and continues to accept the server.
    for authority in [former, mended] {
      try CertificateChain.check(
        Certificate(pem: server.general.chainPEM), authorities: [authority.certificate],
        purpose: .server, now: now)
    }
  }

  @Test
  func `certificates and keys are not created again at the next start`() throws {
    let made = try folder.authority(hosts: hosts, nowSeconds: now)
    let server = try folder.server(
      hosts: hosts, addresses: ["127.0.0.1"], authority: made, nowSeconds: now)
    let again = try folder.authority(hosts: hosts, nowSeconds: now + 1)
    #expect(again.certificate == made.certificate)
    let same = try folder.server(
      hosts: hosts, addresses: ["127.0.0.1"], authority: again, nowSeconds: now + 1)
    #expect(same.general.chainPEM == server.general.chainPEM)
    #expect(same.general.keyPEM == server.general.keyPEM)
  }

  @Test
  func `the operator's own authority is left unchanged`() throws {
    let own = try writeFormerAuthority(named: "Example Corporation")
    #expect(try folder.authority(hosts: hosts, nowSeconds: now).certificate == own.certificate)
  }

  @Test
  func `no certificate has a name that the operator's own authority forbids`() throws {
    let own = try writeFormerAuthority(named: "Example Corporation")
    let server = try folder.server(
      hosts: ["localhost", "push.example.org"], addresses: ["127.0.0.1", "192.0.2.1"],
      authority: own, nowSeconds: now)
    #expect(server.forbiddenNames == ["push.example.org", "192.0.2.1"])
    #expect(server.added.isEmpty)
    try CertificateChain.check(
      server.general.certificate, authorities: [own.certificate], purpose: .server, now: now)
    var configuration = GatewayConfiguration(folder: folder.path)
    configuration.names = ["push.example.org"]
    #expect(throws: GatewayServer.Failure.self) {
      try ServerNames(of: configuration).requirePermitted(by: own, in: folder)
    }
  }

  @Test
  func `an authority's certificate does not grow without end, and its first one stays`() throws {
    let first = try folder.authority(hosts: hosts, nowSeconds: now)
    var last = first
    for number in 0..<60 {
      last = try folder.authority(hosts: hosts + ["container-\(number)"], nowSeconds: now)
    }
    let permitted = GatewayFolder.hosts(permittedBy: last.certificate)
    #expect(permitted.count == Limits.authorityNamesMax)
    #expect(permitted.last == "container-59")
    #expect(Set(permitted).isSuperset(of: hosts))
    #expect(try folder.firstCertificate(of: last) == first.certificate)
    let server = try folder.server(
      hosts: hosts + ["container-59"], addresses: ["127.0.0.1"], authority: last, nowSeconds: now)
    #expect(server.addedNames == ["container-59"])
    let shown: [(ServerCertificates.Identity?, CertificateAuthority)] = [
      (server.general, first), (server.general, last), (server.added.first, last),
    ]
    for (identity, trusted) in shown {
      try CertificateChain.check(
        #require(identity).certificate, authorities: [trusted.certificate], purpose: .server,
        now: now)
    }
  }

  @Test
  func `a name that is added later costs those of an earlier one nothing`() throws {
    _ = try folder.authority(hosts: hosts, nowSeconds: now)
    let second = try folder.authority(hosts: hosts + ["second"], nowSeconds: now)
    let third = try folder.authority(hosts: hosts + ["second", "third"], nowSeconds: now)
    let server = try folder.server(
      hosts: hosts + ["second", "third"], addresses: ["127.0.0.1"], authority: third,
      nowSeconds: now)
    #expect(server.addedNames == ["second", "third"])
    #expect(server.added.map(\.names.first) == ["second", "third"])
    try CertificateChain.check(
      #require(server.added.first).certificate, authorities: [second.certificate],
      purpose: .server, now: now)
    try CertificateChain.check(
      #require(server.added.last).certificate, authorities: [third.certificate],
      purpose: .server, now: now)
  }
}
