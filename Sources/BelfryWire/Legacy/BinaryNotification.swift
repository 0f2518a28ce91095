/// One notification of the legacy interface, whichever of its three commands carried it
/// (apns-protocol 7.1).
public struct BinaryNotification: Equatable, Sendable {
  /// What an error packet names it by; `nil` in the simple format, which has none.
  public var identifier: UInt32?
  /// The token's bytes, of any length: whether they are a token is not the format's matter.
  public var token: [UInt8] = []
  /// The payload's bytes.
  public var payload: [UInt8] = []
  /// Seconds since 1970; 0 for once; `nil` where the format or the sender says nothing.
  public var expiration: UInt32?
  /// 10 or 5.
  public var priority: UInt8 = 10

  /// An empty notification.
  public init() {}

  /// What is wrong with its sizes, the token judged before the payload: a client ends its sessions
  /// with a frame in which both are empty and waits for the answer about the token.
  public var sizeFault: BinaryStatus? {
    if token.isEmpty { return .missingDeviceToken }
    if token.count != 32 { return .invalidTokenSize }
    if payload.isEmpty { return .missingPayload }
    if payload.count > WireLimits.binaryPayloadBytesMax { return .invalidPayloadSize }
    return nil
  }
}
