internal import System
internal import Transport

/// What a gateway's listeners show, ready for use.
package struct ShownCertificates: Sendable {
  /// The listeners' TLS.
  package var security: ListenerSecurity
  /// The authorities that sign and are trusted.
  package var authorities: Authorities
  /// When the certificates end.
  var ends: [CertificateEnd]
  /// What is shown and what is trusted: other ones are for new connections.
  var chains: [[UInt8]]
  /// The files of the operator's that were read.
  var files: [String]
}

/// Reads or issues what the listeners show, for a configuration, in its folder.
struct CertificateSource: Sendable {
  let folder: GatewayFolder
  let revocations: CertificateRevocations
  let log: Log

  /// What the listeners shall show at that time, in seconds since 1970.
  func load(_ configuration: GatewayConfiguration, nowSeconds: Int64) throws -> ShownCertificates {
    let names = ServerNames(of: configuration)
    // Before anything is written into the folder.
    try configuration.checkCertificate()
    let authorities = try folder.authorities(hosts: names.hosts, nowSeconds: nowSeconds)
    return try load(configuration, names, authorities, nowSeconds: nowSeconds)
  }

  func load(
    _ configuration: GatewayConfiguration, _ names: ServerNames, _ authorities: Authorities,
    nowSeconds: Int64
  ) throws -> ShownCertificates {
    let authority = authorities.server
    try names.requirePermitted(by: authority, in: folder)
    let server = try folder.server(
      hosts: names.hosts, addresses: names.addresses, retainsFormer: configuration.names.isEmpty,
      authority: authority, nowSeconds: nowSeconds)
    names.report(server, authority: folder.authorityFile, log: log)
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
    return ShownCertificates(
      security: try ListenerSecurity(
        showing: server, own: own?.identity, authorityPEM: authorities.trustedPEM,
        revocations: revocations, takesOverRecords: configuration.takesOverRecords),
      authorities: authorities,
      ends: ends,
      chains: [server.general.chainPEM] + server.added.map(\.chainPEM)
        + [own?.identity.certificateChainPEM, authorities.trustedPEM].compactMap(\.self),
      files: configuration.serverCertificate.map { [$0.chainFile, $0.keyFile] } ?? [])
  }
}

extension GatewayConfiguration {
  /// Fails where the files of the operator's certificate cannot be used.
  public func checkCertificate() throws {
    guard let serverCertificate else { return }
    let own = try OwnCertificate(serverCertificate).identity
    _ = try TLSServerContext(
      certificateChainPEM: own.certificateChainPEM, privateKeyPEM: own.privateKeyPEM, alpn: [])
  }

  /// Why clients would refuse the operator's certificate at that time; nil where they would not, or there is none.
  ///
  /// A gateway starts all the same: its other names are served.
  public func certificateProblem(nowSeconds now: Int64) throws -> String? {
    guard let serverCertificate else { return nil }
    let own = try OwnCertificate(serverCertificate)
    let (first, last) = (own.certificate.notBefore, own.certificate.notAfter)
    if now >= last {
      let end = Timestamp.rfc3339(unixMilliseconds: last * 1_000)
      return "the certificate in \(own.file) ended \(end): renew it"
    }
    if now < first {
      let beginning = Timestamp.rfc3339(unixMilliseconds: first * 1_000)
      return "the certificate in \(own.file) is not valid before \(beginning): wait, or use another"
    }
    return nil
  }
}

/// A server certificate of the operator's, of a public authority's for example.
private struct OwnCertificate {
  let file: String
  let certificate: Certificate
  let identity: TLSServerContext.Identity

  init(_ files: GatewayConfiguration.ServerCertificate) throws {
    file = files.chainFile
    let chain = try FileSystem.readRegularFile(files.chainFile, limit: Self.fileBytesMax)
    let key = try FileSystem.readRegularFile(files.keyFile, limit: Self.fileBytesMax)
    do throws(CryptoFailure) {
      certificate = try Certificate(pem: chain)
    } catch {
      throw GatewayServer.Failure.setup(
        "\(files.chainFile) holds no certificate (\(error)): give a chain in PEM, the server's first"
      )
    }
    let hosts = certificate.hostNames
    guard !hosts.isEmpty else {
      throw GatewayServer.Failure.setup(
        "\(files.chainFile) names no host: give a server's certificate")
    }
    identity = TLSServerContext.Identity(
      certificateChainPEM: chain, privateKeyPEM: key, hostNames: hosts.map { $0.lowercased() })
  }

  /// Bytes of a file: real chains have some ten thousand.
  private static let fileBytesMax = 1_048_576
}
