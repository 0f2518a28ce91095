import Agent
import PushWire
import System
import TestSupport
import Testing
import Transport

/// Tests of the authorities that a device trusts, as stored with its identity.
@Suite struct DeviceTrustTests {
  private let now = SystemClock.unixMilliseconds / 1_000
  private let first: CertificateAuthority
  private let second: CertificateAuthority
  private let key: ES256PrivateKey

  init() throws {
    first = try Self.authority("One", now)
    second = try Self.authority("Two", now)
    key = try ES256PrivateKey()
  }

  private static func authority(_ name: String, _ now: Int64) throws -> CertificateAuthority {
    try .make(commonName: name, nameConstraints: .init(hostNames: ["localhost"]), now: now)
  }

  private func certificate(
    _ authority: CertificateAuthority, of key: ES256PrivateKey? = nil, device: UInt64 = 7
  ) throws -> Certificate {
    try authority.issueDevice(
      publicKeySPKI: (key ?? self.key).publicKey.spkiDER, device: "\(device)", now: now, days: 30)
  }

  /// Returns an identity that was enrolled under the first authority.
  private func enrolled() throws -> DeviceIdentity {
    DeviceIdentity(
      key: key, device: 7, chainPEM: try certificate(first).pem() + first.certificatePEM)
  }

  private func renewed(_ certificate: Certificate) -> LinkFrame.Renewed {
    LinkFrame.Renewed(
      certificate: certificate.der,
      authorities: [second.certificate.der, first.certificate.der])
  }

  @Test func `one write changes certificate and trust, and what was given before stays given`()
    throws
  {
    let scratch = try ScratchFolder()
    let folder = DeviceIdentityFolder(scratch.file("device"), machine: [1])
    _ = try folder.load(authorityPEM: [])
    let stored = try folder.load(authorityPEM: []).identity
    let identity = DeviceIdentity(
      key: stored.key, device: 7,
      chainPEM: try certificate(first, of: stored.key).pem() + first.certificatePEM)
    try folder.save(identity)
    let number = FileSystem.stamp(of: scratch.file("device/identity.number"))
    let given = first.certificatePEM
    let new = try identity.renewed(
      with: renewed(certificate(second, of: stored.key)), given: given, nowSeconds: now)
    try folder.save(new)
    #expect(FileSystem.stamp(of: scratch.file("device/identity.number")) == number)

    let found = try folder.load(authorityPEM: given).identity
    #expect(found.chainPEM == new.chainPEM)
    let trust = try #require(DeviceTrust(chain: found.chainPEM ?? [], given: given))
    #expect(trust.authorities.certificates == [second.certificate, first.certificate])
  }

  @Test
  func
    `a newly given authority is trusted, and another gateway's authority rejects the certificate`()
    throws
  {
    let new = try enrolled().renewed(
      with: renewed(certificate(second)), given: first.certificatePEM, nowSeconds: now)
    let chain = try #require(new.chainPEM)
    let both = first.certificatePEM + second.certificatePEM
    #expect(
      DeviceTrust(chain: chain, given: both)?.authorities.certificates
        == [first.certificate, second.certificate])
    #expect(
      DeviceTrust(chain: chain, given: second.certificatePEM)?.authorities.certificates
        == [second.certificate])
    let other = try Self.authority("Other", now)
    #expect(DeviceTrust(chain: chain, given: other.certificatePEM) == nil)
    #expect(!DeviceIdentity.isChain(chain, of: try ES256PrivateKey(), under: both))
  }

  @Test func `the same authority with another certificate is the same gateway`() throws {
    let reissued = try first.reissued(nameConstraints: .init(hostNames: ["localhost", "new"]))
    let chain = try #require(try enrolled().chainPEM)
    #expect(
      DeviceTrust(chain: chain, given: reissued.certificatePEM)?.authorities.certificates
        == [reissued.certificate])
  }

  @Test func `a certificate of another key, number or authority is refused`() throws {
    let identity = try enrolled()
    for wrong in [
      try certificate(second, of: ES256PrivateKey()), try certificate(second, device: 8),
      try certificate(first),
    ] {
      #expect(throws: (any Error).self) {
        try identity.renewed(
          with: renewed(wrong), given: first.certificatePEM, nowSeconds: now)
      }
    }
    #expect(throws: (any Error).self) {
      try identity.renewed(
        with: renewed(certificate(second)), given: first.certificatePEM,
        nowSeconds: now + 31 * 86_400)
    }
  }
}
