internal import BelfryWire
internal import System

/// The content of a gateway's `gateway.json`, for a provider on the same machine.
public struct GatewayFile: Sendable {
  /// The error for a file that cannot be read.
  public struct Failure: Error, CustomStringConvertible {
    /// The path of the file.
    public let path: String
    /// A description of the error.
    public let reason: String

    /// A description of the error and how to fix it.
    public var description: String {
      "cannot read the gateway description \(path): \(reason); "
        + "use the gateway.json of a gateway that has started"
    }
  }

  /// The address of the provider port.
  ///
  /// If the gateway listens on all addresses, the endpoint is the local machine.
  public let endpoint: ProviderEndpoint
  /// The path of the PEM file with the certificate authority to trust.
  public let authorityFile: String
  /// The ID of the gateway's first team.
  public let teamID: String
  /// The ID of a valid key of this team.
  public let keyID: String
  /// The path of that key's `.p8` file.
  public let keyFile: String
  /// The name of the gateway's environment.
  package let environmentName: String?

  /// Reads the `gateway.json` at `path`.
  public init(_ path: String) throws(Failure) {
    let bytes: [UInt8]
    do throws(SystemFailure) {
      bytes = try FileSystem.read(path, limit: Limits.credentialFileBytes)
    } catch {
      throw Failure(path: path, reason: error.reason)
    }
    guard let object = (try? JSONValue(parsing: bytes))?.objectValue,
      let host = object["host"]?.stringValue,
      let number = object["ports"]?.objectValue?["provider"]?.integerValue,
      let port = UInt16(exactly: number), let authorityFile = object["caFile"]?.stringValue,
      let teamID = object["teamID"]?.stringValue, let keyID = object["keyID"]?.stringValue,
      let keyFile = object["keyFile"]?.stringValue
    else { throw Failure(path: path, reason: "it has an unknown format") }
    endpoint = ProviderEndpoint(
      host: SocketAddress.hostOnThisMachine(ofListener: host), port: port)
    self.authorityFile = authorityFile
    self.teamID = teamID
    self.keyID = keyID
    self.keyFile = keyFile
    environmentName = object["environment"]?.stringValue
  }
}

extension ProviderClient.Configuration {
  /// Creates a configuration for the gateway that wrote the `gateway.json` at `path`, using the key that the file
  /// specifies.
  ///
  /// Throws ``GatewayFile/Failure`` or ``ProviderFailure``, or any error from reading the key or the authority.
  public init(
    gatewayFile path: String, policy: RetryPolicy = RetryPolicy(), connections: Int = 1
  ) throws {
    let file = try GatewayFile(path)
    func read(_ path: String) throws -> [UInt8] {
      try FileSystem.read(path, limit: Limits.credentialFileBytes)
    }
    self.init(
      endpoint: file.endpoint,
      credentials: .token(
        try ProviderKey(p8: read(file.keyFile), keyID: file.keyID, teamID: file.teamID)),
      authorityPEM: try read(file.authorityFile), policy: policy, connections: connections)
  }
}
