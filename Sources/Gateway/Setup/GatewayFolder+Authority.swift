public import Transport
internal import System

/// The certificates of the gateway's authority: the current one, and the first one, of which clients might have copies.
///
/// Clients keep copies of `ca.pem`. For this reason, the authority's name and key never change, and each new
/// certificate only adds permitted names. The folder retains the first certificate, because every copy permits at least
/// the names that the first certificate permits.
extension GatewayFolder {
  /// Reads or creates the authority; `hosts` are the names that its certificates must permit.
  ///
  /// During a rotation, this is the authority that signs the listeners' certificates.
  public func authority(hosts: [String], nowSeconds: Int64) throws(Failure) -> CertificateAuthority
  {
    try authorities(hosts: hosts, nowSeconds: nowSeconds).server
  }

  /// Reads or creates the authorities.
  ///
  /// An authority that doesn't permit `hosts` gets a new certificate for its key. An authority from an earlier release
  /// also gets one, because its certificate contains constraints on addresses, which BoringSSL rejects.
  package func authorities(hosts: [String], nowSeconds: Int64) throws(Failure) -> Authorities {
    guard let present = try presentAuthorities() else {
      let made = try makeAuthority(hosts: hosts, nowSeconds: nowSeconds)
      return Authorities(signing: [made], trusted: AuthorityBundle([made.certificate]))
    }
    var signing: [CertificateAuthority] = []
    for one in present.signing { signing.append(try permitting(hosts, one)) }
    let unsigned = present.trusted.certificates.filter { certificate in
      !present.signing.contains { $0.certificate == certificate }
    }
    let authorities = Authorities(
      signing: signing, trusted: AuthorityBundle(signing.map(\.certificate) + unsigned))
    guard authorities.trusted != present.trusted else { return authorities }
    // Retain the first certificate before replacing `ca.pem`, so that an interrupted start doesn't lose it.
    try retainFirst(of: present.signing)
    try write(authorities)
    return authorities
  }

  /// Returns the authorities that the folder contains; nil if it contains none.
  func presentAuthorities() throws(Failure) -> Authorities? {
    guard let certificates = try read("ca.pem") else { return nil }
    guard let keys = try read("ca-key.pem") else {
      throw .damaged(file: file("ca-key.pem"), "is missing, but ca.pem exists")
    }
    return try crypto("ca.pem and ca-key.pem") { () throws(CryptoFailure) in
      let signing = try CertificateAuthority.loadAll(
        certificatesPEM: certificates, privateKeysPEM: keys)
      // The file of an operator's own authority can also contain the authority's issuers, which aren't trusted
      // themselves.
      guard Self.isOwn(signing[0]) else {
        return Authorities(
          signing: signing, trusted: AuthorityBundle(signing.map(\.certificate)))
      }
      return Authorities(signing: signing, trusted: try AuthorityBundle(pem: certificates))
    }
  }

  /// Returns the authority, with a new certificate if the current one doesn't permit `hosts`; never changes an
  /// operator's own authority.
  private func permitting(
    _ hosts: [String], _ authority: CertificateAuthority
  ) throws(Failure) -> CertificateAuthority {
    guard Self.isOwn(authority) else { return authority }
    return try crypto("ca.pem") { () throws(CryptoFailure) in
      let constraints = try CertificateAuthority.NameConstraints(
        hostNames: Self.union(Self.hosts(permittedBy: authority.certificate), hosts))
      return authority.has(constraints)
        ? authority : try authority.reissued(nameConstraints: constraints)
    }
  }

  /// Retains the first certificate of each authority, including the new authority of a rotation, because clients have
  /// copies of its certificates too.
  private func retainFirst(of signing: [CertificateAuthority]) throws(Failure) {
    var kept = try firstCertificates().filter { certificate in
      signing.contains { $0.certificate.publicKeySPKI == certificate.publicKeySPKI }
    }
    for authority in signing
    where !kept.contains(where: { $0.publicKeySPKI == authority.certificate.publicKeySPKI }) {
      kept.append(authority.certificate)
    }
    assert(kept.count == signing.count, "each authority has one first certificate")
    let text = try crypto(Self.firstAuthority) { () throws(CryptoFailure) in
      try AuthorityBundle(kept).pem()
    }
    try write(text, Self.firstAuthority, mode: 0o644)
  }

  private func firstCertificates() throws(Failure) -> [Certificate] {
    guard let first = try read(Self.firstAuthority) else { return [] }
    return try crypto(Self.firstAuthority) { () throws(CryptoFailure) in
      try AuthorityBundle(pem: first).certificates
    }
  }

