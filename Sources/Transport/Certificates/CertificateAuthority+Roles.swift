/// The methods that issue certificates for a gateway's devices and providers.
///
/// The organizational unit in the subject distinguishes the two kinds of certificates.
extension CertificateAuthority {
  /// The organizational unit in device certificates.
  public static let deviceUnit = "Belfry device"
  /// The organizational unit in provider certificates.
  public static let providerUnit = "Belfry provider"

  /// Issues the certificate of a device that has proved that it owns the key in `publicKeySPKI`.
  ///
  /// `device` is the device's identity as text. It has no dot, so that no verifier mistakes it for a host name.
  ///
  /// The certificate is valid from the start of the authority's own validity. A wrong clock therefore can't produce a
  /// certificate that isn't valid yet.
  public func issueDevice(
    publicKeySPKI: [UInt8], device: String, now: Int64, days: Int
  ) throws(CryptoFailure) -> Certificate {
    guard !device.contains(".") else { throw .malformed(expected: "a device name without a dot") }
    return try issueClient(
      publicKeySPKI: publicKeySPKI, commonName: device, organizationalUnit: Self.deviceUnit,
      notBefore: certificate.notBefore,
      notAfter: min(now + Int64(days) * 86_400, certificate.notAfter))
  }

  /// The form of Apple push certificate that a provider's certificate imitates (apns-protocol.md 2.3).
  public enum ProviderForm: Sendable, Hashable {
    /// A certificate with a list of topics and an extension for each of its environments.
    case universal
    /// A certificate without a list of topics, whose subject's UID is the bundle identifier.
    ///
    /// Only a certificate for a single environment has an extension that names the environment.
    case uid
  }

  /// The environments in which a provider's certificate is valid.
  public enum ProviderEnvironment: Sendable, Hashable, CaseIterable {
    case development
    case production
    case both
  }

  /// The kind of key in a provider's certificate.
  public enum ProviderKeyKind: String, Sendable, Hashable, CaseIterable {
    /// An ECDSA key on P-256.
    case ec
    /// An RSA key of 2,048 bits, which Apple's certificates use and some clients require.
    case rsa
  }

  /// Issues a provider's certificate for `bundleID` with a new key.
  ///
  /// By default, the certificate is valid for a year, like Apple's certificates.
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

  /// Returns the common name, truncated to X.509's limit.
  ///
  /// Nothing depends on the common name, and the UID is always complete.
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
