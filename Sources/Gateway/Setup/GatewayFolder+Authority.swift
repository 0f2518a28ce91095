public import Transport
internal import System

/// The certificates of the gateway's authority, and what clients that hold a former one accept.
///
/// Clients keep copies of `ca.pem`, so the authority's name and key never change, its certificates permit more
/// and more names, and the first one is retained: what it permits, every copy permits.
extension GatewayFolder {
  /// Reads or creates the authority; `hosts` are the names that its certificates may have at least.
  ///
  /// One that does not permit them gets a new certificate for its key; so do those of earlier releases, which
  /// constrained addresses too, as BoringSSL refuses.
  public func authority(hosts: [String], nowSeconds: Int64) throws(Failure) -> CertificateAuthority
  {
    guard let certificate = try read("ca.pem") else {
      return try makeAuthority(hosts: hosts, nowSeconds: nowSeconds)
    }
    guard let key = try read("ca-key.pem") else {
      throw .damaged(file: file("ca-key.pem"), "is missing while ca.pem is there")
    }
    let kept = try crypto("ca.pem") { () throws(CryptoFailure) in
      try CertificateAuthority.load(certificatePEM: certificate, privateKeyPEM: key)
    }
    // An operator's own authority is left as it is.
    guard kept.certificate.commonName == Self.authorityName else { return kept }
    let constraints = try crypto("ca.pem") { () throws(CryptoFailure) in
      try CertificateAuthority.NameConstraints(
        hostNames: Self.union(Self.hosts(permittedBy: kept.certificate), hosts))
    }
    if kept.has(constraints) { return kept }
    let reissued = try crypto("ca.pem") { () throws(CryptoFailure) in
      try kept.reissued(nameConstraints: constraints)
    }
    // First the copy: a start that ends between the two writes has lost nothing.
    if try read(Self.firstAuthority) == nil {
      try write(certificate, Self.firstAuthority, mode: 0o644)
    }
    try write(reissued.certificatePEM, "ca.pem", mode: 0o644)
    return reissued
  }

  private func makeAuthority(
    hosts: [String], nowSeconds: Int64
  ) throws(Failure) -> CertificateAuthority {
    let made = try crypto("ca.pem") { () throws(CryptoFailure) in
      try CertificateAuthority.make(
        commonName: Self.authorityName, nameConstraints: .init(hostNames: hosts), now: nowSeconds,
        days: Limits.authorityDays)
    }
    // It belongs to an authority that was given up.
    do throws(SystemFailure) {
      if FileSystem.exists(file(Self.firstAuthority)) {
        try FileSystem.remove(file(Self.firstAuthority))
      }
    } catch {
      throw .system(error)
    }
    try write(made.privateKeyPEM, "ca-key.pem")
    try write(made.certificatePEM, "ca.pem", mode: 0o644)
    return made
  }

  /// The oldest certificate of the authority that clients may hold.
  func firstCertificate(of authority: CertificateAuthority) throws(Failure) -> Certificate {
    guard let first = try read(Self.firstAuthority) else { return authority.certificate }
    let certificate = try crypto(Self.firstAuthority) { () throws(CryptoFailure) in
      try Certificate(pem: first)
    }
    // One of another key, which somebody replaced, says nothing of this authority's clients.
    guard certificate.publicKeySPKI == authority.certificate.publicKeySPKI else {
      return authority.certificate
    }
    return certificate
  }

  /// The host names that a certificate of an authority may sign for; none where it may sign for all.
  static func hosts(permittedBy certificate: Certificate) -> [String] {
    CertificateAuthority.NameConstraints(of: certificate)?.hostNames ?? []
  }

  /// The former names, then the new ones; of more than the bound the oldest of the former are left out.
  private static func union(_ former: [String], _ wanted: [String]) -> [String] {
    let added = wanted.filter { !former.contains($0) }
    let room = max(0, Limits.authorityNamesMax - added.count)
    var kept = former
    while kept.count > room, let index = kept.firstIndex(where: { !wanted.contains($0) }) {
      kept.remove(at: index)
    }
    assert(Set(kept + added).isSuperset(of: wanted), "every wanted name is permitted")
    return kept + added
  }

  /// The common name of the authorities that gateways make.
  static let authorityName = "Belfry gateway authority"
  private static let firstAuthority = "ca-first.pem"
}
