internal import BelfryWire
package import Transport

/// The TLS configuration of each kind of port.
package struct ListenerSecurity: Sendable {
  /// On the provider ports.
  package var provider: StreamSecurity
  /// On the legacy ports, where channel management is served too.
  package var legacy: StreamSecurity
  /// On the device port.
  package var device: StreamSecurity

  /// The security of each kind of port.
  package init(provider: StreamSecurity, legacy: StreamSecurity, device: StreamSecurity) {
    self.provider = provider
    self.legacy = legacy
    self.device = device
  }
}

extension ListenerSecurity {
  /// The TLS of listeners that show these certificates.
  ///
  /// Providers that ask for a host of the operator's `own` certificate are shown that one. Devices are not: they
  /// trust the gateway's authority alone.
  init(
    showing certificates: ServerCertificates, own: TLSServerContext.Identity?,
    authorityPEM: [UInt8],
    revocations: CertificateRevocations, takesOverRecords: Bool
  ) throws(TLSFailure) {
    let general = certificates.general
    assert(certificates.added.count == certificates.addedNames.count, "a certificate each")
    let alternates = zip(certificates.added, certificates.addedNames).map { added, name in
      TLSServerContext.Identity(
        certificateChainPEM: added.chainPEM, privateKeyPEM: added.keyPEM,
        hostNames: [name.lowercased()])
    }
    func provider(
      _ unmatchedALPN: TLSServerContext.UnmatchedALPN
    ) throws(TLSFailure) -> TLSServerContext {
      try TLSServerContext(
        certificateChainPEM: general.chainPEM, privateKeyPEM: general.keyPEM,
        alternates: (own.map { [$0] } ?? []) + alternates, alpn: ["h2"],
        unmatchedALPN: unmatchedALPN, clientCertificates: .optional(caPEM: authorityPEM),
        check: revocations.evaluate)
    }
    let device = try TLSServerContext(
      certificateChainPEM: general.chainPEM, privateKeyPEM: general.keyPEM,
      alternates: alternates,
      alpn: [LinkLimits.applicationProtocol], clientCertificates: .optional(caPEM: authorityPEM),
      minimumVersion: .tls13, takeOverRecords: takesOverRecords
    ) { certificate in
      certificate.organizationalUnit == CertificateAuthority.deviceUnit
        ? .accept : .unknownAuthority
    }
    self.init(
      provider: .tls(try provider(.refuse)), legacy: .tls(try provider(.ignore)),
      device: .tls(device))
  }
}
