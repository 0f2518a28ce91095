/// The options of a connection to NATS.
///
/// The files are read when the bus is created, which fails if they cannot be used, and again for each connection, so a
/// file that is replaced is used from the next connection on.
public struct BusOptions: Sendable {
  /// The servers; each connection uses one of them.
  public var address: BusAddress
  /// The path of a credential file, or nil for a server that does not authenticate its clients.
  ///
  /// The file is either a `.creds` file with a JSON Web Token and a seed, as `nsc` writes it, or a text file with the
  /// user in the first line and the password in the second line.
  public var credentialsFile: String?
  /// The path of a PEM file with the authorities that issue the server's certificate.
  ///
  /// The library trusts them in addition to the authorities of the machine.
  public var authorityFile: String?
  /// The path of a PEM file with the client's certificate and its intermediate certificates.
  public var certificateFile: String?
  /// The path of a PEM file with the key of the client's certificate.
  public var keyFile: String?
  /// The name of the connection, which the server shows in its lists and in its log.
  public var name: String

  /// Creates options; the files are not read yet.
  public init(
    address: BusAddress, credentialsFile: String? = nil, authorityFile: String? = nil,
    certificateFile: String? = nil, keyFile: String? = nil, name: String = "belfry"
  ) {
    self.address = address
    self.credentialsFile = credentialsFile
    self.authorityFile = authorityFile
    self.certificateFile = certificateFile
    self.keyFile = keyFile
    self.name = name
  }
}
