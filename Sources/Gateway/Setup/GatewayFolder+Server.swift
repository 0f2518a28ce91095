internal import System
internal import Transport

/// The certificates that the gateway's listeners present to their clients.
struct ServerCertificates {
  /// A certificate with its issuers, its key, and the names that it contains.
  struct Identity {
    var chainPEM: [UInt8]
    var keyPEM: [UInt8]
    var names: [String]
    var certificate: Certificate
  }

  /// The default certificate, which clients accept with any copy of `ca.pem` that was ever distributed.
  var general: Identity
  /// The certificates for clients that request one of `addedNames`, in the same order.
  ///
  /// These names have separate certificates because a copy of `ca.pem` that permits one of the names might forbid
  /// another.
  var added: [Identity] = []
  /// The host names that the current `ca.pem` permits but the first one doesn't.
  var addedNames: [String] = []
  /// The names that the listeners' certificates don't contain, because the authority doesn't permit them.
  var forbiddenNames: [String] = []
  /// The names that an earlier start added, and that these certificates do not contain.
  var unservedNames: [String] = []

  /// The time, in seconds since 1970, at which the first of the certificates expires.
  var notAfter: Int64 {
    added.reduce(general.certificate.notAfter) { min($0, $1.certificate.notAfter) }
  }

  /// The time, in seconds since 1970, from which all of the certificates are valid.
  var notBefore: Int64 {
    added.reduce(general.certificate.notBefore) { max($0, $1.certificate.notBefore) }
  }
}

extension GatewayFolder {
  /// Reads the certificates for these names, or issues new ones.
  ///
  /// A certificate is replaced if it is missing, expires soon, contains other names, doesn't match its private key, or
  /// was signed under another certificate of the authority.
  ///
  /// With `retainsFormer`, the certificates also contain the names that the first `ca.pem` was created for. No
  /// certificate contains a name that its authority forbids, because clients would reject the entire certificate.
  func server(
    hosts: [String], addresses: [String], retainsFormer: Bool = false,
    authority: CertificateAuthority, nowSeconds: Int64
  ) throws(Failure) -> ServerCertificates {
    let first = try firstCertificate(of: authority)
    let present = authority.certificate
    // Clients that know the machine by a previous name can continue to use that name.
    let former =
      retainsFormer && Self.isOwn(authority)
      ? Self.hosts(permittedBy: first).filter { !hosts.contains($0) } : []
    var (general, added, forbidden): ([String], [String], [String]) = ([], [], [])
    for name in hosts + former + addresses {
      if try permits(name, authority, first) {
        general.append(name)
      } else if AddressRange(name) == nil, try permits(name, authority, present) {
        added.append(name)
      } else {
        forbidden.append(name)
      }
    }
    assert(!general.contains(where: added.contains), "a name is in only one of the lists")
    var certificates = ServerCertificates(
      general: try identity("server", general, authority, nowSeconds))
    for name in added {
      let file = "server-added-\(name.replacing("*", with: "_"))"
      certificates.added.append(try identity(file, [name] + general, authority, nowSeconds))
    }
    certificates.addedNames = added
    certificates.forbiddenNames = forbidden
    let served = Set((general + added + forbidden).map { Array($0.utf8) })
    certificates.unservedNames = addedCertificates.flatMap(\.hostNames)
      .filter { !served.contains(Array($0.utf8)) }
    return certificates
  }

  /// Returns true if a certificate should be replaced: it expires soon, or it isn't valid yet but a new one would be.
  ///
  /// A certificate that expires at the same time as its authority isn't replaced, because a new one would expire then
  /// too.
  private func needsRenewal(
    _ certificate: Certificate, _ authority: CertificateAuthority, _ nowSeconds: Int64
  ) -> Bool {
    if certificate.notBefore > nowSeconds {
      return authority.certificate.notBefore <= nowSeconds
    }
    return certificate.notAfter - nowSeconds
      <= Int64(Limits.serverCertificateRenewalDays) * 86_400
      && certificate.notAfter < authority.certificate.notAfter
  }

  /// Returns true if clients would reject a certificate for this name from this authority.
  func forbids(_ name: String, _ authority: CertificateAuthority) throws(Failure) -> Bool {
    if try permits(name, authority, firstCertificate(of: authority)) { return false }
    if AddressRange(name) != nil { return true }
    return try !permits(name, authority, authority.certificate)
  }

  private func permits(
    _ name: String, _ authority: CertificateAuthority, _ anchor: Certificate
  ) throws(Failure) -> Bool {
    try crypto("ca.pem") { () throws(CryptoFailure) in try authority.permits(name, under: anchor) }
  }

  /// Returns true if a listener can present the certificate chain with this private key.
  private static func isPair(_ chain: [UInt8], _ key: [UInt8]) -> Bool {
    let context = try? TLSServerContext(
      certificateChainPEM: chain, privateKeyPEM: key, alpn: [])
    return context != nil
  }

  private func identity(
    _ file: String, _ names: [String], _ authority: CertificateAuthority, _ nowSeconds: Int64
  ) throws(Failure) -> ServerCertificates.Identity {
    let listed = Array(names.joined(separator: "\n").utf8)
    if let chain = try read("\(file).pem"), let key = try read("\(file)-key.pem"),
      try read("\(file)-names") == listed, let certificate = try? Certificate(pem: chain),
      !needsRenewal(certificate, authority, nowSeconds), Self.isPair(chain, key),
      chain.suffix(authority.certificatePEM.count) == authority.certificatePEM[...]
    {
      return .init(chainPEM: chain, keyPEM: key, names: names, certificate: certificate)
    }
    let made = try crypto("\(file).pem") { () throws(CryptoFailure) in
      try authority.issueServer(
        names: names.filter { AddressRange($0) == nil },
        addresses: names.filter { AddressRange($0) != nil }, now: nowSeconds,
        days: Limits.serverCertificateDays)
    }
    try write(made.privateKeyPEM, "\(file)-key.pem")
    try write(made.certificateChainPEM, "\(file).pem", mode: 0o644)
    try write(listed, "\(file)-names", mode: 0o644)
    return .init(
      chainPEM: made.certificateChainPEM, keyPEM: made.privateKeyPEM, names: names,
      certificate: made.certificate)
  }
}