  /// Writes `ca.pem`, the file that determines which authorities exist.
  private func write(_ authorities: Authorities) throws(Failure) {
    let text = try crypto("ca.pem") { () throws(CryptoFailure) in try authorities.trusted.pem() }
    try write(text, "ca.pem", mode: 0o644)
  }

  // MARK: Rotation

  /// Adds a second authority, which signs the certificates of devices and providers; returns nil if there are already
  /// two authorities, or if the only authority is an operator's own.
  ///
  /// The keys are written before the certificate that needs them, so that the folder is usable after each write.
  func addAuthority(nowSeconds: Int64) throws(Failure) -> Authorities? {
    guard let present = try presentAuthorities(), !present.isRotating, Self.isOwn(present.server)
    else { return nil }
    let former = present.server
    let made = try crypto("ca.pem") { () throws(CryptoFailure) in
      try CertificateAuthority.make(
        commonName: Self.name(after: former.certificate.commonName),
        nameConstraints: .init(hostNames: Self.hosts(permittedBy: former.certificate)),
        now: nowSeconds, days: Limits.authorityDays)
    }
    try write(former.privateKeyPEM + made.privateKeyPEM, "ca-key.pem")
    let both = Authorities(
      signing: [former, made], trusted: AuthorityBundle([former.certificate, made.certificate]))
    try write(both)
    return both
  }

  /// Retires all authorities except the one that signs device certificates; returns nil if there is only one authority.
  ///
  /// The certificates are written first. After that write, the previous authorities are no longer trusted, even if
  /// their keys can't be removed.
  func giveUpFormerAuthorities() throws(Failure) -> Authorities? {
    guard let present = try presentAuthorities(), present.isRotating else { return nil }
    let issuer = present.issuer
    let one = Authorities(signing: [issuer], trusted: AuthorityBundle([issuer.certificate]))
    try write(one)
    try removeFormerKeys(one)
    return one
  }

  /// Removes the keys of retired authorities.
  func removeFormerKeys(_ authorities: Authorities) throws(Failure) {
    let keys = authorities.signing.flatMap(\.privateKeyPEM)
    guard Self.isOwn(authorities.server), try read("ca-key.pem") != keys else { return }
    try write(keys, "ca-key.pem")
  }

  /// Returns true if a gateway created the authority.
  static func isOwn(_ authority: CertificateAuthority) -> Bool {
    authority.certificate.commonName.hasPrefix(authorityName)
  }

  /// Returns the name of the authority that replaces the authority named `former`.
  ///
  /// The names must differ, because some verifiers find an issuer only by its name.
  private static func name(after former: String) -> String {
    let number = former.split(separator: " ").last.flatMap { Int($0) } ?? 1
    return "\(authorityName) \(number &+ 1)"
  }

  private func makeAuthority(
    hosts: [String], nowSeconds: Int64
  ) throws(Failure) -> CertificateAuthority {
    let made = try crypto("ca.pem") { () throws(CryptoFailure) in
      try CertificateAuthority.make(
        commonName: Self.authorityName, nameConstraints: .init(hostNames: hosts), now: nowSeconds,
        days: Limits.authorityDays)
    }
    // A leftover file with first certificates belongs to a previous authority.
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

  /// Returns the authority's oldest certificate that a client might still trust.
  func firstCertificate(of authority: CertificateAuthority) throws(Failure) -> Certificate {
    // If the operator has replaced the authority, the retained certificate belongs to another key and says nothing
    // about the clients' copies.
    let first = try firstCertificates().first {
      $0.publicKeySPKI == authority.certificate.publicKeySPKI
    }
    return first ?? authority.certificate
  }

  /// Returns the host names that an authority's certificate permits; empty if the certificate permits all names.
  static func hosts(permittedBy certificate: Certificate) -> [String] {
    CertificateAuthority.NameConstraints(of: certificate)?.hostNames ?? []
  }

  /// Returns the previous names followed by the new ones; if there are too many, omits the oldest previous names.
  private static func union(_ former: [String], _ wanted: [String]) -> [String] {
    let added = wanted.filter { !former.contains($0) }
    let room = max(0, Limits.authorityNamesMax - added.count)
    var kept = former
    while kept.count > room, let index = kept.firstIndex(where: { !wanted.contains($0) }) {
      kept.remove(at: index)
    }
    assert(Set(kept + added).isSuperset(of: wanted), "all wanted names are included")
    return kept + added
  }

  /// The common name of the authorities that gateways create.
  static let authorityName = "Belfry gateway authority"
  private static let firstAuthority = "ca-first.pem"
}
