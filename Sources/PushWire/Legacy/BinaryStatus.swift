/// The status byte of the legacy interface's error packet (apns-protocol 7.2).
public enum BinaryStatus: UInt8, CaseIterable, Error, Sendable {
  case processingError = 1
  case missingDeviceToken = 2
  case missingTopic = 3
  case missingPayload = 4
  case invalidTokenSize = 5
  case invalidTopicSize = 6
  case invalidPayloadSize = 7
  case invalidToken = 8
  /// The gateway is shutting down; the identifier refers to the last accepted notification.
  case shutdown = 10
  case protocolError = 128
  case unknown = 255

  /// Returns the six-byte packet to send before the connection is closed: command 8, status, identifier.
  public func packet(identifier: UInt32) -> [UInt8] {
    [
      8, rawValue, UInt8(truncatingIfNeeded: identifier >> 24),
      UInt8(truncatingIfNeeded: identifier >> 16), UInt8(truncatingIfNeeded: identifier >> 8),
      UInt8(truncatingIfNeeded: identifier),
    ]
  }

  /// The HTTP/2 reason under which the refusal is counted; `nil` if there is no corresponding reason.
  public var rejection: Rejection? {
    switch self {
    case .processingError: .internalServerError
    case .missingDeviceToken: .missingDeviceToken
    case .missingTopic: .missingTopic
    case .missingPayload: .payloadEmpty
    case .invalidTopicSize: .badTopic
    case .invalidPayloadSize: .payloadTooLarge
    case .invalidTokenSize, .invalidToken: .badDeviceToken
    case .shutdown: .shutdown
    case .protocolError, .unknown: nil
    }
  }

  /// Creates the status that corresponds to a reason of the HTTP/2 interface.
  public init(_ rejection: Rejection) {
    self = BinaryStatus(rawValue: rejection.row.legacyStatus) ?? .unknown
  }
}
