internal import System
internal import Transport

/// The certificates of a gateway's listeners, ready for use.
package struct ListenerCertificates: Sendable {
  /// The TLS configuration of the listeners.
  package var security: ListenerSecurity
  /// The authorities, both for signing and for trust.
  package var authorities: Authorities
  /// The expiration times of the certificates.
  var ends: [CertificateEnd]
  /// The certificate chains that the listeners present or trust; if a chain changes, new connections use the new one.
  var chains: [[UInt8]]
  /// The paths of the operator's certificate files.
  var files: [String]
  /// The names that not all clients can use.
  var limitedNames: LimitedNames
}

/// A source that reads the listeners' certificates from the folder, or issues new ones for a configuration.
struct CertificateSource: Sendable {
  let folder: GatewayFolder
  let revocations: CertificateRevocations
  let log: Log

  /// Returns the listeners' certificates for the given time, in seconds since 1970.
  ///
  /// Names that not all clients can use are logged, unless they are those of the former certificates.
  func load(
    _ configuration: GatewayConfiguration, after former: ListenerCertificates? = nil,
    nowSeconds: Int64
  ) throws -> ListenerCertificates {
    let names = ServerNames(of: configuration)
    // Check the operator's certificate before writing anything to the folder.
    try configuration.checkCertificate()
    let authorities = try folder.authorities(hosts: names.hosts, nowSeconds: nowSeconds)
    return try load(configuration, names, authorities, after: former, nowSeconds: nowSeconds)
  }

  func load(
    _ configuration: GatewayConfiguration, _ names: ServerNames, _ authorities: Authorities,
    after former: ListenerCertificates? = nil, nowSeconds: Int64
  ) throws -> ListenerCertificates {
    let authority = authorities.server
    try names.requirePermitted(by: authority, in: folder)
    let server = try folder.server(
      hosts: names.hosts, addresses: names.addresses, retainsFormer: configuration.names.isEmpty,
      authority: authority, nowSeconds: nowSeconds)
    let limitedNames = LimitedNames(server)
    if limitedNames != former?.limitedNames {
      limitedNames.report(authority: folder.authorityFile, log: log)
    }
    let own = try configuration.serverCertificate.map { try OwnCertificate($0) }
    var ends = [
      CertificateEnd(
        kind: .authority, subject: folder.authorityFile, notBefore: authority.certificate.notBefore,
        notAfter: authority.certificate.notAfter),
      CertificateEnd(
        kind: .server, subject: folder.file("server.pem"), notBefore: server.notBefore,
        notAfter: server.notAfter),
    ]
    if authorities.isRotating {
      ends.append(
        CertificateEnd(
          kind: .nextAuthority, subject: folder.authorityFile,
          notAfter: authorities.issuer.certificate.notAfter))
    }
    if let own {
      ends.append(
        CertificateEnd(
          kind: .own, subject: own.file, notBefore: own.certificate.notBefore,
          notAfter: own.certificate.notAfter))
    }
    return ListenerCertificates(
      security: try ListenerSecurity(
        showing: server, own: own?.identity, authorityPEM: authorities.trustedPEM,
        revocations: revocations, takesOverRecords: configuration.takesOverRecords),
      authorities: authorities,
      ends: ends,
      chains: [server.general.chainPEM] + server.added.map(\.chainPEM)
        + [own?.identity.certificateChainPEM, authorities.trustedPEM].compactMap(\.self),
      files: configuration.serverCertificate.map { [$0.chainFile, $0.keyFile] } ?? [],
      limitedNames: limitedNames)
  }
}

extension GatewayConfiguration {
  /// Throws if the files of the operator's certificate can't be used.
  public func checkCertificate() throws {
    _ = try serverCertificate.map { try OwnCertificate($0) }
  }

  /// Returns the reason that clients would reject the operator's certificate at `now`, in seconds since 1970; nil if
  /// they would accept it, or if no certificate is configured.
  ///
  /// The gateway starts even if there is a reason, because connections to its other names still work.
  public func certificateProblem(nowSeconds now: Int64) throws -> String? {
    guard let serverCertificate else { return nil }
    let own = try OwnCertificate(serverCertificate)
    let (first, last) = (own.certificate.notBefore, own.certificate.notAfter)
    if now >= last {
      let end = Timestamp.rfc3339(unixMilliseconds: last * 1_000)
      return "the certificate in \(own.file) expired \(end): renew it"
    }
    if now < first {
      let beginning = Timestamp.rfc3339(unixMilliseconds: first * 1_000)
      return "the certificate in \(own.file) is not valid before \(beginning): "
        + "wait, or use another certificate"
    }
    return nil
  }
}

extension GatewayConfiguration.ServerCertificate {
  /// Returns the message about a certificate and a key that can't be used together.
  fileprivate func problem(_ failure: TLSFailure) -> String {
    switch failure {
    case .keyMismatch:
      "the private key in \(keyFile) does not match the certificate in \(chainFile): "
        + "use the key that the certificate was issued for"
    case .badPEM, .library:
      "cannot use \(chainFile) with the private key in \(keyFile): \(failure): "
        + "expected a certificate chain and an unencrypted private key in PEM format"
    }
  }
}

/// A server certificate that the operator provides, for example, one from a public authority.
private struct OwnCertificate {
  let file: String
  let certificate: Certificate
  let identity: TLSServerContext.Identity

  init(_ files: GatewayConfiguration.ServerCertificate) throws {
    file = files.chainFile
    let missing = [files.chainFile, files.keyFile].filter { !FileSystem.exists($0) }
    if missing.count > 1 {
      throw GatewayServer.Failure.setup(
        "no such files: \(missing.joined(separator: ", ")) (--server-certificate and --server-key)")
    }
    let chain = try FileSystem.readRegularFile(files.chainFile, limit: Self.fileBytesMax)
    let key = try FileSystem.readRegularFile(files.keyFile, limit: Self.fileBytesMax)
    do throws(CryptoFailure) {
      certificate = try Certificate(pem: chain)
    } catch {
      if (try? Certificate(der: chain)) != nil {
        throw GatewayServer.Failure.setup(
          "\(files.chainFile) contains a certificate in DER format, but PEM is required: convert it with "
            + "'openssl x509 -inform der -in \(files.chainFile) -out FILE.pem'")
      }
      // A malformed file needs no further reason than the expected content.
      let reason = if case .malformed = error { "" } else { " (\(error))" }
      throw GatewayServer.Failure.setup(
        "no certificate in \(files.chainFile)\(reason): expected a PEM chain that starts with the server's certificate"
      )
    }
    let hosts = certificate.hostNames
    guard !hosts.isEmpty else {
      throw GatewayServer.Failure.setup(
        "the certificate in \(files.chainFile) contains no host name: expected a server certificate"
      )
    }
    identity = TLSServerContext.Identity(
      certificateChainPEM: chain, privateKeyPEM: key, hostNames: hosts.map { $0.lowercased() })
    // Check the bytes that are used, because a renewal can replace one of the files between two reads.
    do throws(TLSFailure) {
      _ = try TLSServerContext(certificateChainPEM: chain, privateKeyPEM: key, alpn: [])
    } catch {
      throw GatewayServer.Failure.setup(files.problem(error))
    }
  }

  /// The maximum size of the file, in bytes; real certificate chains are about 10,000 bytes long.
  private static let fileBytesMax = 1_048_576
}
