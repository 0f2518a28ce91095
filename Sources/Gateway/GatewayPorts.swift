/// The ports of a gateway's listeners; 0 means any free port.
public struct GatewayPorts: Equatable, Sendable {
  /// The ports of APNs' HTTP/2 provider API; the first port is published to clients.
  public var providers: [UInt16]
  /// The port of the device link.
  public var device: UInt16
  /// The port of the legacy binary interface.
  public var binary: UInt16
  /// The port of the legacy feedback service.
  public var feedback: UInt16
  /// The port of the provider API without TLS; `nil` disables it.
  public var insecureProvider: UInt16?
  /// The port of the Web Push service; `nil` disables it.
  public var webPush: UInt16?
  /// The port of the Web Push service without TLS; `nil` disables it.
  public var insecureWebPush: UInt16?

  /// Creates the ports; the defaults are the same as Apple's.
  public init(
    providers: [UInt16] = [2197], device: UInt16 = 5223, binary: UInt16 = 2195,
    feedback: UInt16 = 2196, insecureProvider: UInt16? = nil, webPush: UInt16? = nil,
    insecureWebPush: UInt16? = nil
  ) {
    self.webPush = webPush
    self.insecureWebPush = insecureWebPush
    self.providers = providers
    self.device = device
    self.binary = binary
    self.feedback = feedback
    self.insecureProvider = insecureProvider
  }
}
