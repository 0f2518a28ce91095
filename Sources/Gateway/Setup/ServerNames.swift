internal import System
internal import Transport

/// The names by which a gateway is reached, and which its server certificate has.
struct ServerNames {
  /// Host names: `localhost`, the operator's or the machine's, and Apple's.
  let hosts: [String]
  /// Addresses: loopback, the operator's or the machine's, and the one that is listened on.
  let addresses: [String]
  /// Those that the operator gave.
  private let given: [String]

  /// The names of a gateway with this configuration; 127.0.0.2 is listed only when it is listened on.
  init(of configuration: GatewayConfiguration) {
    given = configuration.names
    var hosts = ["localhost"]
    let own = given.isEmpty ? [LocalHost.name] : given
    // A machine may be called what no certificate can name.
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

  /// Throws where the authority can sign no certificate for a name that was asked for.
  func requirePermitted(by authority: CertificateAuthority, in folder: GatewayFolder) throws {
    for name in given where try folder.forbids(name, authority) {
      throw GatewayServer.Failure.setup(
        "\(folder.authorityFile) permits no certificate for --name \(name): leave it out, or put an "
          + "authority there that permits it")
    }
  }

  /// Tells the operator who needs the present `ca.pem`.
  func report(_ certificates: ServerCertificates, authority file: String, log: Log) {
    if !certificates.forbiddenNames.isEmpty {
      log.warning(
        "clients cannot reach the gateway by names that its ca.pem forbids; use another name",
        ["names": certificates.forbiddenNames.joined(separator: ","), "ca": file])
    }
    if !certificates.addedNames.isEmpty {
      log.warning(
        "a name is newer than the first ca.pem: clients that use it need the present ca.pem, others go "
          + "on with theirs",
        ["names": certificates.addedNames.joined(separator: ","), "ca": file])
    }
  }
}
