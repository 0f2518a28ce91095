/// A notification of the legacy interface, from any of its three commands (apns-protocol 7.1).
public struct BinaryNotification: Equatable, Sendable {
  /// The identifier for error packets; `nil` in the simple format, which has none.
  public var identifier: UInt32?
  /// The token's bytes, of any length; ``sizeFault`` checks them.
  public var token: [UInt8] = []
  /// The payload's bytes.
  public var payload: [UInt8] = []
  /// Seconds since 1970; 0 for a single attempt; `nil` where the frame has none.
  public var expiration: UInt32?
  /// 10 or 5.
  public var priority: UInt8 = 10

  /// An empty notification.
  public init() {}

  /// The first fault of its sizes.
  ///
  /// The token is checked before the payload: one client ends its sessions with a frame in which both
  /// are empty and waits for the status of a missing token.
  public var sizeFault: BinaryStatus? {
    if token.isEmpty { return .missingDeviceToken }
    if token.count != 32 { return .invalidTokenSize }
    if payload.isEmpty { return .missingPayload }
    if payload.count > WireLimits.binaryPayloadBytesMax { return .invalidPayloadSize }
    return nil
  }
}
