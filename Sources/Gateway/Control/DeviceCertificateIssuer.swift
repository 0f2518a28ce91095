package import Transport

/// Issues the certificates of a gateway's devices.
package protocol DeviceCertificateIssuer: Sendable {
  /// The issuer's own certificate, which a device gets with its own.
  var certificatePEM: [UInt8] { get }

  /// The certificate of a device that proved to own the key in `publicKeySPKI`, valid for `days` from `now`
  /// (seconds since 1970).
  func issueDevice(
    publicKeySPKI: [UInt8], device: String, now: Int64, days: Int
  ) throws(CryptoFailure) -> Certificate
}

extension CertificateAuthority: DeviceCertificateIssuer {}
