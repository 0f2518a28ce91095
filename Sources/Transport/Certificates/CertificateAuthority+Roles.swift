/// The two kinds of clients of a gateway, told apart by the subject's organisational unit.
extension CertificateAuthority {
  /// The organisational unit of devices' certificates.
  public static let deviceUnit = "Belfry device"
  /// The organisational unit of providers' certificates.
  public static let providerUnit = "Belfry provider"

  /// The certificate of a device that proved to own the key in `publicKeySPKI`; `device` is its
  /// identity in text, without a dot, so that no verifier takes it for a host name.
  ///
  /// It begins with its authority, so that a wrong clock issues none that is not valid yet.
  public func issueDevice(
    publicKeySPKI: [UInt8], device: String, now: Int64, days: Int
  ) throws(CryptoFailure) -> Certificate {
    guard !device.contains(".") else { throw .malformed(expected: "a device without a dot") }
    return try issueClient(
      publicKeySPKI: publicKeySPKI, commonName: device, organizationalUnit: Self.deviceUnit,
      notBefore: certificate.notBefore,
      notAfter: min(now + Int64(days) * 86_400, certificate.notAfter))
  }

  /// Which of Apple's push certificates to imitate (apns-protocol.md 2.3).
  public enum ProviderForm: Sendable, Hashable {
    /// Both environments' extensions and a list of topics.
    case universal
    /// The bundle identifier in the subject's UID, and no extension at all.
    case uid
  }

  /// Where a provider's certificate is to be valid.
  public enum ProviderEnvironment: Sendable, Hashable, CaseIterable {
    case development
    case production
    case both
  }

  /// What kind of key a provider's certificate has.
  public enum ProviderKeyKind: String, Sendable, Hashable, CaseIterable {
    /// ECDSA on P-256.
    case ec
    /// RSA of 2,048 bits, as Apple's have and some clients demand.
    case rsa
  }

  /// A provider's certificate with a fresh key for `bundleID`, for a year as Apple's are.
  public func issueProvider(
    bundleID: String, environment: ProviderEnvironment, form: ProviderForm,
    key kind: ProviderKeyKind = .ec, now: Int64, days: Int = 365
  ) throws(CryptoFailure) -> Identity {
    let key = try kind == .rsa ? EVPKey.generateRSA() : EVPKey.generate()
    let issued = try issueClient(
      key: key,
      commonName: Self.commonName(of: bundleID), uid: bundleID,
      organizationalUnit: Self.providerUnit, notBefore: now - Limits.clockSkewSeconds,
      notAfter: min(now + Int64(days) * 86_400, certificate.notAfter),
      extensions: Self.extensions(of: bundleID, environment: environment, form: form))
    return Identity(
      certificateChainPEM: try issued.pem() + certificatePEM, privateKeyPEM: try key.pkcs8PEM(),
      certificate: issued)
  }

  /// Truncated to X.509's limit: nothing depends on it, and the UID is complete.
  private static func commonName(of bundleID: String) -> String {
    String(
      decoding: "Apple Push Services: \(bundleID)".utf8.prefix(Limits.commonNameBytesMax),
      as: UTF8.self)
  }

  private static func extensions(
    of bundleID: String, environment: ProviderEnvironment, form: ProviderForm
  ) -> [CertificateExtension] {
    var extensions: [CertificateExtension] = []
    if form == .uid, environment == .both { return extensions }
    if environment != .production {
      extensions.append(.init(AppleExtension.development, value: AppleExtension.presence))
    }
    if environment != .development {
      extensions.append(.init(AppleExtension.production, value: AppleExtension.presence))
    }
    if form == .universal {
      let topics = AppleExtension.universalTopics(of: bundleID)
      extensions.append(.init(AppleExtension.topics, value: AppleExtension.value(of: topics)))
    }
    return extensions
  }
}
