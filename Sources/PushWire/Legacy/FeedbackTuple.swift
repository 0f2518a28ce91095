internal import BelfryWire

/// An entry of the feedback service: the token of a removed app, and the time at which the removal was detected
/// (apns-protocol 7.4).
public struct FeedbackTuple: Equatable, Sendable {
  /// The time at which the app's removal was detected, in seconds since 1970.
  public let seconds: UInt32
  /// The token of the removed app.
  public let token: [UInt8]

  /// Creates an entry from its parts.
  public init(seconds: UInt32, token: [UInt8]) {
    self.seconds = seconds
    self.token = token
  }

  /// The encoded entry: time, token length, token; 38 bytes for a 32-byte token.
  public var bytes: [UInt8] {
    assert(
      token.count <= WireLimits.deviceTokenBytesMax, "the device token is within its size limit")
    let length = UInt16(clamping: token.count)
    return [
      UInt8(truncatingIfNeeded: seconds >> 24), UInt8(truncatingIfNeeded: seconds >> 16),
      UInt8(truncatingIfNeeded: seconds >> 8), UInt8(truncatingIfNeeded: seconds),
      UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length),
    ] + token.prefix(Int(length))
  }
}
