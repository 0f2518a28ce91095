/// The ports of a gateway's listeners; 0 stands for any free one.
public struct GatewayPorts: Equatable, Sendable {
  /// APNs' HTTP/2 provider API; the first is the one published to clients.
  public var providers: [UInt16]
  /// The devices' link.
  public var device: UInt16
  /// The legacy binary interface.
  public var binary: UInt16
  /// The legacy feedback service.
  public var feedback: UInt16
  /// The provider API without TLS; `nil` where it is off.
  public var insecureProvider: UInt16?

  /// The ports that Apple uses.
  public init(
    providers: [UInt16] = [2197], device: UInt16 = 5223, binary: UInt16 = 2195,
    feedback: UInt16 = 2196, insecureProvider: UInt16? = nil
  ) {
    self.providers = providers
    self.device = device
    self.binary = binary
    self.feedback = feedback
    self.insecureProvider = insecureProvider
  }
}
