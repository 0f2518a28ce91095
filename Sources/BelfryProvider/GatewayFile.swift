internal import BelfryWire
internal import System

/// What a gateway's `gateway.json` says to a provider on the same machine.
public struct GatewayFile: Sendable {
  /// Why there is nothing to read.
  public struct Failure: Error, CustomStringConvertible {
    /// The file's path.
    public let path: String
    /// What is wrong with it.
    public let reason: String

    /// What is wrong and what to do.
    public var description: String {
      "\(path) names no gateway: \(reason); give the gateway.json of one that has started"
    }
  }

  /// The provider port; a gateway that listens everywhere is reached on this machine.
  public let endpoint: ProviderEndpoint
  /// The path of the authority to trust, as PEM.
  public let authorityFile: String
  /// The id of the gateway's first team.
  public let teamID: String
  /// The id of a key that is good.
  public let keyID: String
  /// The path of that key, `.p8`.
  public let keyFile: String
  /// The environment that the gateway serves.
  package let environmentName: String?

  /// Reads the file.
  public init(_ path: String) throws(Failure) {
    let bytes: [UInt8]
    do throws(SystemFailure) {
      bytes = try FileSystem.read(path, limit: Limits.credentialFileBytes)
    } catch {
      throw Failure(path: path, reason: "\(error)")
    }
    guard let object = (try? JSONValue(parsing: bytes))?.objectValue,
      let host = object["host"]?.stringValue,
      let number = object["ports"]?.objectValue?["provider"]?.integerValue,
      let port = UInt16(exactly: number), let authorityFile = object["caFile"]?.stringValue,
      let teamID = object["teamID"]?.stringValue, let keyID = object["keyID"]?.stringValue,
      let keyFile = object["keyFile"]?.stringValue
    else { throw Failure(path: path, reason: "it is not what a gateway writes") }
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
  /// A configuration for the gateway that wrote the `gateway.json` at `path`, with the key that it names.
  ///
  /// Throws ``GatewayFile/Failure``, what reading the key or the authority fails with, or ``ProviderFailure``.
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
