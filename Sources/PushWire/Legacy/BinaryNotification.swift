internal import BelfryWire

/// A notification sent through the legacy interface with any of its three commands (apns-protocol 7.1).
public struct BinaryNotification: Equatable, Sendable {
  /// The identifier for error packets; `nil` in the simple format, which does not include an identifier.
  public var identifier: UInt32?
  /// The bytes of the token, which can have any length; ``sizeFault`` checks the length.
  public var token: [UInt8] = []
  /// The bytes of the payload.
  public var payload: [UInt8] = []
  /// The expiration in seconds since 1970; 0 for a single attempt; `nil` if the frame does not specify an expiration.
  public var expiration: UInt32?
  /// The priority: 10 or 5.
  public var priority: UInt8 = 10

  /// Creates an empty notification.
  public init() {}

  /// The error in the size of the token or the payload; `nil` if both sizes are valid.
  ///
  /// The token is checked before the payload. One client ends its sessions with a frame in which both are empty, and
  /// waits for the status code for a missing token.
  public var sizeFault: BinaryStatus? {
    if token.isEmpty { return .missingDeviceToken }
    if token.count != 32 { return .invalidTokenSize }
    if payload.isEmpty { return .missingPayload }
    if payload.count > WireLimits.binaryPayloadBytesMax { return .invalidPayloadSize }
    return nil
  }
}
