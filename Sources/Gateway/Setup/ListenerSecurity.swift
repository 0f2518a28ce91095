internal import PushWire
package import Transport

/// The TLS configuration of each kind of port.
package struct ListenerSecurity: Sendable {
  /// The configuration of the provider ports.
  package var provider: StreamSecurity
  /// The configuration of the legacy ports, where channel management is also available.
  package var legacy: StreamSecurity
  /// The configuration of the device port.
  package var device: StreamSecurity
  /// The configuration of the port of the Web Push service, where HTTP/1.1 is also available.
  package var webPush: StreamSecurity

  /// Creates the TLS configuration of each kind of port.
  package init(
    provider: StreamSecurity, legacy: StreamSecurity, device: StreamSecurity,
    webPush: StreamSecurity
  ) {
    self.provider = provider
    self.legacy = legacy
    self.device = device
    self.webPush = webPush
  }
}

extension ListenerSecurity {
  /// Creates the TLS configuration of listeners that present these certificates.
  ///
  /// A provider that requests a host name in the operator's `own` certificate receives that certificate. A device
  /// doesn't, because it trusts only the gateway's authority.
  init(
    showing certificates: ServerCertificates, own: TLSServerContext.Identity?,
    authorityPEM: [UInt8],
    revocations: CertificateRevocations, takesOverRecords: Bool
  ) throws(TLSFailure) {
    let general = certificates.general
    assert(
      certificates.added.count == certificates.addedNames.count,
      "added certificates and their names match")
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
      device: .tls(device),
      webPush: .tls(
        try TLSServerContext(
          certificateChainPEM: general.chainPEM, privateKeyPEM: general.keyPEM,
          alternates: (own.map { [$0] } ?? []) + alternates, alpn: ["h2", "http/1.1"],
          unmatchedALPN: .ignore)))
  }
}
