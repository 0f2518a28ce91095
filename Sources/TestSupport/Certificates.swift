import System
public import Transport

extension CertificateAuthority {
  /// Creates a certificate authority for `localhost`, Apple's push hosts, and local networks.
  ///
  /// The authority's validity begins now.
  public static func forTests() throws -> CertificateAuthority {
    try make(
      commonName: "Belfry test authority",
      nameConstraints: .init(
        hostNames: ["localhost", "push.apple.com"]),
      now: SystemClock.unixMilliseconds / 1_000)
  }

  /// Issues a certificate for a server on this machine; its validity begins now.
  public func serverForTests() throws -> Identity {
    try issueServer(
      names: ["localhost"], addresses: ["127.0.0.1", "::1"],
      now: SystemClock.unixMilliseconds / 1_000)
  }

  /// Issues a certificate for a device with a new key.
  ///
  /// The certificate is valid for one day, beginning `daysAgo` days ago; a value of 2 creates an expired certificate.
  public func deviceForTests(_ device: String = "1", daysAgo: Int64 = 0) throws -> Identity {
    let key = try ES256PrivateKey()
    let certificate = try issueDevice(
      publicKeySPKI: key.publicKey.spkiDER, device: device,
      now: SystemClock.unixMilliseconds / 1_000 - daysAgo * 86_400, days: 1)
    return Identity(
      certificateChainPEM: try certificate.pem() + certificatePEM,
      privateKeyPEM: try key.pkcs8PEM(), certificate: certificate)
  }
}
