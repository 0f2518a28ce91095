extension CertificateAuthority.NameConstraints {
  /// Reads the host names that an authority's certificate permits, or returns nil if the certificate permits all names.
  ///
  /// Constraints on other kinds of names are ignored.
  public init?(of certificate: Certificate) {
    let identifier = CertificateExtension.nameConstraints(hosts: []).identifier
    guard let value = certificate.extensionValue(identifier) else { return nil }
    var outer = DERReader(value)
    guard var constraints = outer.sequence(),
      let permitted = constraints.element(tag: DERTag.context(0, constructed: true))
    else { return nil }
    var subtrees = DERReader(permitted)
    var hosts: [String] = []
    while var subtree = subtrees.sequence() {
      guard let name = subtree.element(tag: DERTag.context(2)) else { continue }
      hosts.append(String(decoding: name, as: UTF8.self))
    }
    try? self.init(hostNames: hosts)
  }
}

extension CertificateAuthority {
  /// Returns true if a verifier that trusts `anchor`, a certificate of this authority, accepts a server certificate for
  /// this host name or address.
  ///
  /// To apply OpenSSL's interpretation of the constraints, this method issues a certificate for the name, verifies it,
  /// and discards it.
  public func permits(_ name: String, under anchor: Certificate) throws(CryptoFailure) -> Bool {
    let isAddress = AddressRange(name) != nil
    let moment = anchor.notBefore + Int64(Limits.clockSkewSeconds)
    let probe = try issueServer(
      names: isAddress ? [] : [name], addresses: isAddress ? [name] : [], now: moment)
    do throws(CertificateChain.Failure) {
      try CertificateChain.check(
        probe.certificate, authorities: [anchor], purpose: .server, now: moment)
      return true
    } catch {
      // The method decides only about the name. Checks of the anchor itself report all other problems.
      return error != .forbiddenName
    }
  }
}
