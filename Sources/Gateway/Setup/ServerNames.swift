internal import System
internal import Transport

/// The names that clients use to reach a gateway, and that its server certificate contains.
struct ServerNames {
  /// The host names: `localhost`, the operator's names or the machine's own, and Apple's.
  let hosts: [String]
  /// The addresses: loopback, the operator's addresses or the machine's own, and the listening address.
  let addresses: [String]
  /// The names that the operator specified.
  private let given: [String]

  /// Creates the names of a gateway with this configuration; 127.0.0.2 is included only if the gateway listens on that
  /// address.
  init(of configuration: GatewayConfiguration) {
    given = configuration.names
    var hosts = ["localhost"]
    let own = given.isEmpty ? [LocalHost.name] : given
    // Skip the machine's own name if no certificate can contain it.
    for name in own
    where AddressRange(name) == nil && GatewayConfiguration.isName(name) && !hosts.contains(name) {
      hosts.append(name)
    }
    self.hosts = hosts + GatewayConfiguration.appleHostNames.filter { !hosts.contains($0) }
    let host = configuration.host
    var addresses = ["127.0.0.1", "::1"]
    for name in given.isEmpty ? LocalHost.addresses : given
    where AddressRange(name) != nil && !addresses.contains(name) {
      addresses.append(name)
    }
    let isEvery = ["0.0.0.0", "::"].contains(host)
    if !isEvery, !addresses.contains(host), AddressRange(host) != nil { addresses.append(host) }
    self.addresses = addresses
  }

  /// Throws if the authority can't sign a certificate for a name that the operator specified.
  func requirePermitted(by authority: CertificateAuthority, in folder: GatewayFolder) throws {
    for name in given where try folder.forbids(name, authority) {
      throw GatewayServer.Failure.setup(
        "\(folder.authorityFile) does not permit certificates for --name \(name): remove the option, or install "
          + "a CA certificate that permits the name")
    }
  }
}

/// The names that the operator is warned about, because not all clients can use them.
struct LimitedNames: Sendable, Equatable {
  /// The names that no client can use.
  private let forbidden: [String]  // text: the operator's own names
  /// The names that only clients with the current `ca.pem` can use.
  private let added: [String]  // text: the operator's own names
  /// The names of an earlier start that no client can use any longer.
  private let unserved: [String]  // text: the operator's own names

  init(_ certificates: ServerCertificates) {
    forbidden = certificates.forbiddenNames
    added = certificates.addedNames
    unserved = certificates.unservedNames
  }

  func report(authority file: String, log: Log) {
    if !forbidden.isEmpty {
      log.warning(
        "clients cannot reach the gateway by names that its ca.pem forbids; use another name",
        ["names": forbidden.joined(separator: ","), "ca": file])
    }
    if !added.isEmpty {
      log.warning(
        "a name is newer than the first ca.pem: clients that use this name need the current ca.pem, others can "
          + "keep theirs",
        ["names": added.joined(separator: ","), "ca": file])
    }
    if !unserved.isEmpty {
      log.warning(
        "the certificates no longer contain names that an earlier start added: clients cannot use these names unless "
          + "the gateway is started with --name for each of them",
        ["names": unserved.joined(separator: ",")])
    }
  }
}
