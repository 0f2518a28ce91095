public import BelfryWire

extension GatewayServer {
  /// The information that the gateway's clients need.
  public struct Description: Sendable {
    /// The gateway's only environment: sandbox or production.
    public var environment: BelfryWire.Environment
    /// The address of the gateway's listeners.
    public var host: String
    /// The ports that the listeners are bound to.
    public var ports: GatewayPorts
    /// The file that contains the CA certificate that the gateway's clients trust.
    public var authorityFile: String
    /// The ID of the first team.
    public var teamID: String
    /// The ID of the first team's provider key.
    public var keyID: String
    /// The `.p8` file that contains the private key of the provider key `keyID`.
    public var keyFile: String
    /// The code that devices enroll with.
    public var enrollmentCode: String
    /// The file with the admin API's token.
    public var adminTokenFile: String
    /// The name of this node of a cluster; nil for a single gateway.
    public var node: String?
    /// The port of the console and the admin API; 0 until the port is open.
    public var consolePort: UInt16 = 0
  }
}
